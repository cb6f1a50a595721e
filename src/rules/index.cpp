// Reads at places by each other.
#include <limits>

#include "meta/view.h"
#include "ops/factory.h"
#include "rules/body.h"
#include "rules/families.h"
#include "shape/shape_env.h"

namespace rung::rules {
namespace {

bool holds_places(const Tensor& index) {
  return index.defined() && (index.dtype() == DType::kInt64 || index.dtype() == DType::kInt32);
}

// The sizes of a read along `dim`: the index's in the place of that dimension.
std::vector<SymInt> read_sizes(const Tensor& self, int64_t dim, const Tensor& index) {
  std::vector<SymInt> sizes(self.sizes().begin(), self.sizes().begin() + dim);
  sizes.insert(sizes.end(), index.sizes().begin(), index.sizes().end());
  sizes.insert(sizes.end(), self.sizes().begin() + dim + 1, self.sizes().end());
  return sizes;
}

// The places in one dimension: a view where they lie so, else a copy.
Tensor flat(const Tensor& places) {
  if (places.dim() == 1) return places;
  const SymInt count = places.numel();
  const bool has_view = meta::view_if_any(places.meta(), {&count, 1}) != nullptr;
  return has_view ? aten::view(places, {count}) : aten::reshape(places, {count});
}

// A read of rows by their places, all of which count from the start.
MaybeTensor embedding_by_select(Tensor weight, Tensor indices) {
  if (weight.dim() != 2) return std::nullopt;
  Tensor rows = aten::index_select(weight, 0, flat(indices));
  return indices.dim() == 1 ? rows : aten::view(rows, read_sizes(weight, 0, indices));
}
MaybeTensor embedding_by_index(Tensor weight, Tensor indices) {
  if (weight.dim() != 2) return std::nullopt;
  return aten::index_Tensor(weight, std::array{indices});
}

// The one dimension that is indexed; nothing where there are several, or the index is a mask.
struct OneIndex {
  int64_t dim;
  Tensor index;
};
std::optional<OneIndex> one_index(TensorList indices) {
  std::optional<OneIndex> one;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].defined()) continue;
    if (one || !holds_places(indices[i])) return std::nullopt;
    one = OneIndex{static_cast<int64_t>(i), indices[i]};
  }
  return one;
}

// Negative places count from the end here, and not in index_select.
Tensor from_start(const Tensor& index, SymInt size) {
  Tensor is_negative = aten::lt_Scalar(index, 0);
  Tensor wrapped = aten::add_Tensor(index, Tensor(Scalar(size)));
  return aten::where_self(is_negative, wrapped, index);
}

MaybeTensor index_by_select(Tensor self, TensorList indices) {
  const std::optional<OneIndex> one = one_index(indices);
  if (!one) return std::nullopt;
  Tensor places = from_start(one->index, self.size(one->dim));
  Tensor rows = aten::index_select(self, one->dim, flat(places));
  return places.dim() == 1 ? rows : aten::view(rows, read_sizes(self, one->dim, one->index));
}

// A count along each dimension of `sizes`, shaped to broadcast with the others.
Tensor counter(SymInts sizes, size_t dim, const Device& device) {
  std::vector<SymInt> shape(sizes.size(), 1);
  shape[dim] = sizes[dim];
  Tensor count = aten::arange_start_step(0, Scalar(sizes[dim]), 1, DType::kInt64, std::nullopt, device, false);
  return aten::view(count, shape);
}

// Every dimension up to the last indexed one gets an index: those before the indexed ones a counter.
MaybeTensor index_with_counters(Tensor self, TensorList indices) {
  size_t first = 0;
  while (first < indices.size() && !indices[first].defined()) ++first;
  if (first == 0 || first == indices.size()) return std::nullopt;
  int64_t rank = 0;
  for (size_t i = first; i < indices.size(); ++i) {
    if (!holds_places(indices[i])) return std::nullopt;
    rank = std::max(rank, indices[i].dim());
  }
  std::vector<SymInt> sizes(self.sizes().begin(), self.sizes().begin() + static_cast<std::ptrdiff_t>(first));
  sizes.resize(first + static_cast<size_t>(rank), 1);
  std::vector<Tensor> all;
  for (size_t i = 0; i < first; ++i) all.push_back(counter(sizes, i, self.device()));
  all.insert(all.end(), indices.begin() + static_cast<std::ptrdiff_t>(first), indices.end());
  return aten::index_Tensor(self, all);
}

Tensor select_by_index(Tensor self, int64_t dim, Tensor index) {
  std::vector<Tensor> indices(static_cast<size_t>(wrap_dim(dim, self.dim())) + 1);
  indices.back() = index;
  return aten::index_Tensor(self, indices);
}
MaybeTensor select_by_embedding(Tensor self, int64_t dim, Tensor index) {
  if (self.dim() != 2 || wrap_dim(dim, 2) != 0) return std::nullopt;
  return aten::embedding(self, index);
}
// The place, repeated over all other dimensions.
MaybeTensor select_by_gather(Tensor self, int64_t dim, Tensor index) {
  const int64_t at = wrap_dim(dim, self.dim());
  if (self.dim() == 0 || index.dim() != 1 || index.dtype() != DType::kInt64) return std::nullopt;
  std::vector<SymInt> shape(self.sizes().size(), 1), full(self.sizes().begin(), self.sizes().end());
  shape[static_cast<size_t>(at)] = full[static_cast<size_t>(at)] = index.size(0);
  Tensor places = aten::expand(aten::view(index, shape), full);
  return aten::gather(self, at, places);
}

