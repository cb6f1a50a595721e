// Signs, integrality and parity. Deliberately no cleverer than sympy: what it does not see must stay unsimplified.
#include "shape/facts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "shape/algebra.h"
#include "shape/expr_order.h"
#include "shape/polynomial.h"

namespace rung {
namespace {

uint8_t flipped(uint8_t signs) {
  return static_cast<uint8_t>((signs & kZero) | ((signs & kNegative) ? kPositive : 0) |
                              ((signs & kPositive) ? kNegative : 0));
}

uint8_t sign_product(uint8_t a, uint8_t b) {
  uint8_t out = 0;
  if (a & kZero || b & kZero) out |= kZero;
  if (a & kPositive) out = static_cast<uint8_t>(out | (b & (kPositive | kNegative)));
  if (a & kNegative) out = static_cast<uint8_t>(out | (flipped(b) & (kPositive | kNegative)));
  return out;
}

uint8_t sign_of(double value) { return value < 0 ? kNegative : value > 0 ? kPositive : kZero; }

void find_symbols(Facts& facts, const Expr* expr) {
  for (const Expr* arg : expr->args) {
    const Facts& inner = facts_of(arg);
    if (!inner.has_symbols) continue;
    bool same = !facts.has_symbols || (facts.only_symbol != nullptr && facts.only_symbol == inner.only_symbol);
    facts.only_symbol = same ? inner.only_symbol : nullptr;
    facts.has_symbols = true;
  }
}

// Nothing for numbers beyond what a size is.
std::optional<bool> is_prime_number(int64_t value) {
  if (value < 2 || (value > 2 && value % 2 == 0)) return value == 2;
  if (value > int64_t{1} << 40) return std::nullopt;
  for (int64_t divisor = 3; divisor * divisor <= value; divisor += 2)
    if (value % divisor == 0) return false;
  return true;
}

Facts number_facts(const Expr* number) {
  Facts facts;
  facts.is_real = !number->is(ExprKind::kConstant, "nan");
  double value = number_value(number);
  facts.signs = facts.is_real ? sign_of(value) : kAnySign;
  if (number->kind == ExprKind::kInteger) {
    facts.is_integer = true;
    facts.parity = number->integer % 2 == 0 ? Parity::kEven : Parity::kOdd;
    facts.is_prime = is_prime_number(number->integer);
    facts.is_composite = number->integer > 3 && facts.is_prime == false;
  } else if (number->kind == ExprKind::kRational) {
    facts.is_integer = false;
  }
  return facts;
}

Facts symbol_facts(const Expr* symbol) {
  auto assumes = [&](std::string_view what) {
    size_t at = symbol->assumptions.find(what);
    return at != std::string_view::npos && (at == 0 || symbol->assumptions[at - 1] == ' ');
  };
  Facts facts;
  facts.only_symbol = symbol;
  facts.has_symbols = true;
  if (assumes("integer=True")) facts.is_integer = true;
  if (assumes("positive=True")) facts.signs = kPositive;
  if (assumes("nonnegative=True")) facts.signs = kZero | kPositive;
  if (assumes("negative=True")) facts.signs = kNegative;
  facts.is_real = facts.known_integer() || facts.signs != kAnySign || assumes("real=True");
  return facts;
}

Parity sum_parity(const Expr* sum) {
  Parity parity = Parity::kEven;
  for (const Expr* term : sum->args) {
    Parity inner = facts_of(term).parity;
    if (inner == Parity::kUnknown) return inner;
    if (inner == Parity::kOdd) parity = parity == Parity::kOdd ? Parity::kEven : Parity::kOdd;
  }
  return parity;
}

// Unknown as soon as one is unknown; several that are no integers may add up to one.
std::optional<bool> sum_is_integer(const Expr* sum) {
  int broken = 0;
  for (const Expr* term : sum->args) {
    std::optional<bool> inner = facts_of(term).is_integer;
    if (!inner) return std::nullopt;
    broken += !*inner;
  }
  if (broken > 1) return std::nullopt;
  return broken == 0;
}

struct Split {
  const Expr* number;
  const Expr* rest;
};

Split split_number(const Expr* sum) {
  std::vector<const Expr*> rest;
  const Expr* number = make_integer(0);
  for (const Expr* term : sum->args) {
    if (term->is_number())
      number = term;
    else
      rest.push_back(term);
  }
  return {number, make_add(rest)};
}

// A polynomial of one symbol, by exponents; nothing where it is none.
using Univariate = std::map<int64_t, const Expr*>;

std::optional<Univariate> as_univariate(const Expr* expr, const Expr* symbol) {
  Univariate out;
  for (const Expr* term : terms_of(expr)) {
    auto [coefficient, rest] = split_coefficient(term);
    if (coefficient == nullptr) coefficient = make_integer(1);
    int64_t exponent = 0;
    if (rest == symbol) {
      exponent = 1;
    } else if (rest != nullptr) {
      bool is_power = rest->kind == ExprKind::kPow && rest->args[0] == symbol;
      if (!is_power || rest->args[1]->kind != ExprKind::kInteger || rest->args[1]->integer < 0) return std::nullopt;
      exponent = rest->args[1]->integer;
    }
    auto [found, is_new] = out.emplace(exponent, coefficient);
    if (!is_new) found->second = add(found->second, coefficient);
  }
  return out;
}

const Expr* value_at_one(const Univariate& polynomial) {
  std::vector<const Expr*> coefficients;
  for (auto [exponent, coefficient] : polynomial) coefficients.push_back(coefficient);
  return sum(coefficients);
}

const Expr* derivative(const Univariate& polynomial, const Expr* symbol) {
  std::vector<const Expr*> terms;
  for (auto [exponent, coefficient] : polynomial) {
    if (exponent == 0) continue;
    terms.push_back(product(std::array{coefficient, make_integer(exponent), power(symbol, exponent - 1)}));
  }
  return sum(terms);
}

// The value closest to zero that an expression of one sign takes where all symbols have the sign that is assumed of
// them. `number` is nullptr where only the sign of it is known.
struct Closest {
  const Expr* number = nullptr;
  uint8_t signs = kAnySign;
};

Closest closest_number(int64_t value) { return {make_integer(value), sign_of(static_cast<double>(value))}; }

std::optional<Closest> closest_of_one_symbol(const Expr* expr, const Expr* symbol) {
  if (!facts_of(symbol).is_positive() || !facts_of(symbol).known_integer()) return std::nullopt;
  auto polynomial = as_univariate(expr, symbol);
  if (!polynomial) polynomial = as_univariate(expand(expr), symbol);
  if (!polynomial) return std::nullopt;
  const Expr* lowest = value_at_one(*polynomial);
  const Facts& slope = facts_of(derivative(*polynomial, symbol));
  uint8_t signs = sign_of(number_value(lowest));
  if ((signs & kNegative) == 0 && slope.is_positive())
    return signs == kPositive ? Closest{lowest, signs} : Closest{nullptr, kZero | kPositive};
  if ((signs & kPositive) == 0 && slope.is_negative())
    return signs == kNegative ? Closest{lowest, signs} : Closest{nullptr, kZero | kNegative};
  return std::nullopt;
}

// Of something that is no sum.
std::optional<Closest> closest_of_factor(const Expr* expr) {
  const Facts& facts = facts_of(expr);
  if (!facts.is_real) return std::nullopt;
  int64_t step = facts.parity == Parity::kEven ? 2 : 1;
  if (facts.is_composite == true) return closest_number(facts.parity == Parity::kOdd ? 9 : 4);
  if (facts.is_prime == true) return closest_number(facts.parity == Parity::kOdd ? 3 : 2);
  if (facts.is_positive()) return facts.known_integer() ? closest_number(step) : Closest{nullptr, kPositive};
  if (facts.is_negative()) return facts.known_integer() ? closest_number(-step) : Closest{nullptr, kNegative};
  if (facts.is_nonnegative() || facts.is_nonpositive()) return closest_number(0);
  return std::nullopt;
}

std::optional<Closest> closest_to_zero(const Expr* expr) {
  if (expr->kind != ExprKind::kAdd) return closest_of_factor(expr);
  const Expr* symbol = facts_of(expr).only_symbol;
  return symbol != nullptr ? closest_of_one_symbol(expr, symbol) : std::nullopt;
}

uint8_t shifted_signs(const Closest& closest, const Expr* number) {
  uint8_t sign = sign_of(number_value(number));
  if (closest.number != nullptr) return sign_of(number_value(add(closest.number, number)));
  if (closest.signs == sign || (closest.signs & ~kZero) == sign) return sign;
  return kAnySign;
}

// A sum with a number in it, such as s0 - 1: what the smallest value of the others says.
uint8_t signs_with_number(const Expr* sum, const Facts& facts) {
  auto [number, rest] = split_number(sum);
  if (number->is_integer(0)) return kAnySign;
  uint8_t out = kAnySign;
  const Facts& others = facts_of(rest);
  if (auto closest = closest_to_zero(rest)) {
    uint8_t signs = shifted_signs(*closest, number);
    if (others.is_nonnegative() && (signs & kNegative) == 0) out &= signs == kPositive ? kPositive : kZero | kPositive;
    if (others.is_nonpositive() && (signs & kPositive) == 0) out &= signs == kNegative ? kNegative : kZero | kNegative;
  }
  if (facts.only_symbol == nullptr) return out;
  auto closest = closest_of_one_symbol(sum, facts.only_symbol);
  return closest ? out & closest->signs : out;
}

uint8_t signs_of_terms(const Expr* sum) {
  bool negative = false, positive = false, may_be_negative = false, may_be_positive = false;
  for (const Expr* term : sum->args) {
    const Facts& facts = facts_of(term);
    if (facts.is_zero()) continue;
    negative |= facts.is_negative();
    positive |= facts.is_positive();
    may_be_negative |= !facts.is_nonnegative();
    may_be_positive |= !facts.is_nonpositive();
  }
  if (may_be_negative && may_be_positive) return kAnySign;
  if (may_be_positive) return positive ? kPositive : kZero | kPositive;
  if (may_be_negative) return negative ? kNegative : kZero | kNegative;
  return kZero;
}

Facts sum_facts(const Expr* sum) {
  Facts facts;
  find_symbols(facts, sum);
  facts.is_real = true;
  for (const Expr* term : sum->args) facts.is_real &= facts_of(term).is_real;
  facts.is_integer = sum_is_integer(sum);
  if (facts.known_integer()) facts.parity = sum_parity(sum);
  if (facts.is_real) facts.signs = signs_of_terms(sum);
  if (facts.is_real) facts.signs &= signs_with_number(sum, facts);
  return facts;
}

// The integer factors above and below the line of a product; ones are left out.
struct Line {
  std::vector<const Expr*> above, below;
  bool is_known = true;

