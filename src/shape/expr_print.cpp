// Expressions as text: as torch writes them (srepr), and as it prints them (str).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/error.h"
#include "shape/expr.h"
#include "shape/expr_order.h"

namespace rung {
namespace {

// How tightly a text binds, as sympy's printer counts it.
enum Precedence : int {
  kOrPrecedence = 20,
  kAndPrecedence = 30,
  kRelationPrecedence = 35,
  kBitOr = 36,
  kBitAnd = 38,
  kSum = 40,
  kProduct = 50,
  kPower = 60,
  kNotPrecedence = 100,
  kAlmostAtom = 999,
  kAtom = 1000,
};

int product_precedence(const Expr* product) {
  for (const Expr* factor : product->args)
    if (factor->kind == ExprKind::kFunction && factor->function->precedence < kProduct) return kProduct;
  return product->args[0]->is_negative_number() ? kSum : kProduct;
}

int precedence(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat: return expr->is_negative_number() ? kSum : kAtom;
    case ExprKind::kRational: return expr->is_negative_number() ? kSum : kProduct;
    case ExprKind::kConstant: return expr->name == "-oo" ? kSum : kAtom;
    case ExprKind::kSymbol: return kAtom;
    case ExprKind::kAdd: return kSum;
    case ExprKind::kMul: return product_precedence(expr);
    case ExprKind::kPow: return kPower;
    case ExprKind::kFunction: return expr->function->precedence;
    case ExprKind::kRelation:
      return expr->name == "Equality" || expr->name == "Unequality" ? kProduct : kRelationPrecedence;
    case ExprKind::kAnd: return kAndPrecedence;
    case ExprKind::kOr: return kOrPrecedence;
    case ExprKind::kNot: return kNotPrecedence;
  }
  RUNG_UNREACHABLE();
}

// `value` rounded half up to `digits` significant digits: sympy's floats print so, not as repr prints
// doubles.
struct Decimal {
  std::string digits;
  int exponent;
};

Decimal round_decimal(double value, int digits) {
  char buffer[80];
  int length = std::snprintf(buffer, sizeof buffer, "%.60e", std::fabs(value));
  std::string_view text(buffer, static_cast<size_t>(length));
  size_t mark = text.find('e');
  Decimal out{std::string(1, text[0]) + std::string(text.substr(2, static_cast<size_t>(digits) - 1)), 0};
  out.exponent = std::atoi(buffer + mark + 1);
  if (text[static_cast<size_t>(digits) + 1] < '5') return out;
  auto place = out.digits.rbegin();
  while (place != out.digits.rend() && *place == '9') *place++ = '0';
  if (place != out.digits.rend())
    ++*place;
  else
    out = {"1" + std::string(static_cast<size_t>(digits) - 1, '0'), out.exponent + 1};
  return out;
}

std::string float_text(double value, int digits, bool strip_zeros) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return "0.0";
  auto [text, exponent] = round_decimal(value, digits);
  size_t split = 1;
  bool fixed = exponent > std::min(-(digits / 3), -5) && exponent < digits;
  if (fixed && exponent < 0) text.insert(0, static_cast<size_t>(-exponent), '0');
  if (fixed && exponent > 0) split += static_cast<size_t>(exponent);
  text.insert(split, ".");
  if (strip_zeros) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text += '0';
  }
  if (value < 0) text.insert(0, "-");
  if (!fixed) text += cat(exponent < 0 ? "e" : "e+", exponent);
  return text;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::string print(const Expr* expr, bool top);

std::string parenthesize(const Expr* expr, int level) {
  std::string text = print(expr, false);
  return precedence(expr) <= level ? cat('(', text, ')') : text;
}

std::string print_args(ExprArgs args) {
  std::string out;
  for (const Expr* arg : args) out += cat(out.empty() ? "" : ", ", print(arg, false));
  return out;
}

std::string stringify(ExprArgs args, std::string_view separator, int level) {
  std::vector<std::string> parts;
  for (const Expr* arg : args) parts.push_back(parenthesize(arg, level));
  return join(parts, separator);
}

