// Numbers in the place of tensors, and their kinds.
#pragma once
#include "ir/tensor.h"

namespace rung::ops {

/// A number of the dtype's kind: 2 becomes 2.0 for float32, True for bool.
Scalar convert(const Scalar& number, DType dtype);
/// A number as above; a tensor as `x.to(dtype)`; nothing stays nothing.
Tensor convert(const Tensor& x, DType dtype);

}  // namespace rung::ops
