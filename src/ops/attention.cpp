// Scaled dot product attention: which implementation torch takes on a CPU, and what each is made of.
#include <cmath>
#include <limits>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"

namespace rung::ops {
namespace {

using meta::Sizes;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- metas

std::array<const TensorMeta*, 2> meta_flash_for_cpu(Tensor query) {
  if (query.dim() != 4) fail_input("flash attention needs 4-dimensional tensors, got ", query.dim());
  Sizes sizes = {query.size(0), query.size(1), query.size(2)};
  // log sum exp is made as (batch, length, heads)
  Sizes strides = {sizes[2] * sizes[1], 1, sizes[1]};
  if (sizes[2] == 0 || sizes[1] == 0) strides = {max(sizes[2], 1) * max(sizes[1], 1), 1, max(sizes[1], 1)};
  const TensorMeta* output = meta::like(query.meta(), query.dtype());
  return {output, meta::make(sizes, strides, meta::opmath_type(query.dtype()), query.device())};
}

std::array<const TensorMeta*, 2> meta_multi_head_attention(Tensor query, Tensor, Tensor, SymInt, SymInt heads, Tensor,
                                                           Tensor, Tensor out_weight, Tensor, Tensor, bool need_weights,
                                                           bool average_weights) {
  auto of = [&](SymInts sizes) { return meta::contiguous(sizes, query.dtype(), query.device()); };
  if (query.numel() == 0) return {of(query.sizes()), of(Sizes{0})};
  SymInt batch = query.size(0), length = query.size(1);
  const TensorMeta* output = of(Sizes{batch, length, out_weight.size(0)});
  if (!need_weights) return {output, of(Sizes{0})};
  return {output, average_weights ? of(Sizes{batch, length, length}) : of(Sizes{batch, heads, length, length})};
}

// ---- masks

// A mask of bools says what takes part; the others get -inf added.
Tensor additive_mask(const Tensor& mask, DType dtype) {
  if (!mask || mask.dtype() != DType::kBool) return mask;
  Tensor minus_infinity = aten::scalar_tensor(-kInfinity, dtype, std::nullopt, mask.device());
  return aten::where_ScalarSelf(mask, 0.0, minus_infinity);
}

Tensor additive_mask_2_2(const Tensor& mask, DType dtype) {
  Tensor zeros = aten::zeros_like(mask, dtype);
  Tensor left_out = aten::logical_not(mask);
  return aten::masked_fill_Scalar(zeros, left_out, -kInfinity);
}

// Position i attends to positions up to i.
Tensor causal_mask(const Tensor& query, const Tensor& key) {
  Tensor all = aten::ones({query.size(-2), key.size(-2)}, DType::kBool, query.layout(), query.device());
  return aten::tril(all);
}

// ---- the choice

bool mask_suits_flash(const Tensor& mask, const Tensor& query, const Tensor& key) {
  if (!mask) return true;
  if (mask.meta().requires_grad) return false;
  auto is_one_or = [](SymInt size, SymInt other) { return size == 1 || size == other; };
  if (!is_one_or(mask.size(-2), query.size(2)) || !is_one_or(mask.size(-1), key.size(2))) return false;
  if (mask.dim() == 2) return true;
  return mask.dim() == 4 && is_one_or(mask.size(0), query.size(0)) && is_one_or(mask.size(1), query.size(1));
}

bool heads_suit_flash(const Tensor& query, const Tensor& key, const Tensor& value, bool enable_gqa) {
  if (query.size(0) != key.size(0) || query.size(0) != value.size(0) || key.size(1) != value.size(1)) return false;
  if (query.size(1) == key.size(1)) return true;
  return enable_gqa && key.size(1) != 0 && query.size(1) % key.size(1) == 0;
}

bool takes_flash(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double dropout_p,
                 bool enable_gqa) {
  if (query.device().type != "cpu" || dropout_p > 0) return false;
  for (const Tensor* x : {&query, &key, &value})
    if (x->dim() != 4 || x->stride(-1) != 1) return false;
  if (!heads_suit_flash(query, key, value, enable_gqa) || !mask_suits_flash(mask, query, key)) return false;
  if (query.size(3) != key.size(3) || query.size(3) != value.size(3)) return false;
  if (query.size(2) == 0 || key.size(2) == 0) return false;
  DType dtype = query.dtype();
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kBFloat16 || dtype == DType::kFloat16;
}

void require_attention_inputs(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  if (query.dtype() != key.dtype() || query.dtype() != value.dtype())
    fail_input("attention: query, key and value have dtypes ", info(query.dtype()).name, ", ", info(key.dtype()).name,
               " and ", info(value.dtype()).name);
  for (const Tensor* x : {&query, &key, &value})
    if (x->dim() < 2) fail_input("attention: query, key and value must be at least 2-dimensional, got ", x->dim());
  if (mask && mask.dtype() != DType::kBool && mask.dtype() != DType::kFloat32 && mask.dtype() != query.dtype())
    fail_input("attention: the mask must be of bool, float32 or the dtype of the query, it is of ",
               info(mask.dtype()).name);
}

// Nothing to attend to: zeros, tied to the inputs by a sum times 0.
Tensor empty_attention(const Tensor& query, const Tensor& key, const Tensor& value, SymInts shape) {
  Tensor zeros = aten::zeros(shape, query.dtype(), query.layout(), query.device());
  Tensor value_sum = aten::sum(value);
  Tensor key_sum = aten::sum(key);
  Tensor query_sum = aten::sum(query);
  Tensor sum = aten::add_Tensor(query_sum, key_sum);
  sum = aten::add_Tensor(sum, value_sum);
  sum = aten::mul_Scalar(sum, 0);
  return aten::add_Tensor(zeros, sum);
}

Tensor scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor attn_mask, double dropout_p,
                                    bool is_causal, std::optional<double> scale, bool enable_gqa) {
  require_attention_inputs(query, key, value, attn_mask);
  Sizes out(query.sizes().begin(), query.sizes().end() - 1);
  out.push_back(value.size(-1));
  if (meta::numel(out) == 0 || key.size(-2) == 0) return empty_attention(query, key, value, out);
  bool flash = takes_flash(query, key, value, attn_mask, dropout_p, enable_gqa);
  Tensor mask = additive_mask(attn_mask, query.dtype());
  if (flash)
    return std::get<0>(
        aten::_scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout_p, is_causal, mask, scale));
  return std::get<0>(
      aten::_scaled_dot_product_attention_math(query, key, value, mask, dropout_p, is_causal, {}, scale, enable_gqa));
}

