// Sort keys of expressions, compared without being built.
#include "shape/expr_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/error.h"

namespace rung {
namespace {

// A sort key is (class, arguments, exponent, coefficient): 2*x**3 has the class and the arguments of x, the
// exponent 3 and the coefficient 2. Nullptr stands for an exponent or coefficient of 1.
struct KeyParts {
  const Expr* core;
  const Expr* exponent;
  const Expr* coefficient;
};

bool is_boolean(const Expr* expr) {
  return expr->kind == ExprKind::kRelation || expr->kind == ExprKind::kAnd || expr->kind == ExprKind::kOr ||
         expr->kind == ExprKind::kNot;
}

KeyParts parts_of(const Expr* expr) {
  auto [coefficient, rest] = split_coefficient(expr);
  if (rest == nullptr) return {expr, nullptr, nullptr};
  if (rest->kind == ExprKind::kPow) return {rest->args[0], rest->args[1], coefficient};
  return {rest, nullptr, coefficient};
}

struct ClassKey {
  int major, minor;
  std::string_view name;
  auto operator<=>(const ClassKey&) const = default;
};

ClassKey class_key(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kInteger:
    case ExprKind::kRational:
    case ExprKind::kFloat: return {1, 0, "Number"};
    case ExprKind::kConstant:
      if (expr->name == "true") return {2, 0, "BooleanTrue"};
      if (expr->name == "false") return {2, 0, "BooleanFalse"};
      return {1, 0, "Number"};
    case ExprKind::kSymbol: return {2, 0, "Symbol"};
    case ExprKind::kMul: return {3, 0, "Mul"};
    case ExprKind::kAdd: return {3, 1, "Add"};
    case ExprKind::kPow: return {3, 2, "Pow"};
    case ExprKind::kFunction: return {expr->function->major, expr->function->minor, expr->name};
    case ExprKind::kRelation: return {5, 0, expr->name};
    case ExprKind::kAnd: return {5, 0, "And"};
    case ExprKind::kOr: return {5, 0, "Or"};
    case ExprKind::kNot: return {5, 0, "Not"};
  }
  RUNG_UNREACHABLE();
}

int sign(std::weak_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

int compare_doubles(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

int compare_numbers(const Expr* a, const Expr* b) {
  if (a->kind == ExprKind::kInteger && b->kind == ExprKind::kInteger) return sign(a->integer <=> b->integer);
  if (a->is_rational() && b->is_rational()) {
    __int128 left = static_cast<__int128>(a->integer) * b->denominator;
    __int128 right = static_cast<__int128>(b->integer) * a->denominator;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return compare_doubles(number_value(a), number_value(b));
}

const Expr* or_one(const Expr* number) {
  static const Expr* one = make_integer(1);
  return number != nullptr ? number : one;
}

// A whole number as a key has no arguments and no exponent: less than every key of the same class that has
// some, as the base of 2**x has.
int compare_with_number(const Expr* a, const Expr* b) {
  if (a->is_number() && b->is_number()) return compare_numbers(a, b);
  ClassKey left = class_key(parts_of(a).core), right = class_key(parts_of(b).core);
  if (left != right) return sign(left <=> right);
  return a->is_number() ? -1 : 1;
}

int compare_exponents(const Expr* a, const Expr* b) { return a == b ? 0 : compare_sort_keys(or_one(a), or_one(b)); }

int compare_args(ExprArgs a, ExprArgs b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    if (int order = compare_sort_keys(a[i], b[i])) return order;
  return 0;
}

// The core of 2**x is an atom that is known by its text.
std::string atom_text(const Expr* atom) {
  return atom->kind == ExprKind::kSymbol ? std::string(atom->name) : str(atom);
}

int compare_cores(const Expr* a, const Expr* b) {
  if (a == b) return 0;
  ClassKey left = class_key(a), right = class_key(b);
  if (left != right) return sign(left <=> right);
  if (a->args.empty() && b->args.empty()) return atom_text(a).compare(atom_text(b));
  return compare_args(a->args, b->args);
}

// Numbers inside a product that are no coefficient, such as the square root of two. An Identity counts as its
// number.
std::optional<double> numeric_value(const Expr* expr) {
  if (expr->is_number()) return number_value(expr);
  if (expr->args.empty() || !expr->args[0]->is_number()) return std::nullopt;
  if (expr->is(ExprKind::kFunction, "Identity")) return number_value(expr->args[0]);
  if (expr->kind != ExprKind::kPow || !expr->args[1]->is_number()) return std::nullopt;
  return std::pow(number_value(expr->args[0]), number_value(expr->args[1]));
}

// A factor as a generator to an integer power: x**3 is (x, 3), sqrt(x) is (sqrt(x), 1), x**(2*y) is (x**y,
// 2).
struct Power {
  const Expr* base;
  int64_t exponent;
};

Power decompose_power(const Expr* factor) {
  if (factor->kind != ExprKind::kPow) return {factor, 1};
  const Expr* base = factor->args[0];
  const Expr* exponent = factor->args[1];
  if (exponent->kind == ExprKind::kInteger) return {base, exponent->integer};
  if (exponent->kind == ExprKind::kRational)
    return {make_pow(base, make_rational(1, exponent->denominator)), exponent->integer};
  auto [coefficient, rest] = split_coefficient(exponent);
  if (rest == nullptr || coefficient == nullptr || !coefficient->is_rational()) return {factor, 1};
  const Expr* tail = make_mul(std::array{make_rational(1, coefficient->denominator), rest});
  return {make_pow(base, tail), coefficient->integer};
}

struct Term {
  const Expr* term;
  double coefficient;
  std::vector<Power> powers;
  std::vector<std::pair<size_t, int64_t>> monomial;  // (position of the generator, exponent), ascending
};

Term make_term(const Expr* expr) {
  auto [coefficient, rest] = split_coefficient(expr);
  if (rest == nullptr) return {expr, number_value(expr), {}, {}};
  Term term{expr, coefficient != nullptr ? number_value(coefficient) : 1.0, {}, {}};
  ExprArgs factors = rest->kind == ExprKind::kMul ? rest->args : ExprArgs(&rest, 1);
  for (const Expr* factor : factors) {
    if (auto value = numeric_value(factor))
      term.coefficient *= *value;
    else
      term.powers.push_back(decompose_power(factor));
  }
  return term;
}

using Positions = std::unordered_map<const Expr*, size_t>;

Positions sorted_generators(const std::vector<Term>& terms) {
  Positions positions;
  std::vector<const Expr*> generators;
  for (const Term& term : terms)
    for (const Power& power : term.powers)
      if (positions.emplace(power.base, 0).second) generators.push_back(power.base);
  sort_by_key(generators);
  for (size_t i = 0; i < generators.size(); ++i) positions[generators[i]] = i;
  return positions;
}

void fill_monomial(Term& term, const Positions& positions) {
  for (const Power& power : term.powers) term.monomial.emplace_back(positions.at(power.base), power.exponent);
  std::sort(term.monomial.begin(), term.monomial.end());
}

// Lexicographic, higher powers of earlier generators first; a generator that is missing has the power 0.
int compare_monomials(const Term& a, const Term& b) {
  size_t i = 0, j = 0;
  while (i < a.monomial.size() || j < b.monomial.size()) {
    constexpr size_t kEnd = std::numeric_limits<size_t>::max();
    size_t left = i < a.monomial.size() ? a.monomial[i].first : kEnd;
    size_t right = j < b.monomial.size() ? b.monomial[j].first : kEnd;
    int64_t left_power = left <= right ? a.monomial[i++].second : 0;
    int64_t right_power = right <= left ? b.monomial[j++].second : 0;
    if (left_power != right_power) return left_power > right_power ? -1 : 1;
  }
  return 0;
}

bool comes_before(const Term& a, const Term& b) {
  int order = compare_monomials(a, b);
  return order != 0 ? order < 0 : a.coefficient < b.coefficient;
}

// 3 - s0 rather than -s0 + 3: a positive number and a negative multiple of one factor.
bool is_number_minus_multiple(ExprArgs terms, size_t number, size_t multiple) {
  const Expr* first = terms[number];
  const Expr* second = terms[multiple];
  return first->is_number() && number_value(first) > 0 && second->kind == ExprKind::kMul && second->args.size() == 2 &&
         second->args[0]->is_negative_number() && !second->args[1]->is_number();
}

}  // namespace

CoefficientAndRest split_coefficient(const Expr* expr) {
  if (expr->is_number()) return {expr, nullptr};
  if (expr->rest == nullptr) return {nullptr, expr};
  return {expr->args[0], expr->rest};
}

double number_value(const Expr* number) {
  switch (number->kind) {
    case ExprKind::kInteger: return static_cast<double>(number->integer);
    case ExprKind::kRational: return static_cast<double>(number->integer) / static_cast<double>(number->denominator);
    case ExprKind::kFloat: return number->number;
    default: break;
  }
  RUNG_CHECK(number->is_number(), "no number: ", srepr(number));
  if (!number->is_infinity()) return std::numeric_limits<double>::quiet_NaN();
  return number->name[0] == '-' ? -HUGE_VAL : HUGE_VAL;
}

int compare_sort_keys(const Expr* a, const Expr* b) {
  if (a == b) return 0;
  if (a->is_number() || b->is_number()) return compare_with_number(a, b);
  if (is_boolean(a) || is_boolean(b)) return compare_cores(a, b);
  KeyParts left = parts_of(a), right = parts_of(b);
  if (int order = compare_cores(left.core, right.core)) return order;
  if (int order = compare_exponents(left.exponent, right.exponent)) return order;
  return compare_numbers(or_one(left.coefficient), or_one(right.coefficient));
}

void sort_by_key(std::vector<const Expr*>& items) {
  std::stable_sort(items.begin(), items.end(),
                   [](const Expr* a, const Expr* b) { return compare_sort_keys(a, b) < 0; });
}

void sort_by_weight(std::vector<const Expr*>& items) {
  auto before = [](const Expr* a, const Expr* b) {
    return a->weight != b->weight ? a->weight < b->weight : compare_sort_keys(a, b) < 0;
  };
  // Often one more stands behind many that are sorted.
  auto sorted = std::is_sorted_until(items.begin(), items.end(), before);
  if (items.end() - sorted <= 1)
    std::inplace_merge(items.begin(), sorted, items.end(), before);
  else
    std::stable_sort(items.begin(), items.end(), before);
}

std::vector<const Expr*> ordered_terms(ExprArgs terms) {
  if (terms.size() == 2 && is_number_minus_multiple(terms, 0, 1)) return {terms[0], terms[1]};
  if (terms.size() == 2 && is_number_minus_multiple(terms, 1, 0)) return {terms[1], terms[0]};
  std::vector<Term> rows;
  for (const Expr* term : terms) rows.push_back(make_term(term));
  Positions positions = sorted_generators(rows);
  for (Term& row : rows) fill_monomial(row, positions);
  std::stable_sort(rows.begin(), rows.end(), comes_before);
  std::vector<const Expr*> ordered;
  for (const Term& row : rows) ordered.push_back(row.term);
  return ordered;
}

int compare_terms(const Expr* a, const Expr* b) {
  std::vector<Term> rows{make_term(a), make_term(b)};
  Positions positions = sorted_generators(rows);
  for (Term& row : rows) fill_monomial(row, positions);
  return compare_monomials(rows[0], rows[1]);
}

}  // namespace rung
