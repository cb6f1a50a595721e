// What sympy's simplify does to polynomials, as far as sizes meet it: torch calls it on what floor division has
// reduced.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "shape/algebra.h"
#include "shape/expr_order.h"
#include "shape/polynomial.h"
#include "shape/simplify.h"

namespace rung {
namespace {

bool has_negative_coefficient(const Expr* expr) {
  const Expr* coefficient = split_coefficient(expr).coefficient;
  return coefficient != nullptr && coefficient->is_negative_number();
}

// How long sympy takes an expression for: its operations.
int64_t count_operations(const Expr* expr) {
  int64_t count = 0;
  switch (expr->kind) {
    case ExprKind::kInteger: return expr->integer < 0;
    case ExprKind::kRational: return (expr->integer < 0) + 1;
    case ExprKind::kAdd: {
      bool all_negative = true;
      for (const Expr* term : expr->args) {
        bool is_negative = has_negative_coefficient(term);
        all_negative &= is_negative;
        count += count_operations(is_negative ? negate(term) : term);
      }
      return count + static_cast<int64_t>(expr->args.size()) - 1 + all_negative;
    }
    case ExprKind::kMul:
      if (has_negative_coefficient(expr)) return 1 + count_operations(negate(expr));
      count = static_cast<int64_t>(expr->args.size()) - 1;
      break;
    case ExprKind::kFunction:
      count = expr->name == "Max" || expr->name == "Min" ? static_cast<int64_t>(expr->args.size()) - 1 : 1;
      break;
    case ExprKind::kPow: count = 1; break;
    default: break;
  }
  for (const Expr* arg : expr->args) count += count_operations(arg);
  return count;
}

// base -> exponent, and an integer in front.
struct Monomial {
  int64_t coefficient = 1;
  std::map<const Expr*, int64_t> powers;
};

bool read_monomial(const Expr* term, Monomial& out) {
  for (const Expr* factor : factors_of(term)) {
    if (factor->kind == ExprKind::kInteger) {
      out.coefficient = factor->integer;
    } else if (factor->kind == ExprKind::kPow) {
      if (factor->args[1]->kind != ExprKind::kInteger) return false;
      out.powers[factor->args[0]] += factor->args[1]->integer;
    } else if (factor->is_number()) {
      return false;
    } else {
      out.powers[factor] += 1;
    }
  }
  return true;
}

void keep_common(Monomial& common, const Monomial& other) {
  common.coefficient = std::gcd(common.coefficient, other.coefficient);
  for (auto& [base, exponent] : common.powers) {
    auto found = other.powers.find(base);
    exponent = found == other.powers.end() ? 0 : std::min(exponent, found->second);
  }
}

// Walks go through shared parts again and again: longer expressions are left as they are.
constexpr uint32_t kMaxWeight = 20000;

const Expr* factored(const Expr* expr);

// A product whose number stays in front of a sum.
const Expr* undistributed(const Expr* number, ExprArgs factors) {
  return make_mul(std::array{number, product(factors)});
}

const Expr* factored_sum(const Expr* expr) {
  std::vector<const Expr*> terms;
  for (const Expr* term : expr->args) terms.push_back(factored(term));
  const Expr* whole = sum(terms);
  if (whole->kind != ExprKind::kAdd) return whole;
  Monomial common;
  for (size_t i = 0; i < whole->args.size(); ++i) {
    Monomial monomial;
    if (!read_monomial(whole->args[i], monomial)) return whole;
    if (i == 0) common = monomial;
    keep_common(common, monomial);
  }
  std::vector<const Expr*> front;
  for (auto [base, exponent] : common.powers)
    if (exponent > 0) front.push_back(power(base, exponent));
  const Expr* number = make_integer(std::abs(common.coefficient));
  front.push_back(number);
  const Expr* divisor = product(front);
  if (divisor->is_integer(1)) return whole;
  std::vector<const Expr*> left;
  for (const Expr* term : whole->args) left.push_back(divide(term, divisor));
  front.back() = sum(left);
  return undistributed(number, front);
}

const Expr* factored(const Expr* expr) {
  if (expr->kind == ExprKind::kAdd) return factored_sum(expr);
  if (expr->kind == ExprKind::kPow && expr->args[1]->kind == ExprKind::kInteger)
    return power(factored(expr->args[0]), expr->args[1]->integer);
  if (expr->kind != ExprKind::kMul) return expr;
  const Expr* number = make_integer(1);
  std::vector<const Expr*> factors;
  for (const Expr* factor : expr->args) {
    auto [coefficient, rest] = split_coefficient(factored(factor));
    if (coefficient != nullptr) number = multiply(number, coefficient);
    if (rest != nullptr) factors.push_back(rest);
  }
  return undistributed(number, factors);
}

// Whether sympy would rather write -(x - 1) than 1 - x.
bool prefers_minus(const Expr* sum) {
  if (sum->kind != ExprKind::kAdd) return false;
  size_t negative = 0;
  for (const Expr* term : sum->args) negative += has_negative_coefficient(term);
  if (2 * negative != sum->args.size()) return 2 * negative > sum->args.size();
  return compare_sort_keys(sum, negate(sum)) < 0;
}

// Sums that are factors or bases, with their signs taken out where sympy prefers that.
const Expr* with_signs_out(const Expr* expr) {
  if (expr->kind == ExprKind::kPow && prefers_minus(expr->args[0]) && expr->args[1]->kind == ExprKind::kInteger) {
    const Expr* flipped = power(negate(expr->args[0]), expr->args[1]->integer);
    return expr->args[1]->integer % 2 == 0 ? flipped : negate(flipped);
  }
  if (expr->kind != ExprKind::kMul && expr->kind != ExprKind::kAdd) return expr;
  const Expr* number = make_integer(1);
  std::vector<const Expr*> args;
  for (const Expr* arg : expr->args) {
    bool flips = expr->kind == ExprKind::kMul && prefers_minus(arg);
    args.push_back(flips ? negate(arg) : with_signs_out(arg));
    if (flips) number = negate(number);
  }
  return expr->kind == ExprKind::kAdd ? sum(args) : undistributed(number, args);
}

// sympy's powsimp multiplies the number of a product into a sum that stands alone beside powers.
const Expr* with_numbers_in(const Expr* expr) {
  if (expr->kind != ExprKind::kMul && expr->kind != ExprKind::kAdd) return expr;
  std::vector<const Expr*> args, powers, others;
  for (const Expr* arg : expr->args) args.push_back(with_numbers_in(arg));
  if (expr->kind == ExprKind::kAdd) return sum(args);
  for (const Expr* arg : args) (arg->kind == ExprKind::kPow ? powers : others).push_back(arg);
  bool applies = !powers.empty() && others.size() == 2 && others[0]->is_number() && others[1]->kind == ExprKind::kAdd;
  if (!applies) return make_mul(args);
  powers.push_back(multiply(others[0], others[1]));
  return make_mul(powers);
}

const Expr* with_tidied_calls(const Expr* expr) {
  if (expr->args.empty()) return expr;
  std::vector<const Expr*> args;
  bool is_call = expr->kind == ExprKind::kFunction;
  for (const Expr* arg : expr->args) args.push_back(is_call ? tidied(arg) : with_tidied_calls(arg));
  if (std::equal(args.begin(), args.end(), expr->args.begin())) return expr;
  return rebuilt(expr, args);
}

bool is_polynomial(const Expr* expr) {
  if (expr->kind == ExprKind::kPow) return expr->args[1]->kind == ExprKind::kInteger && expr->args[1]->integer > 0;
  if (expr->kind != ExprKind::kMul && expr->kind != ExprKind::kAdd) return expr->kind != ExprKind::kRational;
  return std::all_of(expr->args.begin(), expr->args.end(), is_polynomial);
}

const Expr* shortest(std::initializer_list<const Expr*> forms) {
  const Expr* best = nullptr;
  for (const Expr* form : forms)
    if (best == nullptr || count_operations(form) < count_operations(best)) best = form;
  return best;
}

// 2*(x + 1) becomes 2*x + 2 again.
const Expr* without_hollow_product(const Expr* expr) {
  bool is_hollow = expr->kind == ExprKind::kMul && expr->rest != nullptr && expr->rest->kind == ExprKind::kAdd;
  return is_hollow ? multiply(expr->args[0], expr->rest) : expr;
}

}  // namespace

const Expr* tidied(const Expr* original) {
  if (original->weight > kMaxWeight) return original;
  const Expr* expr = with_numbers_in(with_signs_out(with_tidied_calls(original)));
  if (expr->kind != ExprKind::kAdd && expr->kind != ExprKind::kMul && expr->kind != ExprKind::kPow) return expr;
  const Expr* expanded = expand(expr);
  const Expr* best = factored(shortest({factored(expr), factored(expanded), expanded, expr}));
  best = shortest({best, expand(best)});
  best = without_hollow_product(shortest({best, factored(best)}));
  return 10 * count_operations(best) > 17 * count_operations(original) ? original : best;
}

const Expr* tidied_quotient(const Expr* expr, const Expr* divisor) {
  for (const Expr* form : {expr, factored(expr)}) {
    const Expr* quotient = divide(form, divisor);
    if (is_polynomial(quotient)) return tidied(quotient);
  }
  return tidied(*exact_quotient(expr, divisor));
}

const Expr* rebuilt(const Expr* call, ExprArgs args) {
  if (call->kind == ExprKind::kAdd) return sum(args);
  if (call->kind == ExprKind::kMul) return product(args);
  if (call->kind == ExprKind::kPow)
    return args[1]->kind == ExprKind::kInteger ? power(args[0], args[1]->integer) : make_pow(args[0], args[1]);
  if (call->kind == ExprKind::kRelation) return relation(call->name, args[0], args[1]);
  if (call->kind == ExprKind::kAnd) return conjunction(args);
  if (call->kind == ExprKind::kOr) return disjunction(args);
  if (call->kind == ExprKind::kNot) return negation(args[0]);
  if (call->name == "FloorDiv") return floor_div(args[0], args[1]);
  if (call->name == "Mod" || call->name == "PythonMod") return modulo(args[0], args[1], assumed_range);
  if (call->name == "Max") return extreme(Extreme::kMax, args);
  if (call->name == "Min") return extreme(Extreme::kMin, args);
  return make_function(call->function, args);
}

}  // namespace rung
