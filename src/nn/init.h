// How torch.nn fills parameters: torch.nn.init. Each draws from the default generator and returns its tensor.
#pragma once
#include "ir/tensor.h"

namespace rung::nn::init {

/// How many inputs and outputs a weight connects: of [out, in, window...].
struct Fans {
  double in, out;
};
Fans fans_of(const Tensor& weight);

/// Uniform in +-sqrt(3) gain / sqrt(fan_in), the gain that of a leaky ReLU of this slope.
Tensor kaiming_uniform_(const Tensor& weight, double slope);
/// Uniform in +-sqrt(6 / (fan_in + fan_out)).
Tensor xavier_uniform_(const Tensor& weight);
/// What Linear and the convolutions do with a weight and, if there is one, its bias.
void weight_and_bias_(const Tensor& weight, const Tensor& bias);

/// A parameter that is still to be filled, or filled with a number.
Tensor empty(IntList size, DType dtype = DType::kFloat32);
Tensor full(IntList size, double value, DType dtype = DType::kFloat32);

}  // namespace rung::nn::init
