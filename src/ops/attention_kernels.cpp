// Attention as torch's CPU kernel lays its results out: the composition of the mathematics, copied into place.
#include <cmath>
#include <limits>

#include "ops/gen/aten.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

// log(sum(exp(query @ key.T * scale + mask))) of each row, which is kept for the backward pass.
Tensor log_sum_exp(const Tensor& query, const Tensor& key, const Tensor& mask, bool is_causal,
                   std::optional<double> scale) {
  DType dtype = meta::opmath_type(query.dtype());
  Tensor keys = key;
  if (query.size(1) != key.size(1)) keys = aten::repeat_interleave_self_int(key, query.size(1) / key.size(1), 1);
  keys = aten::to_dtype(aten::transpose_int(keys, -2, -1), dtype);
  Tensor scores = aten::matmul(aten::to_dtype(query, dtype), keys);
  scores = aten::mul_Scalar(scores, scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1).value()))));
  if (mask) scores = aten::add_Tensor(scores, mask);
  if (is_causal) {
    Tensor above = aten::triu(aten::ones_like(scores, DType::kBool), 1);
    scores = aten::masked_fill_Scalar(scores, above, -std::numeric_limits<double>::infinity());
  }
  return aten::logsumexp(scores, {-1});
}

std::vector<Tensor> flash_for_cpu(Tensor query, Tensor key, Tensor value, double dropout_p, bool is_causal, Tensor mask,
                                  std::optional<double> scale) {
  bool shares_heads = query.size(1) != key.size(1);
  Tensor output = aten::empty_like(query);
  aten::copy_(output, std::get<0>(aten::_scaled_dot_product_attention_math(query, key, value, mask, dropout_p,
                                                                           is_causal, {}, scale, shares_heads)));
  Tensor rows = aten::transpose_int(log_sum_exp(query, key, mask, is_causal, scale), 1, 2);
  return {output, aten::transpose_int(aten::contiguous(rows), 1, 2)};
}

constexpr KernelRow kRows[] = {
    {"aten::_scaled_dot_product_flash_attention_for_cpu", box<flash_for_cpu>},
};

}  // namespace

const std::span<const KernelRow> kAttentionKernels = kRows;

}  // namespace rung::ops
