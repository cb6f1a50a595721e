// Places that depend on data, products and distances, made of primitives and the floor.
#include <algorithm>
#include <limits>

#include "meta/layout.h"
#include "ops/closed.h"
#include "ops/factory.h"

namespace rung::ops::closed {

using meta::Sizes;

// Places are counted over all of `self` in a row.
Tensor put(Tensor self, Tensor index, Tensor source, bool accumulate) {
  Tensor flat = aten::reshape(self, {-1});
  Tensor places = aten::reshape(index, {-1});
  Tensor values = aten::reshape(source, {-1});
  Tensor changed = aten::index_put(flat, std::array{places}, values, accumulate);
  return aten::view(changed, self.sizes());
}

Tensor scatter_add(Tensor self, int64_t dim, Tensor index, Tensor source) {
  return aten::scatter_reduce_two(self, dim, index, source, "sum");
}

// Whole slices are scattered: each element goes where its slice goes.
Tensor index_reduce(Tensor self, int64_t dim, Tensor index, Tensor source, std::string_view reduce, bool include_self) {
  if (self.dim() == 0) {
    Tensor row = index_reduce(aten::view(self, {1}), 0, index, aten::reshape(source, {-1}), reduce, include_self);
    return aten::view(row, {});
  }
  Sizes shape(source.sizes().size(), 1);
  shape[static_cast<size_t>(wrap_dim(dim, self.dim()))] = -1;
  Tensor places = aten::view(index, shape);
  return aten::scatter_reduce_two(self, dim, aten::expand(places, source.sizes()), source, reduce, include_self);
}

std::tuple<Tensor, Tensor> sort(Tensor self, int64_t dim, bool descending) {
  return aten::sort_stable(self, false, dim, descending);
}

// NaNs are sorted to the end.
Tensor median(Tensor self) {
  if (self.numel() == 0)
    return prims::full({}, std::numeric_limits<double>::quiet_NaN(), self.dtype(), self.device(), false);
  Tensor row = aten::reshape(self, {-1});
  auto [sorted, places] = aten::sort(row);
  Tensor middle = aten::select_int(sorted, 0, (self.numel() - 1) / 2);
  if (!is_floating(self.dtype())) return middle;
  Tensor last = aten::select_int(sorted, 0, -1);
  return aten::where_self(aten::isnan(last), last, middle);
}

Tensor nanmedian(Tensor self) {
  if (!is_floating(self.dtype()) || self.numel() == 0) return median(self);
  Tensor row = aten::reshape(self, {-1});
  auto [sorted, places] = aten::sort(row);
  Tensor numbers = aten::sum(aten::logical_not(aten::isnan(row)));
  Tensor middle = aten::floor_divide(aten::sub_Tensor(numbers, 1), 2);
  middle = aten::clamp_min(middle, 0);
  return aten::index_Tensor(sorted, std::array{middle});
}

namespace {

// In order, with NaNs last: the lower of the two in the middle of the numbers, or the first NaN.
TensorTuple2 middle_along(const Tensor& self, int64_t dim, bool keepdim, bool skips_nan) {
  if (self.dim() == 0) {
    Tensor value = aten::clone(self);
    return {value, prims::full({}, 0, DType::kInt64, self.device(), false)};
  }
  int64_t at = wrap_dim(dim, self.dim());
  SymInt length = self.size(at);
  auto [sorted, places] = aten::sort_stable(self, true, at, false);
  Sizes kept(self.sizes().begin(), self.sizes().end());
  kept[static_cast<size_t>(at)] = 1;
  Tensor middle;
  if (is_floating(self.dtype())) {
    Tensor numbers = aten::sum_dim_IntList(aten::logical_not(aten::isnan(self)), IntList{at}, true);
    middle = aten::floor_divide(aten::sub_Tensor(numbers, 1), 2);
    middle = aten::clamp_min(middle, 0);
    if (!skips_nan) middle = aten::where_self(aten::eq_Scalar(numbers, length), middle, numbers);
  } else {
    middle = prims::full(kept, (length - 1) / 2, DType::kInt64, self.device(), false);
  }
  Tensor value = aten::gather(sorted, at, middle);
  Tensor place = aten::gather(places, at, middle);
  if (keepdim) return {value, place};
  value = aten::squeeze_dim(value, at);
  return {value, aten::squeeze_dim(place, at)};
}

}  // namespace

TensorTuple2 median_dim(Tensor self, int64_t dim, bool keepdim) { return middle_along(self, dim, keepdim, false); }
TensorTuple2 nanmedian_dim(Tensor self, int64_t dim, bool keepdim) { return middle_along(self, dim, keepdim, true); }

// Its old names for a sum and a product.
Tensor scatter_reduced(Tensor self, int64_t dim, Tensor index, Tensor source, std::string_view reduce) {
  if (reduce != "add" && reduce != "multiply") fail_input("scatter: reduce must be add or multiply, got ", reduce);
  return aten::scatter_reduce_two(self, dim, index, source, reduce == "add" ? "sum" : "prod");
}
Tensor scatter_value_reduced(Tensor self, int64_t dim, Tensor index, Scalar value, std::string_view reduce) {
  Tensor source = prims::full(index.sizes(), value, self.dtype(), self.device(), false);
  return scatter_reduced(self, dim, index, source, reduce);
}

// 0 as often as the first repeat says, then 1, and so on: at each place, how many runs have ended.
Tensor repeat_interleave(Tensor repeats, std::optional<SymInt> output_size) {
  Tensor ends = aten::bincount(aten::cumsum(repeats, 0));
  Tensor ended = aten::slice_Tensor(aten::cumsum(ends, 0), 0, 0, output_size ? *output_size : SymInt(-1));
  return aten::to_dtype(ended, repeats.dtype());
}

// sum over `sumdim` of a b c, after dimensions of size 1 are put in at `expand`.
Tensor trilinear(Tensor a, Tensor b, Tensor c, SymInts expand_a, SymInts expand_b, SymInts expand_c, SymInts sumdim) {
  int64_t rank = a.dim() + static_cast<int64_t>(expand_a.size());
  auto expanded = [&](Tensor x, SymInts dims) {
    std::vector<int64_t> places = wrap_dims(dims, rank);
    std::ranges::sort(places);
    for (int64_t place : places) x = aten::unsqueeze(x, place);
    return x;
  };
  Tensor first = expanded(a, expand_a);
  Tensor second = expanded(b, expand_b);
  Tensor third = expanded(c, expand_c);
  Tensor product = aten::mul_Tensor(aten::mul_Tensor(first, second), third);
  if (sumdim.empty()) return product;
  std::optional<DType> dtype;
  if (is_integral_or_bool(product.dtype())) dtype = product.dtype();  // which a sum would widen
  return aten::sum_dim_IntList(product, IntList(sumdim), false, dtype);
}

// |x_i - y_j|_p for all pairs of rows
Tensor cdist_forward(Tensor x1, Tensor x2, double p) {
  Tensor rows = aten::unsqueeze(x1, -2);
  Tensor difference = aten::sub_Tensor(rows, aten::unsqueeze(x2, -3));
  return aten::linalg_vector_norm(difference, p, IntList{-1});
}
// How many elements fall into each of `bins` equal parts of [min, max]; of 0 and 0, of where the elements lie.
Tensor histc(Tensor self, SymInt bins, Scalar min, Scalar max) {
  Tensor x = aten::reshape(self, {-1});
  Tensor low = prims::full({}, min, x.dtype(), x.device(), false);
  Tensor high = prims::full({}, max, x.dtype(), x.device(), false);
  if (min.to_double() == max.to_double()) {
    low = aten::amin(x);
    high = aten::amax(x);
    Tensor alike = aten::to_dtype(aten::eq_Tensor(low, high), x.dtype());
    low = aten::sub_Tensor(low, alike);
    high = aten::add_Tensor(high, alike);
  }
  Tensor above = aten::mul_Tensor(aten::sub_Tensor(x, low), Scalar(bins));
  Tensor place = aten::div_Tensor_mode(above, aten::sub_Tensor(high, low), "trunc");
  place = aten::clamp_max(aten::to_dtype(place, DType::kInt64), bins - 1);
  Tensor starts = aten::ge_Tensor(x, low);
  Tensor inside = aten::logical_and(starts, aten::le_Tensor(x, high));
  place = aten::where_ScalarOther(inside, place, 0);
  Tensor counts = prims::full({bins}, 0, x.dtype(), x.device(), false);
  return aten::scatter_reduce_two(counts, 0, place, aten::to_dtype(inside, x.dtype()), "sum");
}

}  // namespace rung::ops::closed
