// Linear, Bilinear and Identity.
#pragma once
#include "nn/module.h"

namespace rung::nn {

/// y = x W^T + b
class Linear : public Layer {
 public:
  Linear(int64_t in_features, int64_t out_features, bool bias = true);
  Tensor forward(const Tensor& input) override;

  Tensor& weight;  // [out, in]
  Tensor& bias;    // [out], or undefined
};

/// y_k = a^T W_k b + bias_k
class Bilinear : public Module {
 public:
  Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, bool bias = true);
  Tensor forward(const Tensor& a, const Tensor& b);

  Tensor& weight;  // [out, in1, in2]
  Tensor& bias;
};

class Identity : public Layer {
 public:
  Tensor forward(const Tensor& input) override { return input; }
};

}  // namespace rung::nn
