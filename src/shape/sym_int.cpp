// Symbolic integers: how an expression is kept in the bits of a number, and what is computed with them.
#include "shape/sym_int.h"

#include <array>
#include <limits>

#include "base/error.h"
#include "shape/arithmetic.h"
#include "shape/shape_env.h"
#include "shape/sym_trace.h"

namespace rung {
namespace {

// Addresses of user space are far below 2^62, so lowest + address is below -2^62. The lowest bit tells a SymNode from
// an Expr: both lie at even addresses.
constexpr int64_t kLowestNumber = std::numeric_limits<int64_t>::min();

int64_t encode(const void* pointer) {
  return kLowestNumber + static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
}

bool is_traced(int64_t data) { return (data & 1) != 0; }

const SymNode* decode_node(int64_t data) {
  return reinterpret_cast<const SymNode*>(static_cast<uintptr_t>(data - kLowestNumber - 1));
}

const Expr* decode(int64_t data) {
  return is_traced(data) ? decode_node(data)->value
                         : reinterpret_cast<const Expr*>(static_cast<uintptr_t>(data - kLowestNumber));
}

thread_local SymTracer* current_tracer = nullptr;

const char* sign_of(SymOp op) {
  switch (op) {
    case SymOp::kAdd: return " + ";
    case SymOp::kSub: return " - ";
    default: return "*";
  }
}

// torch passes by a product with one, so that no node comes of it.
bool is_identity(SymOp op, SymInt a, SymInt b, SymInt& same) {
  if (op != SymOp::kMul) return false;
  if (b.is_int() && b.value() == 1) return same = a, true;
  if (a.is_int() && a.value() == 1) return same = b, true;
  return false;
}

// Models ask for the same sizes layer after layer: what was computed lately is kept. An expression never goes away, and
// its bits say all of it.
const Expr* recently_applied(SymOp op, SymInt a, SymInt b) {
  struct Answer {
    SymOp op = SymOp::kAdd;
    int64_t a = 0, b = 0;
    const Expr* value = nullptr;
  };
  constexpr size_t kAnswers = 1024;
  thread_local std::array<Answer, kAnswers> answers;
  const int64_t left = a.plain().bits(), right = b.plain().bits();
  const uint64_t mixed =
      (static_cast<uint64_t>(left) * 31 + static_cast<uint64_t>(right)) * 31 + static_cast<uint64_t>(op);
  Answer& answer = answers[(mixed * 0x9e3779b97f4a7c15u) >> 54];
  if (answer.value == nullptr || answer.op != op || answer.a != left || answer.b != right) {
    const std::array<const Expr*, 2> operands = {a.as_expr(), b.as_expr()};
    const Expr* value = rung::apply(op, ExprArgs(operands).first(static_cast<size_t>(operand_count(op))));
    answer = {op, left, right, value};
  }
  return answer.value;
}

}  // namespace

bool traces_sizes() { return current_tracer != nullptr; }

SymTraceScope::SymTraceScope(SymTracer* tracer) : outer_(current_tracer) { current_tracer = tracer; }
SymTraceScope::~SymTraceScope() { current_tracer = outer_; }

SymInt::SymInt(const Expr* expr) {
  bool small = expr->kind == ExprKind::kInteger && expr->integer >= kLowest;
  data_ = small ? expr->integer : encode(expr);
}

SymInt::SymInt(const SymNode* node) : data_(encode(node) + 1) {}

SymInt SymInt::from_extreme(int64_t value) { return SymInt(make_integer(value)); }

bool SymInt::is_extreme() const { return decode(data_)->kind == ExprKind::kInteger; }

const Expr* SymInt::expr() const {
  RUNG_CHECK(is_symbolic(), "no symbolic size: ", data_);
  return decode(data_);
}

const Expr* SymInt::as_expr() const { return data_ >= kLowest ? make_integer(data_) : decode(data_); }

const SymNode* SymInt::node() const { return data_ < kLowest && is_traced(data_) ? decode_node(data_) : nullptr; }

SymInt SymInt::forget() const { return is_traced(data_) ? SymInt(decode(data_)) : *this; }

std::string SymInt::str() const { return data_ >= kLowest ? cat(data_) : rung::str(decode(data_)); }

int64_t SymInt::slow_value() const {
  const Expr* expr = decode(data_);
  if (expr->kind == ExprKind::kInteger) return expr->integer;
  fail_unsupported("a number is needed here, and the symbolic size ", rung::str(expr), " has none");
}

SymInt SymInt::compute(SymOp op, SymInt a, SymInt b) {
  if (a.is_int() && b.is_int() && op <= SymOp::kMul) {
    __int128 x = a.value(), y = b.value();
    __int128 result = op == SymOp::kAdd ? x + y : op == SymOp::kSub ? x - y : x * y;
    if (result != static_cast<int64_t>(result))
      fail_input("a size of more than 64 bits: ", a.str(), sign_of(op), b.str());
    return static_cast<int64_t>(result);
  }
  return sym_apply(op, a, b);
}

SymInt SymInt::negate(SymInt a) { return a.is_int() ? SymInt(0) - a : sym_apply(SymOp::kNeg, a); }

SymInt sym_apply(SymOp op, SymInt a, SymInt b) {
  SymInt same;
  if (is_identity(op, a, b, same)) return same;
  const Expr* value = op == SymOp::kMod
                          ? rung::apply(op, std::array{a.as_expr(), b.as_expr()}, current_shape_env().ranges())
                          : recently_applied(op, a, b);
  return current_tracer == nullptr ? SymInt(value) : current_tracer->trace(value, op, a, b);
}

bool SymInt::decide(SymOp op, SymInt a, SymInt b) {
  if (a.is_int() && b.is_int())
    return op == SymOp::kEq   ? a.value() == b.value()
           : op == SymOp::kLt ? a.value() < b.value()
                              : a.value() <= b.value();
  if (a.identical(b)) return op != SymOp::kLt;
  return current_shape_env().decide(recently_applied(op, a, b));
}

int64_t SymInt::floor_div(int64_t a, int64_t b) {
  RUNG_CHECK(b != 0, "division of ", a, " by zero");
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace rung