  void put(std::vector<const Expr*>& side, const Expr* factor) {
    if (!factor->is_integer(1) && !factor->is_integer(-1)) side.push_back(factor);
  }
};

Line split_line(const Expr* product) {
  Line line;
  for (const Expr* factor : product->args) {
    if (facts_of(factor).known_integer()) {
      line.put(line.above, factor);
    } else if (factor->kind == ExprKind::kRational) {
      line.put(line.above, make_integer(factor->integer));
      line.below.push_back(make_integer(factor->denominator));
    } else if (factor->kind == ExprKind::kPow && factor->args[1]->kind == ExprKind::kInteger &&
               factor->args[1]->integer < 0 && facts_of(factor->args[0]).known_integer()) {
      line.below.push_back(power(factor, -1));
    } else {
      line.is_known = false;
    }
  }
  return line;
}

template <typename Items>
bool all_have(const Items& items, Parity parity) {
  for (const Expr* item : items)
    if (facts_of(item).parity != parity) return false;
  return true;
}

template <typename Items>
bool any_has(const Items& items, Parity parity) {
  for (const Expr* item : items)
    if (facts_of(item).parity == parity) return true;
  return false;
}

// How often two divides the even ones at least, as far as powers tell.
int64_t twos(const std::vector<const Expr*>& items) {
  int64_t count = 0;
  for (const Expr* item : items) {
    if (facts_of(item).parity != Parity::kEven) continue;
    bool is_power = item->kind == ExprKind::kPow && item->args[1]->kind == ExprKind::kInteger;
    count += is_power ? item->args[1]->integer : 1;
  }
  return count;
}

int64_t trailing_zeros(int64_t value) { return value == 0 ? 0 : std::countr_zero(static_cast<uint64_t>(value)); }

std::optional<bool> product_is_integer(const Expr* expr) {
  auto [above, below, is_known] = split_line(expr);
  if (!is_known) return std::nullopt;
  if (below.empty()) return true;
  if (above.empty()) {
    bool all_large = true;
    for (const Expr* factor : below) all_large &= is_at_least(make_integer(1), factor) == false;
    if (all_large) return false;
  }
  if (all_have(above, Parity::kOdd) && any_has(below, Parity::kEven)) return false;
  if (any_has(above, Parity::kEven) && below.size() == 1 && below[0]->is_integer(2)) return true;
  if (all_have(above, Parity::kEven) && all_have(below, Parity::kOdd) &&
      facts_of(subtract(product(below), make_integer(1))).is_positive())
    return false;
  auto even_number = [](const std::vector<const Expr*>& side) {
    return side.size() == 1 && side[0]->kind == ExprKind::kInteger && side[0]->integer % 2 == 0;
  };
  if (even_number(below) && twos(above) >= trailing_zeros(below[0]->integer)) return true;
  if (even_number(above) && twos(below) > trailing_zeros(above[0]->integer)) return false;
  return std::nullopt;
}

int class_rank(const Expr* factor) {
  switch (factor->kind) {
    case ExprKind::kPow: return 1;
    case ExprKind::kAdd: return 2;
    case ExprKind::kFunction: return 3;
    default: return 0;
  }
}

// Two neighbours of which one is even and one is odd make the product even, as s0*(s0 + 1). sympy keeps symbols before
// powers before sums.
Parity product_parity(const Expr* expr) {
  if (any_has(expr->args, Parity::kEven)) return Parity::kEven;
  std::vector<const Expr*> factors(expr->args.begin(), expr->args.end());
  std::stable_sort(factors.begin(), factors.end(),
                   [](const Expr* a, const Expr* b) { return class_rank(a) < class_rank(b); });
  const Expr* last = nullptr;
  for (const Expr* factor : factors) {
    if (factor->is_integer(1) || factor->is_integer(-1)) continue;
    if (last != nullptr && facts_of(add(last, factor)).parity == Parity::kOdd) return Parity::kEven;
    last = factor;
  }
  return all_have(expr->args, Parity::kOdd) ? Parity::kOdd : Parity::kUnknown;
}

bool is_above_one(const Expr* expr) { return facts_of(subtract(expr, make_integer(1))).is_positive(); }

std::optional<bool> product_is_composite(const Expr* expr) {
  int large = 0;
  for (const Expr* factor : expr->args) {
    if (!facts_of(factor).known_integer() || !facts_of(factor).is_positive()) return std::nullopt;
    large += is_above_one(factor);
  }
  return large > 1 ? std::optional(true) : std::nullopt;
}

Facts product_facts(const Expr* expr) {
  Facts facts;
  find_symbols(facts, expr);
  facts.is_real = true;
  facts.signs = kPositive;
  bool has_fraction = false;
  for (const Expr* factor : expr->args) {
    const Facts& inner = facts_of(factor);
    facts.is_real &= inner.is_real;
    facts.signs = sign_product(facts.signs, inner.signs);
    has_fraction |= !inner.known_integer();
  }
  if (!facts.is_real) facts.signs = kAnySign;
  facts.is_integer = product_is_integer(expr);
  if (facts.known_integer() && !has_fraction) facts.parity = product_parity(expr);
  facts.is_composite = product_is_composite(expr);
  return facts;
}

uint8_t power_signs(const Facts& base, int64_t exponent) {
  if (base.is_positive()) return kPositive;
  bool is_even = exponent % 2 == 0;
  if (base.is_nonzero()) return is_even ? kPositive : base.signs;
  if (exponent < 0) return kAnySign;
  if (base.is_zero()) return kZero;
  return is_even ? kZero | kPositive : base.signs;
}

Facts power_facts(const Expr* expr) {
  Facts facts;
  find_symbols(facts, expr);
  const Expr* exponent = expr->args[1];
  const Facts& base = facts_of(expr->args[0]);
  if (exponent->kind != ExprKind::kInteger) {
    facts.is_real = base.is_positive() && facts_of(exponent).is_real;
    if (facts.is_real) facts.signs = kPositive;
    return facts;
  }
  facts.is_real = base.is_real && (exponent->integer >= 0 || base.is_nonzero());
  if (facts.is_real) facts.signs = power_signs(base, exponent->integer);
  if (exponent->integer >= 0) {
    if (base.known_integer()) facts.is_integer = true;
    if (base.is_integer == false) facts.is_integer = false;
    facts.parity = base.parity;
    if (base.known_integer() && exponent->integer > 1) {
      facts.is_prime = false;
      if (is_above_one(expr->args[0])) facts.is_composite = true;
    }
  } else if (base.known_integer()) {
    const Expr* step = make_integer(1);
    bool is_large =
        facts_of(subtract(expr->args[0], step)).is_nonzero() && facts_of(add(expr->args[0], step)).is_nonzero();
    if (is_large) facts.is_integer = false;
  }
  return facts;
}

// True or false where all arguments agree.
template <typename Predicate>
std::optional<bool> unanimous(ExprArgs args, Predicate&& predicate) {
  std::optional<bool> first = predicate(facts_of(args[0]));
  for (const Expr* arg : args)
    if (predicate(facts_of(arg)) != first) return std::nullopt;
  return first;
}

// Signs that the larger, or smaller, of two values may have.
uint8_t extreme_signs(uint8_t a, uint8_t b, bool is_max) {
  uint8_t out = 0;
  for (uint8_t left = kNegative; left <= kPositive; left = static_cast<uint8_t>(left << 1))
    for (uint8_t right = kNegative; right <= kPositive; right = static_cast<uint8_t>(right << 1))
      if ((a & left) && (b & right)) out |= is_max ? std::max(left, right) : std::min(left, right);
  return out;
}

Facts extreme_facts(const Expr* call) {
  Facts facts;
  facts.is_real = unanimous(call->args, [](const Facts& f) { return std::optional(f.is_real); }) == true;
  facts.is_integer = unanimous(call->args, [](const Facts& f) { return f.is_integer; });
  facts.signs = facts_of(call->args[0]).signs;
  for (const Expr* arg : call->args) facts.signs = extreme_signs(facts.signs, facts_of(arg).signs, call->name == "Max");
  facts.is_prime = unanimous(call->args, [](const Facts& f) { return f.is_prime; });
  facts.is_composite = unanimous(call->args, [](const Facts& f) { return f.is_composite; });
  if (all_have(call->args, Parity::kEven)) facts.parity = Parity::kEven;
  if (all_have(call->args, Parity::kOdd)) facts.parity = Parity::kOdd;
  return facts;
}

constexpr std::string_view kIntegerFunctions[] = {"FloorDiv",     "ModularIndexing",
                                                  "PythonMod",    "Mod",
                                                  "CleanDiv",     "CeilDiv",
                                                  "CeilToInt",    "FloorToInt",
                                                  "TruncToInt",   "RoundToInt",
                                                  "PowByNatural", "LShift",
                                                  "RShift",       "IsNonOverlappingAndDenseIndicator"};
constexpr std::string_view kFloatFunctions[] = {"FloatPow",     "FloatTrueDiv", "IntTrueDiv",
                                                "TruncToFloat", "RoundDecimal", "ToFloat"};

template <size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  for (std::string_view known : names)
    if (known == name) return true;
  return false;
}

uint8_t function_signs(const Expr* call) {
  auto inner = [&](size_t i) -> const Facts& { return facts_of(call->args[i]); };
  if (call->name == "Mod") return kZero | kPositive;
  if (call->name == "FloorDiv" || call->name == "CleanDiv" || call->name == "ModularIndexing")
    return inner(0).is_nonnegative() && inner(1).is_nonnegative() ? kZero | kPositive : kAnySign;
  if (call->name == "PythonMod" && inner(1).is_positive()) return kZero | kPositive;
  if (call->name == "PythonMod" && inner(1).is_negative()) return kZero | kNegative;
  return kAnySign;
}

Facts function_facts(const Expr* call) {
  Facts facts;
  if (call->name == "Identity") return facts_of(call->args[0]);
  if (call->name == "Max" || call->name == "Min") {
    facts = extreme_facts(call);
  } else if (is_one_of(call->name, kIntegerFunctions)) {
    facts.is_integer = true;
    facts.is_real = true;
    facts.signs = function_signs(call);
  } else {
    facts.is_real = is_one_of(call->name, kFloatFunctions);
  }
  find_symbols(facts, call);
  return facts;
}

// Every whole number above one is either prime or composite, and the even ones but two are composite.
void deduce(Facts& facts) {
  if (facts.parity == Parity::kOdd) facts.signs &= static_cast<uint8_t>(~kZero);
  if (facts.is_zero()) facts.is_integer = true, facts.parity = Parity::kEven;
  if (facts.is_composite == true) facts.is_prime = false;
  if (facts.is_prime == true) facts.is_composite = false;
  if (facts.is_nonpositive() || facts.is_integer == false) facts.is_prime = facts.is_composite = false;
  if (!facts.is_positive() || !facts.known_integer() || facts.is_prime != false) return;
  if (facts.parity == Parity::kEven) facts.is_composite = true;
  if (facts.is_composite == false) facts.parity = Parity::kOdd;
}

Facts find_facts(const Expr* expr) {
  if (expr->is_number()) return number_facts(expr);
  Facts facts;
  switch (expr->kind) {
    case ExprKind::kSymbol: return symbol_facts(expr);
    case ExprKind::kAdd: facts = sum_facts(expr); break;
    case ExprKind::kMul: facts = product_facts(expr); break;
    case ExprKind::kPow: facts = power_facts(expr); break;
    case ExprKind::kFunction: facts = function_facts(expr); break;
    default: find_symbols(facts, expr); return facts;
  }
  deduce(facts);
  return facts;
}

}  // namespace

