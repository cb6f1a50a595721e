// Rows of a table, read one by one or summed up in bags.
#include "meta/layout.h"
#include "meta/promote.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

void check_index_type(std::string_view what, const Tensor& index) {
  if (index.dtype() != DType::kInt64 && index.dtype() != DType::kInt32)
    fail_input(what, " must be int32 or int64, got ", info(index.dtype()).name);
}

const TensorMeta* meta_embedding(Tensor weight, Tensor indices) {
  if (weight.dim() != 2) fail_input("embedding: the weight must be a matrix, got rank ", weight.dim());
  check_index_type("embedding: the indices", indices);
  Sizes shape(indices.sizes().begin(), indices.sizes().end());
  shape.push_back(weight.size(1));
  return meta::contiguous(shape, weight.dtype(), weight.device());
}
const TensorMeta* meta_renorm(Tensor self) { return meta::like(self.meta(), self.dtype()); }

// Rows by index: of one index or a vector of them by index_select.
Tensor reference_embedding(Tensor weight, Tensor indices) {
  if (weight.dim() != 2) fail_input("embedding: the weight must be a matrix, got rank ", weight.dim());
  if (indices.dim() > 1) return aten::index_Tensor(weight, std::array{indices});
  Tensor rows = aten::index_select(weight, 0, indices);
  return indices.dim() == 0 ? aten::squeeze_dim(rows, 0) : rows;
}

// ---- bags

constexpr int64_t kSum = 0, kMax = 2;

// Whether torch sums without noting which bag an index is in.
bool is_fast(const Tensor& weight, const Tensor& sample_weights, int64_t padding_idx) {
  return weight.stride(1) == 1 && padding_idx < 0 && (!sample_weights.defined() || sample_weights.stride(0) == 1);
}

// The bags' values, which bag each index belongs to, the bags' sizes, and where the maxima were.
std::array<const TensorMeta*, 4> bag_metas(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                                           int64_t mode, const Tensor& sample_weights, bool include_last_offset,
                                           int64_t padding_idx, bool forward_only) {
  check_index_type("embedding_bag: the indices", indices);
  check_index_type("embedding_bag: the offsets", offsets);
  SymInt bags = include_last_offset ? offsets.size(0) - 1 : offsets.size(0);
  bool fast = (weight.dtype() == DType::kFloat32 || weight.dtype() == DType::kFloat16) &&
              is_fast(weight, sample_weights, padding_idx);
  auto of_indices = [&](SymInts size) { return meta::contiguous(size, offsets.dtype(), offsets.device()); };
  SymInt assigned = mode == kSum && fast ? SymInt(0) : indices.size(0);
  Sizes maxima = mode == kMax ? Sizes{bags, weight.size(1)} : Sizes{bags};
  return {meta::contiguous(Sizes{bags, weight.size(1)}, weight.dtype(), weight.device()), of_indices(Sizes{assigned}),
          of_indices(forward_only ? Sizes{offsets.size(0)} : Sizes{bags}), of_indices(maxima)};
}
template <bool forward_only>
std::array<const TensorMeta*, 4> meta_bag(Tensor weight, Tensor indices, Tensor offsets, bool, int64_t mode, bool,
                                          Tensor sample_weights, bool include_last_offset, int64_t padding_idx) {
  return bag_metas(weight, indices, offsets, mode, sample_weights, include_last_offset, padding_idx, forward_only);
}

// The kernel sums bfloat16 the fast way too, and without a backward pass to come it reports on sums for each offset.
template <bool forward_only>
std::array<const TensorMeta*, 4> kernel_bag(Tensor weight, Tensor indices, Tensor offsets, bool, int64_t mode, bool,
                                            Tensor sample_weights, bool include_last_offset, int64_t padding_idx) {
  auto metas = bag_metas(weight, indices, offsets, mode, sample_weights, include_last_offset, padding_idx, false);
  auto of_indices = [&](SymInts size) { return meta::contiguous(size, offsets.dtype(), offsets.device()); };
  if (mode == kSum && weight.dtype() == DType::kBFloat16 && is_fast(weight, sample_weights, padding_idx))
    metas[1] = of_indices(Sizes{0});
  if (mode == kSum && forward_only) metas[2] = metas[3] = of_indices(offsets.sizes());
  return metas;
}

using Quad = std::tuple<Tensor, Tensor, Tensor, Tensor>;