// ---- the implementations

// Heads of key and value that several heads of the query share are repeated.
Tensor repeat_heads(const Tensor& x, const Tensor& query) {
  if (query.size(-3) % x.size(-3) != 0)
    fail_input("attention: ", x.size(-3).str(), " heads of key or value do not divide the ", query.size(-3).str(),
               " heads of the query");
  return aten::repeat_interleave_self_int(x, query.size(-3) / x.size(-3), SymInt(-3));
}

struct Heads {
  Tensor key, value;
};

Heads shared_heads(const Tensor& query, const Tensor& key, const Tensor& value, bool enable_gqa) {
  bool equal = !enable_gqa || (query.size(-3) == key.size(-3) && query.size(-3) == value.size(-3));
  if (equal) return {key, value};
  Tensor repeated_key = repeat_heads(key, query);
  return {repeated_key, repeat_heads(value, query)};
}

struct AttentionOptions {
  double dropout_p;
  bool is_causal;
  std::optional<double> scale;
  bool enable_gqa;
  bool is_2_2 = false;
};

// softmax(q k^T * scale + mask) v; each of q and k takes the root of the scale, for precision
TensorTuple2 attention_math(Tensor query, Tensor key, Tensor value, Tensor mask, const Tensor& dropout_mask,
                            const AttentionOptions& options) {
  DType dtype = query.dtype();
  bool widens = !options.is_2_2 && (dtype == DType::kFloat16 || dtype == DType::kBFloat16);
  if (widens) {
    query = to_dtype(query, DType::kFloat32);
    key = to_dtype(key, DType::kFloat32);
    value = to_dtype(value, DType::kFloat32);
  }
  SymFloat root = sqrt(options.scale ? SymFloat(std::fabs(*options.scale)) : 1.0 / sqrt(SymFloat(query.size(-1))));
  query = aten::mul_Scalar(query, options.scale && *options.scale < 0 ? 0.0 - root : root);
  if (options.is_causal) {
    if (mask) fail_input("attention: an explicit mask should not be set when is_causal");
    mask = causal_mask(query, key);
  }
  if (mask && mask.dtype() == DType::kBool)
    mask = options.is_2_2 ? additive_mask_2_2(mask, query.dtype()) : additive_mask(mask, query.dtype());
  Heads heads = shared_heads(query, key, value, options.enable_gqa);
  key = aten::transpose_int(heads.key, -2, -1);
  key = aten::mul_Scalar(key, root);
  Tensor weights = aten::matmul(query, key);
  if (mask) weights = aten::add_Tensor(weights, mask);
  weights = options.is_2_2 ? aten::softmax_int(weights, -1) : aten::_safe_softmax(weights, -1);
  value = heads.value;
  if (options.dropout_p > 0 && dropout_mask) {
    Tensor dropped = aten::logical_not(dropout_mask);
    weights = aten::masked_fill_Scalar(weights, dropped, 0.0);
    value = aten::mul_Scalar(value, 1.0 / (1 - options.dropout_p));
  } else if (options.dropout_p > 0) {
    weights = aten::dropout(weights, options.dropout_p, true);
  }
  Tensor returned = to_dtype(weights, dtype);
  Tensor output = aten::matmul(weights, value);
  return {to_dtype(output, dtype), returned};
}

