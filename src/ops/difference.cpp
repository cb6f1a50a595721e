// Differences along a dimension, gradients and integrals by the trapezoid rule.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using MaybeInt = std::optional<SymInt>;

Tensor joined(const Tensor& before, const Tensor& middle, const Tensor& after, int64_t dim) {
  std::vector<Tensor> parts;
  for (const Tensor* part : {&before, &middle, &after})
    if (part->defined()) parts.push_back(*part);
  return aten::cat(parts, dim);
}

// n times x[1:] - x[:-1]; of bools, whether neighbours differ
Tensor diff(Tensor self, int64_t n, int64_t dim, Tensor prepend, Tensor append) {
  if (n < 0) fail_input("diff: the order must not be negative, got ", n);
  if (self.dim() == 0) fail_input("diff expects at least a 1-d tensor");
  bool extended = n != 0 && (prepend.defined() || append.defined());
  Tensor result = extended ? joined(prepend, self, append, dim) : self;
  if (n == 0) return aten::copy_(aten::zeros_like(self), self);
  SymInt length = result.size(dim);
  for (int64_t i = 0; i < n && SymInt(i) < length; ++i) {
    SymInt left = length - i - 1;
    Tensor low = aten::narrow(result, dim, 0, left);
    Tensor high = aten::narrow(result, dim, 1, left);
    result = self.dtype() == DType::kBool ? aten::logical_xor(high, low) : aten::sub_Tensor(high, low);
  }
  return result;
}

// ---- gradient

Tensor part(const Tensor& self, int64_t dim, MaybeInt start, MaybeInt end = std::nullopt) {
  return aten::slice_Tensor(self, dim, start, end);
}
Tensor scaled_part(const Tensor& self, int64_t dim, const Scalar& factor, MaybeInt start, MaybeInt end = std::nullopt) {
  return aten::mul_Scalar(part(self, dim, start, end), factor);
}
Tensor slope(const Tensor& low, const Tensor& high, const Scalar& spacing) {
  return aten::div_Scalar(aten::sub_Tensor(high, low), spacing);
}

// Central differences inside; at the edges differences of first or second order.
Tensor gradient_along(const Tensor& self, int64_t dim, const Scalar& spacing, int64_t edge_order) {
  if (self.size(dim) < edge_order + 1)
    fail_input("gradient: dimension ", dim, " of size ", self.size(dim).str(), " is too short");
  Tensor before = part(self, dim, 0, -2);
  Tensor after = part(self, dim, 2);
  Tensor center = slope(before, after, spacing), first, last;
  if (edge_order == 1) {
    Tensor zeroth = part(self, dim, 0, 1);
    first = slope(zeroth, part(self, dim, 1, 2), spacing);
    Tensor last_but_one = part(self, dim, -2, -1);
    last = slope(last_but_one, part(self, dim, -1), spacing);
  } else {
    // (-3/2 x0 + 2 x1 - 1/2 x2) / h, and the same from the other end
    Tensor third = scaled_part(self, dim, 0.5, 2, 3);
    Tensor second = scaled_part(self, dim, 2, 1, 2);
    first = aten::add_Tensor(scaled_part(self, dim, -1.5, 0, 1), second);
    first = aten::div_Scalar(aten::sub_Tensor(first, third), spacing);
    Tensor end = scaled_part(self, dim, 1.5, -1);
    Tensor before_end = scaled_part(self, dim, 2, -2, -1);
    last = aten::sub_Tensor(scaled_part(self, dim, 0.5, -3, -2), before_end);
    last = aten::div_Scalar(aten::add_Tensor(last, end), spacing);
  }
  return joined(first, aten::div_Scalar(center, 2), last, dim);
}

// `spacing`: one number for each dimension, or one for all.
std::vector<Tensor> gradients(const Tensor& self, const std::vector<Scalar>& spacing, const std::vector<int64_t>& dims,
                              int64_t edge_order) {
  if (edge_order != 1 && edge_order != 2) fail_input("gradient: edge_order must be 1 or 2, got ", edge_order);
  if (spacing.size() != 1 && spacing.size() != dims.size())
    fail_input("gradient: ", spacing.size(), " spacings for ", dims.size(), " dimensions");
  std::vector<Tensor> out;
  for (size_t i = 0; i < dims.size(); ++i)
    out.push_back(gradient_along(self, dims[i], spacing[spacing.size() == 1 ? 0 : i], edge_order));
  return out;
}
std::vector<int64_t> dims_of(const Tensor& self, std::optional<int64_t> dim) {
  if (dim) return {wrap_dim(*dim, self.dim())};
  std::vector<int64_t> all;
  for (int64_t i = 0; i < self.dim(); ++i) all.push_back(i);
  return all;
}
std::vector<Scalar> scalars(const Argument& list) {
  std::vector<Scalar> out;
  for (const Argument& item : list.list_items()) out.emplace_back(item);
  return out;
}

