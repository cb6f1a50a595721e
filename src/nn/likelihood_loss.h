// Losses of probabilities as modules.
#pragma once
#include "nn/loss.h"

namespace rung::nn {

/// Of log-probabilities; "batchmean" is what the formula says.
class KLDivLoss : public Loss {
 public:
  explicit KLDivLoss(std::string reduction = "mean", bool log_target = false)
      : Loss(std::move(reduction)), log_target_(log_target) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::kl_div(input, target, reduction_, log_target_);
  }

 private:
  bool log_target_;
};

struct ClassLossOptions {
  Tensor weight = {};  // one for each class
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  double label_smoothing = 0.0;  // cross entropy only
};

class NLLLoss : public WeightedLoss {
 public:
  explicit NLLLoss(const ClassLossOptions& options = {})
      : WeightedLoss(options.weight, options.reduction), ignore_index_(options.ignore_index) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::nll_loss(input, target, weight, ignore_index_, reduction_);
  }

 private:
  int64_t ignore_index_;
};

class CrossEntropyLoss : public WeightedLoss {
 public:
  explicit CrossEntropyLoss(const ClassLossOptions& options = {})
      : WeightedLoss(options.weight, options.reduction),
        ignore_index_(options.ignore_index),
        label_smoothing_(options.label_smoothing) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::cross_entropy(input, target, weight, ignore_index_, reduction_, label_smoothing_);
  }

 private:
  int64_t ignore_index_;
  double label_smoothing_;
};

class BCELoss : public WeightedLoss {
 public:
  explicit BCELoss(const Tensor& factor = {}, std::string reduction = "mean")
      : WeightedLoss(factor, std::move(reduction)) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::binary_cross_entropy(input, target, weight, reduction_);
  }
};

class BCEWithLogitsLoss : public WeightedLoss {
 public:
  explicit BCEWithLogitsLoss(const Tensor& factor = {}, std::string reduction = "mean", const Tensor& of_positives = {})
      : WeightedLoss(factor, std::move(reduction)), pos_weight(register_buffer("pos_weight", of_positives)) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::binary_cross_entropy_with_logits(input, target, weight, reduction_, pos_weight);
  }

  Tensor& pos_weight;
};

class PoissonNLLLoss : public Loss {
 public:
  explicit PoissonNLLLoss(bool log_input = true, bool full = false, double eps = 1e-8, std::string reduction = "mean")
      : Loss(std::move(reduction)), log_input_(log_input), full_(full), eps_(eps) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::poisson_nll_loss(input, target, log_input_, full_, eps_, reduction_);
  }

 private:
  bool log_input_, full_;
  double eps_;
};

/// loss(input, target, var)
class GaussianNLLLoss : public Module {
 public:
  explicit GaussianNLLLoss(bool full = false, double eps = 1e-6, std::string reduction = "mean")
      : full_(full), eps_(eps), reduction_(std::move(reduction)) {}
  Tensor forward(const Tensor& input, const Tensor& target, const Tensor& var) {
    return functional::gaussian_nll_loss(input, target, var, full_, eps_, reduction_);
  }

 private:
  bool full_;
  double eps_;
  std::string reduction_;
};

/// Of sequences that are not aligned: loss(log_probs, targets, input_lengths, target_lengths).
class CTCLoss : public Module {
 public:
  explicit CTCLoss(int64_t blank = 0, std::string reduction = "mean", bool zero_infinity = false)
      : blank_(blank), reduction_(std::move(reduction)), zero_infinity_(zero_infinity) {}
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                 const Tensor& target_lengths) {
    return functional::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank_, reduction_, zero_infinity_);
  }

 private:
  int64_t blank_;
  std::string reduction_;
  bool zero_infinity_;
};

}  // namespace rung::nn
