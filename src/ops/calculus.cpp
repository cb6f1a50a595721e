// Numerical integrals and gradients.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- the trapezoidal rule

void refuse_bool(const Tensor& x) {
  if (x.dtype() == DType::kBool) fail_input("the trapezoidal rule does not take bool tensors");
}

// left + right of every interval
Tensor sums_of_neighbours(const Tensor& y, int64_t dim) {
  Tensor left = aten::slice_Tensor(y, dim, 0, -1);
  Tensor right = aten::slice_Tensor(y, dim, 1);
  return aten::add_Tensor(left, right);
}

// The lengths of the intervals, with as many dimensions as y.
Tensor intervals(const Tensor& x, const Tensor& y, int64_t dim) {
  refuse_bool(x);
  refuse_bool(y);
  Tensor points = x;
  if (x.dim() == 1) {
    if (x.size(0) != y.size(dim)) fail_input("trapezoid: there must be one x for each sample point");
    Sizes shape(static_cast<size_t>(y.dim()), 1);
    shape[static_cast<size_t>(dim)] = x.size(0);
    points = aten::view(x, shape);
  } else if (x.dim() < y.dim()) {
    Sizes shape(static_cast<size_t>(y.dim() - x.dim()), 1);
    shape.insert(shape.end(), x.sizes().begin(), x.sizes().end());
    points = aten::view(x, shape);
  }
  Tensor left = aten::slice_Tensor(points, dim, 0, -1);
  Tensor right = aten::slice_Tensor(points, dim, 1);
  return aten::sub_Tensor(right, left);
}

Tensor integral_of_nothing(const Tensor& y, int64_t dim) {
  Sizes sizes(y.sizes().begin(), y.sizes().end());
  sizes.erase(sizes.begin() + wrap_dim(dim, y.dim()));
  return aten::zeros(sizes, y.dtype(), y.layout(), y.device());
}

// sum((left + right) dx) / 2
Tensor trapezoid_x(Tensor y, Tensor x, int64_t dim) {
  dim = wrap_dim(dim, y.dim());
  if (y.size(dim) == 0) return integral_of_nothing(y, dim);
  Tensor dx = intervals(x, y, dim);
  Tensor areas = aten::mul_Tensor(sums_of_neighbours(y, dim), dx);
  return aten::div_Scalar(aten::sum_dim_IntList(areas, IntList({dim})), 2.0);
}

// (sum(y) - (first + last) / 2) dx
Tensor trapezoid_dx(Tensor y, Scalar dx, int64_t dim) {
  if (y.size(dim) == 0) return integral_of_nothing(y, dim);
  refuse_bool(y);
  if (dx.is_complex() || dx.is_bool()) fail_input("trapezoid: dx must be a real number");
  Tensor last = aten::select_int(y, dim, -1);
  Tensor first = aten::select_int(y, dim, 0);
  Tensor half = aten::mul_Scalar(aten::add_Tensor(first, last), 0.5);
  Tensor total = aten::sum_dim_IntList(y, IntList({dim}));
  return aten::mul_Scalar(aten::sub_Tensor(total, half), dx.to_double());
}

Tensor cumulative_trapezoid_x(Tensor y, Tensor x, int64_t dim) {
  dim = wrap_dim(dim, y.dim());
  Tensor dx = intervals(x, y, dim);
  Tensor areas = aten::mul_Tensor(sums_of_neighbours(y, dim), dx);
  return aten::div_Scalar(aten::cumsum(areas, dim), 2.0);
}

Tensor cumulative_trapezoid_dx(Tensor y, Scalar dx, int64_t dim) {
  refuse_bool(y);
  if (dx.is_complex() || dx.is_bool()) fail_input("cumulative_trapezoid: dx must be a real number");
  Tensor areas = aten::mul_Scalar(sums_of_neighbours(y, dim), dx.to_double() / 2);
  return aten::cumsum(areas, dim);
}

// ---- gradients: central differences inside, one-sided ones of first or second order at the ends

struct Range {
  int64_t start;
  std::optional<SymInt> end = {};  // absent: to the last
};
Tensor slice(const Tensor& x, int64_t dim, Range range) { return aten::slice_Tensor(x, dim, range.start, range.end); }

// x[left] - x[right]. ATen computes the right operand of each operator first.
Tensor difference(const Tensor& x, int64_t dim, Range left, Range right) {
  Tensor second = slice(x, dim, right);
  Tensor first = slice(x, dim, left);
  return aten::sub_Tensor(first, second);
}

