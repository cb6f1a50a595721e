// Each function calls the operators that torch's Python calls. One whose name has no reference says so.
#include "ops/functional.h"

#include <cmath>

#include "base/error.h"
#include "ops/number_argument.h"
#include "trace/without_reference.h"

namespace rung {
namespace {

bool goes_to_references() {
  const Tracer* tracer = Tracer::current();
  return tracer != nullptr && tracer->routes_to_references();
}

int64_t reduction_number(std::string_view reduction) {
  if (reduction == "none") return 0;
  if (reduction == "mean") return 1;
  if (reduction == "sum") return 2;
  fail_input("'", reduction, "' is not a valid value for reduction: it is 'none', 'mean' or 'sum'");
}

}  // namespace

// ---- operators of Python

Tensor operator+(const Tensor& a, const Tensor& b) { return a.is_number() ? b.add(a) : a.add(b); }
Tensor operator-(const Tensor& a, const Tensor& b) {
  return a.is_number() ? aten::rsub_Scalar(b, a.number()) : a.sub(b);
}
Tensor operator*(const Tensor& a, const Tensor& b) { return a.is_number() ? b.mul(a) : a.mul(b); }
Tensor operator/(const Tensor& a, const Tensor& b) {
  if (!a.is_number()) return a.div(b);
  if (goes_to_references()) return aten::div_Tensor(a, b);
  Tensor inverse = b.reciprocal();
  return inverse.mul(a);
}
Tensor operator%(const Tensor& a, const Tensor& b) {
  return a.is_number() ? aten::remainder_Scalar_Tensor(a.number(), b) : a.remainder(b);
}
Tensor operator==(const Tensor& a, const Tensor& b) { return a.is_number() ? b.eq(a) : a.eq(b); }
Tensor operator!=(const Tensor& a, const Tensor& b) { return a.is_number() ? b.ne(a) : a.ne(b); }
Tensor operator<(const Tensor& a, const Tensor& b) { return a.is_number() ? b.gt(a) : a.lt(b); }
Tensor operator<=(const Tensor& a, const Tensor& b) { return a.is_number() ? b.ge(a) : a.le(b); }
Tensor operator>(const Tensor& a, const Tensor& b) { return a.is_number() ? b.lt(a) : a.gt(b); }
Tensor operator>=(const Tensor& a, const Tensor& b) { return a.is_number() ? b.le(a) : a.ge(b); }
Tensor operator&(const Tensor& a, const Tensor& b) { return a.is_number() ? b.bitwise_and(a) : a.bitwise_and(b); }
Tensor operator|(const Tensor& a, const Tensor& b) { return a.is_number() ? b.bitwise_or(a) : a.bitwise_or(b); }
Tensor operator^(const Tensor& a, const Tensor& b) { return a.is_number() ? b.bitwise_xor(a) : a.bitwise_xor(b); }
Tensor operator<<(const Tensor& a, const Tensor& b) {
  WithoutReference plain;
  return b.is_number() ? aten::lshift__Scalar(a, b.number()) : aten::lshift__Tensor(a, b);
}
Tensor operator>>(const Tensor& a, const Tensor& b) {
  WithoutReference plain;
  return b.is_number() ? aten::rshift__Scalar(a, b.number()) : aten::rshift__Tensor(a, b);
}
Tensor operator-(const Tensor& a) { return a.neg(); }
Tensor operator~(const Tensor& a) { return a.bitwise_not(); }

// ---- factories: Python's parser fills in the device, where there is no tensor to take it from

namespace torch {
namespace {
Device device_of(const TensorOptions& options) { return options.device.value_or(Device{}); }
constexpr std::nullopt_t kAnyLayout = std::nullopt;
constexpr bool kNotPinned = false;
}  // namespace

Tensor empty(IntList size, const TensorOptions& o) {
  return aten::empty_memory_format(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor zeros(IntList size, const TensorOptions& o) {
  return aten::zeros(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor ones(IntList size, const TensorOptions& o) {
  return aten::ones(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor full(IntList size, const Scalar& fill_value, const TensorOptions& o) {
  return aten::full(size, fill_value, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor rand(IntList size, const TensorOptions& o) {
  WithoutReference plain;
  return aten::rand(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randn(IntList size, const TensorOptions& o) {
  return aten::randn(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randint(SymInt high, IntList size, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randint(high, size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randint(SymInt low, SymInt high, IntList size, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randint_low(low, high, size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randperm(SymInt n, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randperm(n, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor arange(const Scalar& end, const TensorOptions& o) {
  return aten::arange(end, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& o) {
  return aten::arange_start(start, end, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& o) {
  return aten::arange_start_step(start, end, step, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor linspace(const Scalar& start, const Scalar& end, SymInt steps, const TensorOptions& o) {
  return aten::linspace(start, end, steps, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor logspace(const Scalar& start, const Scalar& end, SymInt steps, double base, const TensorOptions& o) {
  return aten::logspace(start, end, steps, base, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor eye(SymInt n, const TensorOptions& o) { return aten::eye(n, o.dtype, kAnyLayout, device_of(o), kNotPinned); }
Tensor eye(SymInt n, SymInt m, const TensorOptions& o) {
  return aten::eye_m(n, m, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor scalar_tensor(const Scalar& value, const TensorOptions& o) {
  return aten::scalar_tensor(value, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor empty_like(const Tensor& self, const TensorOptions& o) {
  return aten::empty_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor zeros_like(const Tensor& self, const TensorOptions& o) {
  return aten::zeros_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor ones_like(const Tensor& self, const TensorOptions& o) {
  return aten::ones_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor rand_like(const Tensor& self, const TensorOptions& o) {
  WithoutReference plain;
  return aten::rand_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor randn_like(const Tensor& self, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randn_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor full_like(const Tensor& self, const Scalar& fill_value, const TensorOptions& o) {
  return aten::full_like(self, fill_value, o.dtype, kAnyLayout, o.device, kNotPinned);
}

std::vector<Tensor> split(const Tensor& self, SymInt split_size, SymInt dim) {
  WithoutReference plain;
  return aten::split_Tensor(self, split_size, dim);
}
std::vector<Tensor> split(const Tensor& self, IntList split_sizes, SymInt dim) {
  WithoutReference plain;
  return aten::split_with_sizes(self, split_sizes, dim);
}
Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands) {
  return aten::einsum(equation, operands);
}

}  // namespace torch

namespace nn::functional {

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

// ---- embeddings and norms

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx, bool scale_grad_by_freq,
                 bool sparse) {
  WithoutReference plain;
  int64_t rows = weight.size(0).value();
  if (padding_idx && (*padding_idx >= rows || *padding_idx < -rows))
    fail_input("embedding: padding_idx ", *padding_idx, " must be within num_embeddings ", rows);
  int64_t index = !padding_idx ? -1 : *padding_idx < 0 ? rows + *padding_idx : *padding_idx;
  return aten::embedding(weight, input, index, scale_grad_by_freq, sparse);
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
  Tensor norm = aten::norm_ScalarOpt_dim(input, Scalar(p), dim.span(), true);
  norm = norm.clamp_min(eps);
  Tensor scale = norm.expand_as(input);
  return input / scale;
}

// ---- pooling and padding

Tensor max_pool1d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride, OneOrMoreInts padding,
                  OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return torch::max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor max_pool2d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride, OneOrMoreInts padding,
                  OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return torch::max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor max_pool3d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride, OneOrMoreInts padding,
                  OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return torch::max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode);
}
// One number stands for all dimensions.
static std::vector<SymInt> repeated(const OneOrMoreInts& sizes, size_t count) {
  SymInts given = sizes.span();
  return given.size() == 1 ? std::vector<SymInt>(count, given[0]) : std::vector<SymInt>(given.begin(), given.end());
}
Tensor adaptive_avg_pool2d(const Tensor& input, OneOrMoreInts output_size) {
  WithoutReference plain;
  return aten::adaptive_avg_pool2d(input, repeated(output_size, 2));
}
Tensor adaptive_avg_pool3d(const Tensor& input, OneOrMoreInts output_size) {
  WithoutReference plain;
  return aten::adaptive_avg_pool3d(input, repeated(output_size, 3));
}
Tensor pad(const Tensor& input, IntList pad, std::string_view mode, std::optional<double> value) {
  WithoutReference plain;
  return aten::pad(input, pad, mode, value);
}

// ---- losses

Tensor mse_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
  return aten::mse_loss(input, target, reduction_number(reduction));
}
Tensor l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
  return aten::l1_loss(input, target, reduction_number(reduction));
}
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction, double beta) {
  if (beta == 0) return aten::l1_loss(input, target, reduction_number(reduction));
  return aten::smooth_l1_loss(input, target, reduction_number(reduction), beta);
}
Tensor huber_loss(const Tensor& input, const Tensor& target, std::string_view reduction, double delta) {
  return aten::huber_loss(input, target, reduction_number(reduction), delta);
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
  return aten::binary_cross_entropy(input, target, weight, reduction_number(reduction));
}
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                        std::string_view reduction, const Tensor& pos_weight) {
  WithoutReference plain;
  return aten::binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction_number(reduction));
}
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  WithoutReference plain;
  return aten::scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa);
}

}  // namespace nn::functional
}  // namespace rung
