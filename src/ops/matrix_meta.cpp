// The last two dimensions are the matrix.
#include "ops/matrix_meta.h"

#include <utility>

#include "base/error.h"

namespace rung::ops {

using meta::Sizes;

void require_matrix(const Tensor& a, std::string_view op) {
  if (a.dim() < 2) fail_input(op, ": expected a matrix or a batch of them, got ", a.dim(), " dimensions");
}

void require_square(const Tensor& a, std::string_view op) {
  require_matrix(a, op);
  if (a.size(-1) != a.size(-2))
    fail_input(op, ": expected square matrices, got ", a.size(-2).str(), " by ", a.size(-1).str());
}

const TensorMeta* column_major(const Sizes& sizes, const Tensor& like) {
  Sizes turned = sizes;
  std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  Sizes strides = meta::contiguous_strides(turned);
  std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  return meta::make(sizes, strides, like.dtype(), like.device());
}

const TensorMeta* nothing(const Tensor& like) { return meta::contiguous(Sizes{0}, like.dtype(), like.device()); }

Sizes sizes_of(const Tensor& a) { return Sizes(a.sizes().begin(), a.sizes().end()); }

Sizes batch_and(const Tensor& a, std::initializer_list<SymInt> last) {
  Sizes sizes(a.sizes().begin(), a.sizes().end() - 2);
  sizes.insert(sizes.end(), last);
  return sizes;
}

}  // namespace rung::ops
