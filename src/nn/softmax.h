// Softmax and its kin, along a dimension.
#pragma once
#include "nn/module.h"
#include "ops/functional_activation.h"
#include "ops/gen/aten.h"

namespace rung::nn {

class Softmax : public Layer {
 public:
  explicit Softmax(int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& input) override { return aten::softmax_int(input, dim_); }

 private:
  int64_t dim_;
};

class LogSoftmax : public Layer {
 public:
  explicit LogSoftmax(int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& input) override { return aten::log_softmax_int(input, dim_); }

 private:
  int64_t dim_;
};

/// Over the channels of [C, H, W] or [N, C, H, W].
class Softmax2d : public Layer {
 public:
  Tensor forward(const Tensor& input) override {
    if (input.dim() != 3 && input.dim() != 4)
      fail_input("Softmax2d: expected an input of 3 or 4 dimensions, got ", input.dim());
    return aten::softmax_int(input, -3);
  }
};

class Softmin : public Layer {
 public:
  explicit Softmin(int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& input) override { return functional::softmin(input, dim_); }

 private:
  int64_t dim_;
};

}  // namespace rung::nn
