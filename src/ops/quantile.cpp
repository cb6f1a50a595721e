// Quantiles: sort, turn q into ranks, and interpolate between the values at the ranks.
#include <algorithm>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

Tensor to_long(const Tensor& x) { return aten::to_dtype_layout(x, DType::kInt64, x.layout(), x.device()); }

// The values in order along the last dimension.
Tensor sorted_values(const Tensor& self, std::optional<int64_t> dim) {
  if (!dim) return std::get<0>(aten::sort(aten::flatten_using_ints(self)));
  if (*dim == self.dim() - 1) return std::get<0>(aten::sort(self));
  Tensor moved = aten::transpose_int(aten::unsqueeze(self, -1), *dim, -1);
  return std::get<0>(aten::sort(moved));
}

// What is left of self's shape, then the dimension that is searched.
Sizes searched_shape(const Tensor& self, std::optional<int64_t> dim, bool keepdim, SymInt length) {
  Sizes shape;
  if (dim && self.dim() > 0) {
    shape.assign(self.sizes().begin(), self.sizes().end());
    if (keepdim)
      shape[static_cast<size_t>(*dim)] = 1;
    else
      shape.erase(shape.begin() + *dim);
  } else if (keepdim) {
    shape.assign(static_cast<size_t>(self.dim()), 1);
  }
  shape.push_back(length);
  return shape;
}

// q (n - 1): n counts what is not NaN, or, if NaN is not to be ignored, NaN makes the last rank.
Tensor ranks_of(const Tensor& q, const Tensor& sorted, bool ignore_nan) {
  if (ignore_nan) {
    Tensor is_number = aten::logical_not_(aten::isnan(sorted));
    Tensor count = aten::sum_dim_IntList(is_number, IntList({-1}), true);
    Tensor ranks = aten::mul_Tensor(q, aten::sub_Scalar(count, 1));
    Tensor is_negative = aten::lt_Scalar(ranks, 0);
    return aten::masked_fill__Scalar(ranks, is_negative, 0);
  }
  Scalar last = sorted.size(-1) - 1;
  Tensor ranks = aten::mul_Scalar(q, last);
  Tensor has_nan = aten::any_dim(aten::isnan(sorted), -1, true);
  std::vector<Tensor> both = aten::broadcast_tensors(std::array<Tensor, 2>{ranks, has_nan});
  return aten::masked_fill_Scalar(both[0], both[1], last);
}

Tensor interpolated(const Tensor& sorted, Tensor ranks, std::string_view interpolation) {
  if (interpolation == "lower")
    ranks = aten::floor_(ranks);
  else if (interpolation == "higher")
    ranks = aten::ceil_(ranks);
  else if (interpolation == "nearest")
    ranks = aten::round_(ranks);
  Tensor below = to_long(ranks);
  Tensor values = aten::gather(sorted, -1, below);
  if (interpolation != "linear" && interpolation != "midpoint") return values;
  Tensor weights = interpolation == "midpoint" ? aten::full_like(ranks, 0.5) : aten::sub_Tensor(ranks, below);
  Tensor above = to_long(aten::ceil_(ranks));
  Tensor upper = aten::gather(sorted, -1, above);
  return aten::lerp__Tensor(values, upper, weights);
}

Tensor compute(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
               std::string_view interpolation, bool ignore_nan) {
  constexpr std::string_view kModes[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  if (std::ranges::find(kModes, interpolation) == std::end(kModes))
    fail_input("quantile: unknown interpolation '", interpolation, "'");
  if (self.numel() == 0) fail_input("quantile of an empty tensor");
  if (q.dim() > 1) fail_input("quantile: q must be a number or a 1-d tensor, got rank ", q.dim());
  if (q.dtype() != self.dtype()) fail_input("quantile: q must have the dtype of the input");
  if (dim) dim = wrap_dim(*dim, self.dim());
  Tensor sorted = sorted_values(self, dim);
  sorted = aten::view(sorted, searched_shape(self, dim, keepdim, sorted.size(-1)));
  Tensor ranks = ranks_of(q, sorted, ignore_nan);
  Tensor values = interpolated(sorted, ranks, interpolation);
  if (q.dim() == 0) return aten::squeeze__dim(values, -1);
  values = aten::transpose_(aten::unsqueeze_(values, 0), 0, -1);
  return aten::squeeze__dim(values, -1);
}

template <bool ignore_nan>
Tensor quantile(Tensor self, Tensor q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
  return compute(self, q, dim, keepdim, interpolation, ignore_nan);
}

template <bool ignore_nan>
Tensor quantile_scalar(Tensor self, double q, std::optional<int64_t> dim, bool keepdim,
                       std::string_view interpolation) {
  if (!(q >= 0 && q <= 1)) fail_input("quantile: q must be between 0 and 1, got ", q);
  Tensor number = aten::scalar_tensor(q, self.dtype(), self.layout(), self.device());
  return compute(self, number, dim, keepdim, interpolation, ignore_nan);
}

constexpr OpDef kRows[] = {
    {.op = "aten::nanquantile", .body = box<quantile<true>>},
    {.op = "aten::nanquantile.scalar", .body = box<quantile_scalar<true>>},
    {.op = "aten::quantile", .body = box<quantile<false>>},
    {.op = "aten::quantile.scalar", .body = box<quantile_scalar<false>>},
};

}  // namespace

const std::span<const OpDef> kQuantileOps = kRows;

}  // namespace rung::ops
