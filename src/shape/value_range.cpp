// Interval arithmetic on 64-bit bounds, and evaluation.
#include "shape/value_range.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "shape/expr_order.h"

namespace rung {
namespace {

constexpr ValueRange kNothingKnown{};

std::optional<int64_t> checked_add(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t out;
  if (!a || !b || __builtin_add_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

// A bound with its infinity: what lies beyond 64 bits counts as infinite, which is never too narrow.
struct Bound {
  double infinity = 0;  // 0: finite
  int64_t value = 0;
};

Bound lower(const ValueRange& range) { return range.min ? Bound{0, *range.min} : Bound{-1, 0}; }
Bound upper(const ValueRange& range) { return range.max ? Bound{0, *range.max} : Bound{1, 0}; }

bool less(const Bound& a, const Bound& b) {
  return a.infinity != b.infinity ? a.infinity < b.infinity : a.infinity == 0 && a.value < b.value;
}

int sign(const Bound& bound) {
  if (bound.infinity != 0) return bound.infinity < 0 ? -1 : 1;
  return (bound.value > 0) - (bound.value < 0);
}

Bound times(const Bound& a, const Bound& b) {
  int direction = sign(a) * sign(b);
  if (direction == 0) return {};
  int64_t out;
  if (a.infinity != 0 || b.infinity != 0 || __builtin_mul_overflow(a.value, b.value, &out))
    return {static_cast<double>(direction), 0};
  return {0, out};
}

int64_t floor_quotient(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// The divisor is not zero.
Bound over(const Bound& a, const Bound& b) {
  if (b.infinity != 0) return {0, sign(a) * sign(b) < 0 ? -1 : 0};
  if (a.infinity != 0) return {a.infinity * sign(b), 0};
  if (b.value == -1) return times(a, b);
  return {0, floor_quotient(a.value, b.value)};
}

ValueRange hull(std::initializer_list<Bound> corners) {
  Bound low = std::min(corners, less), high = std::max(corners, less);
  ValueRange range;
  if (low.infinity == 0) range.min = low.value;
  if (high.infinity == 0) range.max = high.value;
  return range;
}

template <typename Combine>
ValueRange combined(const ValueRange& a, const ValueRange& b, Combine&& combine) {
  return hull({combine(lower(a), lower(b)), combine(lower(a), upper(b)), combine(upper(a), lower(b)),
               combine(upper(a), upper(b))});
}

bool is_positive(const ValueRange& range) { return range.min && *range.min > 0; }
bool is_negative(const ValueRange& range) { return range.max && *range.max < 0; }
bool is_nonnegative(const ValueRange& range) { return range.min && *range.min >= 0; }

bool is_nonpositive(const ValueRange& range) { return range.max && *range.max <= 0; }

// Of a divisor that may be zero only the sign tells something, as in torch.
ValueRange floor_div_range(const ValueRange& a, const ValueRange& b) {
  if (is_positive(b) || is_negative(b)) return combined(a, b, over);
  bool one_sign = (is_nonnegative(a) && is_nonnegative(b)) || (is_nonpositive(a) && is_nonpositive(b));
  if (one_sign) return {0, std::nullopt};
  bool two_signs = (is_nonnegative(a) && is_nonpositive(b)) || (is_nonpositive(a) && is_nonnegative(b));
  return two_signs ? ValueRange{std::nullopt, 0} : kNothingKnown;
}

std::optional<int64_t> moved(std::optional<int64_t> bound, int64_t by) { return checked_add(bound, by); }

// Of what is not negative by a divisor that is not negative. As wide as torch's: what it does not know of a remainder
// decides which expressions it writes.
ValueRange plain_modulo_range(const ValueRange& a, const ValueRange& b) {
  if (b.min == 0) return kNothingKnown;
  if (b.min != b.max) return {b.max ? moved(-*b.max, 1) : std::nullopt, moved(b.max, -1)};
  if (a.max && *a.min / *b.min == *a.max / *b.min) return {*a.min % *b.min, *a.max % *b.min};
  return {0, *b.min - 1};
}

// The remainder has the sign of the divisor and is smaller.
ValueRange modulo_range(const ValueRange& a, const ValueRange& b) {
  if (is_nonnegative(a) && is_nonnegative(b)) return plain_modulo_range(a, b);
  ValueRange range{0, 0};
  if (!is_nonnegative(b)) range.min = moved(b.min, 1);
  if (!b.max || *b.max > 0) range.max = moved(b.max, -1);
  return range;
}

ValueRange power_range(const ValueRange& base, int64_t exponent) {
  if (exponent < 0) return kNothingKnown;
  bool is_even = exponent % 2 == 0;
  Bound low{0, 1}, high{0, 1};
  for (int64_t i = 0; i < std::min<int64_t>(exponent, 64); ++i)
    low = times(low, lower(base)), high = times(high, upper(base));
  if (exponent > 64) {
    // Only 0, 1 and -1 stay within 64 bits; nothing is lost by calling the others unbounded.
    if (low.infinity == 0 && sign(low) != 0 && !is_even && *base.min == -1) low = {0, -1};
  }
  ValueRange range = hull({low, high});
  bool spans_zero = !is_positive(base) && !is_negative(base);
  if (is_even && spans_zero) range.min = 0;
  return range;
}

// What `find` says of an expression, kept in `known`; of its parts first, so that a deep expression takes no stack and
// a shared part is looked at once.
template <typename Known, typename Find>
typename Known::mapped_type parts_first(const Expr* expr, Known& known, Find&& find) {
  if (auto found = known.find(expr); found != known.end()) return found->second;
  std::vector<const Expr*> open{expr};
  while (!open.empty()) {
    const Expr* next = open.back();
    size_t others = open.size();
    for (const Expr* part : next->args)
      if (!known.contains(part)) open.push_back(part);
    if (open.size() > others) continue;
    open.pop_back();
    known.try_emplace(next, find(next));
  }
  return known.at(expr);
}

class Bounds {
 public:
  explicit Bounds(const RangeOf& range_of) : range_of_(range_of) {}

  ValueRange of(const Expr* expr) {
    return parts_first(expr, known_, [this](const Expr* part) { return find(part); });
  }

  std::optional<bool> truth_of(const Expr* condition) {
    ValueRange range = of(condition);
    if (range.min && *range.min == 1) return true;
    if (range.max && *range.max == 0) return false;
    return std::nullopt;
  }

 private:
  static ValueRange truth_range(std::optional<bool> known) {
    return known ? ValueRange{*known, *known} : ValueRange{0, 1};
  }

  ValueRange find(const Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kInteger: return {expr->integer, expr->integer};
      case ExprKind::kSymbol: return range_of_(expr);
      case ExprKind::kAdd: return sum_range(expr);
      case ExprKind::kMul: return product_range(expr);
      case ExprKind::kPow:
        return expr->args[1]->kind == ExprKind::kInteger ? power_range(of(expr->args[0]), expr->args[1]->integer)
                                                         : kNothingKnown;
      case ExprKind::kFunction: return function_range(expr);
      case ExprKind::kRelation: return truth_range(relation_truth(expr));
      case ExprKind::kAnd:
      case ExprKind::kOr: return truth_range(joined_truth(expr));
      case ExprKind::kNot: {
        std::optional<bool> inner = truth_of(expr->args[0]);
        return truth_range(inner ? std::optional(!*inner) : inner);
      }
      case ExprKind::kConstant:
        if (expr->name == "true" || expr->name == "false") return truth_range(expr->name == "true");
        return kNothingKnown;
      default: return kNothingKnown;
    }
  }

  ValueRange sum_range(const Expr* expr) {
    ValueRange total{0, 0};
    for (const Expr* term : expr->args) {
      ValueRange range = of(term);
      total = {checked_add(total.min, range.min), checked_add(total.max, range.max)};
    }
    return total;
  }

  ValueRange product_range(const Expr* expr) {
    ValueRange total{1, 1};
    for (const Expr* factor : expr->args) {
      if (factor->kind == ExprKind::kRational || factor->kind == ExprKind::kFloat) return kNothingKnown;
      total = combined(total, of(factor), times);
    }
    return total;
  }

  ValueRange extreme_range(const Expr* call) {
    bool is_max = call->name == "Max";
    Bound low = lower(of(call->args[0])), high = upper(of(call->args[0]));
    for (const Expr* arg : call->args) {
      Bound arg_low = lower(of(arg)), arg_high = upper(of(arg));
      if (less(low, arg_low) == is_max) low = arg_low;
      if (less(high, arg_high) == is_max) high = arg_high;
    }
    return hull({low, high});
  }

  ValueRange function_range(const Expr* call) {
    if (call->name == "Max" || call->name == "Min") return extreme_range(call);
    if (call->name == "Identity") return of(call->args[0]);
    if (call->name == "FloorDiv" || call->name == "CleanDiv")
      return floor_div_range(of(call->args[0]), of(call->args[1]));
    if (call->name == "Mod" || call->name == "PythonMod") return modulo_range(of(call->args[0]), of(call->args[1]));
    return kNothingKnown;
  }

  std::optional<bool> relation_truth(const Expr* relation) {
    ValueRange a = of(relation->args[0]), b = of(relation->args[1]);
    bool below = a.max && b.min && *a.max < *b.min, above = a.min && b.max && *a.min > *b.max;
    bool not_above = a.max && b.min && *a.max <= *b.min, not_below = a.min && b.max && *a.min >= *b.max;
    auto decided = [](bool yes, bool no) {
      return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt;
    };
    if (relation->name == "Equality") return decided(not_above && not_below, below || above);
    if (relation->name == "Unequality") return decided(below || above, not_above && not_below);
    if (relation->name == "StrictLessThan") return decided(below, not_below);
    if (relation->name == "LessThan") return decided(not_above, above);
    if (relation->name == "StrictGreaterThan") return decided(above, not_above);
    return decided(not_below, below);
  }

  std::optional<bool> joined_truth(const Expr* expr) {
    bool absorbing = expr->kind == ExprKind::kOr;
    bool all_known = true;
    for (const Expr* arg : expr->args) {
      std::optional<bool> inner = truth_of(arg);
      if (inner == absorbing) return absorbing;
      all_known &= inner.has_value();
    }
    return all_known ? std::optional(!absorbing) : std::nullopt;
  }

  const RangeOf& range_of_;
  std::unordered_map<const Expr*, ValueRange> known_;
};

// A number of Python: an int of 64 bits or a float. Truth values are ints. Fractions live only inside products.
struct Value {
  bool is_float = false;
  int64_t integer = 0;
  double number = 0;

  double as_double() const { return is_float ? number : static_cast<double>(integer); }
};

Value whole(int64_t value) { return {false, value, 0}; }
Value real(double value) { return {true, 0, value}; }

[[noreturn]] void fail_too_large(const Expr* expr) { fail_input("the value of ", str(expr), " has more than 64 bits"); }

class Evaluator {
 public:
  explicit Evaluator(const ValueOf& value_of) : value_of_(value_of) {}

  std::optional<Value> of(const Expr* expr) {
    return parts_first(expr, known_, [this](const Expr* part) { return find(part); });
  }

 private:
  std::optional<Value> find(const Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kInteger: return whole(expr->integer);
      case ExprKind::kRational:
      case ExprKind::kFloat: return real(number_value(expr));
      case ExprKind::kConstant:
        if (expr->name == "true" || expr->name == "false") return whole(expr->name == "true");
        return std::nullopt;
      case ExprKind::kSymbol: {
        std::optional<int64_t> value = value_of_(expr);
        return value ? std::optional(whole(*value)) : std::nullopt;
      }
      default: break;
    }
    std::vector<Value> args;
    for (const Expr* arg : expr->args) {
      std::optional<Value> value = of(arg);
      if (!value) return std::nullopt;
      args.push_back(*value);
    }
    return combine(expr, args);
  }

  std::optional<Value> combine(const Expr* expr, const std::vector<Value>& args) {
    switch (expr->kind) {
      case ExprKind::kAdd: return total(expr, args);
      case ExprKind::kMul: return product(expr, args);
      case ExprKind::kPow: return power(expr, args[0], args[1]);
      case ExprKind::kFunction: return call(expr, args);
      case ExprKind::kRelation: return whole(compare(expr->name, args[0], args[1]));
      case ExprKind::kNot: return whole(args[0].integer == 0);
      default: break;
    }
    bool is_or = expr->kind == ExprKind::kOr;
    for (const Value& arg : args)
      if ((arg.integer != 0) == is_or) return whole(is_or);
    return whole(!is_or);
  }

  static Value total(const Expr* expr, const std::vector<Value>& args) {
    __int128 sum = 0;
    double number = 0;
    bool is_float = false;
    for (const Value& arg : args) {
      is_float |= arg.is_float;
      sum += arg.integer;
      number += arg.as_double();
    }
    if (is_float) return real(number);
    if (sum != static_cast<int64_t>(sum)) fail_too_large(expr);
    return whole(static_cast<int64_t>(sum));
  }

  // s0/2 is exact where it is whole: the denominators are divided off at the end.
  static std::optional<Value> product(const Expr* expr, const std::vector<Value>& args) {
    int64_t above = 1, below = 1;
    double number = 1;
    bool is_float = false;
    for (size_t i = 0; i < args.size(); ++i) {
      const Expr* factor = expr->args[i];
      bool is_fraction = factor->kind == ExprKind::kRational;
      int64_t integer = is_fraction ? factor->integer : args[i].integer;
      if (is_fraction) below = factor->denominator;
      is_float |= args[i].is_float && !is_fraction;
      number *= args[i].as_double();
      if (!is_float && __builtin_mul_overflow(above, integer, &above)) above_overflow(expr);
    }
    if (is_float || above % below != 0) return real(number);
    return whole(above / below);
  }

  [[noreturn]] static void above_overflow(const Expr* expr) { fail_too_large(expr); }

  static std::optional<Value> power(const Expr* expr, const Value& base, const Value& exponent) {
    if (base.is_float || exponent.is_float || exponent.integer < 0)
      return real(std::pow(base.as_double(), exponent.as_double()));
    int64_t result = 1, square = base.integer;
    for (int64_t left = exponent.integer; left > 0; left /= 2) {
      if (left % 2 != 0 && __builtin_mul_overflow(result, square, &result)) fail_too_large(expr);
      if (left > 1 && __builtin_mul_overflow(square, square, &square)) fail_too_large(expr);
    }
    return whole(result);
  }

  static bool compare(std::string_view name, const Value& a, const Value& b) {
    bool exact = !a.is_float && !b.is_float;
    bool less = exact ? a.integer < b.integer : a.as_double() < b.as_double();
    bool equal = exact ? a.integer == b.integer : a.as_double() == b.as_double();
    if (name == "Equality") return equal;
    if (name == "Unequality") return !equal;
    if (name == "StrictLessThan") return less;
    if (name == "LessThan") return less || equal;
    return name == "StrictGreaterThan" ? !less && !equal : !less;
  }

  static std::optional<Value> rounded(const Expr* expr, double value) {
    if (!(std::fabs(value) < 0x1p63)) fail_too_large(expr);
    return whole(static_cast<int64_t>(value));
  }

  static std::optional<Value> divided(const Expr* expr, const Value& a, const Value& b) {
    if (b.as_double() == 0) fail_input(str(expr), " divides by zero");
    if (expr->name.ends_with("TrueDiv")) return real(a.as_double() / b.as_double());
    if (a.is_float || b.is_float) return std::nullopt;
    if (expr->name.ends_with("Mod"))
      return whole(b.integer == -1 ? 0 : a.integer - floor_quotient(a.integer, b.integer) * b.integer);
    if (b.integer == -1 && a.integer == INT64_MIN) fail_too_large(expr);
    return whole(floor_quotient(a.integer, b.integer));
  }

  static std::optional<Value> call(const Expr* expr, const std::vector<Value>& args) {
    std::string_view name = expr->name;
    if (name == "Identity") return args[0];
    if (name == "Max" || name == "Min") {
      Value best = args[0];
      for (const Value& arg : args)
        if (compare(name == "Max" ? "StrictGreaterThan" : "StrictLessThan", arg, best)) best = arg;
      return best;
    }
    if (name == "FloorDiv" || name == "CleanDiv" || name == "Mod" || name == "PythonMod" || name.ends_with("TrueDiv"))
      return divided(expr, args[0], args[1]);
    if (name == "PowByNatural" || name == "FloatPow") return power(expr, args[0], args[1]);
    if (name == "ToFloat") return real(args[0].as_double());
    if (name == "TruncToInt") return rounded(expr, std::trunc(args[0].as_double()));
    if (name == "FloorToInt") return rounded(expr, std::floor(args[0].as_double()));
    if (name == "CeilToInt") return rounded(expr, std::ceil(args[0].as_double()));
    return std::nullopt;
  }

  const ValueOf& value_of_;
  std::unordered_map<const Expr*, std::optional<Value>> known_;
};

}  // namespace

ValueRange bounds(const Expr* expr, const RangeOf& range_of) { return Bounds(range_of).of(expr); }

std::optional<bool> known(const Expr* condition, const RangeOf& range_of) {
  return Bounds(range_of).truth_of(condition);
}

std::optional<int64_t> evaluate(const Expr* expr, const ValueOf& value_of) {
  std::optional<Value> value = Evaluator(value_of).of(expr);
  if (!value || value->is_float) return std::nullopt;
  return value->integer;
}

}  // namespace rung