std::vector<Tensor> gradient_scalarint(Tensor self, std::optional<Scalar> spacing, std::optional<int64_t> dim,
                                       int64_t edge_order) {
  return gradients(self, {spacing.value_or(Scalar(1.0))}, dims_of(self, dim), edge_order);
}
std::vector<Tensor> gradient_scalararray(Tensor self, Scalar spacing, SymInts dims, int64_t edge_order) {
  return gradients(self, {spacing}, wrap_dims(dims, self.dim()), edge_order);
}
std::vector<Tensor> gradient_array(Tensor self, SymInts dims, int64_t edge_order) {
  return gradients(self, {Scalar(1.0)}, wrap_dims(dims, self.dim()), edge_order);
}
Argument gradient_scalarrayint(const Call& call) {
  Tensor self = unbox_tensor(call.args[0]);
  std::optional<int64_t> dim = Unbox<std::optional<int64_t>>::from(call.args[2]);
  return box_result(gradients(self, scalars(call.args[1]), dims_of(self, dim), specialize(unbox_int(call.args[3]))));
}
Argument gradient_scalarrayarray(const Call& call) {
  Tensor self = unbox_tensor(call.args[0]);
  std::vector<int64_t> dims = wrap_dims(unbox_ints(call.args[2]), self.dim());
  return box_result(gradients(self, scalars(call.args[1]), dims, specialize(unbox_int(call.args[3]))));
}

// ---- trapezoid rule

Tensor zeros_without(const Tensor& self, int64_t dim) {
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  sizes.erase(sizes.begin() + wrap_dim(dim, self.dim()));
  return aten::zeros(sizes, self.dtype(), self.layout(), self.device(), false);
}

// Distances between sample points, with the rank of y.
Tensor distances(const Tensor& y, const Tensor& x, int64_t dim) {
  Sizes shape(y.sizes().size(), 1);
  Tensor points = x;
  if (x.dim() == 1) {
    if (x.size(0) != y.size(dim))
      fail_input("trapezoid: ", x.size(0).str(), " sample points for ", y.size(dim).str(), " values");
    shape[static_cast<size_t>(dim)] = x.size(0);
    points = aten::view(x, shape);
  } else if (x.dim() < y.dim()) {
    std::copy(x.sizes().begin(), x.sizes().end(), shape.end() - x.dim());
    points = aten::view(x, shape);
  }
  Tensor left = part(points, dim, 0, -1);
  Tensor right = part(points, dim, 1);
  return aten::sub_Tensor(right, left);
}
Tensor neighbours_sum(const Tensor& y, int64_t dim) {
  Tensor left = part(y, dim, 0, -1);
  Tensor right = part(y, dim, 1);
  return aten::add_Tensor(left, right);
}

Tensor trapezoid_x(Tensor y, Tensor x, int64_t dim) {
  int64_t at = wrap_dim(dim, y.dim());
  if (y.size(at) == 0) return zeros_without(y, at);
  Tensor steps = distances(y, x, at);
  Tensor areas = aten::mul_Tensor(neighbours_sum(y, at), steps);
  return aten::div_Scalar(aten::sum_dim_IntList(areas, IntList{at}), 2.0);
}
Tensor trapezoid_dx(Tensor y, Scalar dx, int64_t dim) {
  if (y.size(dim) == 0) return zeros_without(y, dim);
  Tensor last = aten::select_int(y, dim, -1);
  Tensor first = aten::select_int(y, dim, 0);
  Tensor ends = aten::mul_Scalar(aten::add_Tensor(first, last), 0.5);
  Tensor all = aten::sum_dim_IntList(y, IntList{dim});
  return aten::mul_Scalar(aten::sub_Tensor(all, ends), dx.to_double());
}
Tensor cumulative_trapezoid_x(Tensor y, Tensor x, int64_t dim) {
  int64_t at = wrap_dim(dim, y.dim());
  Tensor steps = distances(y, x, at);
  Tensor areas = aten::mul_Tensor(neighbours_sum(y, at), steps);
  return aten::div_Scalar(aten::cumsum(areas, at), 2.0);
}
Tensor cumulative_trapezoid_dx(Tensor y, Scalar dx, int64_t dim) {
  return aten::cumsum(aten::mul_Scalar(neighbours_sum(y, dim), dx.to_double() / 2), dim);
}

constexpr OpDef kRows[] = {
    {.op = "aten::diff", .body = box<diff>},
    {.op = "aten::gradient.scalarint", .body = box<gradient_scalarint>},
    {.op = "aten::gradient.scalararray", .body = box<gradient_scalararray>},
    {.op = "aten::gradient.array", .body = box<gradient_array>},
    {.op = "aten::gradient.scalarrayint", .body = gradient_scalarrayint},
    {.op = "aten::gradient.scalarrayarray", .body = gradient_scalarrayarray},
    {.op = "aten::trapezoid.x", .body = box<trapezoid_x>},
    {.op = "aten::trapezoid.dx", .body = box<trapezoid_dx>},
    {.op = "aten::trapz.x", .body = box<trapezoid_x>},
    {.op = "aten::trapz.dx", .body = box<trapezoid_dx>},
    {.op = "aten::cumulative_trapezoid.x", .body = box<cumulative_trapezoid_x>},
    {.op = "aten::cumulative_trapezoid.dx", .body = box<cumulative_trapezoid_dx>},
};

}  // namespace

const std::span<const OpDef> kDifferenceOps = kRows;

}  // namespace rung::ops
