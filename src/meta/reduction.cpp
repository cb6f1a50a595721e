// Which dimensions go, and what is left.
#include "meta/reduction.h"

#include "base/error.h"
#include "ir/tensor.h"

namespace rung::meta {

std::vector<bool> reduced_dims(const TensorMeta& source, std::optional<SymInts> dims) {
  bool all = !dims || dims->empty();
  std::vector<bool> reduced(source.rank(), all);
  if (all) return reduced;
  for (int64_t dim : wrap_dims(*dims, static_cast<int64_t>(source.rank())))
    if (source.rank() > 0) reduced[static_cast<size_t>(dim)] = true;
  return reduced;
}

Sizes reduced_sizes(const TensorMeta& source, const std::vector<bool>& reduced, bool keepdim) {
  Sizes sizes;
  for (size_t i = 0; i < source.rank(); ++i) {
    if (!reduced[i])
      sizes.push_back(source.sizes[i]);
    else if (keepdim)
      sizes.push_back(1);
  }
  return sizes;
}

const TensorMeta* reduced(const TensorMeta& source, std::optional<SymInts> dims, bool keepdim, DType dtype) {
  return contiguous(reduced_sizes(source, reduced_dims(source, dims), keepdim), dtype, source.device);
}

const TensorMeta* reduction(const TensorMeta& source, std::optional<SymInts> dims, bool keepdim, DType dtype) {
  std::vector<bool> gone = reduced_dims(source, dims);
  Sizes rest = reduced_sizes(source, gone, false);
  Sizes rest_strides = contiguous_strides(rest);
  if (!keepdim) return make(rest, rest_strides, dtype, source.device);
  Sizes strides;
  size_t next = 0;  // among the dimensions that are left
  for (size_t i = 0; i < source.rank(); ++i) {
    if (!gone[i])
      strides.push_back(rest_strides[next++]);
    else
      strides.push_back(next == rest.size() ? SymInt(1) : rest_strides[next] * rest[next]);
  }
  return make(reduced_sizes(source, gone, true), strides, dtype, source.device);
}

}  // namespace rung::meta
