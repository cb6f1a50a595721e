// Ops that write running statistics, and dropout as torch's CPU draws it.
#include "ops/gen/aten.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

// The functional twin computes; the new statistics are written over the old ones.
std::vector<Tensor> native_batch_norm_legit(Tensor input, Tensor weight, Tensor bias, Tensor running_mean,
                                            Tensor running_var, bool training, double momentum, double eps) {
  auto [output, mean, inverse_std, new_mean, new_var] = aten::_native_batch_norm_legit_functional(
      input, weight, bias, running_mean, running_var, training, momentum, eps);
  aten::copy_(running_mean, new_mean);
  aten::copy_(running_var, new_var);
  return {output, mean, inverse_std};
}

std::vector<Tensor> batch_norm_with_update(Tensor input, Tensor weight, Tensor bias, Tensor running_mean,
                                           Tensor running_var, double momentum, double eps) {
  auto [output, mean, inverse_std, reserve, new_mean, new_var] =
      aten::_batch_norm_with_update_functional(input, weight, bias, running_mean, running_var, momentum, eps);
  aten::copy_(running_mean, new_mean);
  aten::copy_(running_var, new_var);
  return {output, mean, inverse_std, reserve};
}

// input * noise, the noise 0 with probability p, else 1 / (1 - p)
Tensor scaled_by_noise(const Tensor& input, const Tensor& noise, double p) {
  if (p < 0 || p > 1) fail_input("dropout probability has to be between 0 and 1, but got ", p);
  if (p == 1) return aten::mul_Tensor(input, aten::zeros_like(noise));
  Tensor kept = aten::bernoulli__float(noise, 1 - p);
  return aten::mul_Tensor(input, aten::div__Scalar(kept, 1 - p));
}

Tensor dropout(Tensor input, double p, bool train) {
  if (p == 0 || !train || input.numel() == 0) return input;
  return scaled_by_noise(input, aten::empty_like(input), p);
}

std::vector<Tensor> native_dropout(Tensor input, double p, std::optional<bool> train) {
  if (!train.value_or(true)) return {aten::clone(input), aten::ones_like(input, DType::kBool)};
  Tensor mask = aten::bernoulli__float(aten::empty_like(input, DType::kBool), 1 - p);
  Tensor kept = aten::mul_Tensor(input, mask);
  return {aten::mul_Scalar(kept, p == 1 ? 0 : 1 / (1 - p)), mask};
}

// One number for each channel.
Tensor feature_dropout(Tensor input, double p, bool train) {
  if (p == 0 || !train || input.numel() == 0) return input;
  if (input.dim() < 2) fail_input("feature dropout requires at least 2 dimensions in the input, got ", input.dim());
  std::vector<SymInt> shape(static_cast<size_t>(input.dim()), 1);
  shape[0] = input.size(0);
  shape[1] = input.size(1);
  return scaled_by_noise(input, aten::new_empty(input, shape), p);
}

constexpr KernelRow kRows[] = {
    {"aten::_native_batch_norm_legit", box<native_batch_norm_legit>},
    {"aten::_batch_norm_with_update", box<batch_norm_with_update>},
    {"aten::dropout", box<dropout>},
    {"aten::native_dropout", box<native_dropout>},
    {"aten::feature_dropout", box<feature_dropout>},
};

}  // namespace

const std::span<const KernelRow> kNormKernels = kRows;

}  // namespace rung::ops
