// Masks become indices, indices are broadcast, and each result element finds its place.
#include "ops/indexing.h"

#include <algorithm>

namespace rung::ops {
namespace {

using ref::Index;
using ref::Shape;

// The index of one dimension; not given where all of the dimension is taken.
struct DimIndex {
  bool given = false;
  Shape shape;
  std::vector<int64_t> values;
};

void append_mask(std::vector<DimIndex>& out, const Tensor& mask) {
  Shape shape = ref::shape_of(mask);
  size_t first = out.size();
  out.resize(first + std::max<size_t>(shape.size(), 0));
  Index index(shape);
  for (int64_t holds : ref::values<int64_t>(mask)) {
    for (size_t dim = 0; holds != 0 && dim < shape.size(); ++dim) out[first + dim].values.push_back(index[dim]);
    index.next();
  }
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    out[first + dim].given = true;
    out[first + dim].shape = {static_cast<int64_t>(out[first + dim].values.size())};
  }
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape out = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  for (size_t i = 1; i <= shorter.size(); ++i) {
    int64_t& size = out[out.size() - i];
    int64_t other = shorter[shorter.size() - i];
    if (size == 1) size = other;
    if (other != 1 && other != size) fail_input("indices of sizes ", size, " and ", other, " do not go together");
  }
  return out;
}

}  // namespace

Picked picked_elements(const Shape& shape, TensorList indices) {
  Picked picked;
  std::vector<DimIndex> by_dim;
  for (const Tensor& index : indices) {
    bool is_mask = index.defined() && (index.dtype() == DType::kBool || index.dtype() == DType::kUInt8);
    picked.by_mask = picked.by_mask || is_mask;
    if (is_mask)
      append_mask(by_dim, index);
    else if (index.defined())
      by_dim.push_back({true, ref::shape_of(index), ref::values<int64_t>(index)});
    else
      by_dim.push_back({});
  }
  if (by_dim.size() > shape.size()) fail_input("too many indices for a tensor of rank ", shape.size());
  by_dim.resize(shape.size());

  Shape common;
  size_t first = shape.size(), last = 0, given = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (!by_dim[dim].given) continue;
    common = broadcast(common, by_dim[dim].shape);
    first = std::min(first, dim);
    last = dim;
    ++given;
  }
  bool neighbours = given > 0 && last - first + 1 == given;
  size_t at = neighbours ? first : 0;  // of the indexed dimensions, among the others
  Shape others, other_strides, strides = ref::row_major_strides(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (by_dim[dim].given) continue;
    others.push_back(shape[dim]);
    other_strides.push_back(strides[dim]);
  }
  picked.shape = others;
  picked.shape.insert(picked.shape.begin() + static_cast<ptrdiff_t>(at), common.begin(), common.end());

  Index each(picked.shape);
  for (int64_t i = 0; i < ref::count(picked.shape); ++i, each.next()) {
    int64_t place = 0;
    for (size_t dim = 0; dim < others.size(); ++dim)
      place += each[dim < at ? dim : dim + common.size()] * other_strides[dim];
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      const DimIndex& index = by_dim[dim];
      if (!index.given) continue;
      int64_t from = 0;  // the place in this index, which may be smaller than the common shape
      Shape steps = ref::row_major_strides(index.shape);
      size_t shift = common.size() - index.shape.size();
      for (size_t k = 0; k < index.shape.size(); ++k)
        if (index.shape[k] != 1) from += each[at + shift + k] * steps[k];
      int64_t value = index.values[static_cast<size_t>(from)];
      if (value < -shape[dim] || value >= shape[dim])
        fail_input("index ", value, " is out of bounds for dimension ", dim, " with size ", shape[dim]);
      place += (value < 0 ? value + shape[dim] : value) * strides[dim];
    }
    picked.places.push_back(place);
  }
  return picked;
}

}  // namespace rung::ops
