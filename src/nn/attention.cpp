// The weights of attention; what is done with them is a function.
#include "nn/attention.h"

#include "nn/init.h"
#include "ops/functional_attention.h"
#include "ops/gen/aten.h"

namespace rung::nn {
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

MultiheadAttention::Result MultiheadAttention::attend(Tensor query, Tensor key, Tensor value, Masks masks,
                                                      bool need_weights) const {
  masks.key_padding = functional::canonical_mask(masks.key_padding, query.dtype());
  masks.attention = functional::canonical_mask(masks.attention, query.dtype());
  bool turned = options_.batch_first && query.dim() == 3;
  if (turned) {
    bool one = query.same(key), two = key.same(value);
    query = aten::transpose_int(query, 1, 0);
    key = one && two ? query : aten::transpose_int(key, 1, 0);
    value = two ? key : aten::transpose_int(value, 1, 0);
  }
  auto [output, weights] =
      functional::multi_head_attention_forward(query, key, value, embed_dim_, num_heads_, in_proj_weight, in_proj_bias,
                                               {}, {}, false, options_.dropout, out_proj.weight, out_proj.bias,
                                               {.training = is_training(),
                                                .key_padding_mask = masks.key_padding,
                                                .need_weights = need_weights,
                                                .attn_mask = masks.attention,
                                                .is_causal = masks.causal});
  return {turned ? aten::transpose_int(output, 1, 0) : output, weights};
}

std::tuple<Tensor, Tensor> MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value) {
  Result result = attend(query, key, value);
  return {result.output, result.weights};
}

}  // namespace rung::nn
