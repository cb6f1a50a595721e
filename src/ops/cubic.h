// Cubic convolution between four neighbours.
#pragma once
#include <array>

#include "ir/tensor.h"

namespace rung::ops {

/// Weights of the four neighbours of a point that lies `t` behind the second one.
std::array<Tensor, 4> cubic_weights(const Tensor& t);
/// Products one by one, each added to the sum as soon as it is there.
Tensor weighted_sum(const std::array<Tensor, 4>& values, const std::array<Tensor, 4>& weights);

}  // namespace rung::ops
