// Rows of a table by their numbers.
#pragma once
#include "nn/module.h"

namespace rung::nn {

class Embedding : public Layer {
 public:
  /// The row `padding_idx` starts as zeros.
  Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx = std::nullopt);
  Tensor forward(const Tensor& input) override;

  Tensor& weight;  // [num_embeddings, embedding_dim]

 private:
  int64_t padding_idx_;  // -1: none
};

}  // namespace rung::nn
