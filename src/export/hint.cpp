// What an expression was when the program was traced.
#include <algorithm>
#include <vector>

#include "export/write_values.h"
#include "shape/expr.h"

namespace rung {
namespace {

std::optional<int64_t> floor_div(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

std::optional<int64_t> power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 64) return std::nullopt;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return result;
}

std::optional<int64_t> modulo(int64_t a, int64_t b) {
  auto quotient = floor_div(a, b);
  if (!quotient) return std::nullopt;
  return a - *quotient * b;
}

std::optional<int64_t> call(std::string_view name, const std::vector<int64_t>& args) {
  if (name == "Max") return *std::max_element(args.begin(), args.end());
  if (name == "Min") return *std::min_element(args.begin(), args.end());
  if (name == "Identity" || name == "TruncToInt" || name == "CeilToInt" || name == "FloorToInt") return args[0];
  if (args.size() == 3 && name == "ModularIndexing") {
    auto quotient = floor_div(args[0], args[1]);
    return quotient ? modulo(*quotient, args[2]) : std::nullopt;
  }
  if (args.size() != 2) return std::nullopt;
  if (name == "FloorDiv") return floor_div(args[0], args[1]);
  if (name == "Mod" || name == "PythonMod") return modulo(args[0], args[1]);
  if (name == "PowByNatural") return power(args[0], args[1]);
  if (name == "CleanDiv") return args[1] != 0 && args[0] % args[1] == 0 ? floor_div(args[0], args[1]) : std::nullopt;
  if (name == "CeilDiv") {
    auto quotient = floor_div(-args[0], args[1]);
    return quotient ? std::optional(-*quotient) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> hint_of(const Expr* expr, const Hints& hints) {
  if (expr->kind == ExprKind::kInteger) return expr->integer;
  if (expr->kind == ExprKind::kSymbol) {
    auto found = hints.find(expr->name);
    return found == hints.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<int64_t> args;
  for (const Expr* arg : expr->args) {
    auto value = hint_of(arg, hints);
    if (!value) return std::nullopt;
    args.push_back(*value);
  }
  int64_t result = expr->kind == ExprKind::kMul ? 1 : 0;
  switch (expr->kind) {
    case ExprKind::kAdd:
      for (int64_t value : args)
        if (__builtin_add_overflow(result, value, &result)) return std::nullopt;
      return result;
    case ExprKind::kMul:
      for (int64_t value : args)
        if (__builtin_mul_overflow(result, value, &result)) return std::nullopt;
      return result;
    case ExprKind::kPow: return power(args[0], args[1]);
    case ExprKind::kFunction: return call(expr->name, args);
    default: return std::nullopt;
  }
}

}  // namespace rung