std::string print_sum(const Expr* sum) {
  std::string out;
  for (const Expr* term : sum->args) {
    std::string text = print(term, false);
    bool minus = text[0] == '-';
    if (minus) text.erase(0, 1);
    if (precedence(term) < kSum) text = cat('(', text, ')');
    if (out.empty())
      out += minus ? "-" : "";
    else
      out += minus ? " - " : " + ";
    out += text;
  }
  return out;
}

const Expr* negated(const Expr* number) {
  if (number->kind == ExprKind::kConstant) return make_constant(number->name.substr(1));
  return make_mul(std::array{make_integer(-1), number});
}

bool has_negative_coefficient(const Expr* exponent) {
  const Expr* coefficient = split_coefficient(exponent).coefficient;
  return coefficient != nullptr && coefficient->is_negative_number();
}

// What stands above and below the fraction line.
struct Fraction {
  std::vector<std::string> above, below;
};

void add_number(Fraction& fraction, const Expr* number, int level) {
  if (!number->is_rational()) {
    fraction.above.push_back(parenthesize(number, level));
    return;
  }
  if (number->integer != 1) fraction.above.push_back(parenthesize(make_integer(number->integer), level));
  if (number->denominator != 1) fraction.below.push_back(parenthesize(make_integer(number->denominator), level));
}

void add_factor(Fraction& fraction, const Expr* factor, int level) {
  if (factor->kind != ExprKind::kPow || !has_negative_coefficient(factor->args[1])) {
    fraction.above.push_back(parenthesize(factor, level));
    return;
  }
  const Expr* base = factor->args[0];
  if (!factor->args[1]->is_integer(-1)) {
    const Expr* exponent = make_mul(std::array{make_integer(-1), factor->args[1]});
    fraction.below.push_back(parenthesize(make_pow(base, exponent), level));
    return;
  }
  std::string text = parenthesize(base, level);
  bool is_compound = base->kind == ExprKind::kMul || base->kind == ExprKind::kPow;
  fraction.below.push_back(is_compound ? cat('(', text, ')') : text);
}

std::string print_product(const Expr* product) {
  int level = product_precedence(product);
  auto [coefficient, rest] = split_coefficient(product);
  Fraction fraction;
  bool minus = coefficient != nullptr && coefficient->is_negative_number();
  if (minus) coefficient = negated(coefficient);
  if (coefficient != nullptr) add_number(fraction, coefficient, level);
  ExprArgs factors = rest->kind == ExprKind::kMul ? rest->args : ExprArgs(&rest, 1);
  for (const Expr* factor : factors) add_factor(fraction, factor, level);
  std::string out = cat(minus ? "-" : "", fraction.above.empty() ? "1" : join(fraction.above, "*"));
  if (fraction.below.empty()) return out;
  if (fraction.below.size() == 1) return cat(out, '/', fraction.below[0]);
  return cat(out, "/(", join(fraction.below, "*"), ')');
}

std::string print_power(const Expr* power) {
  const Expr* base = power->args[0];
  const Expr* exponent = power->args[1];
  if (exponent->kind == ExprKind::kRational && exponent->denominator == 2) {
    if (exponent->integer == 1) return cat("sqrt(", print(base, false), ')');
    if (exponent->integer == -1) return cat("1/sqrt(", print(base, false), ')');
  }
  if (exponent->is_integer(-1)) return cat("1/", parenthesize(base, kPower));
  return cat(parenthesize(base, kPower), "**", parenthesize(exponent, kPower));
}

std::string print_function(const Expr* call) {
  if (call->name == "FloorDiv" || call->name == "CleanDiv")
    return cat('(', parenthesize(call->args[0], kAlmostAtom), "//", parenthesize(call->args[1], kAlmostAtom), ')');
  if (call->name == "Identity") return cat('(', print(call->args[0], false), ')');
  if (call->name != "Max" && call->name != "Min") return cat(call->name, '(', print_args(call->args), ')');
  std::vector<const Expr*> sorted(call->args.begin(), call->args.end());
  sort_by_key(sorted);
  return cat(call->name, '(', print_args(sorted), ')');
}

