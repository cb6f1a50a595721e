// Losses that ask for a margin as modules: between classes, between two inputs, between near and far.
#pragma once
#include "nn/loss.h"

namespace rung::nn {

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

// Two inputs and a target.
#define RUNG_PAIR_LOSS(name, function)                                                 \
  class name : public Module {                                                         \
   public:                                                                             \
    explicit name(double margin = 0.0, std::string reduction = "mean")                 \
        : margin_(margin), reduction_(std::move(reduction)) {}                         \
    Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target) { \
      return functional::function(input1, input2, target, margin_, reduction_);        \
    }                                                                                  \
                                                                                       \
   private:                                                                            \
    double margin_;                                                                    \
    std::string reduction_;                                                            \
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

}  // namespace rung::nn
