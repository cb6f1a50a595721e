// The pool of expressions, and how each kind is made.
#include "shape/expr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <unordered_set>

#include "base/arena.h"
#include "base/error.h"
#include "shape/expr_order.h"

namespace rung {
namespace {

constexpr int8_t kAnyNumber = -1;

// Names that torch's loader does not hand to sympy (OpaqueUnaryFn_*, BitwiseFn_*) become sympy's undefined
// functions there, which sort and print by sympy's own rules.
constexpr ExprFunction kFunctions[] = {
    {"FloorDiv", 2, 2, 35, 4, 10000},
    {"ModularIndexing", 3, 3, 35, 4, 10000},
    {"Where", 3, 3, 35, 4, 10000},
    {"PythonMod", 2, 2, 35, 4, 10000},
    {"Mod", 2, 2, 35, 4, 10000},
    {"CleanDiv", 2, 2, 35, 4, 10000},
    {"CeilDiv", 2, 2, 70, 4, 10000},
    {"CeilToInt", 1, 1, 70, 4, 10000},
    {"FloorToInt", 1, 1, 70, 4, 10000},
    {"LShift", 2, 2, 70, 4, 10000},
    {"RShift", 2, 2, 70, 4, 10000},
    {"PowByNatural", 2, 2, 50, 4, 10000},
    {"FloatPow", 2, 2, 60, 4, 10000},
    {"FloatTrueDiv", 2, 2, 35, 4, 10000},
    {"IntTrueDiv", 2, 2, 35, 4, 10000},
    {"IsNonOverlappingAndDenseIndicator", 0, kAnyNumber, 70, 4, 0},
    {"TruncToFloat", 1, 1, 70, 4, 10000},
    {"TruncToInt", 1, 1, 70, 4, 10000},
    {"RoundToInt", 1, 1, 70, 4, 10000},
    {"RoundDecimal", 2, 2, 70, 4, 10000},
    {"ToFloat", 1, 1, 70, 4, 10000},
    {"Identity", 1, 1, 10, 4, 0},
    {"Max", 1, kAnyNumber, 1000, 5, 0},
    {"Min", 1, kAnyNumber, 1000, 5, 0},
    {"OpaqueUnaryFn_sqrt", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_cos", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_cosh", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_sin", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_sinh", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_tan", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_tanh", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_asin", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_acos", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_atan", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_exp", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_log", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_asinh", 1, 1, 70, 4, 0},
    {"OpaqueUnaryFn_log2", 1, 1, 70, 4, 0},
    {"BitwiseFn_bitwise_and", 2, 2, 70, 4, 0},
    {"BitwiseFn_bitwise_or", 2, 2, 70, 4, 0},
    {"BitwiseFn_bitwise_xor", 2, 2, 70, 4, 0},
};

constexpr std::string_view kConstants[] = {"int_oo", "-int_oo", "oo", "-oo", "nan", "true", "false"};
constexpr std::string_view kRelations[] = {"Equality",       "Unequality",  "LessThan",
                                           "StrictLessThan", "GreaterThan", "StrictGreaterThan"};

// Compared by bits: -0.0 and 0.0 print differently.
uint64_t bits(double value) {
  uint64_t out;
  std::memcpy(&out, &value, sizeof out);
  return out;
}

size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29); }

size_t hash_of(const Expr& expr) {
  size_t hash = mix(static_cast<size_t>(expr.kind), static_cast<size_t>(expr.integer));
  hash = mix(hash, static_cast<size_t>(expr.denominator));
  hash = mix(hash, bits(expr.number));
  hash = mix(hash, std::hash<std::string_view>()(expr.name));
  hash = mix(hash, std::hash<std::string_view>()(expr.assumptions));
  for (const Expr* arg : expr.args) hash = mix(hash, arg->hash);
  return hash;
}

struct Hash {
  size_t operator()(const Expr* expr) const { return expr->hash; }
};
struct Same {
  bool operator()(const Expr* a, const Expr* b) const {
    return a->kind == b->kind && a->integer == b->integer && a->denominator == b->denominator &&
           bits(a->number) == bits(b->number) && a->name == b->name && a->assumptions == b->assumptions &&
           std::equal(a->args.begin(), a->args.end(), b->args.begin(), b->args.end());
  }
};

