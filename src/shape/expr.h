// Symbolic expressions of sizes: interned, never changed, never freed; equal expressions are one pointer.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rung {

enum class ExprKind : uint8_t {
  kInteger,   // integer
  kRational,  // integer / denominator, reduced
  kFloat,     // number
  kConstant,  // by name: int_oo, -int_oo, oo, -oo, nan, true, false
  kSymbol,    // name, assumptions
  kAdd,       // args in the order in which sympy prints the terms
  kMul,       // args in the order in which sympy prints the factors; a coefficient, if any, first
  kPow,
  kFunction,  // name, args: FloorDiv, Mod, Max, ...
  kRelation,  // name: Equality, Unequality, LessThan, StrictLessThan, GreaterThan, StrictGreaterThan
  kAnd,
  kOr,
  kNot,
};

struct Expr;
using ExprArgs = std::span<const Expr* const>;

/// How sympy sorts and prints a function; one constant row each, found by find_function.
struct ExprFunction {
  std::string_view name;
  int8_t min_args, max_args;
  int16_t precedence;  // as sympy's printer counts it: sums 40, products 50, powers 60, atoms 1000
  int8_t major;        // sympy's class_key: (major, minor, name)
  int16_t minor;
};
/// nullptr for a name that is no function of torch's symbolic shapes.
const ExprFunction* find_function(std::string_view name);

struct Expr {
  ExprKind kind = ExprKind::kInteger;
  const ExprFunction* function = nullptr;  // kFunction
  int64_t integer = 0;
  int64_t denominator = 1;
  double number = 0;
  std::string_view name;
  std::string_view assumptions;  // of a symbol, as written: "positive=True, integer=True"
  ExprArgs args;
  const Expr* rest = nullptr;  // of a product with a coefficient: the product of the others
  size_t hash = 0;
  uint32_t weight = 0;  // twice sympy's node count (a Float counts a half)
  uint32_t depth = 0;

  bool is_number() const { return kind <= ExprKind::kFloat || is_infinity() || is(ExprKind::kConstant, "nan"); }
  bool is_infinity() const { return kind == ExprKind::kConstant && name.ends_with("oo"); }
  bool is_rational() const { return kind == ExprKind::kInteger || kind == ExprKind::kRational; }
  bool is_integer(int64_t value) const { return kind == ExprKind::kInteger && integer == value; }
  bool is_negative_number() const;
  bool is(ExprKind wanted, std::string_view called) const { return kind == wanted && name == called; }
};

/// Expressions nested deeper than this are refused: every walk over them is recursive.
constexpr uint32_t kMaxExprDepth = 1000;

const Expr* make_integer(int64_t value);
/// Reduced; an integer where the denominator is 1. Fails with kInput on a zero denominator.
const Expr* make_rational(int64_t numerator, int64_t denominator);
const Expr* make_float(double value);
/// int_oo, oo, their negatives, nan, true, false.
const Expr* make_constant(std::string_view name);
const Expr* make_symbol(std::string_view name, std::string_view assumptions);
/// Flattened, numbers put together, the rest sorted as sympy sorts; equal terms or factors are not collected.
const Expr* make_add(ExprArgs terms);
/// Of terms that are as make_add leaves them: more than two, collected, in order, none of them a sum.
const Expr* make_ordered_add(ExprArgs terms);
const Expr* make_mul(ExprArgs factors);
const Expr* make_pow(const Expr* base, const Expr* exponent);
/// Fails with kInput when the number of arguments is wrong. Max and Min sort their arguments.
const Expr* make_function(const ExprFunction* function, ExprArgs args);
const Expr* make_relation(std::string_view name, const Expr* left, const Expr* right);
/// kAnd, kOr (sorted) or kNot.
const Expr* make_boolean(ExprKind kind, ExprArgs args);

/// What a .pt2 holds: "Mul(Integer(8), Symbol('s27', positive=True, integer=True))".
/// Fails with kInput on anything else: unknown functions, text left over, too deep a nesting.
const Expr* parse_srepr(std::string_view text);
/// The text that torch writes for the expression.
std::string srepr(const Expr* expr);
/// The text that torch prints: "s77*(s27 + 1)", "((s0 + 1)//2)".
std::string str(const Expr* expr);

}  // namespace rung
