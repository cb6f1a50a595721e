// How terms and factors are collected.
#include "shape/algebra.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "shape/expr_order.h"

namespace rung {
namespace {

const Expr* one() {
  static const Expr* expr = make_integer(1);
  return expr;
}

const Expr* zero() {
  static const Expr* expr = make_integer(0);
  return expr;
}

bool is_foldable(const Expr* expr) { return expr->kind <= ExprKind::kFloat; }

bool is_zero(const Expr* expr) { return expr->is_integer(0) || (expr->kind == ExprKind::kFloat && expr->number == 0); }

// Of numbers only, so nothing has to be collected.
const Expr* add_numbers(const Expr* a, const Expr* b) { return make_add(std::array{a, b}); }
const Expr* multiply_numbers(const Expr* a, const Expr* b) { return make_mul(std::array{a, b}); }

struct Collected {
  const Expr* number = zero();
  std::vector<const Expr*> rests;  // in the order in which they were met
  std::unordered_map<const Expr*, const Expr*> coefficients;

  void add(const Expr* term) {
    if (is_foldable(term)) {
      number = add_numbers(number, term);
      return;
    }
    auto [coefficient, rest] = split_coefficient(term);
    if (rest == nullptr) rest = term, coefficient = nullptr;  // an infinity
    if (coefficient == nullptr) coefficient = one();
    auto [found, is_new] = coefficients.emplace(rest, coefficient);
    if (is_new)
      rests.push_back(rest);
    else
      found->second = add_numbers(found->second, coefficient);
  }
};

// Not distributed: a sum that was collected as a term stays one factor.
const Expr* scaled(const Expr* coefficient, const Expr* rest) { return make_mul(std::array{coefficient, rest}); }

const Expr* distributed(const Expr* number, const Expr* terms) {
  std::vector<const Expr*> products;
  for (const Expr* term : terms->args) products.push_back(multiply(number, term));
  return sum(products);
}

// A factor as base**(coefficient*rest); rest is 1 for a numeric exponent.
struct Factor {
  const Expr* base;
  const Expr* rest;
  const Expr* coefficient;
};

Factor split_power(const Expr* factor) {
  if (factor->kind != ExprKind::kPow) return {factor, one(), one()};
  auto [coefficient, rest] = split_coefficient(factor->args[1]);
  return {factor->args[0], rest != nullptr ? rest : one(), coefficient != nullptr ? coefficient : one()};
}

struct Gathered {
  const Expr* number = one();
  std::vector<Factor> factors;

  void multiply(const Expr* factor) {
    if (factor->kind == ExprKind::kMul) {
      for (const Expr* inner : factor->args) multiply(inner);
    } else if (is_foldable(factor)) {
      number = multiply_numbers(number, factor);
    } else {
      add(split_power(factor));
    }
  }

  // Few factors have a different base, and a product of very many is refused by nobody: then a table helps.
  void add(const Factor& factor) {
    auto [found, is_new] = places_[factor.base].emplace(factor.rest, factors.size());
    if (is_new)
      factors.push_back(factor);
    else
      factors[found->second].coefficient = add_numbers(factors[found->second].coefficient, factor.coefficient);
  }

