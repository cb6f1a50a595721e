// Weights are ones and biases zeros: nothing is drawn.
#include "nn/norm.h"

#include <algorithm>

#include "nn/init.h"
#include "ops/gen/aten.h"

namespace rung::nn {
namespace {

Tensor ones(const IntList& size, bool wanted) { return wanted ? init::full(size, 1.0) : Tensor(); }
Tensor zeros(const IntList& size, bool wanted) { return wanted ? init::full(size, 0.0) : Tensor(); }

}  // namespace

BatchNormBase::BatchNormBase(std::initializer_list<int64_t> ranks, int64_t num_features,
                             const BatchNormOptions& options)
    : weight(register_parameter("weight", ones({num_features}, options.affine))),
      bias(register_parameter("bias", zeros({num_features}, options.affine))),
      running_mean(register_buffer("running_mean", zeros({num_features}, options.track_running_stats))),
      running_var(register_buffer("running_var", ones({num_features}, options.track_running_stats))),
      num_batches_tracked(register_buffer("num_batches_tracked",
                                          options.track_running_stats ? init::full({}, 0, DType::kInt64) : Tensor())),
      ranks_(ranks),
      options_(options) {}

void BatchNormBase::check_rank(const char* what, const Tensor& input) const {
  if (std::ranges::find(ranks_, input.dim()) == ranks_.end())
    fail_input(what, " expected an input of rank ", ranks_[0], ranks_.size() > 1 ? cat(" or ", ranks_[1]) : "",
               ", got rank ", input.dim());
}

Tensor BatchNormBase::forward(const Tensor& input) {
  check_rank("batch norm", input);
  bool tracks = num_batches_tracked.defined();
  if (is_training() && tracks) aten::add__Tensor(num_batches_tracked, 1);
  bool by_batch = is_training() || !tracks;
  return aten::batch_norm(input, weight, bias, running_mean, running_var, by_batch, options_.momentum, options_.eps,
                          true);
}

Tensor InstanceNormBase::forward(const Tensor& input) {
  check_rank("instance norm", input);
  bool is_batched = input.dim() == ranks_[1], tracks = options_.track_running_stats;
  int64_t channels = is_batched ? 1 : 0;
  if (weight.defined() && input.size(channels) != weight.size(0))
    fail_input("instance norm expected ", weight.size(0).str(), " channels, got ", input.size(channels).str());
  Tensor batch = is_batched ? input : input.unsqueeze(0);
  Tensor normal = functional::instance_norm(batch, running_mean, running_var, weight, bias, is_training() || !tracks,
                                            options_.momentum, options_.eps);
  return is_batched ? normal : normal.squeeze(0);
}

LayerNorm::LayerNorm(const IntList& normalized_shape, double eps, bool elementwise_affine, bool has_bias)
    : weight(register_parameter("weight", ones(normalized_shape, elementwise_affine))),
      bias(register_parameter("bias", zeros(normalized_shape, elementwise_affine && has_bias))),
      normalized_shape_(normalized_shape.span().begin(), normalized_shape.span().end()),
      eps_(eps) {}
Tensor LayerNorm::forward(const Tensor& input) {
  return aten::layer_norm(input, normalized_shape_, weight, bias, eps_);
}

RMSNorm::RMSNorm(const IntList& normalized_shape, std::optional<double> eps, bool elementwise_affine)
    : weight(register_parameter("weight", ones(normalized_shape, elementwise_affine))),
      normalized_shape_(normalized_shape.span().begin(), normalized_shape.span().end()),
      eps_(eps) {}
Tensor RMSNorm::forward(const Tensor& input) { return aten::rms_norm(input, normalized_shape_, weight, eps_); }

GroupNorm::GroupNorm(int64_t num_groups, int64_t num_channels, double eps, bool affine)
    : weight(register_parameter("weight", ones({num_channels}, affine))),
      bias(register_parameter("bias", zeros({num_channels}, affine))),
      num_groups_(num_groups),
      eps_(eps) {
  if (num_channels % num_groups != 0)
    fail_input("num_channels must be divisible by num_groups: ", num_channels, " is not by ", num_groups);
}
Tensor GroupNorm::forward(const Tensor& input) { return aten::group_norm(input, num_groups_, weight, bias, eps_); }

}  // namespace rung::nn
