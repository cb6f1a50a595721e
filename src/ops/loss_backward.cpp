// Gradients of losses with respect to their inputs.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"

namespace rung::ops {
namespace {

// Numbers of at::Reduction.
constexpr int64_t kNone = 0, kMean = 1;

SymFloat count(const Tensor& x) { return SymFloat(x.numel()); }

// 2 (x - y) grad, of a mean divided by n
Tensor mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int64_t reduction) {
  ComputeTypes types = compute_types({grad_output, self, target});
  Tensor grad = types.up(grad_output), x = types.up(self), y = types.up(target);
  Scalar norm = reduction == kMean ? 2.0 / count(x) : 2.0;
  Tensor difference = aten::sub_Tensor(x, y);
  Tensor scaled = aten::mul_Tensor(difference, norm);
  return types.down(aten::mul_Tensor(scaled, grad));
}

// grad d / beta where |d| < beta, else grad sign(d); d = x - y
Tensor smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int64_t reduction, double beta) {
  ComputeTypes types = compute_types({grad_output, self, target});
  Tensor grad = types.up(grad_output), x = types.up(self), y = types.up(target);
  Scalar norm = reduction == kMean ? 1.0 / count(x) : 1.0;
  Tensor difference = aten::sub_Tensor(x, y);
  Tensor distance = aten::abs(difference);
  Tensor scaled = aten::mul_Tensor(grad, norm);
  Tensor is_near = aten::lt_Scalar(distance, beta);
  Tensor product = aten::mul_Tensor(scaled, difference);
  Tensor near = aten::div_Tensor(product, beta);
  Tensor sign = aten::sign(difference);
  Tensor far = aten::mul_Tensor(scaled, sign);
  return types.down(aten::where_self(is_near, near, far));
}

// grad d where |d| <= delta, else grad delta sign(d); d = x - y
Tensor huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int64_t reduction, double delta) {
  ComputeTypes types = compute_types({grad_output, self, target});
  Tensor grad = types.up(grad_output), x = types.up(self), y = types.up(target);
  SymFloat norm = reduction == kMean ? 1.0 / count(x) : 1.0;
  Tensor difference = aten::sub_Tensor(x, y);
  Tensor is_low = aten::lt_Scalar(difference, -delta);
  Tensor low = aten::mul_Tensor(aten::mul_Tensor(grad, Scalar(-norm)), delta);
  Tensor is_high = aten::gt_Scalar(difference, delta);
  Tensor high = aten::mul_Tensor(aten::mul_Tensor(grad, Scalar(norm)), delta);
  Tensor scaled = aten::mul_Tensor(difference, Scalar(norm));
  Tensor near = aten::mul_Tensor(scaled, grad);
  Tensor rest = aten::where_self(is_high, high, near);
  return types.down(aten::where_self(is_low, low, rest));
}

// grad (x - t) / max(x (1 - x), 1e-12)
Tensor binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor weight, int64_t reduction) {
  ComputeTypes types = compute_types({grad_output, self, target, weight});
  Tensor grad = types.up(grad_output), x = types.up(self), t = types.up(target), w = types.up(weight);
  Tensor difference = aten::sub_Tensor(x, t);
  Tensor product = aten::mul_Tensor(grad, difference);
  Tensor other = aten::rsub_Scalar(x, 1);
  Tensor variance = aten::mul_Tensor(x, other);
  Tensor bounded = aten::clamp(variance, 1e-12);
  Tensor result = aten::div_Tensor(product, bounded);
  if (w.defined()) result = aten::mul_Tensor(result, w);
  if (reduction == kMean) result = aten::div_Tensor(result, Scalar(x.numel()));
  return types.down(result);
}

// y grad (sigmoid(x y) - 1)
Tensor soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int64_t reduction) {
  ComputeTypes types = compute_types({grad_output, self, target});
  Tensor grad = types.up(grad_output), x = types.up(self), y = types.up(target);
  Tensor signed_grad = aten::mul_Tensor(y, grad);
  Tensor margin = aten::mul_Tensor(y, x);
  Tensor slope = aten::sub_Tensor(aten::sigmoid(margin), 1);
  Tensor result = aten::mul_Tensor(signed_grad, slope);
  if (reduction == kMean) result = aten::div_Tensor(result, Scalar(x.numel()));
  return types.down(result);
}

