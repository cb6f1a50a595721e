// Gradients of the activations. The orders of the operations are torch's; so are the constants left as numbers.
#include <limits>

#include "meta/promote.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

constexpr double kSqrt2 = 1.41421356237309504880, kHalfSqrt2 = 0.70710678118654752440,
                 kTwoOverSqrtPi = 1.12837916709551257390;

// a * b as Python computes it: an integer if both are.
Scalar product(const Scalar& a, const Scalar& b) {
  if (a.is_float() || b.is_float()) return a.to_double() * b.to_double();
  return a.to_int() * b.to_int();
}

Tensor one_minus(const Tensor& x, const Scalar& one = 1) { return aten::sub_Tensor(Tensor(one), x); }
Tensor one_plus(const Tensor& x) { return aten::add_Tensor(x, 1); }
Tensor conjugate(const Tensor& x) { return is_complex(x.dtype()) ? aten::conj_physical(x) : x; }

// Gradient and input in the type of the computation.
struct Operands {
  ComputeTypes types;
  Tensor grad, x;
};
Operands operands(const Tensor& grad, const Tensor& x) {
  ComputeTypes types = compute_types({grad, x});
  Tensor g = types.up(grad);
  return {types, g, types.up(x)};
}

// tanh' = 1 - y^2
Tensor tanh_backward(Tensor grad_output, Tensor output) {
  auto [types, grad, y] = operands(grad_output, output);
  Tensor square = aten::mul_Tensor(y, y);
  Tensor slope = conjugate(one_minus(square));
  return types.down(aten::mul_Tensor(grad, slope));
}

// sigmoid' = y (1 - y)
Tensor sigmoid_backward(Tensor grad_output, Tensor output) {
  auto [types, grad, y] = operands(grad_output, output);
  Tensor rest = one_minus(y);
  Tensor slope = conjugate(aten::mul_Tensor(y, rest));
  return types.down(aten::mul_Tensor(grad, slope));
}

// softplus' = z / (z + 1) with z = exp(beta x)
Tensor softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) {
  auto [types, grad, x] = operands(grad_output, self);
  Tensor scaled = aten::mul_Tensor(x, beta);
  Tensor z = aten::exp(scaled);
  scaled = aten::mul_Tensor(x, beta);
  Tensor is_linear = aten::gt_Scalar(scaled, threshold);
  Tensor above = aten::mul_Tensor(grad, z);
  Tensor below = aten::add_Tensor(z, 1.0);
  Tensor curved = aten::div_Tensor(above, below);
  return types.down(aten::where_self(is_linear, grad, curved));
}

// elu' = scale for x > 0, else input_scale * (y + alpha scale), or the same from the input
Tensor elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result,
                    Tensor self_or_result) {
  auto [types, grad, x] = operands(grad_output, self_or_result);
  Scalar negative = product(alpha, scale);
  Tensor low = aten::le_Scalar(x, 0);
  Tensor slope = aten::mul_Tensor(grad, input_scale);
  if (is_result) {
    Tensor shifted = aten::add_Tensor(x, negative);
    slope = aten::mul_Tensor(slope, shifted);
  } else {
    slope = aten::mul_Tensor(slope, negative);
    Tensor exponent = aten::mul_Tensor(x, input_scale);
    exponent = aten::exp(exponent);
    slope = aten::mul_Tensor(slope, exponent);
  }
  Tensor high = aten::mul_Tensor(grad, scale);
  return types.down(aten::where_self(low, slope, high));
}

Tensor hardsigmoid_backward(Tensor grad_output, Tensor self) {
  auto [types, grad, x] = operands(grad_output, self);
  Tensor above = aten::gt_Scalar(x, -3.0);
  Tensor below = aten::lt_Scalar(x, 3.0);
  Tensor inside = aten::bitwise_and_Tensor(above, below);
  Tensor slope = aten::mul_Tensor(grad, 1.0 / 6.0);
  return types.down(aten::where_ScalarOther(inside, slope, 0.0));
}

Tensor hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) {
  auto [types, grad, x] = operands(grad_output, self);
  Tensor below = aten::le_Scalar(x, min_val);
  Tensor above = aten::ge_Scalar(x, max_val);
  Tensor outside = aten::bitwise_or_Tensor(below, above);
  return types.down(aten::where_ScalarSelf(outside, 0.0, grad));
}

// hardswish' = x / 3 + 1/2 between -3 and 3
Tensor hardswish_backward(Tensor grad_output, Tensor self) {
  auto [types, grad, x] = operands(grad_output, self);
  Tensor low = aten::le_Scalar(x, -3);
  Tensor inside = aten::lt_Scalar(x, 3);
  Tensor slope = aten::div_Tensor(x, 3);
  slope = aten::add_Tensor(slope, 0.5);
  slope = aten::mul_Tensor(grad, slope);
  Tensor rest = aten::where_self(inside, slope, grad);
  return types.down(aten::where_ScalarSelf(low, 0.0, rest));
}

