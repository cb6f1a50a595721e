// A number that stands in a tensor's place, as the Scalar? that an overload takes.
#pragma once
#include <optional>

#include "ir/tensor.h"

namespace rung {

inline std::optional<Scalar> number_or_none(const Tensor& value) {
  return value.defined() ? std::optional(value.number()) : std::nullopt;
}

}  // namespace rung
