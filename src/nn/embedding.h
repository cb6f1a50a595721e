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

struct EmbeddingBagOptions {
  std::string mode = "mean";  // or "sum", "max"
  std::optional<double> max_norm = std::nullopt;
  double norm_type = 2.0;
  bool scale_grad_by_freq = false;
  bool sparse = false;
  bool include_last_offset = false;
  std::optional<int64_t> padding_idx = std::nullopt;
};

/// Bags of rows, each of which becomes one: bag(input) of rows, bag.of(input, offsets).
class EmbeddingBag : public Layer {
 public:
  EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim, const EmbeddingBagOptions& options = {});
  Tensor forward(const Tensor& input) override { return of(input); }
  Tensor of(const Tensor& input, const Tensor& offsets = {}, const Tensor& per_sample_weights = {}) const;

  Tensor& weight;  // [num_embeddings, embedding_dim]

 private:
  EmbeddingBagOptions options_;
};

}  // namespace rung::nn
