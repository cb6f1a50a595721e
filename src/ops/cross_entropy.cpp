// Cross entropy and the negative log likelihood under it.
#include <algorithm>
#include <limits>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"
#include "ops/reference.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// Numbers of at::Reduction.
constexpr int64_t kNone = 0, kMean = 1, kSum = 2;

// ---- negative log likelihood

// -w[t] x[t], 0 where the target is to be ignored; and the sum of the weights.
std::tuple<Tensor, Tensor> nll_forward(Tensor self, Tensor target, Tensor weight, int64_t reduction, int64_t ignored) {
  int64_t rank = self.dim(), channels = rank < 2 ? 0 : 1;
  Tensor x = self, w = weight;
  if (weight.defined()) {
    if (rank > 1) {
      Sizes shape(static_cast<size_t>(rank), 1);
      shape[static_cast<size_t>(channels)] = weight.size(0);
      w = aten::view(weight, shape);
    }
    x = aten::mul_Tensor(self, w);
  }
  Tensor counts = aten::ne_Scalar(target, ignored);
  Tensor safe = aten::where_ScalarOther(counts, target, 0);
  Tensor index = aten::unsqueeze(safe, channels);
  Tensor chosen = aten::squeeze_dim(aten::gather(x, channels, index), channels);
  Tensor negated = aten::neg(chosen);
  Tensor still_counts = aten::ne_Scalar(target, ignored);
  Tensor result = aten::where_ScalarOther(still_counts, negated, 0);
  if (reduction == kNone && rank > 1)
    return {result, aten::new_full(x, {}, 0.0, std::nullopt, std::nullopt, std::nullopt, false)};
  Tensor total;
  if (weight.defined()) {
    Tensor weights = aten::expand(w, x.sizes());
    weights = aten::squeeze_dim(aten::gather(weights, channels, index), channels);
    Tensor valid = aten::ne_Scalar(target, ignored);
    total = aten::sum(aten::where_ScalarOther(valid, weights, 0));
  } else {
    Tensor count = aten::sum(aten::ne_Scalar(target, ignored));
    total = aten::to_device(count, x.device(), x.dtype());
  }
  if (reduction != kNone) result = aten::sum(result);
  if (reduction == kMean) result = aten::div_Tensor(result, total);
  return {result, total};
}

std::tuple<Tensor, Tensor> nll_loss_forward(Tensor self, Tensor target, Tensor weight, int64_t reduction,
                                            int64_t ignored) {
  if (self.dim() < 1 || self.dim() > 2) fail_input("nll_loss expects a 1-d or 2-d input, got rank ", self.dim());
  if (target.dim() > 1) fail_input("nll_loss expects a 0-d or 1-d target, got rank ", target.dim());
  bool has_batch = self.dim() != 1 || target.dim() != 0;
  if (has_batch && self.size(0) != target.size(0))
    fail_input("nll_loss: ", self.size(0).str(), " inputs, but ", target.size(0).str(), " targets");
  if (weight.defined() && (weight.dim() != 1 || weight.numel() != self.size(-1)))
    fail_input("nll_loss: ", self.size(-1).str(), " classes, but ", weight.numel().str(), " weights");
  return nll_forward(self, target, weight, reduction, ignored);
}

Tensor nll_loss(Tensor self, Tensor target, Tensor weight, int64_t reduction, SymInt ignored) {
  return std::get<0>(aten::nll_loss_forward(self, target, weight, reduction, ignored));
}
Tensor nll_loss2d(Tensor self, Tensor target, Tensor weight, int64_t reduction, SymInt ignored) {
  return std::get<0>(aten::nll_loss2d_forward(self, target, weight, reduction, ignored));
}

