// Floor division and modulo.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "shape/algebra.h"
#include "shape/facts.h"
#include "shape/polynomial.h"
#include "shape/simplify.h"
#include "shape/value_range.h"

namespace rung {
namespace {

bool is_integer_number(const Expr* expr) { return expr->kind == ExprKind::kInteger; }

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return negate(make_integer(a))->integer;  // fails where it has no 64 bits
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// torch 2.13 takes no quotient with a fraction in it for an integer, whatever sympy says.
bool is_whole(const Expr* quotient) {
  bool has_fraction = false;
  for (const Expr* factor : factors_of(quotient)) has_fraction |= factor->kind == ExprKind::kRational;
  return !has_fraction && facts_of(quotient).known_integer();
}

// (x + 4*y + 1)//4 is (x + 1)//4 + y.
const Expr* split_whole_terms(const Expr* base, const Expr* divisor) {
  std::vector<const Expr*> quotients, left;
  for (const Expr* term : terms_of(base)) {
    const Expr* quotient = divide(term, divisor);
    if (is_whole(quotient))
      quotients.push_back(quotient);
    else
      left.push_back(term);
  }
  if (quotients.empty()) return nullptr;
  quotients.push_back(floor_div(sum(left), divisor));
  return sum(quotients);
}

int64_t integer_coefficient(const Expr* term) {
  const Expr* number = term->kind == ExprKind::kMul ? term->args[0] : term;
  bool has_magnitude = number->integer != std::numeric_limits<int64_t>::min();
  return is_integer_number(number) && has_magnitude ? number->integer : 1;
}

int64_t integer_factor(const Expr* expr) {
  int64_t common = 0;
  for (const Expr* term : terms_of(expr)) common = std::gcd(common, integer_coefficient(term));
  return common;
}

bool is_factor_of_each_term(const Expr* factor, const Expr* expr) {
  for (const Expr* term : terms_of(expr)) {
    ExprArgs factors = factors_of(term);
    if (std::find(factors.begin(), factors.end(), factor) == factors.end()) return false;
  }
  return true;
}

// What two expressions have in common as they are written: an integer and whole factors.
const Expr* written_divisor(const Expr* a, const Expr* b) {
  const Expr* common = make_integer(std::gcd(integer_factor(a), integer_factor(b)));
  const Expr* reduced = divide(a, common);
  const Expr* divisor = divide(b, common);
  std::vector<const Expr*> found{common};
  for (const Expr* factor : factors_of(divisor))
    if (is_factor_of_each_term(factor, reduced)) found.push_back(factor);
  return product(found);
}

const Expr* make_call(std::string_view name, const Expr* a, const Expr* b) {
  return make_function(find_function(name), std::array{a, b});
}

bool is_multiple_of(const Expr* a, const Expr* b) {
  return a->is_integer(0) || a == b || a == negate(b) || b->is_integer(1) || facts_of(divide(a, b)).known_integer();
}

// The divisor is a factor of every term, or a number.
const Expr* divide_terms(const Expr* expr, const Expr* divisor) {
  if (expr->kind != ExprKind::kAdd || expr == divisor) return divide(expr, divisor);
  std::vector<const Expr*> terms;
  for (const Expr* term : expr->args) terms.push_back(divide(term, divisor));
  return sum(terms);
}

constexpr size_t kMaxTermsOfDivisor = 20;  // torch looks no further in longer sums

// (s0*s1 + s0)//(s1 + 1) is s0.
const Expr* without_common_polynomial(const Expr* a, const Expr* b) {
  const Expr* common = common_divisor(a, b);
  if (common == nullptr || common->is_integer(1)) return nullptr;
  return floor_div(tidied_quotient(a, common), tidied_quotient(b, common));
}

bool is_nonnegative(const Expr* expr, const RangeOf& range_of) {
  return facts_of(expr).is_nonnegative() || bounds(expr, range_of).min.value_or(-1) >= 0;
}

// The remainder where it can be told; nullptr where the call stays.
const Expr* known_remainder(const Expr* a, const Expr* b) {
  if (is_integer_number(a) && is_integer_number(b))
    return make_integer(b->integer == -1 ? 0 : a->integer - floor_quotient(a->integer, b->integer) * b->integer);
  if (b->is_integer(2) && facts_of(a).parity != Parity::kUnknown)
    return make_integer(facts_of(a).parity == Parity::kOdd);
  if (is_multiple_of(a, b)) return make_integer(0);
  bool is_less = is_at_least(a, b) == false;
  return is_less && facts_of(divide(a, b)).is_positive() ? a : nullptr;
}

}  // namespace

const Expr* floor_div(const Expr* a, const Expr* b) {
  if (facts_of(b).is_zero()) fail_input("the symbolic size ", str(a), " is divided by zero");
  if (facts_of(a).is_zero()) return make_integer(0);
  if (facts_of(a).known_integer() && b->is_integer(1)) return a;
  if (facts_of(a).known_integer() && b->is_integer(-1)) return multiply(a, b);
  if (a == b) return make_integer(1);
  if (is_integer_number(a) && is_integer_number(b)) return make_integer(floor_quotient(a->integer, b->integer));
  if (a->is(ExprKind::kFunction, "FloorDiv")) return floor_div(a->args[0], multiply(a->args[1], b));
  if (is_integer_number(b))
    if (const Expr* split = split_whole_terms(a, b)) return split;
  const Expr* common = written_divisor(a, b);
  if (!common->is_integer(1)) return floor_div(tidied(divide_terms(a, common)), tidied(divide_terms(b, common)));
  if (b->kind == ExprKind::kAdd && b->args.size() <= kMaxTermsOfDivisor && terms_of(a).size() <= kMaxTermsOfDivisor)
    if (const Expr* reduced = without_common_polynomial(a, b)) return reduced;
  return make_call("FloorDiv", a, b);
}

ValueRange assumed_range(const Expr* symbol) {
  const Facts& facts = facts_of(symbol);
  if (facts.is_positive()) return {1, std::nullopt};
  return facts.is_nonnegative() ? ValueRange{0, std::nullopt} : ValueRange{};
}

const Expr* modulo(const Expr* a, const Expr* b, const RangeOf& range_of) {
  if (facts_of(b).is_zero()) fail_input("the remainder of the symbolic size ", str(a), " by zero is asked for");
  bool is_plain = is_nonnegative(a, range_of) && is_nonnegative(b, range_of);
  if (const Expr* remainder = known_remainder(a, b)) return remainder;
  if (!is_plain && exact_quotient(a, b)) return make_integer(0);
  return make_call(is_plain ? "Mod" : "PythonMod", a, b);
}

}  // namespace rung
