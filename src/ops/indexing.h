// Which elements x[i, :, j] names, by torch's rules.
#pragma once
#include "ref/values.h"

namespace rung::ops {

struct Picked {
  ref::Shape shape;             // of the result
  std::vector<int64_t> places;  // row-major positions in the indexed tensor
  bool by_mask = false;         // the shape depends on values
};

/// `indices`: a tensor of integers or a mask for each dimension or group of dimensions, undefined ones taking all of
/// theirs. The indexed dimensions come together where the first of them was if they are neighbours, else in front.
/// Fails with kInput out of bounds.
Picked picked_elements(const ref::Shape& shape, TensorList indices);

}  // namespace rung::ops
