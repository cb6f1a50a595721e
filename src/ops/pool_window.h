// Windows that slide over the last dimensions of a tensor.
#pragma once
#include "meta/layout.h"

namespace rung::ops {

/// As a pooling operator takes it; a list of one number stands for all dimensions.
struct Window {
  SymInts kernel, stride, padding, dilation;  // no stride: the kernel's size
  bool ceil_mode;
};

/// The sizes of what is pooled over the last `spatial` dimensions. Fails with kInput where the window does not fit.
meta::Sizes pooled_sizes(const Tensor& input, const Window& window, size_t spatial);
/// The sizes with the last ones replaced.
meta::Sizes resized(const Tensor& input, SymInts output_size);
/// A fresh tensor; channels last stays so.
const TensorMeta* formatted_like(const Tensor& input, SymInts sizes, DType dtype);

/// One dimension that is pooled over.
struct PooledDim {
  SymInt in, out, kernel, stride, padding, dilation;
};
std::vector<PooledDim> pooled_dims(const Tensor& input, const Window& window, size_t spatial);
/// The input with as much padding as the windows reach.
Tensor padded(const Tensor& input, const std::vector<PooledDim>& dims, const Scalar& value);
/// The windows of all positions, each in the last dimension.
Tensor windows_of(const Tensor& padded_input, const std::vector<PooledDim>& dims);

}  // namespace rung::ops
