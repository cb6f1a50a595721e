// The table of operations, and the promotion of ints to floats that Python and torch make before them.
#include "shape/arithmetic.h"

#include <array>
#include <cmath>

#include "base/error.h"
#include "shape/algebra.h"
#include "shape/expr_order.h"
#include "shape/facts.h"
#include "shape/simplify.h"

namespace rung {
namespace {

const Expr* call(std::string_view name, const Expr* a) { return make_function(find_function(name), std::array{a}); }
const Expr* call(std::string_view name, const Expr* a, const Expr* b) {
  return make_function(find_function(name), std::array{a, b});
}

const Expr* to_float(const Expr* a) {
  if (is_float_valued(a)) return a;
  if (a->kind == ExprKind::kInteger) return make_float(static_cast<double>(a->integer));
  return call("ToFloat", a);
}

const Expr* checked_integer(double value) {
  if (!(std::fabs(value) < 0x1p63)) fail_input("a symbolic size becomes ", value, ", which is no integer of 64 bits");
  return make_integer(static_cast<int64_t>(value));
}

template <double (*kRound)(double)>
const Expr* to_int(const Expr* a, std::string_view name) {
  if (a->kind <= ExprKind::kFloat) return checked_integer(kRound(number_value(a)));
  return is_float_valued(a) ? call(name, a) : a;
}

double trunc_of(double x) { return std::trunc(x); }
double floor_of(double x) { return std::floor(x); }
double ceil_of(double x) { return std::ceil(x); }

const Expr* trunc(const Expr* a) { return to_int<trunc_of>(a, "TruncToInt"); }
const Expr* floor(const Expr* a) { return to_int<floor_of>(a, "FloorToInt"); }
const Expr* ceil(const Expr* a) { return to_int<ceil_of>(a, "CeilToInt"); }

// Of ints, which torch divides exactly, or of floats.
const Expr* true_div(const Expr* a, const Expr* b) {
  if (facts_of(b).is_zero()) fail_input("the symbolic size ", str(a), " is divided by zero");
  bool is_exact = !is_float_valued(a) && !is_float_valued(b);
  if (a->kind == ExprKind::kInteger && b->kind == ExprKind::kInteger)
    return make_float(static_cast<double>(a->integer) / static_cast<double>(b->integer));
  if (is_exact) return call("IntTrueDiv", a, b);
  a = to_float(a), b = to_float(b);
  if (a->kind == ExprKind::kFloat && b->kind == ExprKind::kFloat) return make_float(a->number / b->number);
  return call("FloatTrueDiv", a, b);
}

const Expr* floor_div_of(const Expr* a, const Expr* b) {
  if (is_float_valued(a) || is_float_valued(b)) return to_float(floor(true_div(a, b)));
  return floor_div(a, b);
}

const Expr* modulo_as_assumed(const Expr* a, const Expr* b) { return modulo(a, b, assumed_range); }

const Expr* pow(const Expr* a, const Expr* b) {
  bool is_natural = !is_float_valued(a) && !is_float_valued(b) && !b->is_negative_number();
  if (is_natural && b->kind == ExprKind::kInteger) return power(a, b->integer);
  if (is_natural) return call("PowByNatural", a, b);
  a = to_float(a), b = to_float(b);
  if (a->kind == ExprKind::kFloat && b->kind == ExprKind::kFloat) return make_float(std::pow(a->number, b->number));
  return call("FloatPow", a, b);
}

const Expr* larger(const Expr* a, const Expr* b) { return extreme(Extreme::kMax, std::array{a, b}); }
const Expr* smaller(const Expr* a, const Expr* b) { return extreme(Extreme::kMin, std::array{a, b}); }

// Python asks the symbolic side first: 4 < s0 is s0 > 4.
const Expr* compared(std::string_view name, std::string_view mirrored, const Expr* a, const Expr* b) {
  return a->is_number() && !b->is_number() ? relation(mirrored, b, a) : relation(name, a, b);
}

const Expr* eq(const Expr* a, const Expr* b) { return compared("Equality", "Equality", a, b); }
const Expr* ne(const Expr* a, const Expr* b) { return compared("Unequality", "Unequality", a, b); }
const Expr* lt(const Expr* a, const Expr* b) { return compared("StrictLessThan", "StrictGreaterThan", a, b); }
const Expr* le(const Expr* a, const Expr* b) { return compared("LessThan", "GreaterThan", a, b); }
const Expr* gt(const Expr* a, const Expr* b) { return compared("StrictGreaterThan", "StrictLessThan", a, b); }
const Expr* ge(const Expr* a, const Expr* b) { return compared("GreaterThan", "LessThan", a, b); }

const Expr* both(const Expr* a, const Expr* b) { return conjunction(std::array{a, b}); }
const Expr* either(const Expr* a, const Expr* b) { return disjunction(std::array{a, b}); }

enum class Promotes : bool { kNo, kYes };

struct Row {
  SymOp op;
  std::string_view target;
  const Expr* (*unary)(const Expr*);
  const Expr* (*binary)(const Expr*, const Expr*);
  Promotes promotes = Promotes::kNo;  // an int beside a float becomes one first
};

constexpr Row kRows[] = {
    {SymOp::kAdd, "_operator.add", nullptr, add, Promotes::kYes},
    {SymOp::kSub, "_operator.sub", nullptr, subtract, Promotes::kYes},
    {SymOp::kMul, "_operator.mul", nullptr, multiply, Promotes::kYes},
    {SymOp::kFloorDiv, "_operator.floordiv", nullptr, floor_div_of},
    {SymOp::kMod, "_operator.mod", nullptr, modulo_as_assumed, Promotes::kYes},
    {SymOp::kTrueDiv, "_operator.truediv", nullptr, true_div},
    {SymOp::kPow, "_operator.pow", nullptr, pow},
    {SymOp::kNeg, "_operator.neg", negate, nullptr},
    {SymOp::kMax, "torch.sym_max", nullptr, larger, Promotes::kYes},
    {SymOp::kMin, "torch.sym_min", nullptr, smaller, Promotes::kYes},
    {SymOp::kEq, "_operator.eq", nullptr, eq, Promotes::kYes},
    {SymOp::kNe, "_operator.ne", nullptr, ne, Promotes::kYes},
    {SymOp::kLt, "_operator.lt", nullptr, lt, Promotes::kYes},
    {SymOp::kLe, "_operator.le", nullptr, le, Promotes::kYes},
    {SymOp::kGt, "_operator.gt", nullptr, gt, Promotes::kYes},
    {SymOp::kGe, "_operator.ge", nullptr, ge, Promotes::kYes},
    {SymOp::kAnd, "_operator.and_", nullptr, both},
    {SymOp::kOr, "_operator.or_", nullptr, either},
    {SymOp::kNot, "torch.sym_not", negation, nullptr},
    {SymOp::kFloat, "torch.sym_float", to_float, nullptr},
    {SymOp::kTrunc, "math.trunc", trunc, nullptr},
    {SymOp::kFloor, "math.floor", floor, nullptr},
    {SymOp::kCeil, "math.ceil", ceil, nullptr},
};

const Row& row_of(SymOp op) {
  const Row& row = kRows[static_cast<size_t>(op)];
  RUNG_CHECK(row.op == op, "the table of symbolic operations is out of order at ", row.target);
  return row;
}

}  // namespace

std::string_view target_of(SymOp op) { return row_of(op).target; }

std::optional<SymOp> find_sym_op(std::string_view target) {
  for (const Row& row : kRows)
    if (row.target == target) return row.op;
  return std::nullopt;
}

int operand_count(SymOp op) { return row_of(op).unary != nullptr ? 1 : 2; }

const Expr* apply(SymOp op, ExprArgs operands) {
  const Row& row = row_of(op);
  RUNG_CHECK(operands.size() == static_cast<size_t>(operand_count(op)), row.target, " of ", operands.size(),
             " operands");
  if (row.unary != nullptr) return row.unary(operands[0]);
  const Expr* a = operands[0];
  const Expr* b = operands[1];
  if (row.promotes == Promotes::kYes && is_float_valued(a) != is_float_valued(b)) a = to_float(a), b = to_float(b);
  return row.binary(a, b);
}

const Expr* apply(SymOp op, ExprArgs operands, const RangeOf& range_of) {
  bool is_int_mod = op == SymOp::kMod && !is_float_valued(operands[0]) && !is_float_valued(operands[1]);
  return is_int_mod ? modulo(operands[0], operands[1], range_of) : apply(op, operands);
}

}  // namespace rung