// Counters in all other dimensions.
MaybeTensor gather_by_index(Tensor self, int64_t dim, Tensor index) {
  if (self.dim() == 0 || index.dim() != self.dim()) return std::nullopt;
  const auto at = static_cast<size_t>(wrap_dim(dim, self.dim()));
  std::vector<Tensor> indices;
  for (size_t i = 0; i < self.sizes().size(); ++i)
    indices.push_back(i == at ? index : counter(index.sizes(), i, index.device()));
  return aten::index_Tensor(self, indices);
}

// ---- places of 32 bits where those of 64 are not taken, and a dimension is short enough for them

// Whether every place along `dim` fits into 32 bits, whatever the sizes are.
bool is_short(const Tensor& x, int64_t dim) {
  const SymInt size = x.size(dim);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return size.is_int() ? size.value() <= kMost : statically_known(SymOp::kLe, size, kMost);
}
bool is_long_place(const Tensor& index) { return index.defined() && index.dtype() == DType::kInt64; }
Tensor narrowed(const Tensor& index) { return aten::_to_copy(index, DType::kInt32); }

MaybeTensor embedding_of_short(Tensor weight, Tensor indices, SymInt padding, bool scales, bool sparse) {
  if (!is_long_place(indices) || !is_short(weight, 0)) return std::nullopt;
  return aten::embedding(weight, narrowed(indices), padding, scales, sparse);
}
MaybeTensor select_of_short(Tensor self, int64_t dim, Tensor index) {
  if (!is_long_place(index) || self.dim() == 0 || !is_short(self, dim)) return std::nullopt;
  return aten::index_select(self, dim, narrowed(index));
}
MaybeTensor index_of_short(Tensor self, TensorList indices) {
  std::vector<Tensor> places(indices.begin(), indices.end());
  bool any = false;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i].defined()) continue;
    if (!is_long_place(places[i]) || !is_short(self, static_cast<int64_t>(i))) return std::nullopt;
    places[i] = narrowed(places[i]);
    any = true;
  }
  if (!any) return std::nullopt;
  return aten::index_Tensor(self, places);
}

// ---- without checks of the places, and with

Tensor index_checked(Tensor self, TensorList indices) { return aten::index_Tensor(self, indices); }
Tensor put_checked(Tensor self, TensorList indices, Tensor values, bool accumulate) {
  return aten::index_put(self, indices, values, accumulate);
}

// ---- orders

std::tuple<Tensor, Tensor> sort_stably(Tensor self, SymInt dim, bool descending) {
  return aten::sort_stable(self, true, dim, descending);
}
std::optional<std::tuple<Tensor, Tensor>> sort_in_any_order(Tensor self, std::optional<bool> stable, SymInt dim,
                                                            bool descending) {
  if (stable.value_or(false)) return std::nullopt;  // equal elements may change places
  return aten::sort(self, dim, descending);
}
// the first k of all, in order
std::tuple<Tensor, Tensor> topk_by_sort(Tensor self, SymInt k, SymInt dim, bool largest) {
  auto [values, places] = aten::sort(self, dim, largest);
  Tensor best = aten::slice_Tensor(values, dim, 0, k);
  Tensor where = aten::slice_Tensor(places, dim, 0, k);
  return {aten::clone(best, MemoryFormat::kContiguous), aten::clone(where, MemoryFormat::kContiguous)};
}

constexpr LateralRule kRows[] = {
    {"aten::embedding", {"index_select", lateral<embedding_by_select>}},
    {"aten::embedding", {"index", lateral<embedding_by_index>}},
    {"aten::index.Tensor", {"counters for what is not indexed", lateral<index_with_counters>}},
    {"aten::index.Tensor", {"index_select", lateral<index_by_select>}},
    {"aten::index_select", {"index", lateral<select_by_index>}},
    {"aten::index_select", {"embedding", lateral<select_by_embedding>}},
    {"aten::index_select", {"gather", lateral<select_by_gather>}},
    {"aten::gather", {"index with counters", lateral<gather_by_index>}},
    {"aten::embedding", {"places of 32 bits", lateral<embedding_of_short>}},
    {"aten::index_select", {"places of 32 bits", lateral<select_of_short>}},
    {"aten::index.Tensor", {"places of 32 bits", lateral<index_of_short>}},
    {"aten::_unsafe_index.Tensor", {"index", lateral<index_checked>}},
    {"aten::_unsafe_index_put", {"index_put", lateral<put_checked>}},
    {"aten::sort", {"stable sort", lateral<sort_stably>}},
    {"aten::sort.stable", {"sort", lateral<sort_in_any_order>}},
    {"aten::topk", {"sort", lateral<topk_by_sort>}},
};

}  // namespace

const std::span<const LateralRule> kIndexRules = kRows;

}  // namespace rung::rules
