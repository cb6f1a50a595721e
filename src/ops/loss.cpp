// Losses.
#include <cmath>

#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

// Numbers of at::Reduction.
constexpr int64_t kNone = 0, kMean = 1, kSum = 2;

Tensor reduce(const Tensor& loss, int64_t reduction) {
  if (reduction == kMean) return aten::mean(loss);
  return reduction == kSum ? aten::sum(loss) : loss;
}

// A number minus a tensor, as C++ composites write it: the number fills a tensor first.
Tensor filled_minus(Scalar number, const Tensor& x) {
  Tensor empty = aten::empty_like(x, std::nullopt, std::nullopt, std::nullopt, std::nullopt, MemoryFormat::kPreserve);
  Tensor filled = aten::fill__Scalar(empty, number);
  return aten::sub__Tensor(filled, x);
}

Tensor contiguous_zeros(const Tensor& x) {
  return aten::zeros_like(x, std::nullopt, std::nullopt, std::nullopt, std::nullopt, MemoryFormat::kContiguous);
}

// ---- regression

// (x - y)^2
Tensor mse_loss(Tensor self, Tensor target, int64_t reduction) {
  ComputeTypes types = compute_types({self, target});
  Tensor x = types.up(self), y = types.up(target);
  Tensor difference = aten::sub_Tensor(x, y);
  Tensor loss = aten::pow_Tensor_Scalar(difference, 2);
  return types.down(reduce(loss, reduction));
}

// |x - y|
Tensor l1_loss(Tensor self, Tensor target, int64_t reduction) {
  Tensor difference = aten::sub_Tensor(self, target);
  return reduce(aten::abs(difference), reduction);
}

// d = |x - y|: d^2 / (2 beta) below beta, d - beta / 2 above
Tensor smooth_l1_loss(Tensor self, Tensor target, int64_t reduction, double beta) {
  ComputeTypes types = compute_types({self, target});
  Tensor x = types.up(self), y = types.up(target);
  Tensor distance = aten::abs(aten::sub_Tensor(x, y));
  Tensor is_near = aten::lt_Scalar(distance, beta);
  Tensor square = aten::pow_Tensor_Scalar(distance, 2);
  Tensor half = aten::mul_Tensor(square, 0.5);
  Tensor near = aten::div_Tensor(half, beta);
  Tensor far = aten::sub_Tensor(distance, 0.5 * beta);
  return types.down(reduce(aten::where_self(is_near, near, far), reduction));
}

// d = |x - y|: d^2 / 2 below delta, delta (d - delta / 2) above
Tensor huber_loss(Tensor self, Tensor target, int64_t reduction, double delta) {
  if (delta <= 0) fail_input("huber_loss needs a positive delta, got ", delta);
  ComputeTypes types = compute_types({self, target});
  Tensor x = types.up(self), y = types.up(target);
  Tensor distance = aten::abs(aten::sub_Tensor(x, y));
  Tensor is_near = aten::lt_Scalar(distance, delta);
  Tensor half = aten::mul_Tensor(distance, 0.5);
  Tensor near = aten::mul_Tensor(half, distance);
  Tensor beyond = aten::sub_Tensor(distance, 0.5 * delta);
  Tensor far = aten::mul_Tensor(beyond, delta);
  return types.down(reduce(aten::where_self(is_near, near, far), reduction));
}

// e^x - t x, or x - t log(x + eps); in full, Stirling's approximation of log(t!) is added where t > 1
Tensor poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, double eps, int64_t reduction) {
  Tensor loss;
  if (log_input) {
    Tensor product = aten::mul_Tensor(target, input);
    Tensor rate = aten::exp(input);
    loss = aten::sub_Tensor(rate, product);
  } else {
    Tensor log = aten::log(aten::add_Scalar(input, eps));
    Tensor product = aten::mul_Tensor(target, log);
    loss = aten::sub_Tensor(input, product);
  }
  if (full) {
    Tensor log_scaled = aten::log(aten::mul_Scalar(target, 2 * M_PI));
    Tensor half = aten::mul_Scalar(log_scaled, 0.5);
    Tensor log = aten::log(target);
    Tensor product = aten::mul_Tensor(target, log);
    Tensor rest = aten::sub_Tensor(product, target);
    Tensor stirling = aten::add_Tensor(rest, half);
    Tensor is_small = aten::le_Scalar(target, 1);
    Tensor term = aten::masked_fill_Scalar(stirling, is_small, 0);
    loss = aten::add__Tensor(loss, term);
  }
  return reduce(loss, reduction);
}

// ---- probabilities

