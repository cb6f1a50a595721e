// Strides of elementwise ops as torch's Python references give them: fake tensors of nearly all elementwise ops come
// from these and not from ATen's TensorIterator, which differs where dimensions have size 1, or where types differ.
#pragma once
#include "meta/layout.h"

namespace rung::meta {

/// One primitive: operands of one type, already broadcast. 0-d CPU tensors and numbers do not count.
const TensorMeta* primitive(std::span<const TensorMeta* const> operands, DType dtype);

/// prims.convert_element_type: dense strides are kept, gaps and overlaps closed.
const TensorMeta* converted(const TensorMeta& source, DType dtype);

/// As `x.expand(shape)`; a 0-d CPU tensor stays as it is.
const TensorMeta* broadcast(const TensorMeta* x, SymInts shape);

/// A reference: operands to `compute`, broadcast, one primitive, its result to `result`. Undefined operands are skipped.
const TensorMeta* reference(TensorList operands, DType compute, DType result);
inline const TensorMeta* reference(std::initializer_list<Tensor> operands, DType compute, DType result) {
  return reference(TensorList(operands.begin(), operands.size()), compute, result);
}

}  // namespace rung::meta
