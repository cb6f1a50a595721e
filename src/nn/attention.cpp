// torch.nn.functional.multi_head_attention_forward, call for call.
#include "nn/attention.h"

#include <cmath>
#include <limits>

#include "nn/init.h"
#include "ops/functional.h"
#include "ops/gen/aten.h"

namespace rung::nn {
namespace {

// A mask of truth values as numbers to add: minus infinity where it holds.
Tensor to_addend(const Tensor& mask, DType dtype) {
  if (!mask.defined() || is_floating(mask.dtype())) return mask;
  if (mask.dtype() != DType::kBool)
    fail_input("only bool and floating types of masks are supported, got ", info(mask.dtype()).name);
  Tensor zeros = aten::zeros_like(mask, dtype);
  return aten::masked_fill__Scalar(zeros, mask, -std::numeric_limits<double>::infinity());
}

}  // namespace

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads, const AttentionOptions& options)
    : in_proj_weight(register_parameter("in_proj_weight", init::empty({3 * embed_dim, embed_dim}))),
      in_proj_bias(register_parameter("in_proj_bias", options.bias ? init::full({3 * embed_dim}, 0) : Tensor())),
      out_proj(embed_dim, embed_dim, options.bias),
      embed_dim_(embed_dim),
      num_heads_(num_heads),
      options_(options) {
  if (num_heads <= 0 || embed_dim <= 0 || embed_dim % num_heads != 0)
    fail_input("embed_dim must be divisible by num_heads: ", embed_dim, " is not by ", num_heads);
  register_module("out_proj", out_proj);
  init::xavier_uniform_(in_proj_weight);
  if (options.bias) aten::fill__Scalar(out_proj.bias, 0);
}

// One product where the tensors are one, so that a library sees it.
MultiheadAttention::Projected MultiheadAttention::project(const Tensor& query, const Tensor& key,
                                                          const Tensor& value) const {
  auto parts_of = [&](const Tensor& packed, int64_t parts) {
    Tensor x = aten::unflatten_int(packed, -1, {parts, embed_dim_});
    x = aten::unsqueeze(x, 0);
    x = aten::transpose_int(x, 0, -2);
    x = aten::squeeze_dim(x, -2);
    return aten::contiguous(x);
  };
  if (!key.same(value)) {
    std::vector<Tensor> weights = aten::chunk(in_proj_weight, 3), biases(3);
    if (in_proj_bias.defined()) biases = aten::chunk(in_proj_bias, 3);
    Tensor q = aten::linear(query, weights[0], biases[0]), k = aten::linear(key, weights[1], biases[1]);
    return {q, k, aten::linear(value, weights[2], biases[2])};
  }
  if (query.same(key)) {
    Tensor packed = parts_of(aten::linear(query, in_proj_weight, in_proj_bias), 3);
    Tensor q = aten::select_int(packed, 0, 0), k = aten::select_int(packed, 0, 1);
    return {q, k, aten::select_int(packed, 0, 2)};
  }
  std::vector<Tensor> weights = aten::split_with_sizes(in_proj_weight, {embed_dim_, 2 * embed_dim_}), biases(2);
  if (in_proj_bias.defined()) biases = aten::split_with_sizes(in_proj_bias, {embed_dim_, 2 * embed_dim_});
  Tensor q = aten::linear(query, weights[0], biases[0]);
  Tensor packed = parts_of(aten::linear(key, weights[1], biases[1]), 2);
  Tensor k = aten::select_int(packed, 0, 0);
  return {q, k, aten::select_int(packed, 0, 1)};
}

