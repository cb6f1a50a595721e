// Attention with several heads, call for call as torch's Python has it.
#include "ops/functional_attention.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/functional.h"
#include "trace/without_reference.h"

namespace rung::nn::functional {

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  WithoutReference plain;
  return aten::scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa);
}

Tensor canonical_mask(const Tensor& mask, DType dtype) {
  if (!mask.defined() || is_floating(mask.dtype())) return mask;
  if (mask.dtype() != DType::kBool)
    fail_input("attention: only bool and floating types of masks are supported, got ", info(mask.dtype()).name);
  Tensor zeros = torch::zeros_like(mask, {.dtype = dtype});
  return zeros.masked_fill_(mask, -std::numeric_limits<double>::infinity());
}

namespace {

struct Projected {
  Tensor query, key, value;
};

// One product of several weights, as tensors that follow one another.
Tensor parts_of(const Tensor& product, int64_t parts, SymInt size) {
  Tensor x = torch::unflatten(product, -1, {parts, size}).unsqueeze(0);
  return x.transpose(0, -2).squeeze(-2).contiguous();
}

std::vector<Tensor> pieces(const Tensor& bias, IntList sizes) {
  return bias.defined() ? torch::split(bias, sizes) : std::vector<Tensor>(sizes.span().size());
}

// As few products as there are different inputs, so that a library sees large ones.
Projected project_packed(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& weight,
                         const Tensor& bias) {
  SymInt size = query.size(-1);
  if (!key.same(value)) {
    std::vector<Tensor> weights = weight.chunk(3), biases(3);
    if (bias.defined()) biases = bias.chunk(3);
    Tensor q = linear(query, weights[0], biases[0]);
    Tensor k = linear(key, weights[1], biases[1]);
    return {q, k, linear(value, weights[2], biases[2])};
  }
  if (query.same(key)) {
    Tensor packed = parts_of(linear(query, weight, bias), 3, size);
    Tensor q = packed.select(0, 0), k = packed.select(0, 1);
    return {q, k, packed.select(0, 2)};
  }
  std::vector<Tensor> weights = torch::split(weight, {size, size * 2});
  std::vector<Tensor> biases = pieces(bias, {size, size * 2});
  Tensor q = linear(query, weights[0], biases[0]);
  Tensor packed = parts_of(linear(key, weights[1], biases[1]), 2, size);
  Tensor k = packed.select(0, 0);
  return {q, k, packed.select(0, 1)};
}

Projected project_apart(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias,
                        const MultiHeadOptions& options) {
  const Tensor weights[] = {options.q_proj_weight, options.k_proj_weight, options.v_proj_weight};
  for (const Tensor& weight : weights)
    if (!weight.defined()) fail_input("attention: use_separate_proj_weight needs all of q, k and v_proj_weight");
  std::vector<Tensor> biases(3);
  if (bias.defined()) biases = bias.chunk(3);
  Tensor q = linear(query, weights[0], biases[0]);
  Tensor k = linear(key, weights[1], biases[1]);
  return {q, k, linear(value, weights[2], biases[2])};
}

struct Masks {
  Tensor padding, attention;
  bool causal;

  // One more key, which is always seen.
  void add_key() {
    if (attention.defined()) attention = pad(attention, {0, 1});
    if (padding.defined()) padding = pad(padding, {0, 1});
  }
};

Masks masks_of(const Tensor& key_padding_mask, DType dtype, const MultiHeadOptions& options) {
  Masks masks{canonical_mask(key_padding_mask, dtype), {}, options.is_causal};
  if (options.is_causal && !options.attn_mask.defined())
    fail_input("attention: the is_causal hint needs the mask itself, too");
  if (options.is_causal && !masks.padding.defined() && !options.need_weights) return masks;
  masks.attention = canonical_mask(options.attn_mask, dtype);
  if (masks.padding.defined()) masks.causal = false;
  return masks;
}

struct Extents {
  int64_t num_heads, embed_dim;
  SymInt length, batch;