// t (log t - x), or e^t (t - x) where targets are logarithms
Tensor kl_div(Tensor self, Tensor target, int64_t reduction, bool log_target) {
  Tensor loss;
  if (log_target) {
    Tensor difference = aten::sub_Tensor(target, self);
    Tensor weight = aten::exp(target);
    loss = aten::mul_Tensor(weight, difference);
  } else {
    Tensor product = aten::mul_Tensor(target, self);
    Tensor entropy = aten::xlogy_Tensor(target, target);
    loss = aten::sub_Tensor(entropy, product);
  }
  return reduce(loss, reduction);
}

// max(log, -100)
Tensor bounded_log(const Tensor& log, const Tensor& like) {
  Tensor bound = aten::new_full(like, {}, -100, std::nullopt, std::nullopt, std::nullopt, false);
  return aten::maximum(log, bound);
}

// (t - 1) log(1 - x) - t log(x), logarithms not below -100
Tensor binary_cross_entropy(Tensor self, Tensor target, Tensor weight, int64_t reduction) {
  ComputeTypes types = compute_types({self, target, weight});
  Tensor x = types.up(self), t = types.up(target), w = types.up(weight);
  Tensor negative = aten::sub_Tensor(t, 1);
  Tensor log_other = bounded_log(aten::log1p(aten::neg(x)), x);
  Tensor first = aten::mul_Tensor(negative, log_other);
  Tensor log_self = bounded_log(aten::log(x), x);
  Tensor second = aten::mul_Tensor(t, log_self);
  Tensor loss = aten::sub_Tensor(first, second);
  if (w.defined()) loss = aten::mul_Tensor(loss, w);
  return types.down(reduce(loss, reduction));
}

// (1 - t) x - (1 + (pos_weight - 1) t) log(sigmoid(x))
Tensor binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor weight, Tensor pos_weight,
                                        int64_t reduction) {
  Tensor log_weight;
  if (pos_weight.defined()) {
    Tensor excess = aten::sub_Tensor(pos_weight, 1);
    Tensor scaled = aten::mul_Tensor(excess, target);
    log_weight = aten::add_Tensor(scaled, 1);
  }
  Tensor negative = aten::rsub_Scalar(target, 1);
  Tensor first = aten::mul_Tensor(negative, self);
  Tensor second = aten::log_sigmoid(self);
  if (log_weight.defined()) second = aten::mul_Tensor(log_weight, second);
  Tensor loss = aten::sub_Tensor(first, second);
  if (weight.defined()) loss = aten::mul_Tensor(loss, weight);
  return reduce(to_dtype(loss, target.dtype()), reduction);
}

// log(1 + e^(-x y))
Tensor soft_margin_loss(Tensor self, Tensor target, int64_t reduction) {
  ComputeTypes types = compute_types({self, target});
  Tensor x = types.up(self), y = types.up(target);
  Tensor product = aten::mul_Tensor(aten::neg(x), y);
  Tensor loss = aten::log1p(aten::exp(product));
  return types.down(reduce(loss, reduction));
}

// ---- margins

// max(0, margin - x) where the target is not 1, and x where it is not -1
Tensor hinge_embedding_loss(Tensor self, Tensor target, double margin, int64_t reduction) {
  Tensor zeros = contiguous_zeros(self);
  Tensor clamped = aten::clamp_min_(filled_minus(margin, self), 0);
  Tensor not_alike = aten::ne_Scalar(target, 1);
  Tensor margins = aten::where_self(not_alike, clamped, zeros);
  Tensor not_apart = aten::ne_Scalar(target, -1);
  Tensor values = aten::where_self(not_apart, self, zeros);
  return reduce(aten::add_Tensor(margins, values), reduction);
}

// max(0, margin - y (a - b))
Tensor margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, double margin, int64_t reduction) {
  Tensor difference = aten::sub_Tensor(input1, input2);
  Tensor negated = aten::neg(target);
  Tensor product = aten::mul_Tensor(negated, difference);
  Tensor loss = aten::clamp_min_(aten::add_Scalar(product, margin), 0);
  return reduce(loss, reduction);
}

// max(0, margin + d(anchor, positive) - d(anchor, negative)); with swap, the nearer of anchor and positive to negative
Tensor triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, double margin, double p, double eps,
                           bool swap, int64_t reduction) {
  Tensor to_positive = aten::pairwise_distance(anchor, positive, p, eps);
  Tensor to_negative = aten::pairwise_distance(anchor, negative, p, eps);
  if (swap) {
    Tensor swapped = aten::pairwise_distance(positive, negative, p, eps);
    to_negative = aten::min_other(to_negative, swapped);
  }
  Tensor raised = aten::add_Scalar(to_positive, margin);
  Tensor difference = aten::sub_Tensor(raised, to_negative);
  return reduce(aten::clamp_min(difference, 0), reduction);
}

