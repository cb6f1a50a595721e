// The primitives: how their results look. They take operands of one type and one shape, as references prepare them.
#include <algorithm>

#include "meta/index.h"
#include "meta/layout.h"
#include "meta/promote.h"
#include "meta/reduction.h"
#include "meta/reference.h"
#include "meta/view.h"
#include "ops/box.h"
#include "ops/families.h"

namespace rung::ops {
namespace {

using meta::Promote;
using meta::Sizes;
using MaybeType = std::optional<DType>;

// ---- elementwise

bool is_cpu_scalar(const TensorMeta& meta) { return meta.rank() == 0 && meta.device.type == "cpu"; }

template <Promote rule>
ValueMeta elementwise(const Call& call) {
  std::vector<const TensorMeta*> tensors, shaped;
  for (const Argument& argument : call.args)
    if (Tensor operand = unbox_tensor(argument); operand.defined() && !operand.is_number())
      tensors.push_back(&operand.meta());
  if (tensors.empty()) fail_input(schema_of(call.op).name, " of numbers alone");
  std::ranges::copy_if(tensors, std::back_inserter(shaped), [](auto* t) { return !is_cpu_scalar(*t); });
  return ValueMeta::of(meta::primitive(shaped.empty() ? tensors : shaped, meta::promoted(rule, tensors[0]->dtype)));
}

constexpr Meta kSame = elementwise<Promote::kNone>;
constexpr Meta kTruth = elementwise<Promote::kBool>;
constexpr Meta kReal = elementwise<Promote::kComplexToFloat>;

const TensorMeta* meta_where(Tensor pred, Tensor a, Tensor b) {
  DType dtype = a.is_number() ? (b.is_number() ? meta::result_type({a, b}) : b.dtype()) : a.dtype();
  std::vector<const TensorMeta*> tensors;
  for (const Tensor* operand : {&pred, &a, &b})
    if (!operand->is_number() && !is_cpu_scalar(operand->meta())) tensors.push_back(&operand->meta());
  if (tensors.empty()) tensors.push_back(&pred.meta());
  return meta::primitive(tensors, dtype);
}

const TensorMeta* meta_convert(Tensor a, DType dtype) { return meta::like(a.meta(), dtype); }

// ---- views

const TensorMeta* meta_as_strided(Tensor a, SymInts size, SymInts stride, SymInt offset) {
  return meta::view_of(a.meta(), size, stride, offset);
}

const TensorMeta* meta_view_of(Tensor a) { return meta::view_of(a.meta(), a.sizes(), a.strides(), a.storage_offset()); }

// Real and imaginary parts lie side by side.
template <int part>
const TensorMeta* meta_part(Tensor a) {
  if (!is_complex(a.dtype())) fail_input("a real tensor has no parts, and this one has dtype ", info(a.dtype()).name);
  Sizes strides;
  for (SymInt stride : a.strides()) strides.push_back(stride * 2);
  const TensorMeta* view = meta::view_of(a.meta(), a.sizes(), strides, a.storage_offset() * 2 + part);
  TensorMeta* meta = current_arena().make<TensorMeta>(*view);
  meta->dtype = meta::real_type(a.dtype());
  meta->negated = part == 1 && a.meta().conjugated;
  meta->conjugated = false;
  return meta;
}

// Dimensions that are new, or grow from 1, have stride 0; a new one of size 1 that of a dense one in its place.
const TensorMeta* meta_broadcast_in_dim(Tensor a, SymInts shape, SymInts dims) {
  if (static_cast<size_t>(a.dim()) != dims.size())
    fail_input("broadcast_in_dim: ", dims.size(), " dimensions for a tensor of rank ", a.dim());
  Sizes strides;
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    bool is_old = next < dims.size() && dims[next] == SymInt(i);
    if (is_old) {
      bool grows = a.sizes()[next] == 1 && shape[i] != 1;
      strides.push_back(grows ? SymInt(0) : a.strides()[next]);
      ++next;
    } else if (shape[i] != 1) {
      strides.push_back(0);
    } else {
      bool is_last = next == dims.size();
      strides.push_back(is_last ? SymInt(1) : a.strides()[next] * a.sizes()[next]);
    }
  }
  return meta::view_of(a.meta(), shape, strides, a.storage_offset());
}

const TensorMeta* meta_transpose(Tensor a, SymInts permutation) { return meta::permute(a.meta(), permutation); }

const TensorMeta* meta_collapse_view(Tensor a, int64_t start, int64_t end) {
  if (a.dim() == 0) return meta::view_of(a.meta(), Sizes{1}, Sizes{1}, a.storage_offset());
  if (start < 0 || end < start || end >= a.dim())
    fail_input("collapse_view: dimensions ", start, " to ", end, " of a tensor of rank ", a.dim());
  Sizes sizes(a.sizes().begin(), a.sizes().begin() + start), strides(a.strides().begin(), a.strides().begin() + start);
  SymInt length = 1, stride = a.strides()[static_cast<size_t>(end)];
  for (int64_t dim = end; dim >= start; --dim) {
    SymInt size = a.size(dim), step = a.strides()[static_cast<size_t>(dim)];
    length *= size;
    if (dim < end && size != 1 && step < stride) stride = step;
  }
  sizes.push_back(length);
  strides.push_back(stride);
  sizes.insert(sizes.end(), a.sizes().begin() + end + 1, a.sizes().end());
  strides.insert(strides.end(), a.strides().begin() + end + 1, a.strides().end());
  return meta::view_of(a.meta(), sizes, strides, a.storage_offset());
}

const TensorMeta* meta_split_dim(Tensor a, int64_t dim, SymInt outer) {
  size_t at = static_cast<size_t>(wrap_dim(dim, a.dim()));
  SymInt inner = a.sizes()[at] / outer;
  if (inner * outer != a.sizes()[at])
    fail_input("split_dim: ", a.sizes()[at].str(), " is no multiple of ", outer.str());
  Sizes sizes(a.sizes().begin(), a.sizes().end()), strides(a.strides().begin(), a.strides().end());
  sizes[at] = outer;
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(at) + 1, inner);
  strides[at] = a.strides()[at] * inner;
  strides.insert(strides.begin() + static_cast<ptrdiff_t>(at) + 1, a.strides()[at]);
  return meta::view_of(a.meta(), sizes, strides, a.storage_offset());
}