Tensor edge_of_second_order(const Tensor& x, int64_t dim, const Scalar& dx, bool at_start) {
  Tensor third = aten::mul_Scalar(at_start ? slice(x, dim, {2, 3}) : slice(x, dim, {-1}), at_start ? 0.5 : 1.5);
  Tensor second = aten::mul_Scalar(at_start ? slice(x, dim, {1, 2}) : slice(x, dim, {-2, -1}), 2);
  Tensor first = aten::mul_Scalar(at_start ? slice(x, dim, {0, 1}) : slice(x, dim, {-3, -2}), at_start ? -1.5 : 0.5);
  Tensor sum = at_start ? aten::add_Tensor(first, second) : aten::sub_Tensor(first, second);
  sum = at_start ? aten::sub_Tensor(sum, third) : aten::add_Tensor(sum, third);
  return aten::div_Scalar(sum, dx);
}

Tensor gradient_along(const Tensor& x, int64_t dim, const Scalar& dx, int64_t edge_order) {
  Tensor centre = aten::div_Scalar(difference(x, dim, {2}, {0, -2}), dx);
  Tensor start, end;
  if (edge_order == 1) {
    start = aten::div_Scalar(difference(x, dim, {1, 2}, {0, 1}), dx);
    end = aten::div_Scalar(difference(x, dim, {-1}, {-2, -1}), dx);
  } else {
    start = edge_of_second_order(x, dim, dx, true);
    end = edge_of_second_order(x, dim, dx, false);
  }
  centre = aten::div_Scalar(centre, 2);
  return aten::cat(std::array<Tensor, 3>{start, centre, end}, dim);
}

// The sum of three slices of the samples, each with its weight.
Tensor combination(const std::array<Tensor, 3>& weights, const Tensor& x, int64_t dim, const std::array<Range, 3>& ranges) {
  std::array<Tensor, 3> terms;
  for (size_t i = 3; i-- > 0;) terms[i] = aten::mul_Tensor(weights[i], slice(x, dim, ranges[i]));
  Tensor sum = aten::add_Tensor(terms[0], terms[1]);
  return aten::add_Tensor(sum, terms[2]);
}

// Weights of the second-order formula for uneven intervals.
std::array<Tensor, 3> centre_weights(const Tensor& steps, SymInts shape) {
  Tensor before = slice(steps, 0, {0, -1});
  Tensor after = slice(steps, 0, {1});
  Tensor scale = aten::mul_Tensor(before, aten::add_Tensor(before, after));
  Tensor a = aten::reshape(aten::div_Tensor(aten::neg(after), scale), shape);
  scale = aten::mul_Tensor(before, after);
  Tensor change = aten::sub_Tensor(after, before);
  Tensor b = aten::reshape(aten::div_Tensor(change, scale), shape);
  scale = aten::mul_Tensor(after, aten::add_Tensor(before, after));
  Tensor c = aten::reshape(aten::div_Tensor(before, scale), shape);
  return {a, b, c};
}

Tensor step_at(const Tensor& steps, int64_t index) { return aten::select_int(steps, 0, index); }
// steps[i] + steps[j] and steps[i] * steps[j], the right one read first
Tensor step_sum(const Tensor& steps, int64_t i, int64_t j) {
  Tensor right = step_at(steps, j);
  return aten::add_Tensor(step_at(steps, i), right);
}
Tensor step_product(const Tensor& steps, int64_t i, int64_t j) {
  Tensor right = step_at(steps, j);
  return aten::mul_Tensor(step_at(steps, i), right);
}
// steps[k] * (steps[i] + steps[j])
Tensor step_times_sum(const Tensor& steps, int64_t k, int64_t i, int64_t j) {
  Tensor sum = step_sum(steps, i, j);
  return aten::mul_Tensor(step_at(steps, k), sum);
}
// factor * steps[i] + steps[j]
Tensor weighted_step_sum(const Tensor& steps, const Scalar& factor, int64_t i, int64_t j) {
  Tensor right = step_at(steps, j);
  Tensor left = aten::mul_Scalar(step_at(steps, i), factor);
  return aten::add_Tensor(left, right);
}

std::array<Tensor, 3> start_weights(const Tensor& steps) {
  Tensor scale = step_times_sum(steps, 0, 0, 1);
  Tensor a = aten::div_Tensor(aten::neg(weighted_step_sum(steps, 2.0, 0, 1)), scale);
  scale = step_product(steps, 0, 1);
  Tensor b = aten::div_Tensor(step_sum(steps, 0, 1), scale);
  scale = step_times_sum(steps, 1, 0, 1);
  Tensor c = aten::div_Tensor(aten::neg(step_at(steps, 0)), scale);
  return {a, b, c};
}

std::array<Tensor, 3> end_weights(const Tensor& steps) {
  Tensor scale = step_times_sum(steps, -2, -1, -2);
  Tensor a = aten::div_Tensor(step_at(steps, -1), scale);
  scale = step_product(steps, -1, -2);
  Tensor b = aten::div_Tensor(aten::neg(step_sum(steps, -1, -2)), scale);
  scale = step_times_sum(steps, -1, -1, -2);
  Tensor c = aten::div_Tensor(weighted_step_sum(steps, 2, -1, -2), scale);
  return {a, b, c};
}

