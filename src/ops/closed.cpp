// What torch leaves whole on its way to prims, made of primitives and the floor.
#include "ops/closed.h"

#include "ir/current_arena.h"
#include "meta/layout.h"
#include "ops/factory.h"

namespace rung::ops::closed {
namespace {

using meta::Sizes;

constexpr DType kDefaultType = DType::kFloat32;

}  // namespace

// A slice of length 1, without its dimension.
Tensor select(Tensor self, int64_t dim, SymInt index) {
  int64_t at = wrap_dim(dim, self.dim());
  SymInt place = index < 0 ? index + self.size(at) : index;
  return prims::squeeze(aten::slice_Tensor(self, at, place, place + 1), {at});
}

Tensor full_like(Tensor self, Scalar value, std::optional<DType> dtype, std::optional<Layout>,
                 std::optional<Device> device, std::optional<bool>, std::optional<MemoryFormat> format) {
  const TensorMeta& result =
      *meta::like(self.meta(), dtype.value_or(self.dtype()), format.value_or(MemoryFormat::kPreserve));
  Device where = device.value_or(self.device());
  if (meta::is_contiguous(result)) return prims::full(result.sizes, value, result.dtype, where, false);
  Tensor empty = prims::empty_strided(result.sizes, result.strides, result.dtype, where, false);
  return prims::full_like(empty, value, result.dtype, where, false);
}

Tensor scalar_tensor(Scalar value, std::optional<DType> dtype, std::optional<Layout>, std::optional<Device> device) {
  return prims::scalar_tensor(value, dtype, device);
}

Tensor empty(SymInts size, std::optional<DType> dtype, std::optional<Layout>, std::optional<Device> device,
             std::optional<bool>, std::optional<MemoryFormat> format) {
  Device where = device.value_or(Device{});
  const TensorMeta& result =
      *meta::formatted(size, dtype.value_or(kDefaultType), where, format.value_or(MemoryFormat::kContiguous));
  return prims::empty_strided(size, result.strides, result.dtype, where, false);
}

Tensor resize(Tensor self, SymInts size, std::optional<MemoryFormat> format) {
  const TensorMeta& result =
      *meta::formatted(size, self.dtype(), self.device(), format.value_or(MemoryFormat::kContiguous));
  SymInt count = 1;
  for (SymInt length : size) count *= length;
  SymInt missing = count - self.numel();
  Tensor memory = aten::as_strided(aten::clone(self), {self.numel()}, {1});
  if (missing > 0) {
    Tensor beyond = prims::full({missing}, 0, self.dtype(), self.device(), false);
    memory = aten::cat(std::array{memory, beyond});
  }
  return aten::as_strided(memory, result.sizes, result.strides);
}

Tensor empty_permuted(SymInts size, SymInts order, std::optional<DType> dtype, std::optional<Layout>,
                      std::optional<Device> device) {
  return prims::empty_permuted(size, order, dtype.value_or(kDefaultType), device.value_or(Device{}), false);
}

namespace {

// The lowest index at which `self` is `extreme`, its extreme along `dim` with that dimension kept.
Tensor first_place(const Tensor& self, const Tensor& extreme, int64_t dim, bool keepdim) {
  Tensor hit = aten::eq_Tensor(self, extreme);
  if (is_floating(self.dtype())) {
    Tensor nan = aten::isnan(self);
    hit = aten::logical_or(hit, nan);
  }
  SymInt size = self.size(dim);
  Sizes shape(static_cast<size_t>(self.dim()), 1);
  shape[static_cast<size_t>(dim)] = size;
  Tensor places = aten::view(arange(size, self.device(), DType::kInt64), shape);
  Tensor candidates = aten::where_ScalarOther(hit, places, size);
  return aten::amin(candidates, {dim}, keepdim);
}

using Extreme = Tensor (*)(const Tensor&, IntList, bool);

TensorTuple2 extreme_along(const Tensor& self, int64_t dim, bool keepdim, Extreme extreme) {
  if (self.dim() == 0) {
    Tensor value = aten::clone(self);
    return {value, prims::full({}, 0, DType::kInt64, self.device(), false)};
  }
  int64_t at = wrap_dim(dim, self.dim());
  Tensor kept = extreme(self, {at}, true);
  Tensor place = first_place(self, kept, at, keepdim);
  return {keepdim ? kept : aten::squeeze_dim(kept, at), place};
}

// Without a dimension, of all elements in a row.
Tensor place_of_extreme(const Tensor& self, std::optional<int64_t> dim, bool keepdim, Extreme extreme) {
  if (dim || self.dim() == 0) return std::get<1>(extreme_along(self, dim.value_or(0), keepdim, extreme));
  Tensor place = std::get<1>(extreme_along(aten::reshape(self, {-1}), 0, false, extreme));
  return keepdim ? aten::view(place, Sizes(static_cast<size_t>(self.dim()), 1)) : place;
}

}  // namespace

Tensor argmax(Tensor self, std::optional<int64_t> dim, bool keepdim) {
  return place_of_extreme(self, dim, keepdim, aten::amax);
}
Tensor argmin(Tensor self, std::optional<int64_t> dim, bool keepdim) {
  return place_of_extreme(self, dim, keepdim, aten::amin);
}
TensorTuple2 max_dim(Tensor self, int64_t dim, bool keepdim) { return extreme_along(self, dim, keepdim, aten::amax); }
TensorTuple2 min_dim(Tensor self, int64_t dim, bool keepdim) { return extreme_along(self, dim, keepdim, aten::amin); }
Tensor max(Tensor self) { return aten::amax(self); }
Tensor min(Tensor self) { return aten::amin(self); }

// beta self + alpha sum_i batch1_i batch2_i
Tensor addbmm(Tensor self, Tensor batch1, Tensor batch2, Scalar beta, Scalar alpha) {
  const bool is_integral = is_integral_or_bool(self.dtype());
  if (is_integral) {  // as torch takes such numbers: without their fractions
    alpha = alpha.to_int();
    beta = beta.to_int();
  }
  Tensor products = aten::bmm(batch1, batch2);
  Tensor total =
      aten::sum_dim_IntList(products, IntList{0}, false, is_integral ? std::optional(self.dtype()) : std::nullopt);
  if (!alpha.equals(1)) total = aten::mul_Scalar(total, alpha);
  if (beta.equals(0)) return total;
  Tensor kept = beta.equals(1) ? self : aten::mul_Scalar(self, beta);
  return aten::add_Tensor(total, kept);
}

}  // namespace rung::ops::closed
