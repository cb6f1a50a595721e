// Activations and dropout as the operators that torch's Python calls.
#include "ops/functional_activation.h"

#include "base/error.h"
#include "ops/functional.h"
#include "trace/without_reference.h"

namespace rung::nn::functional {

static constexpr MemoryFormat kDense = MemoryFormat::kContiguous;

// ---- activations

Tensor relu(const Tensor& input) { return aten::relu(input); }
Tensor relu6(const Tensor& input) { return aten::relu6(input); }
Tensor elu(const Tensor& input, const Scalar& alpha) { return aten::elu(input, alpha); }
Tensor selu(const Tensor& input) { return aten::selu(input); }
Tensor celu(const Tensor& input, const Scalar& alpha) { return aten::celu(input, alpha); }
Tensor glu(const Tensor& input, SymInt dim) { return aten::glu(input, dim); }
Tensor hardtanh(const Tensor& input, const Scalar& min_val, const Scalar& max_val) {
  return aten::hardtanh(input, min_val, max_val);
}
Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope) { return aten::leaky_relu(input, negative_slope); }
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value) {
  return aten::threshold(input, threshold, value);
}
// tanhshrink(x) = x - tanh(x)
Tensor tanhshrink(const Tensor& input) {
  Tensor bounded = input.tanh();
  return input - bounded;
}
// softsign(x) = x / (1 + |x|)
Tensor softsign(const Tensor& input) {
  Tensor magnitude = input.abs();
  Tensor scale = magnitude + 1;
  return input / scale;
}
// softmin(x) = softmax(-x)
Tensor softmin(const Tensor& input, SymInt dim, std::optional<DType> dtype) {
  Tensor negative = -input;
  return torch::softmax(negative, dim, dtype);
}
Tensor softmax(const Tensor& input, SymInt dim, std::optional<DType> dtype) {
  return torch::softmax(input, dim, dtype);
}
Tensor log_softmax(const Tensor& input, SymInt dim, std::optional<DType> dtype) {
  return torch::log_softmax(input, dim, dtype);
}
Tensor tanh(const Tensor& input) { return input.tanh(); }
Tensor sigmoid(const Tensor& input) { return input.sigmoid(); }
Tensor hardsigmoid(const Tensor& input) {
  WithoutReference plain;
  return aten::hardsigmoid(input);
}
Tensor silu(const Tensor& input) {
  WithoutReference plain;
  return aten::silu(input);
}
Tensor mish(const Tensor& input) { return aten::mish(input); }
Tensor hardswish(const Tensor& input) {
  WithoutReference plain;
  return aten::hardswish(input);
}

// ---- dropout

static void check_probability(double p) {
  if (p < 0 || p > 1) fail_input("dropout probability has to be between 0 and 1, but got ", p);
}

Tensor dropout(const Tensor& input, double p, bool training) {
  check_probability(p);
  return aten::dropout(input, p, training);
}
Tensor alpha_dropout(const Tensor& input, double p, bool training) {
  check_probability(p);
  return aten::alpha_dropout(input, p, training);
}
Tensor feature_dropout(const Tensor& input, double p, bool training) {
  WithoutReference plain;
  check_probability(p);
  return aten::feature_dropout(input, p, training);
}

Tensor feature_alpha_dropout(const Tensor& input, double p, bool training) {
  WithoutReference plain;
  check_probability(p);
  return aten::feature_alpha_dropout(input, p, training);
}

// An input of this rank has no batch, and gets one for the while.
static Tensor drop_channels(const Tensor& input, double p, bool training, int64_t rank_without_batch) {
  if (input.dim() != rank_without_batch) return feature_dropout(input, p, training);
  check_probability(p);
  WithoutReference plain;
  Tensor batch = input.unsqueeze(0);
  batch = aten::feature_dropout(batch, p, training);
  return batch.squeeze(0);
}
Tensor dropout1d(const Tensor& input, double p, bool training) {
  if (input.dim() != 2 && input.dim() != 3)
    fail_input("dropout1d: expected an input of 2 or 3 dimensions, but received one of ", input.dim());
  return drop_channels(input, p, training, 2);
}
Tensor dropout2d(const Tensor& input, double p, bool training) { return feature_dropout(input, p, training); }
Tensor dropout3d(const Tensor& input, double p, bool training) {
  if (input.dim() == 5) return feature_dropout(input, p, training);
  return drop_channels(input, p, training, input.dim());
}

// ---- sampling

// softmax((logits + g) / tau) with g = -log of an exponential variable
Tensor gumbel_softmax(const Tensor& logits, const Scalar& tau, bool hard, double, SymInt dim) {
  WithoutReference plain;
  constexpr bool kNotPinned = false;
  Tensor noise = aten::empty_like(logits, std::nullopt, std::nullopt, std::nullopt, kNotPinned, kDense);
  noise = -noise.exponential_().log();
  Tensor soft = ((logits + noise) / Tensor(tau)).softmax(dim);
  if (!hard) return soft;
  Tensor largest = std::get<1>(aten::max_dim(soft, dim, true));
  Tensor ones = aten::zeros_like(logits, std::nullopt, std::nullopt, std::nullopt, kNotPinned, kDense);
  ones = ones.scatter_(dim, largest, 1.0);
  Tensor constant = soft.detach();
  return ones - constant + soft;
}

}  // namespace rung::nn::functional