Tensor threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) {
  Tensor below = aten::le_Scalar(self, threshold);
  return aten::where_ScalarSelf(below, 0, grad_output);
}

Tensor leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope) {
  auto [types, grad, x] = operands(grad_output, self);
  Tensor positive = aten::gt_Scalar(x, 0);
  Tensor scaled = aten::mul_Tensor(grad, negative_slope);
  return types.down(aten::where_self(positive, grad, scaled));
}

Tensor rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper,
                                 bool training, bool self_is_result) {
  ComputeTypes types = compute_types({grad_output, self, noise});
  Tensor grad = types.up(grad_output);
  Tensor x = types.up(self);
  Tensor slopes = types.up(noise);
  if (training) return types.down(aten::mul_Tensor(grad, slopes));
  return types.down(aten::leaky_relu_backward(grad, x, (lower.to_double() + upper.to_double()) / 2, self_is_result));
}

// d/dx 0.5 x (1 + tanh(u)), u = beta (x + kappa x^3)
Tensor gelu_tanh_backward(const Tensor& grad, const Tensor& x) {
  constexpr double kBeta = kSqrt2 * kTwoOverSqrtPi * 0.5, kKappa = 0.044715;
  Tensor square = aten::mul_Tensor(x, x);
  Tensor cube = aten::mul_Tensor(square, x);
  Tensor inner = aten::mul_Tensor(cube, kKappa);
  inner = aten::add_Tensor(x, inner);
  inner = aten::mul_Tensor(inner, kBeta);
  Tensor tanh = aten::tanh(inner);
  Tensor left = aten::mul_Tensor(x, 0.5);
  Tensor right = one_plus(tanh);
  Tensor left_slope = aten::mul_Tensor(right, 0.5);
  Tensor tanh_slope = aten::mul_Tensor(tanh, tanh);
  tanh_slope = one_minus(tanh_slope);
  Tensor inner_slope = aten::mul_Tensor(square, 3 * kKappa);
  inner_slope = one_plus(inner_slope);
  inner_slope = aten::mul_Tensor(inner_slope, kBeta);
  Tensor right_slope = aten::mul_Tensor(left, tanh_slope);
  right_slope = aten::mul_Tensor(right_slope, inner_slope);
  Tensor slope = aten::add_Tensor(left_slope, right_slope);
  return aten::mul_Tensor(grad, slope);
}

// gelu' = cdf(x) + x pdf(x)
Tensor gelu_erf_backward(const Tensor& grad, const Tensor& x) {
  constexpr double kBeta = kTwoOverSqrtPi * kHalfSqrt2 * 0.5;
  Tensor cdf = aten::mul_Tensor(x, kHalfSqrt2);
  cdf = aten::erf(cdf);
  cdf = one_plus(cdf);
  cdf = aten::mul_Tensor(cdf, 0.5);
  Tensor pdf = aten::mul_Tensor(x, x);
  pdf = aten::mul_Tensor(pdf, -0.5);
  pdf = aten::exp(pdf);
  pdf = aten::mul_Tensor(pdf, kBeta);
  Tensor slope = aten::mul_Tensor(x, pdf);
  slope = aten::add_Tensor(cdf, slope);
  return aten::mul_Tensor(grad, slope);
}

Tensor gelu_backward(Tensor grad_output, Tensor self, std::string_view approximate) {
  auto [types, grad, x] = operands(grad_output, self);
  return types.down(approximate == "tanh" ? gelu_tanh_backward(grad, x) : gelu_erf_backward(grad, x));
}

// mish' = t + x sigmoid(x) (1 - t^2) with t = tanh(softplus(x))
Tensor mish_backward(Tensor grad_output, Tensor self) {
  auto [types, grad, x] = operands(grad_output, self);
  Tensor t = aten::softplus(x);
  t = aten::tanh(t);
  Tensor sigmoid = aten::sigmoid(x);
  Tensor out = aten::mul_Tensor(x, sigmoid);
  Tensor square = aten::mul_Tensor(t, t);
  Tensor rest = one_minus(square);
  out = aten::mul_Tensor(out, rest);
  out = aten::add_Tensor(t, out);
  return types.down(aten::mul_Tensor(grad, out));
}

// silu' = s (1 + x (1 - s)) with s = sigmoid(x)
Tensor silu_backward(Tensor grad_output, Tensor self) {
  auto [types, grad, x] = operands(grad_output, self);
  Tensor sigmoid = aten::sigmoid(x);
  Tensor scaled = aten::mul_Tensor(grad, sigmoid);
  Tensor rest = one_minus(sigmoid);
  rest = aten::mul_Tensor(x, rest);
  rest = one_plus(rest);
  return types.down(aten::mul_Tensor(scaled, rest));
}