// A weight that needs a gradient keeps what its backward will ask for.
Quad bag_padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad, int64_t mode, bool sparse,
                     Tensor sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx) {
  int64_t padding = padding_idx ? wrap_dim(*padding_idx, specialize(weight.size(0))) : -1;
  Tensor dense_offsets = aten::contiguous(offsets);
  Tensor dense_indices = aten::contiguous(indices);
  if (weight.meta().requires_grad)
    return aten::_embedding_bag(weight, dense_indices, dense_offsets, scale_grad, mode, sparse, sample_weights,
                                include_last_offset, padding);
  return aten::_embedding_bag_forward_only(weight, dense_indices, dense_offsets, scale_grad, mode, sparse,
                                           sample_weights, include_last_offset, padding);
}
Quad bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad, int64_t mode, bool sparse,
         Tensor sample_weights, bool include_last_offset) {
  return bag_padding_idx(weight, indices, offsets, scale_grad, mode, sparse, sample_weights, include_last_offset,
                         std::nullopt);
}

// ---- references

// Rows beyond the largest norm are scaled down to it; an index that comes twice writes the same row twice.
Tensor reference_renorm(Tensor self, Tensor indices, double largest, double norm_type) {
  Tensor places = aten::reshape(indices, {-1});
  Tensor rows = aten::index_select(self, 0, places);
  Tensor norm = aten::linalg_vector_norm(rows, norm_type, IntList{1}, true);
  Tensor shrunk = aten::mul_Tensor(aten::reciprocal(aten::add_Tensor(norm, 1e-7)), largest);
  Tensor scale = aten::where_ScalarOther(aten::gt_Scalar(norm, largest), shrunk, 1.0);
  return aten::index_put(self, std::array{places}, aten::mul_Tensor(rows, scale));
}

// Sums, means or maxima over bags of rows. What counts for no bag goes to one more at the end, which is cut off.
class Bags {
 public:
  Bags(const Tensor& indices, const Tensor& offsets, bool include_last_offset, int64_t padding_idx)
      : indices_(indices), count_(include_last_offset ? offsets.size(0) - 1 : offsets.size(0)) {
    positions_ = arange(indices.size(0), indices.device(), offsets.dtype());
    Tensor starts = include_last_offset ? aten::slice_Tensor(offsets, 0, 0, count_) : offsets;
    bag_ = aten::sub_Tensor(aten::searchsorted_Tensor(starts, positions_, false, true), 1);
    counted_ = bag_;
    if (padding_idx >= 0) counted_ = aten::where_ScalarOther(aten::ne_Scalar(indices, padding_idx), bag_, count_);
  }

  /// Only what lies before the last offset counts.
  void end_at(const Tensor& last_offset) {
    Tensor inside = aten::lt_Tensor(positions_, last_offset);
    counted_ = aten::where_ScalarOther(inside, counted_, count_);
  }

  const Tensor& bag_of_index() const { return bag_; }

  Tensor sizes() const {
    Tensor none = zeros({count_ + 1}, DType::kInt64, indices_.device());
    Tensor ones = aten::ones_like(counted_, std::nullopt, std::nullopt, std::nullopt, false);
    return without_last(aten::scatter_reduce_two(none, 0, counted_, ones, "sum"));
  }

  /// A bag without rows is 0.
  Tensor reduced(const Tensor& rows, std::string_view how) const {
    Tensor none = zeros({count_ + 1, rows.size(1)}, rows.dtype(), rows.device());
    return without_last(aten::scatter_reduce_two(none, 0, places(rows), rows, how, false));
  }

  /// The first index of each bag whose row has the maximum, column by column; 0 without rows.
  Tensor indices_of(const Tensor& maxima, const Tensor& rows) const {
    SymInt none = indices_.size(0), width = rows.size(1);
    Tensor bag = aten::clamp_max(counted_, count_ - 1);
    Tensor hit = aten::eq_Tensor(rows, aten::index_select(maxima, 0, bag));
    Tensor candidates = aten::where_ScalarOther(hit, aten::unsqueeze(to_dtype(positions_, DType::kInt64), 1), none);
    Tensor first = full({count_ + 1, width}, none, DType::kInt64, rows.device());
    first = without_last(aten::scatter_reduce_two(first, 0, places(rows), candidates, "amin"));
    Tensor zero = zeros({1}, indices_.dtype(), indices_.device());
    return aten::index_Tensor(aten::cat(std::array{indices_, zero}), std::array{first});
  }

 private:
  Tensor places(const Tensor& rows) const { return aten::expand(aten::unsqueeze(counted_, 1), rows.sizes()); }
  Tensor without_last(const Tensor& x) const { return aten::slice_Tensor(x, 0, 0, count_); }

  Tensor indices_, positions_, bag_, counted_;
  SymInt count_;
};

