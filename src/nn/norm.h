// Normalizations.
#pragma once
#include "nn/module.h"
#include "ops/functional_norm.h"

namespace rung::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
  bool affine = true;
  bool track_running_stats = true;
};

/// What BatchNorm1d, 2d and 3d share: they differ in the ranks that they take.
class BatchNormBase : public Layer {
 public:
  Tensor forward(const Tensor& input) override;

  Tensor& weight;
  Tensor& bias;
  Tensor& running_mean;
  Tensor& running_var;
  Tensor& num_batches_tracked;

 protected:
  BatchNormBase(std::initializer_list<int64_t> ranks, int64_t num_features, const BatchNormOptions& options);

  /// Fails with kInput on a rank that is not of `ranks`.
  void check_rank(const char* what, const Tensor& input) const;

  std::vector<int64_t> ranks_;
  BatchNormOptions options_;
};

class BatchNorm1d : public BatchNormBase {
 public:
  explicit BatchNorm1d(int64_t num_features, const BatchNormOptions& options = {})
      : BatchNormBase({2, 3}, num_features, options) {}
};
class BatchNorm2d : public BatchNormBase {
 public:
  explicit BatchNorm2d(int64_t num_features, const BatchNormOptions& options = {})
      : BatchNormBase({4}, num_features, options) {}
};
class BatchNorm3d : public BatchNormBase {
 public:
  explicit BatchNorm3d(int64_t num_features, const BatchNormOptions& options = {})
      : BatchNormBase({5}, num_features, options) {}
};

struct InstanceNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
  bool affine = false;
  bool track_running_stats = false;
};

/// Each channel of each sample by itself; with a batch or without.
class InstanceNormBase : public BatchNormBase {
 public:
  Tensor forward(const Tensor& input) override;

 protected:
  InstanceNormBase(int64_t rank_without_batch, int64_t num_features, const InstanceNormOptions& options)
      : BatchNormBase({rank_without_batch, rank_without_batch + 1}, num_features,
                      {options.eps, options.momentum, options.affine, options.track_running_stats}) {}
};
class InstanceNorm1d : public InstanceNormBase {
 public:
  explicit InstanceNorm1d(int64_t num_features, const InstanceNormOptions& options = {})
      : InstanceNormBase(2, num_features, options) {}
};
class InstanceNorm2d : public InstanceNormBase {
 public:
  explicit InstanceNorm2d(int64_t num_features, const InstanceNormOptions& options = {})
      : InstanceNormBase(3, num_features, options) {}
};
class InstanceNorm3d : public InstanceNormBase {
 public:
  explicit InstanceNorm3d(int64_t num_features, const InstanceNormOptions& options = {})
      : InstanceNormBase(4, num_features, options) {}
};

/// x / (k + alpha mean(x^2))^beta over neighbouring channels.
class LocalResponseNorm : public Layer {
 public:
  explicit LocalResponseNorm(int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1.0)
      : size_(size), alpha_(alpha), beta_(beta), k_(k) {}
  Tensor forward(const Tensor& input) override {
    return functional::local_response_norm(input, size_, alpha_, beta_, k_);
  }

 private:
  int64_t size_;
  double alpha_, beta_, k_;
};

/// Over the last dimensions, which have these sizes.
class LayerNorm : public Layer {
 public:
  explicit LayerNorm(const IntList& normalized_shape, double eps = 1e-5, bool elementwise_affine = true,
                     bool bias = true);
  explicit LayerNorm(int64_t size, double eps = 1e-5, bool elementwise_affine = true, bool has_bias = true)
      : LayerNorm(IntList({size}), eps, elementwise_affine, has_bias) {}
  Tensor forward(const Tensor& input) override;

  Tensor& weight;
  Tensor& bias;

 private:
  std::vector<SymInt> normalized_shape_;
  double eps_;
};

/// x / sqrt(mean(x^2) + eps), by default the eps of the dtype.
class RMSNorm : public Layer {
 public:
  explicit RMSNorm(const IntList& normalized_shape, std::optional<double> eps = std::nullopt,
                   bool elementwise_affine = true);
  Tensor forward(const Tensor& input) override;

  Tensor& weight;

 private:
  std::vector<SymInt> normalized_shape_;
  std::optional<double> eps_;
};

class GroupNorm : public Layer {
 public:
  GroupNorm(int64_t num_groups, int64_t num_channels, double eps = 1e-5, bool affine = true);
  Tensor forward(const Tensor& input) override;

  Tensor& weight;
  Tensor& bias;

 private:
  int64_t num_groups_;
  double eps_;
};

}  // namespace rung::nn
