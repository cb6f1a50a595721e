// Reductions by each other.
#include <algorithm>
#include <functional>

#include "meta/promote.h"
#include "rules/body.h"
#include "rules/families.h"
#include "shape/shape_env.h"

namespace rung::rules {
namespace {

using Dims = std::optional<SymInts>;

std::vector<SymInt> all_dims(const Tensor& x) {
  std::vector<SymInt> dims;
  for (int64_t i = 0; i < x.dim(); ++i) dims.push_back(i);
  return dims;
}
// An empty list and none mean all.
std::vector<SymInt> dims_of(const Tensor& x, const Dims& dims) {
  return !dims || dims->empty() ? all_dims(x) : std::vector<SymInt>(dims->begin(), dims->end());
}
SymInt count_of(const Tensor& x, const std::vector<SymInt>& dims) {
  SymInt count = 1;
  for (SymInt dim : dims) count = count * x.size(dim.value());
  return count;
}

// ---- any: how many are not zero

Tensor truth(const Tensor& x) { return x.dtype() == DType::kBool ? x : aten::ne_Scalar(x, 0); }

// any() over an empty list is of each element alone
bool is_empty_list(const Dims& dims) { return dims && dims->empty(); }

MaybeTensor any_dims_by_sum(Tensor self, Dims dims, bool keepdim) {
  if (is_empty_list(dims)) return std::nullopt;
  Tensor count = aten::sum_dim_IntList(truth(self), dims_of(self, dims), keepdim);
  return aten::ne_Scalar(count, 0);
}
MaybeTensor any_dim_by_sum(Tensor self, SymInt dim, bool keepdim) {
  const SymInt dims[] = {dim};
  return any_dims_by_sum(self, SymInts(dims), keepdim);
}
MaybeTensor any_by_sum(Tensor self) { return any_dims_by_sum(self, std::nullopt, false); }
MaybeTensor any_dims_by_amax(Tensor self, Dims dims, bool keepdim) {
  if (is_empty_list(dims)) return std::nullopt;
  return aten::amax(truth(self), dims_of(self, dims), keepdim);
}
Tensor any_dim_by_amax(Tensor self, SymInt dim, bool keepdim) { return aten::amax(truth(self), {dim}, keepdim); }
Tensor any_dim_by_dims(Tensor self, SymInt dim, bool keepdim) { return aten::any_dims(self, IntList{dim}, keepdim); }
Tensor any_dim_by_all(Tensor self, SymInt dim, bool keepdim) {
  Tensor opposite = aten::logical_not(self);
  return aten::logical_not(aten::all_dim(opposite, dim, keepdim));
}

// ---- sums and means

Tensor sum_by_dims(Tensor self, std::optional<DType> dtype) {
  return aten::sum_dim_IntList(self, all_dims(self), false, dtype);
}
MaybeTensor sum_of_all(Tensor self, Dims dims, bool keepdim, std::optional<DType> dtype) {
  if (keepdim || static_cast<int64_t>(dims_of(self, dims).size()) != self.dim()) return std::nullopt;
  return aten::sum(self, dtype);
}
// the mean of half precision is rounded once, a sum and a quotient twice
MaybeTensor mean_by_sum(Tensor self, Dims dims, bool keepdim, std::optional<DType> dtype) {
  const DType type = dtype.value_or(self.dtype());
  if (meta::opmath_type(type) != type) return std::nullopt;
  const std::vector<SymInt> reduced = dims_of(self, dims);
  Tensor sum = aten::sum_dim_IntList(self, reduced, keepdim, dtype);
  return aten::div_Tensor(sum, Tensor(Scalar(count_of(self, reduced))));
}
Tensor mean_by_dims(Tensor self, std::optional<DType> dtype) {
  return aten::mean_dim(self, all_dims(self), false, dtype);
}

// The mean times how many there are; the mean of nothing is NaN.
MaybeTensor sum_by_mean(Tensor self, Dims dims, bool keepdim, std::optional<DType> dtype) {
  const DType type = dtype.value_or(self.dtype());
  if (!is_floating(self.dtype()) || type != self.dtype() || meta::opmath_type(type) != type) return std::nullopt;
  const std::vector<SymInt> reduced = dims_of(self, dims);
  const SymInt count = count_of(self, reduced);
  if (!statically_known(SymOp::kGt, count, 0)) return std::nullopt;
  Tensor mean = aten::mean_dim(self, reduced, keepdim);
  return aten::mul_Tensor(mean, Tensor(Scalar(count)));
}

// ---- variances: the sum of squared distances from the mean

MaybeTensor var_by_squares(Tensor self, Dims dims, std::optional<Scalar> correction, bool keepdim) {
  if (!is_floating(self.dtype()) || meta::opmath_type(self.dtype()) != self.dtype()) return std::nullopt;
  const Scalar less = correction.value_or(1);
  const std::vector<SymInt> reduced = dims_of(self, dims);
  const SymInt count = count_of(self, reduced);
  if (!count.is_int() || less.is_symbolic()) return std::nullopt;
  const double freedom = static_cast<double>(count.value()) - less.to_double();
  if (freedom <= 0) return std::nullopt;
  Tensor mean = aten::mean_dim(self, reduced, true);
  Tensor distance = aten::sub_Tensor(self, mean);
  Tensor squares = aten::mul_Tensor(distance, distance);
  Tensor sum = aten::sum_dim_IntList(squares, reduced, keepdim);
  return aten::div_Tensor(sum, freedom);
}
std::tuple<Tensor, Tensor> var_mean_by_both(Tensor self, Dims dims, std::optional<Scalar> correction, bool keepdim) {
  const std::vector<SymInt> reduced = dims_of(self, dims);
  Tensor var = aten::var_correction(self, IntList(reduced), correction, keepdim);
  Tensor mean = aten::mean_dim(self, reduced, keepdim);
  return {var, mean};
}
MaybeTensor var_by_dim(Tensor self, Dims dims, std::optional<Scalar> correction, bool keepdim) {
  const Scalar less = correction.value_or(1);
  if (less.is_symbolic() || !(less.equals(0) || less.equals(1))) return std::nullopt;
  return aten::var_dim(self, dims_of(self, dims), less.equals(1), keepdim);
}

// ---- extremes

template <std::tuple<Tensor, Tensor> (*with_index)(const Tensor&, SymInt, bool)>
MaybeTensor extreme_with_index(Tensor self, SymInts dims, bool keepdim) {
  if (dims.size() != 1 || self.dim() == 0) return std::nullopt;
  return std::get<0>(with_index(self, dims[0], keepdim));
}
template <Tensor (*of_all)(const Tensor&)>
MaybeTensor extreme_of_all(Tensor self, SymInts dims, bool keepdim) {
  const bool all = dims.empty() || static_cast<int64_t>(dims.size()) == self.dim();
  if (keepdim || !all || self.dim() == 0) return std::nullopt;
  return of_all(self);
}
// one dimension after another, the last first
template <Tensor (*extreme)(const Tensor&, IntList, bool)>
MaybeTensor extreme_by_dims(Tensor self, SymInts dims, bool keepdim) {
  if (dims.size() < 2) return std::nullopt;
  std::vector<int64_t> order;
  for (SymInt dim : dims) order.push_back(wrap_dim(dim.value(), self.dim()));
  std::ranges::sort(order, std::greater<>());
  Tensor result = self;
  for (int64_t dim : order) result = extreme(result, {dim}, keepdim);
  return result;
}
template <Tensor (*extreme)(const Tensor&, IntList, bool)>
Tensor whole_by_dims(Tensor self) {
  return extreme(self, all_dims(self), false);
}

// max.dim = (amax, argmax)
template <Tensor (*extreme)(const Tensor&, IntList, bool), Tensor (*place)(const Tensor&, std::optional<SymInt>, bool)>
std::tuple<Tensor, Tensor> extreme_and_place(Tensor self, SymInt dim, bool keepdim) {
  Tensor values = extreme(self, {dim}, keepdim);
  Tensor places = place(self, dim, keepdim);
  return {values, places};
}
template <std::tuple<Tensor, Tensor> (*with_index)(const Tensor&, SymInt, bool)>
MaybeTensor place_with_index(Tensor self, std::optional<SymInt> dim, bool keepdim) {
  if (!dim || self.dim() == 0) return std::nullopt;
  return std::get<1>(with_index(self, *dim, keepdim));
}

// of max.dim the values alone
template <Tensor (*extreme)(const Tensor&, IntList, bool)>
std::vector<Tensor> extreme_alone(Tensor self, SymInt dim, bool keepdim) {
  return {extreme(self, {dim}, keepdim), Tensor()};
}

constexpr LateralRule kRows[] = {
    {"aten::any.dim", {"any of a list", lateral<any_dim_by_dims>}},
    {"aten::any.dim", {"amax", lateral<any_dim_by_amax>}},
    {"aten::any.dim", {"negation of all", lateral<any_dim_by_all>}},
    {"aten::any.dim", {"count of what is not zero", lateral<any_dim_by_sum>}},
    {"aten::any.dims", {"amax", lateral<any_dims_by_amax>}},
    {"aten::any.dims", {"count of what is not zero", lateral<any_dims_by_sum>}},
    {"aten::any", {"count of what is not zero", lateral<any_by_sum>}},
    {"aten::sum", {"sum over all dimensions", lateral<sum_by_dims>}},
    {"aten::sum.dim_IntList", {"sum of all", lateral<sum_of_all>}},
    {"aten::sum.dim_IntList", {"mean times count", lateral<sum_by_mean>}},
    {"aten::mean", {"mean over all dimensions", lateral<mean_by_dims>}},
    {"aten::mean.dim", {"sum over count", lateral<mean_by_sum>}},
    {"aten::var.correction", {"var.dim", lateral<var_by_dim>}},
    {"aten::var.correction", {"squared distances", lateral<var_by_squares>}},
    {"aten::var_mean.correction", {"var and mean", lateral<var_mean_by_both>}},
    {"aten::amax", {"max of a dimension", lateral<extreme_with_index<aten::max_dim>>}},
    {"aten::amin", {"min of a dimension", lateral<extreme_with_index<aten::min_dim>>}},
    {"aten::amax", {"max of all", lateral<extreme_of_all<aten::max>>}},
    {"aten::amin", {"min of all", lateral<extreme_of_all<aten::min>>}},
    {"aten::amax", {"one dimension at a time", lateral<extreme_by_dims<aten::amax>>}},
    {"aten::amin", {"one dimension at a time", lateral<extreme_by_dims<aten::amin>>}},
    {"aten::max", {"amax", lateral<whole_by_dims<aten::amax>>}},
    {"aten::min", {"amin", lateral<whole_by_dims<aten::amin>>}},
    {"aten::max.dim", {"amax and argmax", lateral<extreme_and_place<aten::amax, aten::argmax>>}},
    {"aten::min.dim", {"amin and argmin", lateral<extreme_and_place<aten::amin, aten::argmin>>}},
    {"aten::max.dim", {"amax", lateral<extreme_alone<aten::amax>>, 0}},
    {"aten::min.dim", {"amin", lateral<extreme_alone<aten::amin>>, 0}},
    {"aten::argmax", {"max of a dimension", lateral<place_with_index<aten::max_dim>>}},
    {"aten::argmin", {"min of a dimension", lateral<place_with_index<aten::min_dim>>}},
};

}  // namespace

const std::span<const LateralRule> kReductionRules = kRows;

}  // namespace rung::rules
