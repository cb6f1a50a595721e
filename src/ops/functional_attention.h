// torch.nn.functional: attention.
#pragma once
#include "ops/gen/torch.h"

namespace rung::nn::functional {

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0.0, bool is_causal = false,
                                    std::optional<double> scale = std::nullopt, bool enable_gqa = false);

/// What multi_head_attention_forward takes by name.
struct MultiHeadOptions {
  bool training = true;
  Tensor key_padding_mask = {};  // [batch, keys]: true, or a number that is added
  bool need_weights = true;
  Tensor attn_mask = {};                  // [queries, keys] or [batch heads, queries, keys]: true where nothing is seen
  bool use_separate_proj_weight = false;  // the next three, in place of in_proj_weight
  Tensor q_proj_weight = {}, k_proj_weight = {}, v_proj_weight = {};
  Tensor static_k = {}, static_v = {};  // [batch heads, keys, head size], in place of what is projected
  bool average_attn_weights = true;     // over the heads
  bool is_causal = false;               // a hint: attn_mask is the causal mask
};

/// Attention with several heads over [length, batch, embed_dim] or [length, embed_dim]: the output, and the weights,
/// which are undefined if they are not wanted.
TensorTuple2 multi_head_attention_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                          int64_t embed_dim_to_check, int64_t num_heads, const Tensor& in_proj_weight,
                                          const Tensor& in_proj_bias, const Tensor& bias_k, const Tensor& bias_v,
                                          bool add_zero_attn, double dropout_p, const Tensor& out_proj_weight,
                                          const Tensor& out_proj_bias, const MultiHeadOptions& options = {});

/// A mask of truth values as numbers to add: minus infinity where it holds. Others stay as they are.
Tensor canonical_mask(const Tensor& mask, DType dtype);

}  // namespace rung::nn::functional
