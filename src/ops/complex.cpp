// Complex numbers: made of parts, taken apart, conjugated; lazy conjugates and negatives.
#include <cmath>

#include "meta/layout.h"
#include "meta/pointwise.h"
#include "meta/reference.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Promote;

// ---- metas

TensorMeta* same_view(const Tensor& self) {
  return current_arena().make<TensorMeta>(
      *meta::view_of(self.meta(), self.sizes(), self.strides(), self.storage_offset()));
}
const TensorMeta* meta_conj(Tensor self) {
  if (!is_complex(self.dtype())) fail_input("_conj needs a complex tensor, got ", info(self.dtype()).name);
  TensorMeta* meta = same_view(self);
  meta->conjugated = !meta->conjugated;
  return meta;
}
const TensorMeta* meta_neg_view(Tensor self) {
  TensorMeta* meta = same_view(self);
  meta->negated = !meta->negated;
  return meta;
}

const TensorMeta* meta_complex(Tensor real, Tensor imaginary) {
  meta::Sizes shape = meta::broadcast_sizes(real.sizes(), imaginary.sizes());
  return meta::contiguous(shape, meta::complex_type(real.dtype()), real.device());
}
const TensorMeta* meta_angle(Tensor self) {
  return meta::primitive({&self.meta()}, meta::real_type(meta::promoted(Promote::kIntToFloat, self.dtype())));
}

// ---- views

Tensor undo_conj(const Tensor&, const Tensor& written, const Call&, uint32_t) { return aten::_conj(written); }
Tensor undo_neg_view(const Tensor&, const Tensor& written, const Call&, uint32_t) { return aten::_neg_view(written); }

// ---- bodies

Tensor conj(Tensor self) { return is_complex(self.dtype()) ? aten::_conj(self) : self; }
Tensor resolve_conj(Tensor self) { return self.meta().conjugated ? aten::clone(self) : self; }
Tensor resolve_neg(Tensor self) { return self.meta().negated ? aten::clone(self) : self; }

// Of a lazy conjugate the parts of the number itself, the imaginary one negated.
Tensor real(Tensor self) {
  if (!is_complex(self.dtype())) return self;
  Tensor number = self.meta().conjugated ? aten::_conj(self) : self;
  Tensor pairs = aten::view_as_real(number);
  return aten::select_int(pairs, pairs.dim() - 1, 0);
}
Tensor imag(Tensor self) {
  if (!is_complex(self.dtype())) fail_input("imag needs a complex tensor, got ", info(self.dtype()).name);
  bool conjugated = self.meta().conjugated;
  Tensor number = conjugated ? aten::_conj(self) : self;
  Tensor pairs = aten::view_as_real(number);
  if (conjugated) pairs = aten::_neg_view(pairs);
  return aten::select_int(pairs, pairs.dim() - 1, 1);
}

Tensor conj_physical(Tensor self) { return is_complex(self.dtype()) ? aten::_conj_physical(self) : self; }

// ---- references

Tensor reference_conj_physical(Tensor self) { return is_complex(self.dtype()) ? prims::conj_physical(self) : self; }

// A pair of real numbers in a last dimension, seen as one complex one.
Tensor reference_complex(Tensor real, Tensor imag) {
  meta::Sizes shape = meta::broadcast_sizes(real.sizes(), imag.sizes());
  auto fit = [&](const Tensor& x) { return std::ranges::equal(x.sizes(), shape) ? x : aten::expand(x, shape); };
  Tensor first = fit(real);
  Tensor second = fit(imag);
  return aten::view_as_complex(aten::stack(std::array<Tensor, 2>{first, second}, -1));
}

// abs (cos(angle) + i sin(angle))
Tensor reference_polar(Tensor abs, Tensor angle) {
  Tensor cosine = aten::cos(angle);
  Tensor sine = aten::sin(angle);
  Tensor real = aten::mul_Tensor(abs, cosine);
  Tensor imag = aten::mul_Tensor(abs, sine);
  return aten::complex(real, imag);
}

// Of a real number pi below zero and 0 above; NaN stays.
Tensor reference_angle(Tensor self) {
  if (is_complex(self.dtype())) {
    Tensor imag = aten::imag(self);
    return aten::atan2(imag, aten::real(self));
  }
  Tensor x = to_dtype(self, meta::promoted(Promote::kIntToFloat, self.dtype()));
  Tensor is_negative = aten::lt_Scalar(x, 0);
  Tensor is_positive = aten::gt_Scalar(x, 0);
  Tensor angle = aten::where_ScalarSelf(is_negative, M_PI, x);
  return aten::where_ScalarSelf(is_positive, 0.0, angle);
}

constexpr OpDef kRows[] = {
    {.op = "aten::_conj", .meta = box_meta<meta_conj>, .reference = box<prims::conj>, .inverse = undo_conj},
    {.op = "aten::_neg_view", .meta = box_meta<meta_neg_view>, .inverse = undo_neg_view},
    {.op = "aten::conj", .body = box<conj>},
    {.op = "aten::resolve_conj", .body = box<resolve_conj>},
    {.op = "aten::resolve_neg", .body = box<resolve_neg>},
    {.op = "aten::real", .body = box<real>},
    {.op = "aten::imag", .body = box<imag>},
    {.op = "aten::complex", .meta = box_meta<meta_complex>, .reference = box<reference_complex>},
    {.op = "aten::polar", .meta = box_meta<meta_complex>, .reference = box<reference_polar>},
    {.op = "aten::angle", .meta = box_meta<meta_angle>, .reference = box<reference_angle>},
    {.op = "aten::_conj_physical", .meta = meta::pointwise<Promote::kDefault>, .reference = box<prims::conj_physical>},
    {.op = "aten::conj_physical", .body = box<conj_physical>, .reference = box<reference_conj_physical>},
    {.op = "prims::conj", .meta = box_meta<meta_conj>},
};

}  // namespace

const std::span<const OpDef> kComplexOps = kRows;

}  // namespace rung::ops