class Pool {
 public:
  const Expr* intern(Expr candidate) {
    measure(candidate);
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = known_.find(&candidate);
    if (found != known_.end()) return *found;
    candidate.name = arena_.copy(candidate.name);
    candidate.assumptions = arena_.copy(candidate.assumptions);
    candidate.args = arena_.copy(candidate.args);
    const Expr* made = arena_.make<Expr>(candidate);
    known_.insert(made);
    return made;
  }

 private:
  static void measure(Expr& expr) {
    uint64_t weight = expr.kind == ExprKind::kFloat ? 1 : 2;
    for (const Expr* arg : expr.args) {
      weight += arg->weight;
      expr.depth = std::max(expr.depth, arg->depth + 1);
    }
    expr.weight = static_cast<uint32_t>(std::min<uint64_t>(weight, std::numeric_limits<uint32_t>::max()));
    if (expr.depth > kMaxExprDepth) fail_input("a symbolic expression is nested more than ", kMaxExprDepth, " deep");
    expr.hash = hash_of(expr);
  }

  std::mutex mutex_;
  Arena arena_;
  std::unordered_set<const Expr*, Hash, Same> known_;
};

const Expr* intern(const Expr& candidate) {
  static Pool* pool = new Pool;  // never destroyed: sizes of programs that are static too may still point into it
  return pool->intern(candidate);
}

const Expr* intern(ExprKind kind, std::string_view name, ExprArgs args) {
  Expr expr;
  expr.kind = kind;
  expr.name = name;
  expr.args = args;
  return intern(expr);
}

int64_t checked_product(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) fail_input("the integer ", a, "*", b, " of a symbolic size is too large");
  return product;
}

int64_t checked_sum(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) fail_input("the integer ", a, "+", b, " of a symbolic size is too large");
  return sum;
}

// Infinities and nan stay apart: what they do to a product is the simplifier's business.
bool foldable(const Expr* expr) { return expr->kind <= ExprKind::kFloat; }

const Expr* multiply_numbers(const Expr* a, const Expr* b) {
  if (a->is_integer(1)) return b;
  if (b->is_integer(1)) return a;
  if (!a->is_rational() || !b->is_rational()) return make_float(number_value(a) * number_value(b));
  return make_rational(checked_product(a->integer, b->integer), checked_product(a->denominator, b->denominator));
}

const Expr* add_numbers(const Expr* a, const Expr* b) {
  if (a->is_integer(0)) return b;
  if (b->is_integer(0)) return a;
  if (!a->is_rational() || !b->is_rational()) return make_float(number_value(a) + number_value(b));
  int64_t numerator =
      checked_sum(checked_product(a->integer, b->denominator), checked_product(b->integer, a->denominator));
  return make_rational(numerator, checked_product(a->denominator, b->denominator));
}

struct Folded {
  const Expr* number;
  std::vector<const Expr*> rest;
};

template <typename Combine>
Folded fold_numbers(ExprKind kind, ExprArgs items, int64_t identity, Combine&& combine) {
  Folded folded{make_integer(identity), {}};
  auto take = [&](const Expr* item) {
    if (foldable(item))
      folded.number = combine(folded.number, item);
    else
      folded.rest.push_back(item);
  };
  for (const Expr* item : items) {
    if (item->kind != kind)
      take(item);
    else
      for (const Expr* inner : item->args) take(inner);
  }
  return folded;
}

}  // namespace

