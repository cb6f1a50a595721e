// Losses as modules. `reduction` is "none", "mean" or "sum"; a weight is a buffer.
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

#define RUNG_LOSS(name, function)                                              \
  class name : public Loss {                                                   \
   public:                                                                     \
    explicit name(std::string reduction = "mean") : Loss(std::move(reduction)) {} \
    Tensor forward(const Tensor& input, const Tensor& target) override {       \
      return functional::function(input, target, reduction_);                  \
    }                                                                          \
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

class MultiLabelSoftMarginLoss : public WeightedLoss {
 public:
  explicit MultiLabelSoftMarginLoss(const Tensor& factor = {}, std::string reduction = "mean")
      : WeightedLoss(factor, std::move(reduction)) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::multilabel_soft_margin_loss(input, target, weight, reduction_);
  }
};

class MultiMarginLoss : public WeightedLoss {
 public:
  explicit MultiMarginLoss(int64_t p = 1, double margin = 1.0, const Tensor& factor = {},
                           std::string reduction = "mean")
      : WeightedLoss(factor, std::move(reduction)), p_(p), margin_(margin) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::multi_margin_loss(input, target, p_, margin_, weight, reduction_);
  }

 private:
  int64_t p_;
  double margin_;
};

class HingeEmbeddingLoss : public Loss {
 public:
  explicit HingeEmbeddingLoss(double margin = 1.0, std::string reduction = "mean")
      : Loss(std::move(reduction)), margin_(margin) {}
  Tensor forward(const Tensor& input, const Tensor& target) override {
    return functional::hinge_embedding_loss(input, target, margin_, reduction_);
  }

 private:
  double margin_;
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

// Two inputs and a target.
#define RUNG_PAIR_LOSS(name, function)                                                              \
  class name : public Module {                                                                      \
   public:                                                                                          \
    explicit name(double margin = 0.0, std::string reduction = "mean")                              \
        : margin_(margin), reduction_(std::move(reduction)) {}                                      \
    Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target) {              \
      return functional::function(input1, input2, target, margin_, reduction_);                     \
    }                                                                                               \
                                                                                                    \
   private:                                                                                         \
    double margin_;                                                                                 \
    std::string reduction_;                                                                         \
  };
RUNG_PAIR_LOSS(MarginRankingLoss, margin_ranking_loss)
RUNG_PAIR_LOSS(CosineEmbeddingLoss, cosine_embedding_loss)
#undef RUNG_PAIR_LOSS

struct TripletOptions {
  double margin = 1.0;
  double p = 2.0;
  double eps = 1e-6;
  bool swap = false;
  std::string reduction = "mean";
};

class TripletMarginLoss : public Module {
 public:
  explicit TripletMarginLoss(TripletOptions options = {}) : options_(std::move(options)) {}
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) {
    const auto& [margin, p, eps, swap, reduction] = options_;
    return functional::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction);
  }

 private:
  TripletOptions options_;
};

class TripletMarginWithDistanceLoss : public Module {
 public:
  explicit TripletMarginWithDistanceLoss(functional::DistanceFunction distance_function = {}, double margin = 1.0,
                                         bool swap = false, std::string reduction = "mean")
      : distance_function_(std::move(distance_function)),
        margin_(margin),
        swap_(swap),
        reduction_(std::move(reduction)) {}
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) {
    return functional::triplet_margin_with_distance_loss(anchor, positive, negative, distance_function_, margin_, swap_,
                                                         reduction_);
  }

 private:
  functional::DistanceFunction distance_function_;
  double margin_;
  bool swap_;
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
