// torch.nn.functional: losses.
#pragma once
#include <functional>

#include "ops/gen/torch.h"

namespace rung::nn::functional {

/// "none", "mean" or "sum", of the losses.
Tensor mse_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean",
                const Tensor& weight = {});
Tensor l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean",
               const Tensor& weight = {});
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean",
                      double beta = 1.0);
Tensor huber_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean", double delta = 1.0,
                  const Tensor& weight = {});
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {}, SymInt ignore_index = -100,
                std::string_view reduction = "mean");
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {}, SymInt ignore_index = -100,
                     std::string_view reduction = "mean", double label_smoothing = 0.0);
Tensor kl_div(const Tensor& input, const Tensor& target, std::string_view reduction = "mean", bool log_target = false);
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            std::string_view reduction = "mean");
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                                        std::string_view reduction = "mean", const Tensor& pos_weight = {});
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full = false,
                         double eps = 1e-6, std::string_view reduction = "mean");
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true, bool full = false,
                        double eps = 1e-8, std::string_view reduction = "mean");
Tensor soft_margin_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean");
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, int64_t p = 1, double margin = 1.0,
                         const Tensor& weight = {}, std::string_view reduction = "mean");
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean");
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                                   std::string_view reduction = "mean");
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin = 1.0,
                            std::string_view reduction = "mean");
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin = 0.0,
                           std::string_view reduction = "mean");
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin = 0.0,
                             std::string_view reduction = "mean");
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin = 1.0,
                           double p = 2.0, double eps = 1e-6, bool swap = false, std::string_view reduction = "mean");
/// Without a function the distance is pairwise_distance.
using DistanceFunction = std::function<Tensor(const Tensor&, const Tensor&)>;
Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         const DistanceFunction& distance_function = {}, double margin = 1.0,
                                         bool swap = false, std::string_view reduction = "mean");
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0, std::string_view reduction = "mean",
                bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths,
                int64_t blank = 0, std::string_view reduction = "mean", bool zero_infinity = false);

}  // namespace rung::nn::functional
