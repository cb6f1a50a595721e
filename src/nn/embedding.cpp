// The tables are drawn from the normal distribution.
#include "nn/embedding.h"

#include "nn/init.h"
#include "ops/functional_norm.h"
#include "ops/gen/aten.h"

namespace rung::nn {

static void draw_(const Tensor& weight, std::optional<int64_t> padding_idx) {
  aten::normal_(weight);
  if (padding_idx) aten::fill__Scalar(aten::select_int(weight, 0, *padding_idx), 0);
}

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx)
    : weight(register_parameter("weight", init::empty({num_embeddings, embedding_dim}))),
      padding_idx_(padding_idx ? wrap_dim(*padding_idx, num_embeddings) : -1) {
  draw_(weight, padding_idx);
}
Tensor Embedding::forward(const Tensor& input) { return aten::embedding(weight, input, padding_idx_); }

EmbeddingBag::EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim, const EmbeddingBagOptions& options)
    : weight(register_parameter("weight", init::empty({num_embeddings, embedding_dim}))), options_(options) {
  if (options_.padding_idx) options_.padding_idx = wrap_dim(*options_.padding_idx, num_embeddings);
  draw_(weight, options_.padding_idx);
}
Tensor EmbeddingBag::of(const Tensor& input, const Tensor& offsets, const Tensor& per_sample_weights) const {
  const auto& [mode, max_norm, norm_type, scale_grad_by_freq, sparse, include_last_offset, padding_idx] = options_;
  return functional::embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse,
                                   per_sample_weights, include_last_offset, padding_idx);
}

}  // namespace rung::nn