TensorTuple2 scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor mask, double dropout_p,
                                               bool is_causal, Tensor dropout_mask, std::optional<double> scale,
                                               bool enable_gqa) {
  return attention_math(query, key, value, mask, dropout_mask, {dropout_p, is_causal, scale, enable_gqa});
}

TensorTuple2 scaled_dot_product_attention_math_2_2(Tensor query, Tensor key, Tensor value, Tensor mask,
                                                   double dropout_p, bool is_causal, Tensor dropout_mask,
                                                   std::optional<double> scale) {
  return attention_math(query, key, value, mask, dropout_mask, {dropout_p, is_causal, scale, false, true});
}

// The kernel writes its output as (length, batch, heads, size); the copy gives the decomposition the same strides.
TensorTuple2 flash_for_cpu(Tensor query, Tensor key, Tensor value, double dropout_p, bool is_causal, Tensor mask,
                           std::optional<double> scale) {
  if (!is_floating(query.dtype()))
    fail_input("attention: the query must be floating, it is of ", info(query.dtype()).name);
  if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4)
    fail_input("flash attention: query, key and value must be 4-dimensional");
  if (dropout_p != 0) fail_input("flash attention on a cpu: the dropout probability must be zero, got ", dropout_p);
  if (query.size(3) != value.size(3) || key.size(3) != value.size(3))
    fail_input("flash attention: query, key and value should have the same head size");
  bool shares_heads = query.size(1) != key.size(1);
  auto [output, weights] =
      aten::_scaled_dot_product_attention_math(query, key, value, mask, dropout_p, is_causal, {}, scale, shares_heads);
  output = aten::permute(output, {2, 0, 1, 3});
  output = aten::contiguous(output);
  return {aten::permute(output, {1, 2, 0, 3}), weights};
}

// torch 2.2 calls the CPU kernel by the name of the CUDA one; of its nine results only the first has a value.
Argument flash_2_2(Tensor query, Tensor key, Tensor value, double dropout_p, bool is_causal, bool,
                   std::optional<double> scale) {
  if (query.dim() != 4) fail_input("flash attention: query, key and value must be 4-dimensional");
  auto empty_of = [](DType dtype) { return aten::empty_memory_format({}, dtype, Layout::kStrided, Device{}); };
  Tensor log_sum_exp = aten::empty_memory_format(query.sizes(), DType::kFloat32, Layout::kStrided, Device{});
  Tensor starts_q = empty_of(DType::kInt64), starts_k = empty_of(DType::kInt64);
  Tensor seed = empty_of(DType::kInt64), offset = empty_of(DType::kInt64);
  Tensor debug_mask = empty_of(query.dtype());
  Tensor output =
      std::get<0>(aten::_scaled_dot_product_attention_math(query, key, value, {}, dropout_p, is_causal, {}, scale));
  output = aten::transpose_int(output, 1, 2);
  output = aten::contiguous(output);
  output = aten::transpose_int(output, 1, 2);
  const Tensor results[] = {output, log_sum_exp, starts_q, starts_k, 0, 0, seed, offset, debug_mask};
  return box_list(results);
}

constexpr OpDef kRows[] = {
    {.op = "aten::scaled_dot_product_attention", .body = box<scaled_dot_product_attention>},
    {.op = "aten::_scaled_dot_product_attention_math",
     .body = box<scaled_dot_product_attention_math>,
     .body_2_2 = box<scaled_dot_product_attention_math_2_2>},
    {.op = "aten::_scaled_dot_product_flash_attention_for_cpu",
     .meta = box_meta<meta_flash_for_cpu>,
     .body = box<flash_for_cpu>},
    {.op = "aten::_native_multi_head_attention", .meta = box_meta<meta_multi_head_attention>},
    {.op = "aten::_scaled_dot_product_flash_attention", .body_2_2 = box<flash_2_2>},
};

}  // namespace

const std::span<const OpDef> kAttentionOps = kRows;

}  // namespace rung::ops
