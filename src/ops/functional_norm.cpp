// Embeddings and norms as the operators that torch's Python calls.
#include "ops/functional_norm.h"

#include "base/error.h"
#include "ops/functional.h"
#include "trace/without_reference.h"

namespace rung::nn::functional {

// ---- embeddings and norms

// Rows that are longer than max_norm are shortened in the table itself.
static void shorten_rows(const Tensor& weight, const Tensor& input, double max_norm, double norm_type) {
  Tensor table = weight.detach();
  aten::embedding_renorm_(table, input, max_norm, norm_type);
}

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx,
                 std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq, bool sparse) {
  WithoutReference plain;
  int64_t rows = weight.size(0).value();
  if (padding_idx && (*padding_idx >= rows || *padding_idx < -rows))
    fail_input("embedding: padding_idx ", *padding_idx, " must be within num_embeddings ", rows);
  int64_t index = !padding_idx ? -1 : *padding_idx < 0 ? rows + *padding_idx : *padding_idx;
  if (!max_norm) return aten::embedding(weight, input, index, scale_grad_by_freq, sparse);
  Tensor places = input.contiguous();
  shorten_rows(weight, places, *max_norm, norm_type);
  return aten::embedding(weight, places, index, scale_grad_by_freq, sparse);
}

static int64_t bag_mode(std::string_view mode, bool scale_grad_by_freq, bool sparse) {
  if (mode == "sum") return 0;
  if (mode == "mean") return 1;
  if (mode != "max") fail_input("embedding_bag: mode has to be one of sum, mean or max, got '", mode, "'");
  if (scale_grad_by_freq)
    fail_input("embedding_bag: mode 'max' does not support scaling the gradient by the frequency");
  if (sparse) fail_input("embedding_bag: mode 'max' does not support sparse weights");
  return 2;
}

Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets, std::optional<double> max_norm,
                     double norm_type, bool scale_grad_by_freq, std::string_view mode, bool sparse,
                     const Tensor& per_sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx) {
  WithoutReference plain;
  if (per_sample_weights.defined() && per_sample_weights.dim() != input.dim())
    fail_input("embedding_bag: per_sample_weights must have the shape of the input: rank ", input.dim(), ", got ",
               per_sample_weights.dim());
  if (weight.dim() != 2) fail_input("embedding_bag: weight has to have 2 dimensions, but has ", weight.dim());
  if (input.dim() != 1 && input.dim() != 2)
    fail_input("embedding_bag: input has to have 1 or 2 dimensions, but has ", input.dim());
  if (offsets.defined() != (input.dim() == 1))
    fail_input("embedding_bag: an input of rank ", input.dim(), input.dim() == 1 ? " needs" : " takes no", " offsets");
  Tensor places = input, starts = offsets, weights = per_sample_weights;
  if (input.dim() == 2) {
    starts = torch::arange(0, input.numel(), input.size(1), {input.dtype(), input.device()});
    include_last_offset = false;
    places = input.reshape({-1});
    if (weights.defined()) weights = weights.reshape({-1});
  }
  int64_t mode_number = bag_mode(mode, scale_grad_by_freq, sparse);
  if (max_norm) shorten_rows(weight, places, *max_norm, norm_type);
  if (weights.defined() && mode_number != 0)
    fail_input("embedding_bag: per_sample_weights is only supported for mode 'sum', got '", mode, "'");
  return std::get<0>(aten::embedding_bag_padding_idx(weight, places, starts, scale_grad_by_freq, mode_number, sparse,
                                                     weights, include_last_offset, padding_idx));
}

Tensor layer_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight, const Tensor& bias, double eps) {
  return aten::layer_norm(input, normalized_shape, weight, bias, eps);
}
Tensor rms_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight, std::optional<double> eps) {
  WithoutReference plain;
  return aten::rms_norm(input, normalized_shape, weight, eps);
}
Tensor group_norm(const Tensor& input, SymInt num_groups, const Tensor& weight, const Tensor& bias, double eps) {
  if (input.dim() < 2) fail_input("expected at least 2 dimensions for input tensor but received ", input.dim());
  return aten::group_norm(input, num_groups, weight, bias, eps);
}

static void check_batch(const Tensor& input) {
  SymInt per_channel = input.size(0);
  for (int64_t dim = 2; dim < input.dim(); ++dim) per_channel *= input.size(dim);
  if (per_channel == 1) fail_input("expected more than 1 value per channel when training");
}

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                  const Tensor& bias, bool training, double momentum, double eps) {
  WithoutReference plain;
  if (training) check_batch(input);
  return aten::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, true);
}
Tensor instance_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                     const Tensor& bias, bool use_input_stats, double momentum, double eps) {
  WithoutReference plain;
  return aten::instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, true);
}

// x / max(||x||, eps)
Tensor normalize(const Tensor& input, double p, OneOrMoreInts dim, double eps) {
  WithoutReference plain;
  Tensor norm = torch::norm(input, p, dim, true);
  norm = norm.clamp_min(eps);
  Tensor scale = norm.expand_as(input);
  return input / scale;
}

// The mean over neighbouring channels is one over a dimension of its own.
Tensor local_response_norm(const Tensor& input, int64_t size, double alpha, double beta, double k) {
  WithoutReference plain;
  if (input.dim() < 3) fail_input("local_response_norm: expected 3 or more dimensions, got ", input.dim());
  if (input.numel() == 0) return input;
  SymInt before = size / 2, after = (size - 1) / 2;
  Tensor mean = input.mul(input);
  if (input.dim() == 3) {
    mean = pad(mean.unsqueeze(1), {0, 0, before, after});
    mean = aten::avg_pool2d(mean, {size, 1}, {1, 1}).squeeze(1);
  } else {
    mean = mean.view({input.size(0), 1, input.size(1), input.size(2), -1});
    mean = pad(mean, {0, 0, 0, 0, before, after});
    mean = aten::avg_pool3d(mean, {size, 1, 1}, {1, 1, 1}).squeeze(1);
    mean = mean.view(input.sizes());
  }
  Tensor scale = mean.mul(alpha).add(k).pow(beta);
  return input / scale;
}

}  // namespace rung::nn::functional
