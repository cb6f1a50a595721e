// Dropout in all its forms.
#include <cmath>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

std::array<const TensorMeta*, 2> meta_native_dropout(Tensor self, double p, std::optional<bool> train) {
  bool drops = train.value_or(true) && p != 0;
  if (drops && !is_floating(self.dtype()))
    fail_input("dropout in training is not defined for ", info(self.dtype()).name);
  return {meta::like(self.meta(), self.dtype()), meta::like(self.meta(), DType::kBool)};
}

Tensor kernel_dropout(const Tensor& input, double p, bool train);

// In evaluation torch 2.13 copies, so that the result never is the input itself.
Tensor dropout(Tensor input, double p, bool train) {
  if (follows_kernels()) return kernel_dropout(input, p, train);
  if (!train || p == 0) return aten::clone(input);
  return std::get<0>(aten::native_dropout(input, p, train));
}

// torch 2.2 and 2.14 do not.
Tensor dropout_without_copy(Tensor input, double p, bool train) {
  if (follows_kernels()) return kernel_dropout(input, p, train);
  if (!train || p == 0) return input;
  return std::get<0>(aten::native_dropout(input, p, train));
}

// native_dropout(x) = x * (rand > p) / (1 - p), and the mask. Not to say whether it trains means that it does, to the
// kernel; torch's own decomposition takes it for evaluation.
TensorTuple2 native_dropout(Tensor input, double p, std::optional<bool> train) {
  if (!train.value_or(!is_like_torch()) || p == 0)
    return {input, aten::ones_like(input, DType::kBool, std::nullopt, std::nullopt, false)};
  if (p == 1) {
    Tensor zeros = aten::zeros_like(input, std::nullopt, std::nullopt, std::nullopt, false);
    return {zeros, aten::zeros_like(input, DType::kBool, std::nullopt, std::nullopt, false)};
  }
  if (!is_floating(input.dtype())) fail_input("dropout in training is not defined for ", info(input.dtype()).name);
  Tensor random = aten::rand_like(input, std::nullopt, std::nullopt, std::nullopt, false);
  Tensor mask = aten::gt_Scalar(random, p);
  Tensor kept = aten::mul_Tensor(mask, input);
  return {aten::mul_Tensor(kept, 1.0 / (1.0 - p)), mask};
}

// grad * (mask * scale), in the memory format of the gradient
Tensor native_dropout_backward(Tensor grad, Tensor mask, double scale) {
  Tensor typed = aten::type_as(mask, grad);
  Tensor factor = aten::mul_Tensor(typed, scale);
  Tensor result = aten::mul_Tensor(grad, factor);
  return aten::clone(result, meta::suggest_memory_format(grad.meta()));
}

// ---- the C++ composites: one noise tensor, written in place

// A feature is a channel: its elements are dropped together.
Tensor empty_feature_noise(const Tensor& input) {
  if (input.dim() < 2) fail_input("feature dropout requires at least 2 dimensions in the input");
  std::vector<SymInt> sizes(input.sizes().begin(), input.sizes().end());
  for (size_t i = 2; i < sizes.size(); ++i) sizes[i] = 1;
  return aten::new_empty(input, sizes);
}

Tensor multiply(const Tensor& input, const Tensor& factor, bool in_place) {
  return in_place ? aten::mul__Tensor(input, factor) : aten::mul_Tensor(input, factor);
}

enum class Noise { kElement, kFeature };

// x * noise / (1 - p); alpha dropout keeps mean and variance: x * a * noise + alpha * a * (noise - 1 + p)
Tensor drop(const Tensor& input, double p, bool train, Noise kind, bool alpha, bool in_place) {
  if (p < 0 || p > 1) fail_input("dropout probability has to be between 0 and 1, got ", p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) {
    Tensor zero = aten::zeros({}, input.dtype(), input.layout(), input.device());
    return multiply(input, zero, in_place);
  }
  Tensor noise = kind == Noise::kFeature ? empty_feature_noise(input) : aten::empty_like(input);
  aten::bernoulli__float(noise, 1 - p);
  if (!alpha) {
    aten::div__Scalar(noise, 1 - p);
    return multiply(input, noise, in_place);
  }
  constexpr double kAlpha = 1.7580993408473766;
  double a = 1. / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  Tensor shift = aten::add_Scalar(noise, -1);
  aten::mul__Scalar(shift, kAlpha * a);
  aten::add__Scalar(shift, kAlpha * a * p);
  aten::mul__Scalar(noise, a);
  Tensor scaled = multiply(input, noise, in_place);
  return aten::add__Tensor(scaled, shift);
}

Tensor kernel_dropout(const Tensor& input, double p, bool train) {
  return drop(input, p, train, Noise::kElement, false, false);
}
Tensor dropout_(Tensor input, double p, bool train) { return drop(input, p, train, Noise::kElement, false, true); }
Tensor feature_dropout(Tensor input, double p, bool train) {
  return drop(input, p, train, Noise::kFeature, false, false);
}
Tensor feature_dropout_(Tensor input, double p, bool train) {
  return drop(input, p, train, Noise::kFeature, false, true);
}
Tensor alpha_dropout(Tensor input, double p, bool train) { return drop(input, p, train, Noise::kElement, true, false); }
Tensor alpha_dropout_(Tensor input, double p, bool train) { return drop(input, p, train, Noise::kElement, true, true); }
Tensor feature_alpha_dropout(Tensor input, double p, bool train) {
  return drop(input, p, train, Noise::kFeature, true, false);
}
Tensor feature_alpha_dropout_(Tensor input, double p, bool train) {
  return drop(input, p, train, Noise::kFeature, true, true);
}

constexpr OpDef kRows[] = {
    {.op = "aten::native_dropout", .meta = box_meta<meta_native_dropout>, .body = box<native_dropout>},
    {.op = "aten::native_dropout_backward", .body = box<native_dropout_backward>},
    {.op = "aten::dropout",
     .body = box<dropout>,
     .body_2_2 = box<dropout_without_copy>,
     .body_2_14 = box<dropout_without_copy>},
    {.op = "aten::dropout_", .body = box<dropout_>},
    {.op = "aten::feature_dropout", .body = box<feature_dropout>},
    {.op = "aten::feature_dropout_", .body = box<feature_dropout_>},
    {.op = "aten::alpha_dropout", .body = box<alpha_dropout>},
    {.op = "aten::alpha_dropout_", .body = box<alpha_dropout_>},
    {.op = "aten::feature_alpha_dropout", .body = box<feature_alpha_dropout>},
    {.op = "aten::feature_alpha_dropout_", .body = box<feature_alpha_dropout_>},
};

}  // namespace

const std::span<const OpDef> kDropoutOps = kRows;

}  // namespace rung::ops
