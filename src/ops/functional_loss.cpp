// Losses as the operators that torch's Python calls.
#include "ops/functional_loss.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "ops/functional.h"
#include "ref/data.h"
#include "trace/without_reference.h"

namespace rung::nn::functional {

static int64_t reduction_number(std::string_view reduction) {
  if (reduction == "none") return 0;
  if (reduction == "mean") return 1;
  if (reduction == "sum") return 2;
  fail_input("'", reduction, "' is not a valid value for reduction: it is 'none', 'mean' or 'sum'");
}

static Tensor reduced(const Tensor& loss, int64_t reduction) {
  return reduction == 0 ? loss : reduction == 1 ? loss.mean() : loss.sum();
}

// ---- losses

// Input and target by the sizes of both; a reference sees to that itself.
static std::vector<Tensor> broadcast(const Tensor& input, const Tensor& target) {
  if (goes_to_references()) return {input, target};
  return torch::broadcast_tensors({input, target});
}

static void check_sizes(const char* name, const Tensor& input, const char* what, const Tensor& other) {
  if (!std::ranges::equal(other.sizes(), input.sizes()))
    fail_input(name, ": ", what, " and input must have the same size, got ", sizes_text(other), " and ",
               sizes_text(input));
}
// The mean is over the weights.
static Tensor weighted(const Tensor& errors, const Tensor& weight, int64_t reduction) {
  Tensor loss = errors * weight;
  if (reduction == 0) return loss;
  Tensor total = loss.sum();
  return reduction == 2 ? total : total / weight.sum();
}

Tensor mse_loss(const Tensor& input, const Tensor& target, std::string_view reduction, const Tensor& weight) {
  std::vector<Tensor> both = broadcast(input, target);
  if (!weight.defined()) return aten::mse_loss(both[0], both[1], reduction_number(reduction));
  WithoutReference plain;
  check_sizes("mse_loss", input, "weight", weight);
  Tensor errors = (both[0] - both[1]).pow(2);
  return weighted(errors, weight, reduction_number(reduction));
}
Tensor l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction, const Tensor& weight) {
  std::vector<Tensor> both = broadcast(input, target);
  if (!weight.defined()) return aten::l1_loss(both[0], both[1], reduction_number(reduction));
  WithoutReference plain;
  check_sizes("l1_loss", input, "weight", weight);
  Tensor errors = (both[0] - both[1]).abs();
  return weighted(errors, weight, reduction_number(reduction));
}
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction, double beta) {
  std::vector<Tensor> both = broadcast(input, target);
  if (beta == 0) return aten::l1_loss(both[0], both[1], reduction_number(reduction));
  return aten::smooth_l1_loss(both[0], both[1], reduction_number(reduction), beta);
}
Tensor huber_loss(const Tensor& input, const Tensor& target, std::string_view reduction, double delta,
                  const Tensor& weight) {
  std::vector<Tensor> both = broadcast(input, target);
  int64_t how = reduction_number(reduction);
  if (!weight.defined()) return aten::huber_loss(both[0], both[1], how, delta);
  WithoutReference plain;
  check_sizes("huber_loss", input, "weight", weight);
  Tensor loss = aten::huber_loss(both[0], both[1], 0, delta) * weight;
  return reduced(loss, how);
}
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, SymInt ignore_index,
                std::string_view reduction) {
  return aten::nll_loss_nd(input, target, weight, reduction_number(reduction), ignore_index);
}
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, SymInt ignore_index,
                     std::string_view reduction, double label_smoothing) {
  WithoutReference plain;
  return aten::cross_entropy_loss(input, target, weight, reduction_number(reduction), ignore_index, label_smoothing);
}
Tensor kl_div(const Tensor& input, const Tensor& target, std::string_view reduction, bool log_target) {
  WithoutReference plain;
  bool by_batch = reduction == "batchmean";
  Tensor divergence = aten::kl_div(input, target, by_batch ? 2 : reduction_number(reduction), log_target);
  return by_batch && input.dim() != 0 ? divergence / Tensor(Scalar(input.size(0))) : divergence;
}
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            std::string_view reduction) {
  WithoutReference plain;
  check_sizes("binary_cross_entropy", input, "target", target);
  Tensor factors = weight;
  if (weight.defined()) factors = weight.expand(torch::broadcast_shapes({target.sizes(), weight.sizes()}));
  return aten::binary_cross_entropy(input, target, factors, reduction_number(reduction));
}
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                        std::string_view reduction, const Tensor& pos_weight) {
  WithoutReference plain;
  return aten::binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction_number(reduction));
}

// ---- losses of margins

Tensor soft_margin_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
  WithoutReference plain;
  return aten::soft_margin_loss(input, target, reduction_number(reduction));
}
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, int64_t p, double margin, const Tensor& weight,
                         std::string_view reduction) {
  WithoutReference plain;
  if (p != 1 && p != 2) fail_input("multi_margin_loss: only p == 1 and p == 2 are supported, got ", p);
  if (weight.defined() && weight.dim() != 1)
    fail_input("multi_margin_loss: weight must have one dimension, got ", weight.dim());
  return aten::multi_margin_loss(input, target, p, margin, weight, reduction_number(reduction));
}
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
  WithoutReference plain;
  return aten::multilabel_margin_loss(input, target, reduction_number(reduction));
}