const TensorMeta* meta_copy_to(Tensor a, Tensor) { return &a.meta(); }

const TensorMeta* meta_squeeze(Tensor a, SymInts dims) { return meta::squeeze(a.meta(), dims); }

// ---- reductions: dense results without the reduced dimensions

const TensorMeta* meta_reduction(Tensor a, std::optional<SymInts> dims, MaybeType dtype) {
  return meta::contiguous(meta::reduced(a.meta(), dims, false, a.dtype())->sizes, dtype.value_or(a.dtype()),
                          a.device());
}
const TensorMeta* meta_var(Tensor a, std::optional<SymInts> dims, std::optional<double>, MaybeType dtype) {
  return meta_reduction(a, dims, dtype.value_or(meta::real_type(a.dtype())));
}

// ---- what is made anew

const TensorMeta* meta_clone(Tensor a, std::optional<MemoryFormat> format) {
  return meta::like(a.meta(), a.dtype(), format.value_or(MemoryFormat::kPreserve));
}

const TensorMeta* meta_cat(TensorList tensors, int64_t dim) {
  Sizes sizes(tensors[0].sizes().begin(), tensors[0].sizes().end());
  size_t at = static_cast<size_t>(wrap_dim(dim, tensors[0].dim()));
  for (const Tensor& tensor : tensors.subspan(1)) sizes[at] += tensor.sizes()[at];
  return meta::contiguous(sizes, tensors[0].dtype(), tensors[0].device());
}

const TensorMeta* meta_rev(Tensor a, SymInts dims) {
  wrap_dims(dims, a.dim());
  return meta::empty_like(a.meta(), a.dtype());
}

const TensorMeta* meta_as_strided_scatter(Tensor self, Tensor src, SymInts size) {
  if (!std::ranges::equal(src.sizes(), size))
    fail_input("as_strided_scatter: a source of rank ", src.dim(), " does not have the size that it is to fill");
  return meta::with_strides_kept(self.meta());
}