const Facts& facts_of(const Expr* expr) {
  // References into the table stay good when it grows.
  thread_local std::unordered_map<const Expr*, Facts> known;
  auto found = known.find(expr);
  if (found != known.end()) return found->second;
  Facts facts = find_facts(expr);
  return known.emplace(expr, facts).first->second;
}

bool is_float_valued(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kInteger:
    case ExprKind::kRational: return false;
    case ExprKind::kFloat: return true;
    case ExprKind::kConstant: return expr->name == "oo" || expr->name == "-oo" || expr->name == "nan";
    case ExprKind::kSymbol: return expr->assumptions.find("integer=True") == std::string_view::npos;
    case ExprKind::kFunction:
      if (is_one_of(expr->name, kIntegerFunctions)) return false;
      if (is_one_of(expr->name, kFloatFunctions) || expr->name.starts_with("OpaqueUnaryFn")) return true;
      break;
    case ExprKind::kAdd:
    case ExprKind::kMul:
    case ExprKind::kPow: break;
    default: return false;
  }
  thread_local std::unordered_map<const Expr*, bool> known;
  auto found = known.find(expr);
  if (found != known.end()) return found->second;
  bool is_float = std::any_of(expr->args.begin(), expr->args.end(), is_float_valued);
  known.emplace(expr, is_float);
  return is_float;
}

std::optional<bool> is_at_least(const Expr* a, const Expr* b) {
  if (a->is_number() && b->is_number()) return compare_sort_keys(a, b) >= 0;
  if (!facts_of(a).is_real || !facts_of(b).is_real) return std::nullopt;
  const Facts& difference = facts_of(subtract(a, b));
  if (difference.is_nonnegative()) return true;
  if (difference.is_negative()) return false;
  return std::nullopt;
}

}  // namespace rung