template <bool forward_only>
Quad reference_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad, int64_t mode, bool sparse,
                   Tensor sample_weights, bool include_last_offset, int64_t padding_idx) {
  constexpr std::string_view kReductions[] = {"sum", "mean", "amax"};
  if (mode < kSum || mode > kMax) fail_input("embedding_bag: mode must be 0, 1 or 2, got ", mode);
  auto metas = kernel_bag<forward_only>(weight, indices, offsets, scale_grad, mode, sparse, sample_weights,
                                        include_last_offset, padding_idx);
  bool is_fast_sum = mode == kSum && weight.dtype() != DType::kFloat64 && is_fast(weight, sample_weights, padding_idx);
  Bags bags(indices, offsets, include_last_offset, padding_idx);
  if (is_fast_sum && include_last_offset) bags.end_at(aten::select_int(offsets, 0, -1));
  Tensor rows = aten::index_select(weight, 0, indices);
  if (sample_weights) rows = aten::mul_Tensor(rows, aten::unsqueeze(sample_weights, 1));
  Tensor result = bags.reduced(rows, kReductions[mode]);
  auto nothing = [&](size_t i) { return zeros(metas[i]->sizes, offsets.dtype(), offsets.device()); };
  Tensor bag_of_index = is_fast_sum ? nothing(1) : to_dtype(bags.bag_of_index(), offsets.dtype());
  if (mode == kSum) {
    Tensor sizes = nothing(2);
    return {result, bag_of_index, sizes, nothing(3)};
  }
  Tensor sizes = to_dtype(bags.sizes(), offsets.dtype());
  Tensor maxima = mode == kMax ? to_dtype(bags.indices_of(result, rows), offsets.dtype()) : sizes;
  return {result, bag_of_index, sizes, maxima};
}

// ---- backward

// Gradients are added up by index, where the index is valid and not the padding's.
Tensor embedding_dense_backward(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx,
                                bool scale_grad_by_freq) {
  ComputeTypes types = compute_types({grad});
  Tensor gradient = types.up(grad);
  Tensor index = to_dtype(indices, DType::kInt64);
  Tensor not_negative = aten::ge_Scalar(index, 0);
  Tensor valid = aten::bitwise_and_Tensor(not_negative, aten::lt_Scalar(index, num_weights));
  const std::array places{index};
  if (scale_grad_by_freq) {
    Tensor counts = aten::new_zeros(index, {num_weights}, std::nullopt, std::nullopt, std::nullopt, false);
    Tensor ones = aten::ones_like(index, std::nullopt, std::nullopt, std::nullopt, false);
    counts = aten::_unsafe_masked_index_put_accumulate(counts, valid, places, ones);
    Tensor scale = aten::_unsafe_masked_index(counts, valid, places, 1);
    gradient = aten::div_Tensor(gradient, aten::unsqueeze(scale, -1));
  }
  Tensor mask = aten::bitwise_and_Tensor(valid, aten::ne_Scalar(index, padding_idx));
  for (int64_t i = mask.dim(); i < gradient.dim(); ++i) mask = aten::unsqueeze(mask, -1);
  Sizes shape{num_weights};
  shape.insert(shape.end(), gradient.sizes().begin() + index.dim(), gradient.sizes().end());
  Tensor zero = aten::new_zeros(gradient, shape, std::nullopt, std::nullopt, std::nullopt, false);
  return types.down(aten::_unsafe_masked_index_put_accumulate(zero, mask, places, gradient));
}

constexpr OpDef kRows[] = {
    {.op = "aten::embedding", .meta = box_meta<meta_embedding>, .reference = box<reference_embedding>},
    {.op = "aten::embedding_renorm", .meta = box_meta<meta_renorm>, .reference = box<reference_renorm>},
    {.op = "aten::embedding_bag", .body = box<bag>},
    {.op = "aten::embedding_bag.padding_idx", .body = box<bag_padding_idx>},
    {.op = "aten::_embedding_bag",
     .meta = box_meta<meta_bag<false>>,
     .kernel_meta = box_meta<kernel_bag<false>>,
     .reference = box<reference_bag<false>>},
    {.op = "aten::_embedding_bag_forward_only",
     .meta = box_meta<meta_bag<true>>,
     .kernel_meta = box_meta<kernel_bag<true>>,
     .reference = box<reference_bag<true>>},
    {.op = "aten::embedding_dense_backward", .body = box<embedding_dense_backward>},
};

}  // namespace

const std::span<const OpDef> kEmbeddingOps = kRows;

}  // namespace rung::ops
