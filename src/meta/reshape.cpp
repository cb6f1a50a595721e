// What torch's fake tensors make of a view: its reference algorithm goes from the left and merges and splits
// dimensions only where it must, so dimensions of size 1 may get other strides than from view_strides, and symbolic
// sizes another form than they were asked for in.
#include <algorithm>

#include "meta/view.h"
#include "shape/shape_env.h"

namespace rung::meta {
namespace {

struct Shape : ViewShape {
  static ptrdiff_t at(size_t dim) { return static_cast<ptrdiff_t>(dim); }

  // Dimensions first..last become one; false if their strides do not nest. `chunk` is their common size.
  bool merge(size_t first, size_t last, SymInt chunk) {
    SymInt stride = strides[last];
    for (size_t dim = last; dim-- > first;) {
      bool nested = sizes[dim] == 1 || sizes[dim + 1] == 1 || strides[dim] == strides[dim + 1] * sizes[dim + 1];
      if (!nested) return false;
      if (sizes[dim] != 1) stride = current_shape_env().smaller(stride, strides[dim]);
    }
    sizes.erase(sizes.begin() + at(first) + 1, sizes.begin() + at(last) + 1);
    strides.erase(strides.begin() + at(first) + 1, strides.begin() + at(last) + 1);
    sizes[first] = chunk;
    strides[first] = stride;
    return true;
  }

  // The dimension becomes two, of sizes `outer` and the rest.
  void split(size_t dim, SymInt outer) {
    SymInt inner = sizes[dim] / outer;
    sizes[dim] = inner;
    sizes.insert(sizes.begin() + at(dim), outer);
    strides.insert(strides.begin() + at(dim), strides[dim] * inner);
  }
};

std::optional<ViewShape> by_merging_and_splitting(const TensorMeta& base, SymInts wanted) {
  Shape shape{{Sizes(base.sizes.begin(), base.sizes.end()), Sizes(base.strides.begin(), base.strides.end())}};
  for (size_t dim = 0; dim < wanted.size(); ++dim) {
    if (dim >= shape.sizes.size()) {  // trailing dimensions of size 1
      shape.split(shape.sizes.size() - 1, shape.sizes.back());
      continue;
    }
    if (wanted[dim] == shape.sizes[dim]) continue;
    SymInt chunk = shape.sizes[dim];
    size_t last = dim;
    while (chunk % wanted[dim] != 0) {
      if (++last == shape.sizes.size()) return std::nullopt;
      chunk *= shape.sizes[last];
    }
    if (last != dim && !shape.merge(dim, last, chunk)) return std::nullopt;
    if (chunk != wanted[dim]) shape.split(dim, wanted[dim]);
  }
  if (std::any_of(shape.sizes.begin() + Shape::at(wanted.size()), shape.sizes.end(),
                  [](SymInt size) { return size != 1; }))
    return std::nullopt;
  shape.sizes.resize(wanted.size());
  shape.strides.resize(wanted.size());
  return shape;
}

}  // namespace

std::optional<ViewShape> reference_view(const TensorMeta& base, SymInts sizes) {
  Sizes wanted(sizes.begin(), sizes.end());
  SymInt count = numel(base);
  if (count == 0) return ViewShape{wanted, contiguous_strides(wanted)};
  if (base.rank() == 0 || sizes.empty())
    return ViewShape{Sizes(sizes.size(), SymInt(1)), Sizes(sizes.size(), SymInt(1))};
  bool one_dim = sizes.size() == 1 && base.rank() > 1, two_of_one = sizes.size() == 2 && base.rank() == 1;
  if (one_dim && is_contiguous(base)) return ViewShape{Sizes{count}, Sizes{1}};
  if (two_of_one && is_contiguous(base)) return ViewShape{wanted, Sizes{wanted[1], 1}};
  return by_merging_and_splitting(base, sizes);
}

}  // namespace rung::meta
