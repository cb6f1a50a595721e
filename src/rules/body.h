// From a typed C++ function to the body of a rule. A function that does not hold for all arguments returns an optional.
#pragma once
#include <optional>

#include "ops/box.h"
#include "ops/gen/aten.h"

namespace rung::rules {

template <typename Result>
Argument rule_result(const Result& result) {
  return box_result(result);
}
template <typename Result>
Argument rule_result(const std::optional<Result>& result) {
  return result ? box_result(*result) : not_decomposed();
}

template <auto function>
Argument lateral(const Call& call) {
  return rule_result(call_unboxed(function, call));
}

using MaybeTensor = std::optional<Tensor>;

/// A tensor of bools; no number is one.
inline bool is_bool(const Tensor& x) { return !x.is_number() && x.dtype() == DType::kBool; }
/// A number as a tensor without dimensions.
inline Tensor constant(const Scalar& value, DType dtype, const Device& device) {
  return aten::full({}, value, dtype, std::nullopt, device, false);
}
/// The number that every element of a tensor is, where that is known; a number itself.
std::optional<Scalar> known_number(const Tensor& x);
/// A number as a tensor that promotes with `x` to what the number itself does.
Tensor constant_beside(const Tensor& x, const Scalar& value);
/// Whether that tensor holds the number itself, and not what its type rounds it to. Quotients that are rounded, and
/// what they leave, jump where their divisor is another.
bool is_exact_beside(const Tensor& x, const Scalar& value);

}  // namespace rung::rules
