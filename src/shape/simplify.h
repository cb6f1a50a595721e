// How torch's own functions and sympy's relations simplify their operands.
#pragma once
#include "shape/expr.h"
#include "shape/value_range.h"

namespace rung {

/// The shorter of the forms that sympy's simplify tries on a polynomial: common factors in front, or multiplied out.
const Expr* tidied(const Expr* expr);
/// The same of a quotient that leaves nothing over.
const Expr* tidied_quotient(const Expr* expr, const Expr* divisor);

/// Floor of a/b. Fails with kInput on a division by zero.
const Expr* floor_div(const Expr* a, const Expr* b);
/// Mod where both are known not to be negative, else PythonMod. Fails with kInput on a division by zero.
const Expr* modulo(const Expr* a, const Expr* b, const RangeOf& range_of);
/// What its assumptions say of a symbol.
ValueRange assumed_range(const Expr* symbol);

enum class Extreme : uint8_t { kMax, kMin };
const Expr* extreme(Extreme which, ExprArgs args);
/// The call with these arguments, simplified where it is one of torch's functions.
const Expr* rebuilt(const Expr* call, ExprArgs args);

/// `name` as make_relation takes it.
const Expr* relation(std::string_view name, const Expr* left, const Expr* right);
const Expr* conjunction(ExprArgs args);
const Expr* disjunction(ExprArgs args);
const Expr* negation(const Expr* condition);

}  // namespace rung
