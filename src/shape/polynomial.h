// Polynomials with integer coefficients, whose generators are symbols and calls.
#pragma once
#include <optional>

#include "shape/expr.h"

namespace rung {

/// Products of sums and their natural powers multiplied out, arguments of calls left alone. The expression as it is
/// where it is no polynomial or would have more than a few thousand terms.
const Expr* expand(const Expr* expr);

/// The greatest common divisor of two polynomials; nullptr where they are none or too large to tell.
const Expr* common_divisor(const Expr* a, const Expr* b);
/// The quotient, multiplied out, if the division leaves nothing over.
std::optional<const Expr*> exact_quotient(const Expr* a, const Expr* b);

}  // namespace rung
