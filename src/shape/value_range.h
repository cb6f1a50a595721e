// Between which values an expression lies, given where its symbols lie.
#pragma once
#include <functional>
#include <optional>

#include "shape/expr.h"

namespace rung {

/// Closed; nothing on a side is an infinite bound. Of a truth value: 0 and 1.
struct ValueRange {
  std::optional<int64_t> min, max;
};

using RangeOf = std::function<ValueRange(const Expr* symbol)>;

/// Bounds of an expression of integers; nothing is known of functions of floats. Never wrong, sometimes wide.
ValueRange bounds(const Expr* expr, const RangeOf& range_of);
/// Whether a relation or a boolean expression always or never holds; nothing where that cannot be said.
std::optional<bool> known(const Expr* condition, const RangeOf& range_of);

using ValueOf = std::function<std::optional<int64_t>(const Expr* symbol)>;

/// The integer value (0 or 1 for a truth value) where every symbol has one; nothing where one has none or the value is
/// no integer. Fails with kInput on a division by zero and on values beyond 64 bits.
std::optional<int64_t> evaluate(const Expr* expr, const ValueOf& value_of);

}  // namespace rung
