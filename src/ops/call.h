// From C++ values to arguments and back: what the typed functions in ops/gen are made of.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/tensor.h"
#include "trace/dispatch.h"

namespace rung {

inline Argument to_argument(const Tensor& value) { return value.argument(); }
inline Argument to_argument(const Scalar& value) { return value.argument(); }
inline Argument to_argument(SymInt value) { return Argument::of(value); }
inline Argument to_argument(double value) { return Argument::of(value); }
inline Argument to_argument(bool value) { return Argument::of(value); }
inline Argument to_argument(DType value) { return Argument::of(value); }
inline Argument to_argument(Layout value) { return Argument::of(value); }
inline Argument to_argument(MemoryFormat value) { return Argument::of(value); }
/// Devices and texts are copied to the current arena: the caller's may be a temporary.
Argument to_argument(const Device& value);
Argument to_argument(std::string_view value);

/// None for nullopt.
template <typename T>
Argument to_argument(const std::optional<T>& value) {
  return value ? to_argument(*value) : Argument::none();
}

/// Lists lie in the current arena. An undefined tensor in a list is None.
Argument list_argument(TensorList values);
Argument list_argument(const IntList& values);
Argument list_argument(std::span<const double> values);
Argument list_argument(std::span<const bool> values);
Argument list_argument(std::span<const Scalar> values);
Argument list_argument(std::span<const std::string_view> values);

template <typename List>
Argument list_argument(const std::optional<List>& values) {
  return values ? list_argument(*values) : Argument::none();
}

/// The tensors of a Tensor[] result.
std::vector<Tensor> tensors_of(const Argument& list);

}  // namespace rung