const ExprFunction* find_function(std::string_view name) {
  for (const ExprFunction& function : kFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

bool Expr::is_negative_number() const {
  if (kind == ExprKind::kConstant) return is_infinity() && name[0] == '-';
  return is_rational() ? integer < 0 : kind == ExprKind::kFloat && number < 0;
}

const Expr* make_integer(int64_t value) {
  Expr expr;
  expr.integer = value;
  return intern(expr);
}

const Expr* make_rational(int64_t numerator, int64_t denominator) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  if (denominator == 0) fail_input("a symbolic size divides ", numerator, " by zero");
  if (denominator == 1) return make_integer(numerator);
  if (denominator == kLowest || numerator == kLowest)
    fail_input("the fraction ", numerator, "/", denominator, " of a symbolic size is too large");
  int64_t divisor = std::gcd(numerator, denominator);
  if (denominator < 0) divisor = -divisor;
  if (denominator / divisor == 1) return make_integer(numerator / divisor);
  Expr expr;
  expr.kind = ExprKind::kRational;
  expr.integer = numerator / divisor;
  expr.denominator = denominator / divisor;
  return intern(expr);
}

const Expr* make_float(double value) {
  Expr expr;
  expr.kind = ExprKind::kFloat;
  expr.number = value;
  return intern(expr);
}

const Expr* make_constant(std::string_view name) {
  bool known = std::find(std::begin(kConstants), std::end(kConstants), name) != std::end(kConstants);
  RUNG_CHECK(known, "no constant of symbolic expressions: ", name);
  return intern(ExprKind::kConstant, name, {});
}

const Expr* make_symbol(std::string_view name, std::string_view assumptions) {
  Expr expr;
  expr.kind = ExprKind::kSymbol;
  expr.name = name;
  expr.assumptions = assumptions;
  return intern(expr);
}

const Expr* make_add(ExprArgs terms) {
  auto [number, rest] = fold_numbers(ExprKind::kAdd, terms, 0, add_numbers);
  if (rest.empty()) return number;
  if (!number->is_integer(0)) rest.insert(rest.begin(), number);
  if (rest.size() == 1) return rest[0];
  return intern(ExprKind::kAdd, {}, ordered_terms(rest));
}

const Expr* make_ordered_add(ExprArgs terms) { return intern(ExprKind::kAdd, {}, terms); }

const Expr* make_mul(ExprArgs factors) {
  auto [number, rest] = fold_numbers(ExprKind::kMul, factors, 1, multiply_numbers);
  if (rest.empty() || number->is_integer(0)) return number;
  sort_by_key(rest);
  const Expr* product = rest.size() == 1 ? rest[0] : intern(ExprKind::kMul, {}, rest);
  if (number->is_integer(1)) return product;
  rest.insert(rest.begin(), number);
  Expr expr;
  expr.kind = ExprKind::kMul;
  expr.args = rest;
  expr.rest = product;
  return intern(expr);
}

const Expr* make_pow(const Expr* base, const Expr* exponent) {
  return intern(ExprKind::kPow, {}, std::array{base, exponent});
}

const Expr* make_function(const ExprFunction* function, ExprArgs args) {
  int64_t count = static_cast<int64_t>(args.size());
  if (count < function->min_args || (function->max_args != kAnyNumber && count > function->max_args))
    fail_input(function->name, " takes ", static_cast<int>(function->min_args), " arguments, not ", count);
  Expr expr;
  expr.kind = ExprKind::kFunction;
  expr.function = function;
  expr.name = function->name;
  std::vector<const Expr*> sorted(args.begin(), args.end());
  if (function->name == "Max" || function->name == "Min") {
    if (sorted.size() == 1) return sorted[0];
    sort_by_weight(sorted);
  }
  expr.args = sorted;
  return intern(expr);
}

const Expr* make_relation(std::string_view name, const Expr* left, const Expr* right) {
  bool known = std::find(std::begin(kRelations), std::end(kRelations), name) != std::end(kRelations);
  RUNG_CHECK(known, "no relation of symbolic expressions: ", name);
  return intern(ExprKind::kRelation, name, std::array{left, right});
}

const Expr* make_boolean(ExprKind kind, ExprArgs args) {
  std::vector<const Expr*> sorted(args.begin(), args.end());
  if (kind == ExprKind::kNot) {
    if (sorted.size() != 1) fail_input("Not takes one argument, not ", sorted.size());
  } else {
    sort_by_weight(sorted);
    if (sorted.size() == 1) return sorted[0];
    if (sorted.empty()) return make_constant(kind == ExprKind::kAnd ? "true" : "false");
  }
  return intern(kind, {}, sorted);
}

}  // namespace rung
