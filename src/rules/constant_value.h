// Which tensors of a trace are known numbers.
#pragma once
#include <optional>

#include "ir/graph.h"
#include "ir/tensor.h"

namespace rung {

/// The number that every element of a node's tensor is, where it was made of one: full, scalar_tensor, zeros, ones.
std::optional<Scalar> constant_value(const Node& node);

}  // namespace rung
