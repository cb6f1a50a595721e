// How alike and how far apart two tensors are.
#pragma once
#include "nn/module.h"
#include "ops/gen/torch.h"

namespace rung::nn {

class CosineSimilarity : public Module {
 public:
  explicit CosineSimilarity(int64_t dim = 1, double eps = 1e-8) : dim_(dim), eps_(eps) {}
  Tensor forward(const Tensor& x1, const Tensor& x2) { return functional::cosine_similarity(x1, x2, dim_, eps_); }
  Tensor operator()(const Tensor& x1, const Tensor& x2) { return forward(x1, x2); }

 private:
  int64_t dim_;
  double eps_;
};

class PairwiseDistance : public Module {
 public:
  explicit PairwiseDistance(double p = 2.0, double eps = 1e-6, bool keepdim = false)
      : p_(p), eps_(eps), keepdim_(keepdim) {}
  Tensor forward(const Tensor& x1, const Tensor& x2) {
    return functional::pairwise_distance(x1, x2, p_, eps_, keepdim_);
  }
  Tensor operator()(const Tensor& x1, const Tensor& x2) { return forward(x1, x2); }

 private:
  double p_, eps_;
  bool keepdim_;
};

}  // namespace rung::nn