// -grad w[t] at the target's place, 0 elsewhere and where the target is to be ignored
Tensor nll_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target, const Tensor& weight,
                    int64_t reduction, SymInt ignored, const Tensor& total_weight) {
  int64_t channels = self.dim() < 2 ? 0 : 1;
  Tensor grad = reduction == kMean ? aten::div_Tensor(grad_output, total_weight) : grad_output;
  Tensor labels = self.dim() == 1 && target.dim() > 0 ? aten::select_int(target, 0, 0) : target;
  labels = aten::unsqueeze(labels, channels);
  Tensor counts = aten::ne_Scalar(labels, ignored);
  Tensor safe = aten::where_ScalarOther(counts, labels, 0);
  Tensor zeros = aten::zeros_like(self, std::nullopt, std::nullopt, std::nullopt, false);
  Tensor grad_input = aten::scatter_value(zeros, channels, safe, -1.0);
  if (self.dim() > grad.dim() && grad.dim() > 0) grad = aten::unsqueeze(grad, channels);
  if (weight.defined()) {
    meta::Sizes shape(static_cast<size_t>(self.dim()), 1);
    shape[static_cast<size_t>(channels)] = weight.size(0);
    Tensor spread = aten::reshape(weight, shape);
    grad = aten::mul_Tensor(grad, spread);
  }
  Tensor still_counts = aten::ne_Scalar(labels, ignored);
  grad = aten::where_ScalarOther(still_counts, grad, 0);
  return aten::mul_Tensor(grad_input, grad);
}

Tensor nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor weight, int64_t reduction,
                         SymInt ignored, Tensor total_weight) {
  if (self.dim() > 2 || target.dim() > 1)
    fail_input("nll_loss_backward expects a 1-d or 2-d input and one target a row");
  bool has_batch = self.dim() != 1 || target.dim() != 0;
  if (has_batch && self.size(0) != target.size(0))
    fail_input("nll_loss_backward: ", self.size(0).str(), " inputs, but ", target.size(0).str(), " targets");
  if (total_weight.numel() != 1) fail_input("nll_loss_backward expects one total weight");
  if (weight.defined() && weight.numel() != self.size(-1))
    fail_input("nll_loss_backward: ", self.size(-1).str(), " classes, but ", weight.numel().str(), " weights");
  if (!(reduction == kNone && self.dim() == 2) && grad_output.numel() != 1)
    fail_input("nll_loss_backward expects a gradient of one element");
  return nll_backward(grad_output, self, target, weight, reduction, ignored, total_weight);
}

Tensor nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor weight, int64_t reduction,
                           SymInt ignored, Tensor total_weight) {
  if (self.dim() != 4 || target.dim() != 3) fail_input("nll_loss2d_backward expects a 4-d input and a 3-d target");
  if (total_weight.numel() != 1) fail_input("nll_loss2d_backward expects one total weight");
  return nll_backward(grad_output, self, target, weight, reduction, ignored, total_weight);
}

constexpr OpDef kRows[] = {
    {.op = "aten::binary_cross_entropy_backward", .body = box<binary_cross_entropy_backward>},
    {.op = "aten::huber_loss_backward", .body = box<huber_loss_backward>},
    {.op = "aten::mse_loss_backward", .body = box<mse_loss_backward>},
    {.op = "aten::nll_loss2d_backward", .body = box<nll_loss2d_backward>},
    {.op = "aten::nll_loss_backward", .body = box<nll_loss_backward>},
    {.op = "aten::smooth_l1_loss_backward", .body = box<smooth_l1_loss_backward>},
    {.op = "aten::soft_margin_loss_backward", .body = box<soft_margin_loss_backward>},
};

}  // namespace

const std::span<const OpDef> kLossBackwardOps = kRows;

}  // namespace rung::ops
