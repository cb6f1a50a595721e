// Casts around the body of an op, as the wrappers of torch's Python decompositions put them.
#pragma once
#include "ir/tensor.h"
#include "meta/promote.h"

namespace rung::ops {

/// `x.to(dtype)`: `x` itself if it has that dtype. Numbers and undefined tensors stay as they are.
Tensor cast(const Tensor& x, DType dtype);
/// As cast; a number becomes a number of the dtype's kind: 2 becomes 2.0 for float32.
Tensor convert(const Tensor& x, DType dtype);
Scalar convert(const Scalar& number, DType dtype);

/// What an elementwise body computes in (float32 for float16), and the dtype of its result.
struct ComputeTypes {
  DType compute, result;
};
ComputeTypes compute_types(TensorList operands, meta::Promote rule = meta::Promote::kDefault);
inline ComputeTypes compute_types(std::initializer_list<Tensor> operands,
                                  meta::Promote rule = meta::Promote::kDefault) {
  return compute_types(TensorList(operands.begin(), operands.size()), rule);
}

}  // namespace rung::ops