// The squared length of each row, kept from zero.
Tensor squared_length(const Tensor& x, int64_t dim) {
  Tensor square = aten::mul_Tensor(x, x);
  Tensor sum = aten::sum_dim_IntList(square, IntList({dim}));
  return aten::add_Scalar(sum, static_cast<double>(1e-12f));
}

// c = cos(a, b): 1 - c where the target is 1, max(0, c - margin) where it is -1
Tensor cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, double margin, int64_t reduction) {
  int64_t rank = target.dim();
  if (rank > 1) fail_input("cosine_embedding_loss expects a 0-d or 1-d target, got rank ", rank);
  if (input1.dim() != rank + 1 || input2.dim() != rank + 1)
    fail_input("cosine_embedding_loss: a target of rank ", rank, " needs inputs of rank ", rank + 1);
  Tensor product = aten::mul_Tensor(input1, input2);
  Tensor sum = aten::sum_dim_IntList(product, IntList({rank}));
  Tensor first = squared_length(input1, rank);
  Tensor second = squared_length(input2, rank);
  Tensor length = aten::sqrt_(aten::mul_Tensor(first, second));
  Tensor cosine = aten::div_Tensor(sum, length);
  Tensor zeros = contiguous_zeros(cosine);
  Tensor alike = filled_minus(1, cosine);
  Tensor apart = aten::clamp_min_(aten::sub_Scalar(cosine, margin), 0);
  Tensor is_alike = aten::eq_Scalar(target, 1);
  Tensor positive = aten::where_self(is_alike, alike, zeros);
  Tensor is_apart = aten::eq_Scalar(target, -1);
  Tensor negative = aten::where_self(is_apart, apart, zeros);
  return reduce(aten::add_Tensor(positive, negative), reduction);
}

// max(0, margin - x[target] + x[i])^p over i other than target
Tensor multi_margin_loss(Tensor self, Tensor target, Scalar p, Scalar margin, Tensor weight, int64_t reduction) {
  Tensor x = aten::atleast_2d(self);
  Tensor labels = aten::atleast_1d(target);
  if (!p.equals(1) && !p.equals(2)) fail_input("multi_margin_loss supports p 1 and 2 only, got ", p.to_double());
  SymInt classes = x.size(1);
  if (x.dim() != 2 || classes == 0) fail_input("multi_margin_loss expects a non-empty vector or matrix");
  if (labels.dim() != 1 || labels.numel() != x.size(0))
    fail_input("multi_margin_loss: expected ", x.size(0).str(), " targets, got ", labels.numel().str());
  if (weight.defined()) weight = aten::atleast_1d(weight);
  labels = aten::unsqueeze(labels, 1);
  Tensor own = aten::gather(x, 1, labels);
  Tensor z = aten::add_Tensor(aten::rsub_Scalar(own, margin), x);
  z = aten::clamp_min(z, 0);
  if (p.equals(2)) z = aten::mul_Tensor(z, z);
  if (weight.defined()) {
    Tensor weights = aten::index_Tensor(weight, std::array<Tensor, 1>{labels});
    z = aten::mul_Tensor(z, weights);
  }
  Tensor index = aten::arange(classes, std::nullopt, std::nullopt, x.device(), false);
  Tensor is_other = aten::ne_Tensor(index, labels);
  z = aten::where_ScalarOther(is_other, z, 0);
  if (reduction == kMean) return aten::mean(z);
  if (reduction == kSum) return aten::div_Tensor(aten::sum(z), Scalar(classes));
  return aten::mean_dim(z, IntList({1}));
}

