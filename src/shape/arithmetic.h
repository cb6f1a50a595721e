// What torch does to sizes: each operation simplified as sympy and torch's own functions simplify it.
#pragma once
#include <optional>
#include <string_view>

#include "shape/expr.h"
#include "shape/sym_op.h"
#include "shape/value_range.h"

namespace rung {

/// "_operator.mul", "torch.sym_max", "math.trunc", as a .pt2 writes it.
std::string_view target_of(SymOp op);
std::optional<SymOp> find_sym_op(std::string_view target);
/// 1 or 2.
int operand_count(SymOp op);

/// The value of `op` on `operands`, in the form that torch's SymNode gives it. Ranges play no part, only what the
/// symbols are assumed to be. Products of sums stay products: torch 2.13 multiplies them out only where it replaces
/// symbols. Fails with kInput on a division by zero and on numbers beyond 64 bits.
const Expr* apply(SymOp op, ExprArgs operands);
/// The same where ranges of the symbols are known: they decide whether a remainder is a Mod or a PythonMod.
const Expr* apply(SymOp op, ExprArgs operands, const RangeOf& range_of);

}  // namespace rung
