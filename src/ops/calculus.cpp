// Gradients of samples at coordinates that need not be even.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

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

// The sum of three slices of the samples, each with its weight.
Tensor combination(const std::array<Tensor, 3>& weights, const Tensor& x, int64_t dim,
                   const std::array<Range, 3>& ranges) {
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

// One list of coordinates for each dimension.
std::vector<Tensor> gradient(const Tensor& x, TensorList spacing, const std::vector<int64_t>& dims,
                             int64_t edge_order) {
  if (edge_order != 1 && edge_order != 2) fail_input("gradient: edge_order must be 1 or 2, got ", edge_order);
  if (spacing.size() != dims.size())
    fail_input("gradient: ", spacing.size(), " lists of coordinates for ", dims.size(), " dimensions");
  std::vector<Tensor> out;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (x.size(dims[i]) < edge_order + 1)
      fail_input("gradient: dimension ", dims[i], " of size ", x.size(dims[i]).str(), " is too short");
    out.push_back(gradient_over(x, dims[i], spacing[i], edge_order));
  }
  return out;
}

std::vector<Tensor> gradient_tensorarray(Tensor self, TensorList spacing, SymInts dims, int64_t edge_order) {
  return gradient(self, spacing, wrap_dims(dims, self.dim()), edge_order);
}
std::vector<Tensor> gradient_tensorarrayint(Tensor self, TensorList spacing, std::optional<int64_t> dim,
                                            int64_t edge_order) {
  std::vector<int64_t> dims;
  if (dim) dims.push_back(wrap_dim(*dim, self.dim()));
  for (int64_t i = 0; !dim && i < self.dim(); ++i) dims.push_back(i);
  return gradient(self, spacing, dims, edge_order);
}

constexpr OpDef kRows[] = {
    {.op = "aten::gradient.tensorarray", .body = box<gradient_tensorarray>},
    {.op = "aten::gradient.tensorarrayint", .body = box<gradient_tensorarrayint>},
};

}  // namespace

const std::span<const OpDef> kCalculusOps = kRows;

}  // namespace rung::ops