// The targets of a row are those before its first -1; each is held against all that is no target.
std::tuple<Tensor, Tensor> multilabel_margin_loss_forward(Tensor self, Tensor target, int64_t reduction) {
  if (!std::ranges::equal(self.sizes(), target.sizes()) || self.dim() > 2)
    fail_input("multilabel_margin_loss expects input and target of one shape, vectors or matrices");
  Tensor x = aten::atleast_2d(self);
  Tensor labels = aten::atleast_2d(target);
  SymInt classes = x.size(1);
  Tensor index = aten::arange(classes, std::nullopt, std::nullopt, labels.device(), false);
  Tensor is_end = aten::eq_Scalar(labels, -1);
  Tensor ends = aten::where_ScalarOther(is_end, index, classes);
  Tensor end = aten::amin(ends, {-1}, true);
  Tensor is_label = aten::lt_Tensor(index, end);
  Tensor valid = aten::where_ScalarOther(is_label, labels, 0);
  Tensor own = aten::gather(x, -1, valid);
  Tensor marked = aten::where_ScalarOther(is_label, labels, -1);
  Tensor column = aten::unsqueeze(marked, -1);
  Tensor equal = aten::eq_Tensor(index, column);
  Tensor is_target = aten::any_dim(equal, 1);
  Tensor margins = aten::rsub_Scalar(aten::unsqueeze(aten::numpy_T(own), -1), 1.0);
  Tensor z = aten::clamp_min(aten::add_Tensor(margins, x), 0);
  z = aten::div_Tensor(z, Scalar(classes));
  z = aten::where_ScalarSelf(is_target, 0, z);
  if (reduction == kSum) {
    z = aten::sum(z);
  } else {
    z = aten::sum_dim_IntList(z, IntList({0, -1}));
    if (reduction == kMean) z = aten::mean(z);
  }
  Tensor targets = to_dtype(is_target, self.dtype());
  return {z, aten::reshape(targets, target.sizes())};
}

Tensor multilabel_margin_loss(Tensor self, Tensor target, int64_t reduction) {
  return std::get<0>(aten::multilabel_margin_loss_forward(self, target, reduction));
}

// ---- references

// torch's references of these two take a word for what the op has as a number, and refuse all but the default.
void refuse_reduction(int64_t reduction) {
  if (is_like_torch() && reduction != 1) fail_unsupported(reduction, " is not a valid value for reduction");
}

Tensor reference_hinge_embedding_loss(Tensor self, Tensor target, double margin, int64_t reduction) {
  refuse_reduction(reduction);
  Tensor clamped = aten::clamp_min(aten::rsub_Scalar(self, margin), 0);
  Tensor not_alike = aten::ne_Scalar(target, 1);
  Tensor margins = aten::where_ScalarOther(not_alike, clamped, 0);
  Tensor not_apart = aten::ne_Scalar(target, -1);
  Tensor values = aten::where_ScalarOther(not_apart, self, 0);
  return reduce(aten::add_Tensor(margins, values), reduction);
}

Tensor reference_margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, double margin, int64_t reduction) {
  if (input1.dim() != input2.dim() || input1.dim() != target.dim())
    fail_input("margin_ranking_loss: the ranks of its tensors differ: ", input1.dim(), ", ", input2.dim(), " and ",
               target.dim());
  refuse_reduction(reduction);
  Tensor negated = aten::neg(target);
  Tensor difference = aten::sub_Tensor(input1, input2);
  Tensor product = aten::mul_Tensor(negated, difference);
  Tensor loss = aten::clamp_min(aten::add_Tensor(product, margin), 0);
  return reduce(loss, reduction);
}

constexpr OpDef kRows[] = {
    {.op = "aten::binary_cross_entropy", .body = box<binary_cross_entropy>},
    {.op = "aten::binary_cross_entropy_with_logits", .body = box<binary_cross_entropy_with_logits>},
    {.op = "aten::cosine_embedding_loss", .body = box<cosine_embedding_loss>},
    {.op = "aten::hinge_embedding_loss",
     .body = box<hinge_embedding_loss>,
     .reference = box<reference_hinge_embedding_loss>},
    {.op = "aten::huber_loss", .hidden_rule = "huber_loss", .body = box<huber_loss>},
    {.op = "aten::kl_div", .body = box<kl_div>},
    {.op = "aten::l1_loss", .body = box<l1_loss>},
    {.op = "aten::margin_ranking_loss",
     .body = box<margin_ranking_loss>,
     .reference = box<reference_margin_ranking_loss>},
    {.op = "aten::mse_loss", .body = box<mse_loss>},
    {.op = "aten::multi_margin_loss", .body = box<multi_margin_loss>},
    {.op = "aten::multilabel_margin_loss", .body = box<multilabel_margin_loss>},
    {.op = "aten::multilabel_margin_loss_forward", .body = box<multilabel_margin_loss_forward>},
    {.op = "aten::poisson_nll_loss", .body = box<poisson_nll_loss>},
    {.op = "aten::smooth_l1_loss", .body = box<smooth_l1_loss>},
    {.op = "aten::soft_margin_loss", .body = box<soft_margin_loss>},
    {.op = "aten::triplet_margin_loss", .body = box<triplet_margin_loss>},
};

}  // namespace

const std::span<const OpDef> kLossOps = kRows;

}  // namespace rung::ops
