// Dimensions of real tensors: which are reduced, and the elements along them.
#pragma once
#include "ref/values.h"

namespace rung::ops::dims {

/// Per dimension, whether it is reduced; nullopt and an empty list mean all.
std::vector<bool> reduced(const Tensor& self, const std::optional<SymInts>& dims);

/// A tensor as rows: each holds the elements that differ in the reduced dimensions only, in order. Rows are in the
/// order of the other dimensions.
template <ref::Carrier T>
std::vector<std::vector<T>> groups(const Tensor& self, const std::vector<bool>& is_reduced);

/// A dense tensor seen as [outer, length, inner] around one dimension; a 0-d tensor has length 1.
struct Around {
  int64_t outer = 1, length = 1, inner = 1;
  Around(const ref::Shape& shape, int64_t dim);
  size_t at(int64_t o, int64_t i, int64_t n) const { return static_cast<size_t>((o * length + i) * inner + n); }
};

}  // namespace rung::ops::dims
