// The table is drawn from the normal distribution.
#include "nn/embedding.h"

#include "nn/init.h"
#include "ops/gen/aten.h"

namespace rung::nn {

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx)
    : weight(register_parameter("weight", init::empty({num_embeddings, embedding_dim}))),
      padding_idx_(padding_idx ? wrap_dim(*padding_idx, num_embeddings) : -1) {
  aten::normal_(weight);
  if (padding_idx) aten::fill__Scalar(aten::select_int(weight, 0, padding_idx_), 0);
}
Tensor Embedding::forward(const Tensor& input) { return aten::embedding(weight, input, padding_idx_); }

}  // namespace rung::nn
