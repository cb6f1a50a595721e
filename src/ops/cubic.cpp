// The cubic convolution kernel, piece by piece.
#include "ops/cubic.h"

#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

constexpr double kCubic = -0.75;  // the A of the cubic convolution kernel

// ((A + 2) x - (A + 3)) x^2 + 1, for points nearer than 1
Tensor cubic_near(const Tensor& x) {
  Tensor y = aten::mul_Tensor(x, kCubic + 2);
  y = aten::sub_Tensor(y, kCubic + 3);
  y = aten::mul_Tensor(y, x);
  y = aten::mul_Tensor(y, x);
  return aten::add_Tensor(y, 1);
}
// ((A x - 5 A) x + 8 A) x - 4 A, for points between 1 and 2
Tensor cubic_far(const Tensor& x) {
  Tensor y = aten::mul_Tensor(x, kCubic);
  y = aten::sub_Tensor(y, 5 * kCubic);
  y = aten::mul_Tensor(y, x);
  y = aten::add_Tensor(y, 8 * kCubic);
  y = aten::mul_Tensor(y, x);
  return aten::sub_Tensor(y, 4 * kCubic);
}

}  // namespace

// On the CPU near and far ones are computed in pairs.
std::array<Tensor, 4> cubic_weights(const Tensor& t) {
  if (t.device().type != "cpu") {
    Tensor first = cubic_far(aten::add_Tensor(t, 1.0));
    Tensor second = cubic_near(t);
    Tensor third = cubic_near(aten::rsub_Scalar(t, 1.0));
    return {first, second, third, cubic_far(aten::rsub_Scalar(t, 2.0))};
  }
  Tensor from_right = aten::rsub_Scalar(t, 1.0);
  Tensor near = aten::stack(std::array{t, from_right}, 0);
  Tensor further_left = aten::add_Tensor(t, 1.0);
  Tensor further_right = aten::rsub_Scalar(t, 2.0);
  Tensor far = aten::stack(std::array{further_left, further_right}, 0);
  Tensor far_weights = cubic_far(far);
  Tensor near_weights = cubic_near(near);
  std::vector<Tensor> outer = aten::unbind_int(far_weights, 0);
  std::vector<Tensor> inner = aten::unbind_int(near_weights, 0);
  return {outer[0], inner[0], inner[1], outer[1]};
}

Tensor weighted_sum(const std::array<Tensor, 4>& values, const std::array<Tensor, 4>& weights) {
  Tensor sum = aten::mul_Tensor(values[0], weights[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    Tensor product = aten::mul_Tensor(values[i], weights[i]);
    sum = aten::add_Tensor(sum, product);
  }
  return sum;
}

}  // namespace rung::ops