Tensor gradient_over(const Tensor& x, int64_t dim, const Tensor& coordinates, int64_t edge_order) {
  Sizes shape(static_cast<size_t>(x.dim()), 1);
  shape[static_cast<size_t>(dim)] = -1;
  Tensor steps = aten::diff(coordinates, 1, 0);
  Tensor centre = combination(centre_weights(steps, shape), x, dim, {Range{0, -2}, {1, -1}, {2}});
  Tensor start, end;
  if (edge_order == 1) {
    Tensor step = step_at(steps, 0);
    start = aten::div_Tensor(difference(x, dim, {1, 2}, {0, 1}), step);
    step = step_at(steps, -1);
    end = aten::div_Tensor(difference(x, dim, {-1}, {-2, -1}), step);
  } else {
    start = combination(start_weights(steps), x, dim, {Range{0, 1}, {1, 2}, {2, 3}});
    end = combination(end_weights(steps), x, dim, {Range{-3, -2}, {-2, -1}, {-1}});
  }
  return aten::cat(std::array<Tensor, 3>{start, centre, end}, dim);
}

// The dimensions asked for: a list, one, or all.
std::vector<int64_t> gradient_dims(const Tensor& x, const Argument& dims) {
  std::vector<int64_t> out;
  if (dims.kind == Argument::Kind::kList) return wrap_dims(unbox_ints(dims), x.dim());
  if (!dims.is_none()) return {wrap_dim(unbox_int(dims).value(), x.dim())};
  for (int64_t i = 0; i < x.dim(); ++i) out.push_back(i);
  return out;
}

void check_gradient(const Tensor& x, const std::vector<int64_t>& dims, int64_t edge_order) {
  if (edge_order != 1 && edge_order != 2) fail_input("gradient supports edge_order 1 and 2 only, got ", edge_order);
  for (int64_t dim : dims)
    if (x.size(dim) < edge_order + 1) fail_input("gradient: each dimension needs at least edge_order + 1 elements");
}

// All overloads: spacing is absent, a number, or a list of numbers or of coordinates, one for each dimension.
Argument gradient(const Tensor& x, const Argument& spacing, const Argument& dim_argument, int64_t edge_order) {
  std::vector<int64_t> dims = gradient_dims(x, dim_argument);
  check_gradient(x, dims, edge_order);
  bool each = spacing.kind == Argument::Kind::kList;
  bool one_for_all = each && spacing.size == 1 && dims.size() > 1 && spacing.items[0].is_number();
  if (each && !one_for_all && spacing.size != dims.size())
    fail_input("gradient: ", spacing.size, " spacings for ", dims.size(), " dimensions");
  std::vector<Tensor> out;
  for (size_t i = 0; i < dims.size(); ++i) {
    Argument own = each ? spacing.items[one_for_all ? 0 : i] : spacing;
    if (own.is_tensor()) out.push_back(gradient_over(x, dims[i], Tensor(own), edge_order));
    else out.push_back(gradient_along(x, dims[i], own.is_none() ? Scalar(1.0) : Scalar(own), edge_order));
  }
  return box_result(out);
}

Argument gradient_spaced(const Call& call) {
  return gradient(Tensor(call.args[0]), call.args[1], call.args[2], unbox_int(call.args[3]).value());
}
Argument gradient_array(const Call& call) {
  return gradient(Tensor(call.args[0]), Argument::none(), call.args[1], unbox_int(call.args[2]).value());
}

constexpr OpDef kRows[] = {
    {.op = "aten::cumulative_trapezoid.dx", .body = box<cumulative_trapezoid_dx>},
    {.op = "aten::cumulative_trapezoid.x", .body = box<cumulative_trapezoid_x>},
    {.op = "aten::gradient.array", .body = gradient_array},
    {.op = "aten::gradient.scalararray", .body = gradient_spaced},
    {.op = "aten::gradient.scalarint", .body = gradient_spaced},
    {.op = "aten::gradient.scalarrayarray", .body = gradient_spaced},
    {.op = "aten::gradient.scalarrayint", .body = gradient_spaced},
    {.op = "aten::gradient.tensorarray", .body = gradient_spaced},
    {.op = "aten::gradient.tensorarrayint", .body = gradient_spaced},
    {.op = "aten::trapezoid.dx", .body = box<trapezoid_dx>},
    {.op = "aten::trapezoid.x", .body = box<trapezoid_x>},
    {.op = "aten::trapz.dx", .body = box<trapezoid_dx>},
    {.op = "aten::trapz.x", .body = box<trapezoid_x>},
};

}  // namespace

const std::span<const OpDef> kCalculusOps = kRows;

}  // namespace rung::ops