const TensorMeta* meta_collapse(Tensor a, int64_t start, int64_t end) {
  if (start < 0 || end < start || end >= std::max<int64_t>(a.dim(), 1))
    fail_input("collapse: dimensions ", start, " to ", end, " of a tensor of rank ", a.dim());
  if (a.dim() == 0) return meta::contiguous(Sizes{1}, a.dtype(), a.device());
  Sizes sizes(a.sizes().begin(), a.sizes().begin() + start + 1);
  for (int64_t dim = start + 1; dim <= end; ++dim) sizes.back() *= a.size(dim);
  sizes.insert(sizes.end(), a.sizes().begin() + end + 1, a.sizes().end());
  return meta::contiguous(sizes, a.dtype(), a.device());
}
const TensorMeta* meta_reshape(Tensor a, SymInts shape) {
  SymInt count = 1;
  for (SymInt size : shape) count *= size;
  if (count != a.numel())
    fail_input("attempting to reshape a tensor with ", a.numel().str(), " elements to a shape with ", count.str());
  return meta::contiguous(shape, a.dtype(), a.device());
}
const TensorMeta* meta_fill(Tensor a) { return meta::like(a.meta(), a.dtype()); }
const TensorMeta* meta_empty(SymInts shape, DType dtype, Device device) {
  return meta::contiguous(shape, dtype, device);
}

const TensorMeta* meta_iota(SymInt length, SymInt, SymInt, DType dtype, Device device) {
  return meta::contiguous(Sizes{length}, dtype, device);
}
const TensorMeta* meta_full(SymInts shape, Scalar, DType dtype, Device device) {
  return meta::contiguous(shape, dtype, device);
}
const TensorMeta* meta_full_like(Tensor a, Scalar, DType dtype, Device device) {
  return meta::make(a.sizes(), a.strides(), dtype, device);
}
const TensorMeta* meta_scalar_tensor(Scalar value, MaybeType dtype, std::optional<Device> device) {
  return meta::contiguous({}, dtype.value_or(meta::result_type({Tensor(value)})), device.value_or(Device{}));
}
// `order`: the dimensions from the outermost in memory to the innermost.
const TensorMeta* meta_empty_permuted(SymInts shape, SymInts order, DType dtype, Device device) {
  Sizes strides(shape.size());
  SymInt step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    size_t dim = static_cast<size_t>(order[i].value());
    strides[dim] = step;
    step *= shape[dim] < 1 ? SymInt(1) : shape[dim];
  }
  return meta::make(shape, strides, dtype, device);
}
const TensorMeta* meta_empty_strided(SymInts shape, SymInts strides, DType dtype, Device device) {
  return meta::make(shape, strides, dtype, device);
}

// ---- Fourier transforms: dense results

const TensorMeta* meta_fft_c2c(Tensor self) { return meta::contiguous(self.sizes(), self.dtype(), self.device()); }
const TensorMeta* meta_fft_r2c(Tensor self, SymInts dims, bool onesided) {
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  SymInt& last = sizes[static_cast<size_t>(wrap_dims(dims, self.dim()).back())];
  if (onesided) last = last / 2 + 1;
  return meta::contiguous(sizes, meta::complex_type(self.dtype()), self.device());
}
const TensorMeta* meta_fft_c2r(Tensor self, SymInts dims, SymInt last_size) {
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  sizes[static_cast<size_t>(wrap_dims(dims, self.dim()).back())] = last_size;
  return meta::contiguous(sizes, meta::real_type(self.dtype()), self.device());
}

const TensorMeta* meta_device_put(Tensor a, Device device) {
  return meta::make(a.sizes(), a.strides(), a.dtype(), device);
}

// A fraction of the input's type and an exponent.
std::vector<const TensorMeta*> meta_frexp(Tensor a) {
  if (!is_floating(a.dtype())) fail_input("frexp of ", info(a.dtype()).name, ": only floating point has an exponent");
  return {meta::empty_like(a.meta(), a.dtype()), meta::empty_like(a.meta(), DType::kInt32)};
}

