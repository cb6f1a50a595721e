// Shapes and strides of elementwise ops, by the rules of ATen's TensorIterator.
#pragma once
#include "ir/op_def.h"
#include "meta/layout.h"
#include "meta/promote.h"

namespace rung::meta {

/// The common shape of the operands, numbers and undefined ones skipped. Fails with kInput, both shapes named.
Sizes broadcast_sizes(TensorList operands);
Sizes broadcast_sizes(SymInts a, SymInts b);

/// A fresh result of the operands' common shape, laid out as torch lays it out.
const TensorMeta* elementwise(TensorList operands, DType dtype);
inline const TensorMeta* elementwise(std::initializer_list<Tensor> operands, DType dtype) {
  return elementwise(TensorList(operands.begin(), operands.size()), dtype);
}

/// The meta of an op whose tensor arguments (and numbers in `Tensor` or `Scalar` places) are all operands.
template <Promote rule>
ValueMeta pointwise(const Call& call);
extern template ValueMeta pointwise<Promote::kDefault>(const Call&);
extern template ValueMeta pointwise<Promote::kIntToFloat>(const Call&);
extern template ValueMeta pointwise<Promote::kComplexToFloat>(const Call&);
extern template ValueMeta pointwise<Promote::kBool>(const Call&);
extern template ValueMeta pointwise<Promote::kNone>(const Call&);

/// add, sub, mul and div of two operands: as pointwise, with the short cut that torch's fake tensors take for them.
template <Promote rule>
ValueMeta binary(const Call& call);
extern template ValueMeta binary<Promote::kDefault>(const Call&);
extern template ValueMeta binary<Promote::kIntToFloat>(const Call&);

}  // namespace rung::meta
