// The order in which sympy sorts and prints terms, factors and arguments.
#pragma once
#include <vector>

#include "shape/expr.h"

namespace rung {

/// A coefficient and the rest, as in 2*s0*s1: (2, s0*s1). Nullptr stands for 1.
struct CoefficientAndRest {
  const Expr* coefficient;
  const Expr* rest;
};
CoefficientAndRest split_coefficient(const Expr* expr);

/// Below, equal or above zero as sympy's default_sort_key(a) is below, equal or above that of b.
int compare_sort_keys(const Expr* a, const Expr* b);
/// By sort key; stable.
void sort_by_key(std::vector<const Expr*>& items);
/// Small expressions first, then by sort key: the arguments of Max, Min, And and Or.
void sort_by_weight(std::vector<const Expr*>& items);
/// The terms of a sum in the order of print: by falling powers of the generators.
std::vector<const Expr*> ordered_terms(ExprArgs terms);
/// Below, equal or above zero as `a` stands before `b` there; equal for terms that differ in numbers only.
int compare_terms(const Expr* a, const Expr* b);

/// The value of a number; infinities are infinite.
double number_value(const Expr* number);

}  // namespace rung
