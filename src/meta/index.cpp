// What the result of an index keeps of the order of the indexed tensor.
#include "meta/index.h"

#include <algorithm>

#include "base/error.h"
#include "meta/pointwise.h"
#include "meta/view.h"

namespace rung::meta {
namespace {

void check_indices(const Tensor& self, TensorList indices) {
  if (static_cast<int64_t>(indices.size()) > self.dim())
    fail_input("index: ", indices.size(), " indices for a tensor of rank ", self.dim());
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    if (index.dtype() == DType::kBool || index.dtype() == DType::kUInt8 || index.dtype() == DType::kInt8)
      fail_unsupported("index with a mask: the size of its result depends on values");
    if (index.dtype() != DType::kInt64 && index.dtype() != DType::kInt32)
      fail_input("index: indices must be integers or bools, got ", info(index.dtype()).name);
  }
}

bool adjacent(const std::vector<bool>& indexed) {
  auto first = std::find(indexed.begin(), indexed.end(), true);
  auto last = std::find(indexed.rbegin(), indexed.rend(), true).base();
  return std::find(first, last, false) == last;
}

// The strides of a fresh tensor whose dimensions lie in memory as `order` says, slowest first.
Sizes strides_in_order(const Sizes& shape, const std::vector<size_t>& order) {
  Sizes strides(shape.size());
  SymInt step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= max(shape[order[i]], 1);
  }
  return strides;
}

}  // namespace

const TensorMeta* index(const Tensor& self, TensorList indices) {
  check_indices(self, indices);
  size_t rank = self.sizes().size();
  std::vector<bool> indexed(rank);
  for (size_t i = 0; i < indices.size(); ++i) indexed[i] = indices[i].defined();
  if (std::find(indexed.begin(), indexed.end(), true) == indexed.end())
    fail_input("index: at least one index must be given");
  std::vector<size_t> dims(rank);
  for (size_t i = 0; i < rank; ++i) dims[i] = i;
  if (!adjacent(indexed)) std::stable_partition(dims.begin(), dims.end(), [&](size_t dim) { return indexed[dim]; });

  Sizes read = broadcast_sizes(indices), shape, strides;
  bool inserted = false;
  for (size_t dim : dims) {
    if (!indexed[dim]) {
      shape.push_back(self.sizes()[dim]);
      strides.push_back(self.strides()[dim]);
    } else if (!inserted) {
      shape.insert(shape.end(), read.begin(), read.end());
      strides.resize(shape.size(), 0);
      inserted = true;
    }
  }
  if (numel(self.sizes()) == 0) return contiguous(shape, self.dtype(), self.device());
  TensorMeta pattern = self.meta();
  pattern.sizes = shape;
  pattern.strides = strides;
  return make(shape, strides_in_order(shape, physical_order(pattern)), self.dtype(), self.device());
}

const TensorMeta* with_strides_kept(const TensorMeta& self) {
  bool overlaps = false;
  for (size_t i = 0; i < self.rank(); ++i) overlaps = overlaps || (self.strides[i] == 0 && self.sizes[i] > 1);
  if (overlaps && !is_non_overlapping_and_dense(self)) return like(self, self.dtype);
  return make(self.sizes, self.strides, self.dtype, self.device, self.storage_offset);
}

}  // namespace rung::meta
