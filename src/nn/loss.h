// Losses of differences as modules. `reduction` is "none", "mean" or "sum"; a weight is a buffer.
#pragma once
#include "nn/module.h"
#include "ops/functional_loss.h"

namespace rung::nn {

/// What the losses share: loss(input, target).
class Loss : public Module {
 public:
  virtual Tensor forward(const Tensor& input, const Tensor& target) = 0;
  Tensor operator()(const Tensor& input, const Tensor& target) { return forward(input, target); }

 protected:
  explicit Loss(std::string reduction) : reduction_(std::move(reduction)) {}
  std::string reduction_;
};

/// Those with a weight, which may be undefined.
class WeightedLoss : public Loss {
 public:
  Tensor& weight;

 protected:
  WeightedLoss(const Tensor& given, std::string reduction)
      : Loss(std::move(reduction)), weight(register_buffer("weight", given)) {}
};

#define RUNG_LOSS(name, function)                                                 \
  class name : public Loss {                                                      \
   public:                                                                        \
    explicit name(std::string reduction = "mean") : Loss(std::move(reduction)) {} \
    Tensor forward(const Tensor& input, const Tensor& target) override {          \
      return functional::function(input, target, reduction_);                     \
    }                                                                             \
  };
RUNG_LOSS(MSELoss, mse_loss)
RUNG_LOSS(L1Loss, l1_loss)
RUNG_LOSS(SoftMarginLoss, soft_margin_loss)
RUNG_LOSS(MultiLabelMarginLoss, multilabel_margin_loss)
#undef RUNG_LOSS

class SmoothL1Loss : public Loss {
 public:
  explicit SmoothL1Loss(std::string reduction = "mean", double beta = 1.0) : Loss(std::move(reduction)), beta_(beta) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::smooth_l1_loss(input, target, reduction_, beta_);
  }

 private:
  double beta_;
};

class HuberLoss : public Loss {
 public:
  explicit HuberLoss(std::string reduction = "mean", double delta = 1.0) : Loss(std::move(reduction)), delta_(delta) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::huber_loss(input, target, reduction_, delta_);
  }

 private:
  double delta_;
};

}  // namespace rung::nn