std::string print_relation(const Expr* relation) {
  if (relation->name == "Equality") return cat("Eq(", print_args(relation->args), ')');
  if (relation->name == "Unequality") return cat("Ne(", print_args(relation->args), ')');
  std::string_view sign = relation->name == "LessThan"         ? " <= "
                          : relation->name == "StrictLessThan" ? " < "
                          : relation->name == "GreaterThan"    ? " >= "
                                                               : " > ";
  return stringify(relation->args, sign, kRelationPrecedence);
}

std::string print_constant(std::string_view name) {
  return name == "true" ? "True" : name == "false" ? "False" : std::string(name);
}

// `top`: the whole expression; a lone float then keeps its trailing zeros.
std::string print(const Expr* expr, bool top) {
  switch (expr->kind) {
    case ExprKind::kInteger: return cat(expr->integer);
    case ExprKind::kRational: return cat(expr->integer, '/', expr->denominator);
    case ExprKind::kFloat: return float_text(expr->number, 15, !top);
    case ExprKind::kConstant: return print_constant(expr->name);
    case ExprKind::kSymbol: return std::string(expr->name);
    case ExprKind::kAdd: return print_sum(expr);
    case ExprKind::kMul: return print_product(expr);
    case ExprKind::kPow: return print_power(expr);
    case ExprKind::kFunction: return print_function(expr);
    case ExprKind::kRelation: return print_relation(expr);
    case ExprKind::kAnd: return stringify(expr->args, " & ", kBitAnd);
    case ExprKind::kOr: return stringify(expr->args, " | ", kBitOr);
    case ExprKind::kNot: return cat('~', parenthesize(expr->args[0], kNotPrecedence));
  }
  RUNG_UNREACHABLE();
}

void append_srepr(std::string& out, const Expr* expr);

void append_call(std::string& out, std::string_view name, ExprArgs args) {
  out += cat(name, '(');
  bool first = true;
  for (const Expr* arg : args) {
    if (!first) out += ", ";
    first = false;
    append_srepr(out, arg);
  }
  out += ')';
}

// sympy takes the sign of a coefficient apart: -2*s0 is Mul(Integer(-1), Integer(2), ...).
void append_product(std::string& out, const Expr* product) {
  const Expr* first = product->args[0];
  if (!first->is_negative_number() || first->is_integer(-1)) return append_call(out, "Mul", product->args);
  std::vector<const Expr*> args(product->args.begin(), product->args.end());
  args[0] = negated(first);
  args.insert(args.begin(), make_integer(-1));
  append_call(out, "Mul", args);
}

std::string_view class_name(ExprKind kind) {
  switch (kind) {
    case ExprKind::kAdd: return "Add";
    case ExprKind::kPow: return "Pow";
    case ExprKind::kAnd: return "And";
    case ExprKind::kOr: return "Or";
    case ExprKind::kNot: return "Not";
    default: RUNG_UNREACHABLE();
  }
}

void append_srepr(std::string& out, const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kInteger: out += cat("Integer(", expr->integer, ')'); return;
    case ExprKind::kRational: out += cat("Rational(", expr->integer, ", ", expr->denominator, ')'); return;
    case ExprKind::kFloat: out += cat("Float('", float_text(expr->number, 17, true), "', precision=53)"); return;
    case ExprKind::kConstant: out += expr->name; return;
    case ExprKind::kSymbol:
      out += cat("Symbol(", python_string(expr->name), expr->assumptions.empty() ? "" : ", ", expr->assumptions, ')');
      return;
    case ExprKind::kMul: append_product(out, expr); return;
    case ExprKind::kFunction:
    case ExprKind::kRelation: append_call(out, expr->name, expr->args); return;
    default: append_call(out, class_name(expr->kind), expr->args);
  }
}

}  // namespace

std::string srepr(const Expr* expr) {
  std::string out;
  append_srepr(out, expr);
  return out;
}

std::string str(const Expr* expr) { return print(expr, true); }

}  // namespace rung