// Dimensions behind the classes become two, or there are none.
Tensor nll_loss_nd(Tensor self, Tensor target, Tensor weight, int64_t reduction, SymInt ignored) {
  int64_t rank = self.dim();
  if (rank < 1) fail_input("nll_loss expects an input of at least 1 dimension");
  if (rank != 1 && self.size(0) != target.size(0))
    fail_input("nll_loss: ", self.size(0).str(), " inputs, but ", target.size(0).str(), " targets");
  if (rank <= 2) return aten::nll_loss(self, target, weight, reduction, ignored);
  if (rank == 4) return aten::nll_loss2d(self, target, weight, reduction, ignored);
  SymInts sizes = self.sizes();
  SymInt batch = sizes[0];
  Sizes out_size(sizes.begin() + 1, sizes.end());
  out_size[0] = batch;
  if (!std::ranges::equal(target.sizes(), out_size))
    fail_input("nll_loss: the target's shape does not fit the input's");
  Tensor x = aten::contiguous(self);
  Tensor t = aten::contiguous(target);
  bool is_empty = x.numel() == 0;
  SymInt one = is_empty ? 0 : 1, rest = is_empty ? 0 : -1;
  x = aten::view(x, {batch, sizes[1], one, rest});
  is_empty = t.numel() == 0;
  one = is_empty ? 0 : 1, rest = is_empty ? 0 : -1;
  t = aten::view(t, {batch, one, rest});
  Tensor loss = aten::nll_loss2d(x, t, weight, reduction, ignored);
  return reduction == kNone ? aten::view(loss, out_size) : loss;
}

// torch's reference takes the number of the reduction for a flag of old: none sums, and sum means.
Tensor reference_nll_loss(Tensor self, Tensor target, Tensor weight, int64_t reduction, SymInt ignored) {
  if (self.numel() == 0 || !is_like_torch()) return nll_loss(self, target, weight, reduction, ignored);
  Tensor x = reference::converted(self, meta::opmath_type(self.dtype()));
  Tensor flat = aten::flatten_using_ints(target);
  Tensor is_ignored = aten::eq_Scalar(flat, ignored);
  auto number = [&](int value) { return aten::scalar_tensor(value, x.dtype(), std::nullopt, x.device(), false); };
  Tensor zero = number(0);
  Tensor class_weight = weight.defined() ? aten::index_Tensor(weight, std::array<Tensor, 1>{flat}) : number(1);
  Tensor weights = aten::where_self(is_ignored, zero, class_weight);
  std::vector<Tensor> place = {target};
  if (x.dim() > 1) place.insert(place.begin(), arange(x.size(0), Device{}));
  Tensor chosen = aten::neg(aten::index_Tensor(x, place));
  Tensor loss = aten::reshape(aten::mul_Tensor(chosen, weights), target.sizes());
  Tensor total = aten::sum(loss);
  if (reduction != kNone) {
    Tensor divisor = aten::sum(weights);
    total = aten::div_Tensor(total, divisor);
  }
  return reference::converted(total, self.dtype());
}

// ---- cross entropy

int64_t class_dim(const Tensor& x) { return x.dim() == 1 ? 0 : 1; }

Tensor log_probabilities(const Tensor& x) { return aten::log_softmax_int(x, class_dim(x), x.dtype()); }

// Weights of classes, with dimensions to broadcast against the input.
Tensor spread_weight(const Tensor& weight, const Tensor& x) {
  Sizes shape(static_cast<size_t>(x.dim()), 1);
  shape[static_cast<size_t>(class_dim(x))] = weight.size(0);
  return aten::view(weight, shape);
}

// -sum(w p log q), p the target smoothed towards the uniform distribution
Tensor with_probabilities(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                          double smoothing) {
  SymInt classes = self.size(class_dim(self));
  Tensor log = log_probabilities(self);
  Tensor p = target;
  if (smoothing > 0) {
    SymFloat uniform = smoothing / SymFloat(classes);
    Tensor scaled = aten::mul_Scalar(target, 1 - smoothing);
    p = aten::add_Scalar(scaled, uniform);
  }
  Tensor spread = weight.defined() && log.dim() > 1 ? spread_weight(weight, log) : weight;
  SymInt elements = log.numel();
  bool no_rows = reduction == kMean && elements == 0;
  SymInt rows = no_rows ? SymInt(0) : elements / classes;
  Tensor product = aten::mul_Tensor(log, p);
  if (spread.defined()) product = aten::mul_Tensor(product, spread);
  if (reduction == kNone) return aten::neg(aten::sum_dim_IntList(product, IntList({class_dim(self)})));
  Tensor sum = aten::sum(product);
  if (no_rows) sum = aten::fill_Scalar(sum, std::numeric_limits<double>::quiet_NaN());
  Tensor loss = aten::neg(sum);
  return reduction == kSum || no_rows ? loss : aten::div_Scalar(loss, rows);
}

