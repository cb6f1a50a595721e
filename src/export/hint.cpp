// What an expression was when the program was traced.
#include <algorithm>
#include <cmath>
#include <vector>

#include "export/write_values.h"
#include "shape/expr.h"

namespace rung {
namespace {

// An integer, or inside of TruncToInt and its like a float.
struct Number {
  int64_t integer = 0;
  double real = 0;
  bool is_real = false;

  double as_real() const { return is_real ? real : static_cast<double>(integer); }
};
using Maybe = std::optional<Number>;

Maybe whole(int64_t value) { return Number{value, 0, false}; }
Maybe real(double value) { return Number{0, value, true}; }

Maybe floor_div(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  return whole(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

Maybe modulo(int64_t a, int64_t b) {
  auto quotient = floor_div(a, b);
  if (!quotient) return std::nullopt;
  return whole(a - quotient->integer * b);
}

Maybe power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 64) return std::nullopt;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return whole(result);
}

Maybe rounded(double value) {
  constexpr double kLimit = 9e18;
  if (!(std::fabs(value) < kLimit)) return std::nullopt;
  return whole(static_cast<int64_t>(value));
}

bool all_whole(const std::vector<Number>& args) {
  return std::none_of(args.begin(), args.end(), [](const Number& arg) { return arg.is_real; });
}

Maybe call_on_integers(std::string_view name, const std::vector<Number>& args) {
  auto less = [](const Number& a, const Number& b) { return a.integer < b.integer; };
  if (name == "Max") return *std::max_element(args.begin(), args.end(), less);
  if (name == "Min") return *std::min_element(args.begin(), args.end(), less);
  if (args.size() == 3 && name == "ModularIndexing") {
    auto quotient = floor_div(args[0].integer, args[1].integer);
    return quotient ? modulo(quotient->integer, args[2].integer) : std::nullopt;
  }
  if (args.size() != 2) return std::nullopt;
  int64_t a = args[0].integer, b = args[1].integer;
  if (name == "FloorDiv" || name == "CleanDiv") return floor_div(a, b);
  if (name == "Mod" || name == "PythonMod") return modulo(a, b);
  if (name == "PowByNatural") return power(a, b);
  if (name == "CeilDiv" && a > INT64_MIN) {
    auto quotient = floor_div(-a, b);
    return quotient ? whole(-quotient->integer) : std::nullopt;
  }
  return std::nullopt;
}

Maybe call(std::string_view name, const std::vector<Number>& args) {
  if (args.size() == 1) {
    double value = args[0].as_real();
    if (name == "Identity") return args[0];
    if (name == "ToFloat") return real(value);
    if (name == "TruncToInt") return rounded(std::trunc(value));
    if (name == "CeilToInt") return rounded(std::ceil(value));
    if (name == "FloorToInt") return rounded(std::floor(value));
    if (name == "RoundToInt") return rounded(std::nearbyint(value));
  }
  bool division = name == "IntTrueDiv" || name == "FloatTrueDiv";
  if (division && args.size() == 2 && args[1].as_real() != 0) return real(args[0].as_real() / args[1].as_real());
  return all_whole(args) ? call_on_integers(name, args) : std::nullopt;
}

Maybe sum_or_product(ExprKind kind, const std::vector<Number>& args) {
  bool sum = kind == ExprKind::kAdd;
  if (!all_whole(args)) {
    double result = sum ? 0 : 1;
    for (const Number& arg : args) result = sum ? result + arg.as_real() : result * arg.as_real();
    return real(result);
  }
  int64_t result = sum ? 0 : 1;
  for (const Number& arg : args) {
    bool overflow = sum ? __builtin_add_overflow(result, arg.integer, &result)
                        : __builtin_mul_overflow(result, arg.integer, &result);
    if (overflow) return std::nullopt;
  }
  return whole(result);
}

Maybe evaluate(const Expr* expr, const Hints& hints) {
  if (expr->kind == ExprKind::kInteger) return whole(expr->integer);
  if (expr->kind == ExprKind::kFloat) return real(expr->number);
  if (expr->kind == ExprKind::kSymbol) {
    auto found = hints.find(expr->name);
    return found == hints.end() ? std::nullopt : whole(found->second);
  }
  std::vector<Number> args;
  for (const Expr* arg : expr->args) {
    auto value = evaluate(arg, hints);
    if (!value) return std::nullopt;
    args.push_back(*value);
  }
  switch (expr->kind) {
    case ExprKind::kAdd:
    case ExprKind::kMul: return sum_or_product(expr->kind, args);
    case ExprKind::kPow: return all_whole(args) ? power(args[0].integer, args[1].integer) : std::nullopt;
    case ExprKind::kFunction: return call(expr->name, args);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<int64_t> hint_of(const Expr* expr, const Hints& hints) {
  auto value = evaluate(expr, hints);
  if (!value || value->is_real) return std::nullopt;
  return value->integer;
}

}  // namespace rung
