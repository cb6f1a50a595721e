// What users of torch call beside the functions that are operators themselves: operators of Python, factories, and
// the functions of torch.nn.functional that are written in Python. Defaults are Python's.
#pragma once
#include "ops/gen/aten.h"
#include "ops/gen/torch.h"

namespace rung {

/// As Python's: a number on either side is a number of the op where the op takes one.
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator%(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator<<(const Tensor& a, const Tensor& b);
Tensor operator>>(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a);
Tensor operator~(const Tensor& a);

namespace torch {

/// What a factory is told of its result.
struct TensorOptions {
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
};

Tensor empty(IntList size, const TensorOptions& options = {});
Tensor zeros(IntList size, const TensorOptions& options = {});
Tensor ones(IntList size, const TensorOptions& options = {});
Tensor full(IntList size, const Scalar& fill_value, const TensorOptions& options = {});
Tensor rand(IntList size, const TensorOptions& options = {});
Tensor randn(IntList size, const TensorOptions& options = {});
Tensor randint(SymInt high, IntList size, const TensorOptions& options = {});
Tensor randint(SymInt low, SymInt high, IntList size, const TensorOptions& options = {});
Tensor randperm(SymInt n, const TensorOptions& options = {});
Tensor arange(const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& options = {});
Tensor linspace(const Scalar& start, const Scalar& end, SymInt steps, const TensorOptions& options = {});
Tensor logspace(const Scalar& start, const Scalar& end, SymInt steps, double base = 10,
                const TensorOptions& options = {});
Tensor eye(SymInt n, const TensorOptions& options = {});
Tensor eye(SymInt n, SymInt m, const TensorOptions& options = {});
Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
Tensor empty_like(const Tensor& self, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& self, const TensorOptions& options = {});
Tensor ones_like(const Tensor& self, const TensorOptions& options = {});
Tensor rand_like(const Tensor& self, const TensorOptions& options = {});
Tensor randn_like(const Tensor& self, const TensorOptions& options = {});
Tensor full_like(const Tensor& self, const Scalar& fill_value, const TensorOptions& options = {});

std::vector<Tensor> split(const Tensor& self, SymInt split_size, SymInt dim = 0);
std::vector<Tensor> split(const Tensor& self, IntList split_sizes, SymInt dim = 0);
Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands);

}  // namespace torch

namespace nn::functional {

Tensor relu(const Tensor& input);
Tensor relu6(const Tensor& input);
Tensor elu(const Tensor& input, const Scalar& alpha = 1.0);
Tensor selu(const Tensor& input);
Tensor celu(const Tensor& input, const Scalar& alpha = 1.0);
Tensor glu(const Tensor& input, SymInt dim = -1);
Tensor hardtanh(const Tensor& input, const Scalar& min_val = -1.0, const Scalar& max_val = 1.0);
Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope = 0.01);
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value);
Tensor tanhshrink(const Tensor& input);
Tensor softsign(const Tensor& input);
Tensor softmin(const Tensor& input, SymInt dim, std::optional<DType> dtype = std::nullopt);
Tensor softmax(const Tensor& input, SymInt dim, std::optional<DType> dtype = std::nullopt);
Tensor log_softmax(const Tensor& input, SymInt dim, std::optional<DType> dtype = std::nullopt);
Tensor tanh(const Tensor& input);
Tensor sigmoid(const Tensor& input);
Tensor hardsigmoid(const Tensor& input);
Tensor silu(const Tensor& input);
Tensor mish(const Tensor& input);
Tensor hardswish(const Tensor& input);

Tensor dropout(const Tensor& input, double p = 0.5, bool training = true);
Tensor alpha_dropout(const Tensor& input, double p = 0.5, bool training = false);
Tensor feature_dropout(const Tensor& input, double p = 0.5, bool training = true);

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt,
                 bool scale_grad_by_freq = false, bool sparse = false);
Tensor layer_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);
Tensor rms_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = std::nullopt);
Tensor group_norm(const Tensor& input, SymInt num_groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight = {},
                  const Tensor& bias = {}, bool training = false, double momentum = 0.1, double eps = 1e-5);
Tensor instance_norm(const Tensor& input, const Tensor& running_mean = {}, const Tensor& running_var = {},
                     const Tensor& weight = {}, const Tensor& bias = {}, bool use_input_stats = true,
                     double momentum = 0.1, double eps = 1e-5);
Tensor normalize(const Tensor& input, double p = 2.0, OneOrMoreInts dim = 1, double eps = 1e-12);

Tensor max_pool1d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {}, OneOrMoreInts padding = 0,
                  OneOrMoreInts dilation = 1, bool ceil_mode = false);
Tensor max_pool2d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {}, OneOrMoreInts padding = 0,
                  OneOrMoreInts dilation = 1, bool ceil_mode = false);
Tensor max_pool3d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {}, OneOrMoreInts padding = 0,
                  OneOrMoreInts dilation = 1, bool ceil_mode = false);
Tensor adaptive_avg_pool2d(const Tensor& input, OneOrMoreInts output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, OneOrMoreInts output_size);
Tensor pad(const Tensor& input, IntList pad, std::string_view mode = "constant",
           std::optional<double> value = std::nullopt);

/// "none", "mean" or "sum", of the losses.
Tensor mse_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean");
Tensor l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean");
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean",
                      double beta = 1.0);
Tensor huber_loss(const Tensor& input, const Tensor& target, std::string_view reduction = "mean", double delta = 1.0);
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {}, SymInt ignore_index = -100,
                std::string_view reduction = "mean");
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {}, SymInt ignore_index = -100,
                     std::string_view reduction = "mean", double label_smoothing = 0.0);
Tensor kl_div(const Tensor& input, const Tensor& target, std::string_view reduction = "mean", bool log_target = false);
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            std::string_view reduction = "mean");
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                                        std::string_view reduction = "mean", const Tensor& pos_weight = {});
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0.0, bool is_causal = false,
                                    std::optional<double> scale = std::nullopt, bool enable_gqa = false);

}  // namespace nn::functional
}  // namespace rung
