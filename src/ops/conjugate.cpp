// Lazy conjugates and negatives, and the real and imaginary parts of complex numbers.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

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

Tensor undo_conj(const Tensor&, const Tensor& written, const Call&, uint32_t) { return aten::_conj(written); }
Tensor undo_neg_view(const Tensor&, const Tensor& written, const Call&, uint32_t) { return aten::_neg_view(written); }

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

constexpr OpDef kRows[] = {
    {.op = "aten::_conj", .meta = box_meta<meta_conj>, .reference = box<closed::conj>, .inverse = undo_conj},
    {.op = "aten::_neg_view", .meta = box_meta<meta_neg_view>, .inverse = undo_neg_view},
    {.op = "aten::conj", .body = box<conj>},
    {.op = "aten::resolve_conj", .body = box<resolve_conj>},
    {.op = "aten::resolve_neg", .body = box<resolve_neg>},
    {.op = "aten::real", .body = box<real>},
    {.op = "aten::imag", .body = box<imag>},
};

}  // namespace

const std::span<const OpDef> kConjugateOps = kRows;

}  // namespace rung::ops