  SymInt heads() const { return batch * num_heads; }
  SymInt head_dim() const { return embed_dim / num_heads; }
};

Extents extents_of(const Tensor& query, int64_t embed_dim, int64_t num_heads) {
  if (query.size(2) != embed_dim)
    fail_input("attention: expected an embedding dimension of ", embed_dim, ", got ", query.size(2).str());
  if (num_heads <= 0 || embed_dim % num_heads != 0)
    fail_input("attention: embed_dim ", embed_dim, " is not divisible by num_heads ", num_heads);
  return {num_heads, embed_dim, query.size(0), query.size(1)};
}

void check_ranks(const Tensor& query, const Tensor& key, const Tensor& value) {
  if (query.dim() != 2 && query.dim() != 3)
    fail_input("attention expects a query of rank 2 or 3, got rank ", query.dim());
  if (key.dim() != query.dim() || value.dim() != query.dim())
    fail_input("attention: query, key and value must have the same rank, got ", query.dim(), ", ", key.dim(), " and ",
               value.dim());
}

void check_mask(const Tensor& mask, const Extents& of, SymInt keys) {
  bool fits = mask.dim() == 2 || (mask.dim() == 3 && mask.size(0) == of.heads());
  if (!fits || mask.size(-2) != of.length || mask.size(-1) != keys)
    fail_input("attention: attn_mask of rank ", mask.dim(), " should be of [", of.length.str(), ", ", keys.str(),
               "], or of that for each of ", of.heads().str(), " heads");
}

// [length, batch, heads size] to [batch heads, length, size]
Tensor by_head(const Tensor& x, const Extents& of) {
  return x.view({x.size(0), of.heads(), of.head_dim()}).transpose(0, 1);
}

// One more key that is zero.
Tensor with_zero(const Tensor& x) {
  Tensor zero = torch::zeros({x.size(0), 1, x.size(2)}, {x.dtype(), x.device()});
  return torch::cat(std::array{x, zero}, 1);
}

// Of all keys of a sequence, for each head and query: what is added to the scores.
Tensor merged(const Masks& masks, const Extents& of, SymInt keys) {
  if (!masks.padding.defined()) return masks.attention;
  Tensor each = masks.padding.view({of.batch, 1, 1, keys}).expand({-1, of.num_heads, -1, -1});
  each = each.reshape({of.heads(), 1, keys});
  return masks.attention.defined() ? masks.attention + each : each;
}

// softmax(q k^T / sqrt(size) + mask)
Tensor weights_of(const Projected& x, const Tensor& mask) {
  Tensor scaled = x.query * std::sqrt(1.0 / static_cast<double>(x.query.size(-1).value()));
  Tensor turned = x.key.transpose(-2, -1);
  Tensor scores = mask.defined() ? torch::baddbmm(mask, scaled, turned) : scaled.bmm(turned);
  return softmax(scores, -1);
}

// Without weights it is one operator.
Tensor fused(const Projected& x, Tensor mask, const Extents& of, double dropout_p, bool is_causal) {
  SymInt keys = x.key.size(1);
  if (mask.defined()) {
    bool is_shared = mask.size(0) == 1 && mask.dim() == 3;
    mask = is_shared ? mask.unsqueeze(0) : mask.view({of.batch, of.num_heads, -1, keys});
  }
  Tensor q = x.query.view({of.batch, of.num_heads, of.length, of.head_dim()});
  Tensor k = x.key.view({of.batch, of.num_heads, keys, of.head_dim()});
  Tensor v = x.value.view({of.batch, of.num_heads, keys, of.head_dim()});
  Tensor output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal);
  return output.permute({2, 0, 1, 3}).reshape({of.batch * of.length, of.embed_dim});
}

}  // namespace

TensorTuple2 multi_head_attention_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                          int64_t embed_dim_to_check, int64_t num_heads, const Tensor& in_proj_weight,
                                          const Tensor& in_proj_bias, const Tensor& bias_k, const Tensor& bias_v,
                                          bool add_zero_attn, double dropout_p, const Tensor& out_proj_weight,
                                          const Tensor& out_proj_bias, const MultiHeadOptions& options) {
  WithoutReference plain;
  check_ranks(query, key, value);
  bool is_batched = query.dim() == 3;
  Projected x{query, key, value};
  Tensor padding = options.key_padding_mask;
  if (!is_batched) {
    x = {query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)};
    if (padding.defined()) padding = padding.unsqueeze(0);
  }
  Extents of = extents_of(x.query, embed_dim_to_check, num_heads);
  Masks masks = masks_of(padding, x.query.dtype(), options);
  if (masks.attention.defined()) check_mask(masks.attention, of, x.key.size(0));

  x = options.use_separate_proj_weight ? project_apart(x.query, x.key, x.value, in_proj_bias, options)
                                       : project_packed(x.query, x.key, x.value, in_proj_weight, in_proj_bias);
  if (masks.attention.defined() && masks.attention.dim() == 2) masks.attention = masks.attention.unsqueeze(0);
  if (bias_k.defined() != bias_v.defined()) fail_input("attention: bias_k and bias_v come together");
  if (bias_k.defined()) {
    x.key = torch::cat(std::array{x.key, bias_k.repeat({1, of.batch, 1})});
    x.value = torch::cat(std::array{x.value, bias_v.repeat({1, of.batch, 1})});
    masks.add_key();
  }
  x.query = by_head(x.query, of);
  x.key = options.static_k.defined() ? options.static_k : by_head(x.key, of);
  x.value = options.static_v.defined() ? options.static_v : by_head(x.value, of);
  if (add_zero_attn) {
    x.key = with_zero(x.key);
    x.value = with_zero(x.value);
    masks.add_key();
  }

  SymInt keys = x.key.size(1);
  Tensor mask = merged(masks, of, keys), output, weights;
  if (!options.training) dropout_p = 0.0;
  if (options.need_weights) {
    weights = weights_of(x, mask);
    if (dropout_p > 0) weights = dropout(weights, dropout_p);
    output = weights.bmm(x.value).transpose(0, 1).reshape({of.length * of.batch, of.embed_dim});
  } else {
    output = fused(x, mask, of, dropout_p, masks.causal);
  }
  output = linear(output, out_proj_weight, out_proj_bias);
  output = output.view({of.length, of.batch, output.size(1)});
  if (weights.defined()) {
    weights = weights.view({of.batch, of.num_heads, of.length, keys});
    if (options.average_attn_weights) weights = weights.mean(1);
  }
  if (!is_batched) {
    output = output.squeeze(1);
    if (weights.defined()) weights = weights.squeeze(0);
  }
  return {output, weights};
}

}  // namespace rung::nn::functional
