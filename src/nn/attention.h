// Attention with several heads.
#pragma once
#include "nn/linear.h"

namespace rung::nn {

struct AttentionOptions {
  double dropout = 0;
  bool bias = true;
  bool batch_first = false;
};

/// Queries, keys and values of [length, batch, embed_dim], or [batch, length, embed_dim] with batch_first.
class MultiheadAttention : public Module {
 public:
  MultiheadAttention(int64_t embed_dim, int64_t num_heads, const AttentionOptions& options = {});

  struct Masks {
    Tensor key_padding;   // [batch, keys]: true, or a number that is added
    Tensor attention;     // [queries, keys] or [batch * heads, queries, keys]: true where nothing is to be seen
    bool causal = false;  // a hint: `attention` is the causal mask
  };
  struct Result {
    Tensor output;
    Tensor weights;  // the mean over the heads; undefined if not wanted
  };
  Result attend(Tensor query, Tensor key, Tensor value, Masks masks, bool need_weights) const;
  Result attend(const Tensor& query, const Tensor& key, const Tensor& value) const {
    return attend(query, key, value, {}, true);
  }
  /// output and weights
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value);

  Tensor& in_proj_weight;  // [3 embed_dim, embed_dim]: of queries, keys, values
  Tensor& in_proj_bias;
  Linear out_proj;

 private:
  int64_t embed_dim_, num_heads_;
  AttentionOptions options_;
};

}  // namespace rung::nn
