// Linear layers.
#include "nn/linear.h"

#include <cmath>

#include "nn/init.h"
#include "ops/gen/aten.h"

namespace rung::nn {

Linear::Linear(int64_t in_features, int64_t out_features, bool has_bias)
    : weight(register_parameter("weight", init::empty({out_features, in_features}))),
      bias(register_parameter("bias", has_bias ? init::empty({out_features}) : Tensor())) {
  init::weight_and_bias_(weight, bias);
}
Tensor Linear::forward(const Tensor& input) { return aten::linear(input, weight, bias); }

Bilinear::Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, bool has_bias)
    : weight(register_parameter("weight", init::empty({out_features, in1_features, in2_features}))),
      bias(register_parameter("bias", has_bias ? init::empty({out_features}) : Tensor())) {
  double bound = 1 / std::sqrt(static_cast<double>(in1_features));
  aten::uniform_(weight, -bound, bound);
  if (has_bias) aten::uniform_(bias, -bound, bound);
}
Tensor Bilinear::forward(const Tensor& a, const Tensor& b) { return aten::bilinear(a, b, weight, bias); }

}  // namespace rung::nn
