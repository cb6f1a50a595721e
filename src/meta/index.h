// The shape of what advanced indexing reads.
#pragma once
#include "ir/tensor.h"

namespace rung::meta {

/// aten::index: `indices` holds integer tensors and undefined ones. The indexed dimensions become the common shape of
/// the indices, at the place of the first of them, or in front of all if they are not adjacent. The result is laid out
/// in the order of the strides of `self`. Fails with kUnsupported on masks, whose result has no fixed size.
const TensorMeta* index(const Tensor& self, TensorList indices);

/// The strides, offset and type of `self`, as scatters of a part keep them.
const TensorMeta* with_strides_kept(const TensorMeta& self);

}  // namespace rung::meta
