// Strides of elementwise ops as torch's Python references give them: fake tensors of nearly all elementwise ops come
// from these and not from ATen's TensorIterator, which differs where dimensions have size 1, or where types differ.
#pragma once
#include "meta/layout.h"

namespace rung::meta {

/// One primitive: operands of one type, already broadcast.
const TensorMeta* primitive(std::span<const TensorMeta* const> operands, DType dtype);
inline const TensorMeta* primitive(std::initializer_list<const TensorMeta*> operands, DType dtype) {
  return primitive(std::span(operands.begin(), operands.size()), dtype);
}
/// The strides that torch predicts for an elementwise result of these operands.
SymInts output_strides(std::span<const TensorMeta* const> operands);

/// prims.convert_element_type: dense strides are kept, gaps and overlaps closed.
const TensorMeta* converted(const TensorMeta& source, DType dtype);

/// As `x.expand(shape)`.
const TensorMeta* broadcast(const TensorMeta* x, SymInts shape);
/// What an operand is to a reference that computes in `compute`.
const TensorMeta* prepared(const Tensor& operand, DType compute, SymInts shape);

/// A reference: operands to `compute`, broadcast, one primitive, its result to `result`. Undefined operands are
/// skipped.
const TensorMeta* reference(TensorList operands, DType compute, DType result);
inline const TensorMeta* reference(std::initializer_list<Tensor> operands, DType compute, DType result) {
  return reference(TensorList(operands.begin(), operands.size()), compute, result);
}

}  // namespace rung::meta
