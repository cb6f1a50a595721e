// Shapes and strides of reductions.
#pragma once
#include <optional>

#include "meta/layout.h"

namespace rung::meta {

/// Per dimension, whether it is reduced. No dimensions and an empty list mean all of them; a 0-d tensor takes 0 and -1.
/// Fails with kInput out of range and on a repeated dimension.
std::vector<bool> reduced_dims(const TensorMeta& source, std::optional<SymInts> dims);
Sizes reduced_sizes(const TensorMeta& source, const std::vector<bool>& reduced, bool keepdim);

/// A fresh contiguous result: max, argmax, median, ...
const TensorMeta* reduced(const TensorMeta& source, std::optional<SymInts> dims, bool keepdim, DType dtype);
/// As torch's references make it: the reduction itself is contiguous, and the dimensions that are kept are put back as
/// views. That tells from `reduced` only where a dimension is empty.
const TensorMeta* reduction(const TensorMeta& source, std::optional<SymInts> dims, bool keepdim, DType dtype);

}  // namespace rung::meta
