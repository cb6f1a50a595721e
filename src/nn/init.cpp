// Bounds by the formulas of torch.nn.init, in double.
#include "nn/init.h"

#include <cmath>

#include "ops/gen/aten.h"

namespace rung::nn::init {

Fans fans_of(const Tensor& weight) {
  if (weight.dim() < 2) fail_input("a weight of rank ", weight.dim(), " has no fan in and fan out: it needs 2 or more");
  double window = 1;
  for (SymInt size : weight.sizes().subspan(2)) window *= static_cast<double>(size.value());
  return {static_cast<double>(weight.size(1).value()) * window, static_cast<double>(weight.size(0).value()) * window};
}

Tensor kaiming_uniform_(const Tensor& weight, double slope) {
  double gain = std::sqrt(2.0 / (1 + slope * slope)), std = gain / std::sqrt(fans_of(weight).in);
  double bound = std::sqrt(3.0) * std;
  return aten::uniform_(weight, -bound, bound);
}

Tensor xavier_uniform_(const Tensor& weight) {
  Fans fans = fans_of(weight);
  double bound = std::sqrt(3.0) * std::sqrt(2.0 / (fans.in + fans.out));
  return aten::uniform_(weight, -bound, bound);
}

void weight_and_bias_(const Tensor& weight, const Tensor& bias) {
  kaiming_uniform_(weight, std::sqrt(5.0));
  double fan_in = fans_of(weight).in;
  if (!bias.defined() || fan_in == 0) return;
  double bound = 1 / std::sqrt(fan_in);
  aten::uniform_(bias, -bound, bound);
}

Tensor empty(IntList size, DType dtype) { return aten::empty_memory_format(size, dtype); }
Tensor full(IntList size, double value, DType dtype) { return aten::full(size, value, dtype); }

}  // namespace rung::nn::init
