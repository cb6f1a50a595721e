// Views, shapes and reductions as primitives.
#include "ops/reference.h"

#include <algorithm>

#include "meta/layout.h"
#include "meta/pointwise.h"
#include "meta/view.h"
#include "ops/number.h"
#include "trace/like_torch.h"

namespace rung::ops::reference {
namespace {

using meta::Promote;
using meta::Sizes;

// Dimensions first, first + 1, ... up to but without last.
Sizes dims_from(int64_t first, int64_t last) {
  Sizes dims;
  for (int64_t dim = first; dim < last; ++dim) dims.push_back(dim);
  return dims;
}

Sizes sizes_of(const Tensor& x) { return Sizes(x.sizes().begin(), x.sizes().end()); }

bool is_cpu_scalar(const Tensor& x) { return x.dim() == 0 && x.device().type == "cpu"; }

// The dimensions of a reduction, in order; all of them if none are named.
Sizes reduced_dims(const Tensor& x, const std::optional<SymInts>& dims) {
  if (!dims || dims->empty()) return dims_from(0, x.dim());
  Sizes wrapped;
  for (SymInt dim : *dims) wrapped.push_back(wrap_dim(dim.value(), x.dim()));
  return wrapped;
}

bool holds(const Sizes& dims, int64_t dim) {
  return std::ranges::any_of(dims, [&](SymInt each) { return each.value() == dim; });
}

// Puts the dimensions that a reduction took away back, with size 1.
Tensor with_dims_kept(const Tensor& reduced, const Tensor& source, const Sizes& dims) {
  Sizes shape, kept;
  for (int64_t dim = 0; dim < source.dim(); ++dim) {
    shape.push_back(holds(dims, dim) ? SymInt(1) : source.size(dim));
    if (!holds(dims, dim)) kept.push_back(dim);
  }
  return prims::broadcast_in_dim(reduced, shape, kept);
}

// Computes in `computation`, and returns `result`.
template <typename Primitive>
Tensor reduction(const Tensor& x, const std::optional<SymInts>& dims, bool keepdim, DType computation, DType result,
                 Primitive&& primitive) {
  Sizes over = reduced_dims(x, dims);
  Tensor out = primitive(converted(x, computation), IntList(over));
  return converted(keepdim ? with_dims_kept(out, x, over) : out, result);
}

// As above, in the type that sums and products have, or the one that is asked for.
template <typename Primitive>
Tensor accumulation(const Tensor& x, const std::optional<SymInts>& dims, bool keepdim, std::optional<DType> dtype,
                    Primitive&& primitive) {
  DType type = dtype.value_or(meta::sum_type(x.dtype()));
  return reduction(x, dims, keepdim, meta::opmath_type(type), type, primitive);
}

// From left to right: dimensions of the old shape are gathered until the next one of the new shape can be split off.
Tensor reshaped(Tensor x, const Sizes& shape) {
  Tensor current = x;
  int64_t at = 0;
  for (SymInt length : shape) {
    if (at >= current.dim()) {  // what is left of the new shape are ones
      int64_t last = current.dim() - 1;
      current = prims::split_dim(current, last, current.size(last));
      ++at;
      continue;
    }
    if (length == current.size(at)) {
      ++at;
      continue;
    }
    SymInt gathered = current.size(at);
    int64_t end = at;
    while (gathered % length != 0) gathered *= current.size(++end);
    if (end != at) current = prims::collapse_view(current, at, end);
    if (gathered != length) current = prims::split_dim(current, at, length);
    ++at;
  }
  while (at < current.dim()) current = squeeze_dim(current, at);
  return current.same(x) ? prims::view_of(x) : current;
}

}  // namespace

Tensor converted(const Tensor& x, DType dtype) {
  if (x.is_number()) return convert(x.number(), dtype);
  if (x.dtype() == dtype) return x;
  return is_like_torch() ? aten::_to_copy(x, dtype) : prims::convert_element_type(x, dtype);
}

Types types_of(std::initializer_list<Tensor> operands, Promote rule) {
  DType type = meta::result_type(operands);
  if (rule == Promote::kIntToFloat) type = meta::promoted(rule, type);
  DType result = rule == Promote::kBool || rule == Promote::kComplexToFloat ? meta::promoted(rule, type) : type;
  return {meta::opmath_type(type), result};
}

Pair broadcast(const Tensor& a, const Tensor& b) {
  if (a.is_number() || b.is_number()) return {a, b};
  const Tensor both[] = {a, b};
  Sizes shape = meta::broadcast_sizes(both);
  auto fit = [&](const Tensor& x) {
    return is_cpu_scalar(x) || std::ranges::equal(x.sizes(), shape) ? x : aten::expand(x, shape);
  };
  Tensor left = fit(a);
  return {left, fit(b)};
}

Tensor view(Tensor self, SymInts size) {
  Sizes shape = meta::infer_size(size, self.meta(), self.numel());
  if (self.numel() == 0) {
    Sizes strides = meta::contiguous_strides(shape);
    // torch's primitive, which counts as a write: torch then refuses the graph
    return is_like_torch() ? prims::as_strided(self, shape, strides, self.storage_offset())
                           : aten::as_strided(self, shape, strides, std::nullopt);
  }
  if (self.dim() == 0) {
    Tensor grown = self;
    for (size_t i = 0; i < shape.size(); ++i) grown = unsqueeze(grown, -1);
    return shape.empty() ? prims::view_of(self) : grown;
  }
  if (shape.empty()) {
    Tensor shrunk = self;
    for (int64_t i = 0; i < self.dim(); ++i) shrunk = squeeze_dim(shrunk, -1);
    return shrunk;
  }
  bool is_contiguous = meta::is_contiguous(self.meta());
  if (is_contiguous && shape.size() == 1 && self.dim() > 1)
    return aten::as_strided(self, {self.numel()}, {1}, std::nullopt);
  if (is_contiguous && shape.size() == 2 && self.dim() == 1)
    return aten::as_strided(self, shape, {shape[1], 1}, std::nullopt);
  return reshaped(self, shape);
}

Tensor permute(Tensor self, SymInts dims) {
  Sizes wrapped;
  for (SymInt dim : dims) wrapped.push_back(wrap_dim(dim.value(), self.dim()));
  return prims::transpose(self, wrapped);
}

Tensor expand(Tensor self, SymInts size) {
  Sizes shape(size.begin(), size.end());
  int64_t added = static_cast<int64_t>(shape.size()) - self.dim();
  for (int64_t dim = 0; dim < self.dim(); ++dim)
    if (SymInt& wanted = shape[static_cast<size_t>(dim + added)]; wanted == -1) wanted = self.size(dim);
  return prims::broadcast_in_dim(self, shape, dims_from(added, static_cast<int64_t>(shape.size())));
}

Tensor unsqueeze(Tensor self, int64_t dim) {
  int64_t at = wrap_dim(dim, self.dim() + 1);
  Sizes shape = sizes_of(self), old = dims_from(0, at), after = dims_from(at + 1, self.dim() + 1);
  shape.insert(shape.begin() + at, 1);
  old.insert(old.end(), after.begin(), after.end());
  return prims::broadcast_in_dim(self, shape, old);
}

Tensor squeeze(Tensor self) {
  Sizes ones;
  for (int64_t dim = 0; dim < self.dim(); ++dim)
    if (self.size(dim) == 1) ones.push_back(dim);
  return ones.empty() ? prims::view_of(self) : prims::squeeze(self, ones);
}

Tensor squeeze_dim(Tensor self, int64_t dim) {
  const SymInt dims[] = {dim};
  return squeeze_dims(self, dims);
}

Tensor squeeze_dims(Tensor self, SymInts dims) {
  if (self.dim() == 0) return prims::view_of(self);
  std::vector<int64_t> ones;
  for (SymInt dim : dims)
    if (int64_t at = wrap_dim(dim.value(), self.dim()); self.size(at) == 1) ones.push_back(at);
  if (ones.empty()) return prims::view_of(self);
  std::ranges::sort(ones, std::greater());
  Tensor result = self;
  for (int64_t at : ones) result = prims::squeeze(result, {at});
  return result;
}

// Strides and offset say all of a slice.
Tensor slice(Tensor self, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end, SymInt step) {
  const TensorMeta& part = *meta::slice(self.meta(), dim, start, end, step);
  return aten::as_strided(self, part.sizes, part.strides, part.storage_offset);
}

Tensor alias(Tensor self) { return prims::view_of(self); }

Tensor clone(Tensor self, std::optional<MemoryFormat> format) {
  return prims::clone(self, format.value_or(MemoryFormat::kPreserve));
}

Tensor where(Tensor condition, Tensor self, Tensor other) {
  Types types = types_of({self, other}, Promote::kDefault);
  Tensor a = converted(self, types.result);
  Tensor b = converted(other, types.result);
  std::vector<Tensor> tensors = {condition};
  for (const Tensor& x : {a, b})
    if (!x.is_number()) tensors.push_back(x);
  Sizes shape = meta::broadcast_sizes(tensors);
  auto fit = [&](const Tensor& x) {
    bool stays = x.is_number() || is_cpu_scalar(x) || std::ranges::equal(x.sizes(), shape);
    return stays ? x : aten::expand(x, shape);
  };
  Tensor chosen = fit(condition);
  Tensor left = fit(a);
  Tensor right = fit(b);
  return prims::where(chosen, left, right);
}

Tensor sum(Tensor self, std::optional<SymInts> dims, bool keepdim, std::optional<DType> dtype) {
  return accumulation(self, dims, keepdim, dtype, [](const Tensor& x, IntList over) { return prims::sum(x, over); });
}
Tensor prod(Tensor self, std::optional<SymInts> dims, bool keepdim, std::optional<DType> dtype) {
  return accumulation(self, dims, keepdim, dtype, [](const Tensor& x, IntList over) { return prims::prod(x, over); });
}

// The sum, divided by how many were added; in the type of the computation until then.
Tensor mean(Tensor self, std::optional<SymInts> dims, bool keepdim, std::optional<DType> dtype) {
  DType type = dtype.value_or(self.dtype());
  if (is_integral_or_bool(type)) fail_input("mean: the dtype must be floating point or complex, got ", info(type).name);
  DType computation = meta::opmath_type(type);
  Tensor total = reduction(self, dims, keepdim, computation, computation,
                           [](const Tensor& x, IntList over) { return prims::sum(x, over); });
  SymInt count = 1;
  if (self.dim() > 0)
    for (SymInt dim : reduced_dims(self, dims)) count *= self.size(dim.value());
  Tensor result = binary<prims::div, Promote::kIntToFloat>(total, Scalar(count));
  return converted(result, type);
}

Tensor var(Tensor self, std::optional<SymInts> dims, std::optional<Scalar> correction, bool keepdim) {
  double taken_off = correction ? correction->to_double() : 1.0;
  return reduction(self, dims, keepdim, meta::opmath_type(self.dtype()), meta::real_type(self.dtype()),
                   [&](const Tensor& x, IntList over) { return prims::var(x, over, taken_off); });
}

Tensor amax(Tensor self, SymInts dims, bool keepdim) {
  return reduction(self, dims, keepdim, meta::opmath_type(self.dtype()), self.dtype(),
                   [](const Tensor& x, IntList over) { return prims::amax(x, over); });
}
Tensor amin(Tensor self, SymInts dims, bool keepdim) {
  return reduction(self, dims, keepdim, meta::opmath_type(self.dtype()), self.dtype(),
                   [](const Tensor& x, IntList over) { return prims::amin(x, over); });
}

// The exclusive or of the bits of all elements, as doubles or integers of 64 bits.
Tensor hash_tensor(Tensor self, SymInts dims, bool keepdim) {
  if (is_complex(self.dtype())) fail_unsupported("hash_tensor: ", info(self.dtype()).name, " has no hash");
  Tensor bits = is_floating(self.dtype()) ? prims::view_of_dtype(converted(self, DType::kFloat64), DType::kInt64)
                                          : converted(self, DType::kInt64);
  return reduction(bits, dims, keepdim, DType::kInt64, DType::kUInt64,
                   [](const Tensor& x, IntList over) { return prims::xor_sum(x, over); });
}

}  // namespace rung::ops::reference
