// What torch does to sizes: each operation simplified as sympy and torch's own functions simplify it.
#pragma once
#include <optional>
#include <string_view>

#include "shape/expr.h"

namespace rung {

/// Operations on symbolic numbers, named as torch.fx prints them.
enum class SymOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kFloorDiv,
  kMod,
  kTrueDiv,
  kPow,
  kNeg,
  kMax,
  kMin,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kNot,
  kFloat,  // int to float
  kTrunc,
  kFloor,
  kCeil,
};

/// "_operator.mul", "torch.sym_max", "math.trunc", as a .pt2 writes it.
std::string_view target_of(SymOp op);
std::optional<SymOp> find_sym_op(std::string_view target);
/// 1 or 2.
int operand_count(SymOp op);

/// The value of `op` on `operands`, in the form that torch's SymNode gives it (products are multiplied out).
/// Fails with kInput on a division by zero and on numbers beyond 64 bits.
const Expr* apply(SymOp op, ExprArgs operands);

}  // namespace rung