// What the mean of the smoothed part is divided by: how many targets count, or the sum of their weights.
Tensor smoothed_weight(const Tensor& target, const Tensor& weight, const Tensor& is_ignored) {
  if (!weight.defined()) return aten::sum(aten::bitwise_not(is_ignored));
  Tensor valid = aten::flatten_using_ints(aten::masked_fill_Scalar(target, is_ignored, 0));
  Tensor weights = aten::gather(weight, 0, valid);
  Tensor mask = aten::flatten_using_ints(is_ignored);
  return aten::sum(aten::masked_fill_Scalar(weights, mask, 0));
}

// (1 - s) nll + s / classes * (-sum(w log q))
Tensor with_smoothing(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction, SymInt ignored,
                      double smoothing) {
  Tensor log = log_probabilities(self);
  Tensor nll = aten::nll_loss_nd(log, target, weight, reduction, ignored);
  Tensor weighted = log;
  if (weight.defined()) {
    Tensor spread = spread_weight(weight, log);
    weighted = aten::mul_Tensor(log, spread);
  }
  Tensor smooth = aten::neg(aten::sum_dim_IntList(weighted, IntList({class_dim(self)})));
  Tensor is_ignored = aten::eq_Scalar(target, ignored);
  smooth = aten::masked_fill_Scalar(smooth, is_ignored, 0.0);
  if (reduction == kMean) {
    Tensor divisor = smoothed_weight(target, weight, is_ignored);
    smooth = aten::div_Tensor(aten::sum(smooth), divisor);
  } else if (reduction == kSum) {
    smooth = aten::sum(smooth);
  }
  SymInt classes = self.size(class_dim(self));
  Tensor second = aten::mul_Scalar(smooth, smoothing / SymFloat(classes));
  Tensor first = aten::mul_Scalar(nll, 1 - smoothing);
  return aten::add_Tensor(first, second);
}

// A target of the input's shape holds probabilities, else it holds classes.
Tensor cross_entropy_loss(Tensor self, Tensor target, Tensor weight, int64_t reduction, SymInt ignored,
                          double smoothing) {
  if (smoothing > 1) fail_input("cross_entropy_loss: label_smoothing must be between 0 and 1, got ", smoothing);
  if (std::ranges::equal(self.sizes(), target.sizes())) {
    if (!is_floating(target.dtype()))
      fail_input("cross_entropy_loss expects floating point targets of probabilities, got ", info(target.dtype()).name);
    if (ignored >= 0) fail_input("cross_entropy_loss: ignore_index is not for targets of probabilities");
    return with_probabilities(self, target, weight, reduction, smoothing);
  }
  if (smoothing > 0) return with_smoothing(self, target, weight, reduction, ignored, smoothing);
  return aten::nll_loss_nd(log_probabilities(self), target, weight, reduction, ignored);
}

constexpr OpDef kRows[] = {
    {.op = "aten::cross_entropy_loss", .body = box<cross_entropy_loss>},
    {.op = "aten::nll_loss", .body = box<nll_loss>, .reference = box<reference_nll_loss>},
    {.op = "aten::nll_loss2d", .body = box<nll_loss2d>},
    {.op = "aten::nll_loss2d_forward", .body = box<nll_forward>},
    {.op = "aten::nll_loss_forward", .body = box<nll_loss_forward>},
    {.op = "aten::nll_loss_nd", .body = box<nll_loss_nd>},
};

}  // namespace

const std::span<const OpDef> kCrossEntropyOps = kRows;

}  // namespace rung::ops
