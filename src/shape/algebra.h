// Sums, products and powers as sympy makes them: equal terms and factors are collected, nothing is multiplied out but
// a number times a sum.
#pragma once
#include "shape/expr.h"

namespace rung {

const Expr* sum(ExprArgs terms);
const Expr* add(const Expr* a, const Expr* b);
const Expr* subtract(const Expr* a, const Expr* b);
const Expr* negate(const Expr* a);
const Expr* product(ExprArgs factors);
const Expr* multiply(const Expr* a, const Expr* b);
const Expr* power(const Expr* base, int64_t exponent);
/// The quotient as a fraction: s0/2, s0*s1**(-1). Fails with kInput where `b` is the number zero.
const Expr* divide(const Expr* a, const Expr* b);

/// The terms of a sum, or the one term.
inline ExprArgs terms_of(const Expr* const& expr) {
  return expr->kind == ExprKind::kAdd ? expr->args : ExprArgs(&expr, 1);
}
/// The factors of a product, a coefficient among them, or the one factor.
inline ExprArgs factors_of(const Expr* const& expr) {
  return expr->kind == ExprKind::kMul ? expr->args : ExprArgs(&expr, 1);
}

}  // namespace rung
