// torch.nn.functional: activations and dropout.
#pragma once
#include "ops/gen/torch.h"

namespace rung::nn::functional {

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

/// Whole channels: of [C, L] or [N, C, L], of [N, C, H, W], of [C, D, H, W] or [N, C, D, H, W].
Tensor dropout1d(const Tensor& input, double p = 0.5, bool training = true);
Tensor dropout2d(const Tensor& input, double p = 0.5, bool training = true);
Tensor dropout3d(const Tensor& input, double p = 0.5, bool training = true);
Tensor feature_alpha_dropout(const Tensor& input, double p = 0.5, bool training = false);

/// A sample of the softmax with Gumbel noise; with `hard` a one where it is largest, whose gradient is the sample's.
Tensor gumbel_softmax(const Tensor& logits, const Scalar& tau = 1, bool hard = false, double eps = 1e-10,
                      SymInt dim = -1);

}  // namespace rung::nn::functional