TensorTuple2 prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) {
  Tensor positive = aten::gt_Scalar(self, 0);
  Tensor scaled = aten::mul_Tensor(weight, grad_output);
  Tensor input_grad = aten::where_self(positive, grad_output, scaled);
  positive = aten::gt_Scalar(self, 0);
  scaled = aten::mul_Tensor(self, grad_output);
  return {input_grad, aten::where_ScalarSelf(positive, 0.0, scaled)};
}

// log_sigmoid' = max' - sign z / (1 + z) with z = exp(-|x|), which a CPU has kept
Tensor log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) {
  ComputeTypes types = compute_types({grad_output, self, buffer});
  Tensor grad = types.up(grad_output);
  Tensor x = types.up(self);
  Tensor z = types.up(buffer);
  Tensor negative = aten::lt_Scalar(x, 0);
  Tensor max_slope = aten::where_Scalar(negative, 1, 0);
  Tensor sign = aten::where_Scalar(negative, 1, -1);
  if (z.numel() == 0) {
    z = aten::abs(x);
    z = aten::neg(z);
    z = aten::exp(z);
  }
  Tensor below = one_plus(z);
  Tensor ratio = aten::div_Tensor(z, below);
  ratio = aten::mul_Tensor(sign, ratio);
  Tensor slope = aten::sub_Tensor(max_slope, ratio);
  return types.down(aten::mul_Tensor(grad, slope));
}

// logit' = 1 / (x (1 - x)) inside the bounds
Tensor logit_backward(Tensor grad_output, Tensor self, std::optional<double> eps) {
  auto [types, grad, x] = operands(grad_output, self);
  double low = eps.value_or(0.0), high = 1.0 - low;
  Tensor above = aten::ge_Scalar(x, low);
  Tensor below = aten::le_Scalar(x, high);
  Tensor inside = aten::logical_and(above, below);
  Tensor rest = one_minus(x, 1.0);
  Tensor denominator = aten::mul_Tensor(x, rest);
  Tensor slope = aten::div_Tensor(grad, denominator);
  if (eps) return types.down(aten::where_ScalarOther(inside, slope, 0.0));
  Tensor nan =
      aten::new_full(x, {}, std::numeric_limits<double>::quiet_NaN(), std::nullopt, std::nullopt, std::nullopt, false);
  return types.down(aten::where_self(inside, slope, nan));
}

Tensor glu_backward(Tensor grad_output, Tensor self, int64_t dim) {
  if (self.dim() == 0) fail_input("glu does not support 0-dimensional tensors");
  int64_t axis = wrap_dim(dim, self.dim());
  if (self.size(axis) % 2 != 0)
    fail_input("glu: dimension ", axis, " must be even, its size is ", self.size(axis).str());
  auto [types, grad, x] = operands(grad_output, self);
  SymInt half = x.size(axis) / 2;
  Tensor first = aten::narrow(x, axis, 0, half);
  Tensor second = aten::narrow(x, axis, half, half);
  Tensor gate = aten::sigmoid(second);
  Tensor second_grad = one_minus(gate, 1.0);
  second_grad = aten::mul_Tensor(second_grad, gate);
  second_grad = aten::mul_Tensor(second_grad, first);
  second_grad = aten::mul_Tensor(second_grad, grad);
  Tensor first_grad = aten::mul_Tensor(gate, grad);
  const Tensor parts[] = {first_grad, second_grad};
  return types.down(aten::cat(parts, axis));
}

constexpr OpDef kRows[] = {
    {.op = "aten::tanh_backward", .body = box<tanh_backward>},
    {.op = "aten::sigmoid_backward", .body = box<sigmoid_backward>},
    {.op = "aten::softplus_backward", .body = box<softplus_backward>},
    {.op = "aten::elu_backward", .body = box<elu_backward>},
    {.op = "aten::hardsigmoid_backward", .body = box<hardsigmoid_backward>},
    {.op = "aten::hardtanh_backward", .body = box<hardtanh_backward>},
    {.op = "aten::hardswish_backward", .body = box<hardswish_backward>},
    {.op = "aten::threshold_backward", .body = box<threshold_backward>},
    {.op = "aten::leaky_relu_backward", .body = box<leaky_relu_backward>},
    {.op = "aten::rrelu_with_noise_backward", .body = box<rrelu_with_noise_backward>},
    {.op = "aten::gelu_backward", .body = box<gelu_backward>},
    {.op = "aten::mish_backward", .body = box<mish_backward>},
    {.op = "aten::silu_backward", .body = box<silu_backward>},
    {.op = "aten::_prelu_kernel_backward", .body = box<prelu_kernel_backward>},
    {.op = "aten::log_sigmoid_backward", .body = box<log_sigmoid_backward>},
    {.op = "aten::logit_backward", .body = box<logit_backward>},
    {.op = "aten::glu_backward", .body = box<glu_backward>},
};

}  // namespace

const std::span<const OpDef> kActivationBackwardOps = kRows;

}  // namespace rung::ops