MultiheadAttention::Result MultiheadAttention::attend(Tensor query, Tensor key, Tensor value, Masks masks,
                                                      bool need_weights) const {
  bool batched = query.dim() == 3;
  if (!batched && query.dim() != 2) fail_input("attention expects a query of rank 2 or 3, got rank ", query.dim());
  masks.key_padding = to_addend(masks.key_padding, query.dtype());
  masks.attention = to_addend(masks.attention, query.dtype());
  if (masks.causal && !masks.attention.defined()) fail_input("attention: the causal hint needs the mask itself, too");
  bool one = query.same(key), two = key.same(value);
  auto each = [&](auto&& change) {
    query = change(query);
    key = one ? query : change(key);
    value = two ? key : change(value);
  };
  if (batched && options_.batch_first) each([](const Tensor& x) { return aten::transpose_int(x, 1, 0); });
  if (!batched) {
    each([](const Tensor& x) { return aten::unsqueeze(x, 1); });
    if (masks.key_padding.defined()) masks.key_padding = aten::unsqueeze(masks.key_padding, 0);
  }

  SymInt length = query.size(0), batch = query.size(1), keys = key.size(0), heads = batch * num_heads_;
  int64_t head_dim = embed_dim_ / num_heads_;
  bool by_hint = masks.causal && !masks.key_padding.defined() && !need_weights;
  if (by_hint) masks.attention = {};
  bool causal = masks.causal && !masks.key_padding.defined();

  auto [q, k, v] = project(query, key, value);
  if (masks.attention.defined() && masks.attention.dim() == 2) masks.attention = aten::unsqueeze(masks.attention, 0);
  q = aten::transpose_int(aten::view(q, {length, heads, head_dim}), 0, 1);
  k = aten::transpose_int(aten::view(k, {keys, heads, head_dim}), 0, 1);
  v = aten::transpose_int(aten::view(v, {keys, heads, head_dim}), 0, 1);

  Tensor mask = masks.attention;
  if (masks.key_padding.defined()) {
    Tensor padding = aten::view(masks.key_padding, {batch, 1, 1, keys});
    padding = aten::expand(padding, {-1, num_heads_, -1, -1});
    padding = aten::reshape(padding, {heads, 1, keys});
    mask = mask.defined() ? aten::add_Tensor(mask, padding) : padding;
  }
  double dropout = is_training() ? options_.dropout : 0;

  Tensor output, weights;
  if (need_weights) {
    Tensor scaled = aten::mul_Tensor(q, std::sqrt(1.0 / static_cast<double>(head_dim)));
    Tensor turned = aten::transpose_int(k, -2, -1);
    weights = mask.defined() ? aten::baddbmm(mask, scaled, turned) : aten::bmm(scaled, turned);
    weights = aten::softmax_int(weights, -1);
    if (dropout > 0) weights = aten::dropout(weights, dropout, true);
    output = aten::bmm(weights, v);
    output = aten::reshape(aten::transpose_int(output, 0, 1), {length * batch, embed_dim_});
  } else {
    if (mask.defined()) {
      bool is_shared = mask.size(0) == 1 && mask.dim() == 3;
      mask = is_shared ? aten::unsqueeze(mask, 0) : aten::view(mask, {batch, num_heads_, -1, keys});
    }
    q = aten::view(q, {batch, num_heads_, length, head_dim});
    k = aten::view(k, {batch, num_heads_, keys, head_dim});
    v = aten::view(v, {batch, num_heads_, keys, head_dim});
    output = aten::scaled_dot_product_attention(q, k, v, mask, dropout, causal);
    output = aten::reshape(aten::permute(output, {2, 0, 1, 3}), {batch * length, embed_dim_});
  }
  output = aten::linear(output, out_proj.weight, out_proj.bias);
  output = aten::view(output, {length, batch, output.size(1)});
  if (need_weights) {
    weights = aten::view(weights, {batch, num_heads_, length, keys});
    weights = aten::mean_dim(weights, IntList({1}));
  }
  if (!batched) {
    output = aten::squeeze_dim(output, 1);
    if (need_weights) weights = aten::squeeze_dim(weights, 0);
  }
  if (batched && options_.batch_first) output = aten::transpose_int(output, 1, 0);
  return {output, weights};
}

std::tuple<Tensor, Tensor> MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value) {
  Result result = attend(query, key, value);
  return {result.output, result.weights};
}

}  // namespace rung::nn
