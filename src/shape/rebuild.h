// Expressions as operations, and expressions put together anew.
#pragma once
#include <functional>

#include "shape/arithmetic.h"

namespace rung {

/// The operation that makes `expr` of its arguments; of more than two it is applied from left to right. Fails with
/// kUnsupported for functions that no operation makes.
SymOp operation_of(const Expr* expr);

/// `expr` with other expressions in place of its symbols, simplified.
const Expr* substitute(const Expr* expr, const std::function<const Expr*(const Expr* symbol)>& value_of);

}  // namespace rung