 private:
  std::unordered_map<const Expr*, std::unordered_map<const Expr*, size_t>> places_;
};

const Expr* raised(const Factor& factor) {
  if (factor.rest->is_integer(1) && factor.coefficient->kind == ExprKind::kInteger)
    return power(factor.base, factor.coefficient->integer);
  return make_pow(factor.base, multiply_numbers(factor.coefficient, factor.rest));
}

const Expr* number_power(const Expr* base, int64_t exponent) {
  if (exponent < 0) return number_power(divide(one(), base), -exponent);
  const Expr* result = one();
  for (const Expr* square = base;; square = multiply_numbers(square, square)) {
    if (exponent % 2 != 0) result = multiply_numbers(result, square);
    exponent /= 2;
    if (exponent == 0 || square->is_integer(1)) return result;
  }
}

// A long sum and one more term, without collecting and sorting all of it again; nullptr where that does not do.
const Expr* with_one_more(const Expr* long_sum, const Expr* term) {
  constexpr size_t kLong = 8;
  if (long_sum->kind != ExprKind::kAdd || long_sum->args.size() < kLong || term->kind == ExprKind::kAdd) return nullptr;
  std::vector<const Expr*> terms(long_sum->args.begin(), long_sum->args.end());
  auto place = std::partition_point(terms.begin(), terms.end(),
                                    [&](const Expr* other) { return compare_terms(other, term) < 0; });
  if (place == terms.end() || compare_terms(*place, term) != 0) {
    if (is_zero(term)) return long_sum;
    terms.insert(place, term);
    return make_ordered_add(terms);
  }
  const Expr* both = sum(std::array{*place, term});
  if (both->kind == ExprKind::kAdd) return nullptr;
  if (both->is_integer(0))
    terms.erase(place);
  else
    *place = both;
  return make_ordered_add(terms);
}

}  // namespace

const Expr* sum(ExprArgs terms) {
  Collected collected;
  for (const Expr* term : terms)
    for (const Expr* inner : terms_of(term)) collected.add(inner);
  std::vector<const Expr*> made;
  bool is_alone = std::all_of(collected.rests.begin(), collected.rests.end(),
                              [&](const Expr* rest) { return is_zero(collected.coefficients.at(rest)); });
  if (is_alone) return collected.number;
  if (!is_zero(collected.number)) made.push_back(collected.number);
  for (const Expr* rest : collected.rests) {
    const Expr* coefficient = collected.coefficients.at(rest);
    if (is_zero(coefficient)) continue;
    made.push_back(coefficient->is_integer(1) ? rest : scaled(coefficient, rest));
  }
  return make_add(made);
}

const Expr* add(const Expr* a, const Expr* b) {
  if (terms_of(a).size() < terms_of(b).size()) std::swap(a, b);
  if (const Expr* made = with_one_more(a, b)) return made;
  return sum(std::array{a, b});
}

const Expr* negate(const Expr* a) {
  if (a->kind != ExprKind::kMul) return multiply(make_integer(-1), a);
  return make_mul(std::array{make_integer(-1), a});
}

const Expr* subtract(const Expr* a, const Expr* b) { return add(a, negate(b)); }

const Expr* product(ExprArgs factors) {
  Gathered gathered;
  for (const Expr* factor : factors) gathered.multiply(factor);
  if (is_zero(gathered.number)) return gathered.number;
  std::vector<const Expr*> made;
  for (const Factor& factor : gathered.factors) {
    const Expr* raised_factor = raised(factor);
    if (!raised_factor->is_integer(1)) made.push_back(raised_factor);
  }
  if (made.size() == 1 && made[0]->kind == ExprKind::kAdd && !gathered.number->is_integer(1))
    return distributed(gathered.number, made[0]);
  made.push_back(gathered.number);
  return make_mul(made);
}

const Expr* multiply(const Expr* a, const Expr* b) {
  if (b->is_rational()) std::swap(a, b);
  if (a->is_integer(1)) return b;
  if (a->is_rational() && !a->is_integer(0) && b->kind == ExprKind::kMul && b->rest != nullptr &&
      b->rest->kind == ExprKind::kAdd) {
    // sympy leaves 2*(2*(x + 1)) as 4*(x + 1).
    return make_mul(std::array{a, b});
  }
  return product(std::array{a, b});
}

const Expr* power(const Expr* base, int64_t exponent) {
  if (exponent == 0) return one();
  if (exponent == 1) return base;
  if (is_foldable(base)) return number_power(base, exponent);
  if (base->kind == ExprKind::kMul) {
    std::vector<const Expr*> powers;
    for (const Expr* factor : base->args) powers.push_back(power(factor, exponent));
    return product(powers);
  }
  if (base->kind != ExprKind::kPow) return make_pow(base, make_integer(exponent));
  const Expr* inner = multiply(base->args[1], make_integer(exponent));
  return inner->kind == ExprKind::kInteger ? power(base->args[0], inner->integer) : make_pow(base->args[0], inner);
}

const Expr* divide(const Expr* a, const Expr* b) {
  if (b->kind == ExprKind::kInteger) return multiply(make_rational(1, b->integer), a);
  if (b->kind == ExprKind::kRational) return multiply(make_rational(b->denominator, b->integer), a);
  if (b->kind == ExprKind::kFloat) return multiply(make_float(1 / b->number), a);
  return multiply(a, power(b, -1));
}

}  // namespace rung