const TensorMeta* meta_normal(SymInts shape, Scalar, Scalar std, DType dtype, Device device) {
  if (std.to_double() < 0) fail_input("normal: the standard deviation must not be negative, got ", std.to_double());
  if (is_integral_or_bool(dtype)) fail_input("normal: the dtype must be floating point, got ", info(dtype).name);
  return meta::contiguous(shape, dtype, device);
}
const TensorMeta* meta_uniform(SymInts shape, Scalar, Scalar, DType dtype, Device device, SymInts stride) {
  return meta::make(shape, stride, dtype, device);
}

constexpr OpDef kRows[] = {
    {.op = "prims::abs", .meta = kReal},
    {.op = "prims::acos", .meta = kSame},
    {.op = "prims::acosh", .meta = kSame},
    {.op = "prims::add", .meta = kSame},
    {.op = "prims::amax", .meta = box_meta<meta_reduction>},
    {.op = "prims::amin", .meta = box_meta<meta_reduction>},
    {.op = "prims::as_strided_scatter", .meta = box_meta<meta_as_strided_scatter>},
    {.op = "prims::as_strided", .meta = box_meta<meta_as_strided>},
    {.op = "prims::asin", .meta = kSame},
    {.op = "prims::asinh", .meta = kSame},
    {.op = "prims::atan", .meta = kSame},
    {.op = "prims::atan2", .meta = kSame},
    {.op = "prims::atanh", .meta = kSame},
    {.op = "prims::bessel_i0", .meta = kSame},
    {.op = "prims::bessel_i0e", .meta = kSame},
    {.op = "prims::bessel_i1", .meta = kSame},
    {.op = "prims::bessel_i1e", .meta = kSame},
    {.op = "prims::bessel_j0", .meta = kSame},
    {.op = "prims::bessel_j1", .meta = kSame},
    {.op = "prims::bitwise_and", .meta = kSame},
    {.op = "prims::bitwise_not", .meta = kSame},
    {.op = "prims::bitwise_or", .meta = kSame},
    {.op = "prims::bitwise_xor", .meta = kSame},
    {.op = "prims::broadcast_in_dim", .meta = box_meta<meta_broadcast_in_dim>},
    {.op = "prims::cat", .meta = box_meta<meta_cat>},
    {.op = "prims::cbrt", .meta = kSame},
    {.op = "prims::ceil", .meta = kSame},
    {.op = "prims::clone", .meta = box_meta<meta_clone>},
    {.op = "prims::collapse", .meta = box_meta<meta_collapse>},
    {.op = "prims::collapse_view", .meta = box_meta<meta_collapse_view>},
    {.op = "prims::conj_physical", .meta = kSame},
    {.op = "prims::convert_element_type", .meta = box_meta<meta_convert>},
    {.op = "prims::copy_to", .meta = box_meta<meta_copy_to>},
    {.op = "prims::cos", .meta = kSame},
    {.op = "prims::cosh", .meta = kSame},
    {.op = "prims::device_put", .meta = box_meta<meta_device_put>},
    {.op = "prims::digamma", .meta = kSame},
    {.op = "prims::div", .meta = kSame},
    {.op = "prims::empty", .meta = box_meta<meta_empty>},
    {.op = "prims::empty_permuted", .meta = box_meta<meta_empty_permuted>},
    {.op = "prims::empty_strided", .meta = box_meta<meta_empty_strided>},
    {.op = "prims::eq", .meta = kTruth},
    {.op = "prims::erf", .meta = kSame},
    {.op = "prims::erf_inv", .meta = kSame},
    {.op = "prims::erfc", .meta = kSame},
    {.op = "prims::erfcx", .meta = kSame},
    {.op = "prims::exp", .meta = kSame},
    {.op = "prims::exp2", .meta = kSame},
    {.op = "prims::expm1", .meta = kSame},
    {.op = "prims::fft_c2c", .meta = box_meta<meta_fft_c2c>},
    {.op = "prims::fft_c2r", .meta = box_meta<meta_fft_c2r>},
    {.op = "prims::fft_r2c", .meta = box_meta<meta_fft_r2c>},
    {.op = "prims::fill", .meta = box_meta<meta_fill>},
    {.op = "prims::floor", .meta = kSame},
    {.op = "prims::fmax", .meta = kSame},
    {.op = "prims::fmin", .meta = kSame},
    {.op = "prims::fmod", .meta = kSame},
    {.op = "prims::frexp", .meta = box_meta<meta_frexp>},
    {.op = "prims::full", .meta = box_meta<meta_full>},
    {.op = "prims::full_like", .meta = box_meta<meta_full_like>},
    {.op = "prims::gcd", .meta = kSame},
    {.op = "prims::ge", .meta = kTruth},
    {.op = "prims::gt", .meta = kTruth},
    {.op = "prims::hypot", .meta = kSame},
    {.op = "prims::igamma", .meta = kSame},
    {.op = "prims::igammac", .meta = kSame},
    {.op = "prims::imag", .meta = box_meta<meta_part<1>>},
    {.op = "prims::iota", .meta = box_meta<meta_iota>},
    {.op = "prims::isfinite", .meta = kTruth},
    {.op = "prims::le", .meta = kTruth},
    {.op = "prims::lgamma", .meta = kSame},
    {.op = "prims::log", .meta = kSame},
    {.op = "prims::log10", .meta = kSame},
    {.op = "prims::log1p", .meta = kSame},
    {.op = "prims::log2", .meta = kSame},
    {.op = "prims::lt", .meta = kTruth},
    {.op = "prims::maximum", .meta = kSame},
    {.op = "prims::minimum", .meta = kSame},
    {.op = "prims::mul", .meta = kSame},
    {.op = "prims::ndtri", .meta = kSame},
    {.op = "prims::ne", .meta = kTruth},
    {.op = "prims::neg", .meta = kSame},
    {.op = "prims::nextafter", .meta = kSame},
    {.op = "prims::normal", .meta = box_meta<meta_normal>},
    {.op = "prims::pow", .meta = kSame},
    {.op = "prims::prod", .meta = box_meta<meta_reduction>},
    {.op = "prims::real", .meta = box_meta<meta_part<0>>},
    {.op = "prims::reciprocal", .meta = kSame},
    {.op = "prims::remainder", .meta = kSame},
    {.op = "prims::reshape", .meta = box_meta<meta_reshape>},
    {.op = "prims::rev", .meta = box_meta<meta_rev>},
    {.op = "prims::round", .meta = kSame},
    {.op = "prims::rsqrt", .meta = kSame},
    {.op = "prims::scalar_tensor", .meta = box_meta<meta_scalar_tensor>},
    {.op = "prims::shift_left", .meta = kSame},
    {.op = "prims::shift_right_arithmetic", .meta = kSame},
    {.op = "prims::sign", .meta = kSame},
    {.op = "prims::signbit", .meta = kSame},
    {.op = "prims::sin", .meta = kSame},
    {.op = "prims::sinh", .meta = kSame},
    {.op = "prims::spherical_bessel_j0", .meta = kSame},
    {.op = "prims::split_dim", .meta = box_meta<meta_split_dim>},
    {.op = "prims::sqrt", .meta = kSame},
    {.op = "prims::squeeze", .meta = box_meta<meta_squeeze>},
    {.op = "prims::sub", .meta = kSame},
    {.op = "prims::sum", .meta = box_meta<meta_reduction>},
    {.op = "prims::tan", .meta = kSame},
    {.op = "prims::tanh", .meta = kSame},
    {.op = "prims::transpose", .meta = box_meta<meta_transpose>},
    {.op = "prims::trunc", .meta = kSame},
    {.op = "prims::uniform", .meta = box_meta<meta_uniform>},
    {.op = "prims::var", .meta = box_meta<meta_var>},
    {.op = "prims::view_of", .meta = box_meta<meta_view_of>},
    {.op = "prims::where", .meta = box_meta<meta_where>},
    {.op = "prims::xor_sum", .meta = box_meta<meta_reduction>},
    {.op = "prims::zeta", .meta = kSame},
};

}  // namespace

const std::span<const OpDef> kPrimOps = kRows;

}  // namespace rung::ops
