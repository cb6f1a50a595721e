// Elementwise activations.
#pragma once
#include "nn/module.h"
#include "ops/functional_activation.h"
#include "ops/gen/aten.h"

namespace rung::nn {

// Those without settings: the op itself.
#define RUNG_ACTIVATION(name, op)                                            \
  class name : public Layer {                                                \
   public:                                                                   \
    Tensor forward(const Tensor& input) override { return aten::op(input); } \
  };
RUNG_ACTIVATION(ReLU, relu)
RUNG_ACTIVATION(ReLU6, relu6)
RUNG_ACTIVATION(Sigmoid, sigmoid)
RUNG_ACTIVATION(Tanh, tanh)
RUNG_ACTIVATION(SiLU, silu)
RUNG_ACTIVATION(Mish, mish)
RUNG_ACTIVATION(SELU, selu)
RUNG_ACTIVATION(Hardswish, hardswish)
RUNG_ACTIVATION(Hardsigmoid, hardsigmoid)
RUNG_ACTIVATION(LogSigmoid, log_sigmoid)
#undef RUNG_ACTIVATION

class Softsign : public Layer {
 public:
  Tensor forward(const Tensor& input) override { return functional::softsign(input); }
};
class Tanhshrink : public Layer {
 public:
  Tensor forward(const Tensor& input) override { return functional::tanhshrink(input); }
};

class GELU : public Layer {
 public:
  /// "none" or "tanh".
  explicit GELU(std::string approximate = "none") : approximate_(std::move(approximate)) {}
  Tensor forward(const Tensor& input) override { return aten::gelu(input, approximate_); }

 private:
  std::string approximate_;
};

class LeakyReLU : public Layer {
 public:
  explicit LeakyReLU(double negative_slope = 0.01) : negative_slope_(negative_slope) {}
  Tensor forward(const Tensor& input) override { return aten::leaky_relu(input, negative_slope_); }

 private:
  double negative_slope_;
};

class ELU : public Layer {
 public:
  explicit ELU(double alpha = 1) : alpha_(alpha) {}
  Tensor forward(const Tensor& input) override { return aten::elu(input, alpha_); }

 private:
  double alpha_;
};

class CELU : public Layer {
 public:
  explicit CELU(double alpha = 1) : alpha_(alpha) {}
  Tensor forward(const Tensor& input) override { return aten::celu(input, alpha_); }

 private:
  double alpha_;
};

class Hardtanh : public Layer {
 public:
  explicit Hardtanh(double min_val = -1, double max_val = 1) : min_val_(min_val), max_val_(max_val) {}
  Tensor forward(const Tensor& input) override { return aten::hardtanh(input, min_val_, max_val_); }

 private:
  double min_val_, max_val_;
};

class Softplus : public Layer {
 public:
  explicit Softplus(double beta = 1, double threshold = 20) : beta_(beta), threshold_(threshold) {}
  Tensor forward(const Tensor& input) override { return aten::softplus(input, beta_, threshold_); }

 private:
  double beta_, threshold_;
};

/// x where it is positive, else weight x; one weight for all channels or one for each.
class PReLU : public Layer {
 public:
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25)
      : weight(register_parameter("weight", aten::full({num_parameters}, init))) {}
  Tensor forward(const Tensor& input) override { return aten::prelu(input, weight); }

  Tensor& weight;
};

class GLU : public Layer {
 public:
  explicit GLU(int64_t dim = -1) : dim_(dim) {}
  Tensor forward(const Tensor& input) override { return aten::glu(input, dim_); }

 private:
  int64_t dim_;
};

/// Zero between -lambd and lambd; outside of it the input, or the input moved towards zero.
class Hardshrink : public Layer {
 public:
  explicit Hardshrink(double lambd = 0.5) : lambd_(lambd) {}
  Tensor forward(const Tensor& input) override { return aten::hardshrink(input, lambd_); }

 private:
  double lambd_;
};
class Softshrink : public Layer {
 public:
  explicit Softshrink(double lambd = 0.5) : lambd_(lambd) {}
  Tensor forward(const Tensor& input) override { return aten::softshrink(input, lambd_); }

 private:
  double lambd_;
};

/// x where it is above the threshold, else a value.
class Threshold : public Layer {
 public:
  Threshold(double threshold, double value) : threshold_(threshold), value_(value) {}
  Tensor forward(const Tensor& input) override { return aten::threshold(input, threshold_, value_); }

 private:
  double threshold_, value_;
};

/// A leaky ReLU whose slope is drawn while training, and else the mean of its bounds.
class RReLU : public Layer {
 public:
  explicit RReLU(double lower = 1.0 / 8, double upper = 1.0 / 3) : lower_(lower), upper_(upper) {}
  Tensor forward(const Tensor& input) override { return aten::rrelu(input, lower_, upper_, is_training()); }

 private:
  double lower_, upper_;
};

}  // namespace rung::nn