// -(y log s(x) + (1 - y) log s(-x)), the mean over the classes
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   std::string_view reduction) {
  WithoutReference plain;
  int64_t how = reduction_number(reduction);
  Tensor yes = aten::log_sigmoid(input);
  yes = target * yes;
  Tensor other = 1 - target;
  Tensor no = aten::log_sigmoid(-input);
  no = other * no;
  Tensor loss = -(yes + no);
  if (weight.defined()) loss = loss * weight;
  int64_t classes = input.dim() - 1;
  loss = loss.sum({classes}) / Tensor(Scalar(input.size(classes)));
  return reduced(loss, how);
}

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin, std::string_view reduction) {
  return aten::hinge_embedding_loss(input, target, margin, reduction_number(reduction));
}
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           std::string_view reduction) {
  if (input1.dim() != input2.dim() || input1.dim() != target.dim())
    fail_input("margin_ranking_loss: all inputs should have the same rank, got ", input1.dim(), ", ", input2.dim(),
               " and ", target.dim());
  return aten::margin_ranking_loss(input1, input2, target, margin, reduction_number(reduction));
}
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             std::string_view reduction) {
  WithoutReference plain;
  return aten::cosine_embedding_loss(input1, input2, target, margin, reduction_number(reduction));
}
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin,
                           double p, double eps, bool swap, std::string_view reduction) {
  if (margin <= 0) fail_input("triplet_margin_loss: margin must be greater than 0, got ", margin);
  return aten::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction_number(reduction));
}

// max(0, margin + d(a, p) - d(a, n)); swapped where the positive is nearer to the negative than the anchor is
Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         const DistanceFunction& distance_function, double margin, bool swap,
                                         std::string_view reduction) {
  WithoutReference plain;
  int64_t how = reduction_number(reduction);
  if (margin <= 0) fail_input("triplet_margin_with_distance_loss: margin must be greater than 0, got ", margin);
  if (anchor.dim() != positive.dim() || anchor.dim() != negative.dim())
    fail_input("triplet_margin_with_distance_loss: anchor, positive and negative are expected to have the same rank, ",
               "got ", anchor.dim(), ", ", positive.dim(), " and ", negative.dim());
  auto distance = [&](const Tensor& a, const Tensor& b) {
    return distance_function ? distance_function(a, b) : aten::pairwise_distance(a, b);
  };
  Tensor near = distance(anchor, positive);
  Tensor far = distance(anchor, negative);
  if (swap) far = far.minimum(distance(positive, negative));
  Tensor loss = (margin + near - far).clamp_min(0);
  return reduced(loss, how);
}

// ---- likelihoods

static void check_variance(const Tensor& var) {
  constexpr const char* kNegative = "gaussian_nll_loss: var has negative entries";
  if (var.is_number()) {
    if (var.number().to_double() < 0) fail_input(kNegative);
    return;
  }
  Tensor negative = var < 0;
  negative = negative.any();
  if (!negative.is_real())
    fail_input("gaussian_nll_loss asks for the values of var, which has none while it is traced: give it as a number");
  if (item(negative) != 0) fail_input(kNegative);
}

// A variance for each element, or for all that differ only in the last dimension, or in one that is 1.
static Tensor fitted_variance(const Tensor& input, const Tensor& var) {
  SymInts sizes = input.sizes(), given = var.sizes();
  if (std::ranges::equal(sizes, given)) return var;
  if (!sizes.empty() && std::ranges::equal(sizes.first(sizes.size() - 1), given)) return var.unsqueeze(-1);
  int64_t ones = 0;
  for (size_t i = 0; i < given.size() && sizes.size() == given.size(); ++i)
    ones += sizes[i] != given[i] && given[i] == 1;
  if (sizes.size() != given.size() || ones != 1)
    fail_input("gaussian_nll_loss: var is of incorrect size: rank ", given.size(), " for an input of rank ",
               sizes.size());
  return var;
}

// (log v + (x - y)^2 / v) / 2, and half the log of 2 pi
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full, double eps,
                         std::string_view reduction) {
  WithoutReference plain;
  int64_t how = reduction_number(reduction);
  check_variance(var);
  Tensor variance = var.is_number() ? var * torch::ones_like(input) : var;
  variance = fitted_variance(input, variance).clone();
  variance.clamp_(eps);
  Tensor spread = variance.log();
  Tensor squared = (input - target).pow(2);
  Tensor loss = 0.5 * (spread + squared / variance);
  if (full) loss.add_(0.5 * std::log(2 * std::numbers::pi));
  return reduced(loss, how);
}
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        std::string_view reduction) {
  return aten::poisson_nll_loss(input, target, log_input, full, eps, reduction_number(reduction));
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, std::string_view reduction, bool zero_infinity) {
  WithoutReference plain;
  return aten::ctc_loss_Tensor(log_probs, targets, input_lengths, target_lengths, blank, reduction_number(reduction),
                               zero_infinity);
}
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths,
                int64_t blank, std::string_view reduction, bool zero_infinity) {
  WithoutReference plain;
  return aten::ctc_loss_IntList(log_probs, targets, input_lengths, target_lengths, blank, reduction_number(reduction),
                                zero_infinity);
}

}  // namespace rung::nn::functional
