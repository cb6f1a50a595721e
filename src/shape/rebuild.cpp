// Each kind and function of an expression has one operation.
#include "shape/rebuild.h"

#include <array>
#include <vector>

#include "base/error.h"

namespace rung {
namespace {

struct FunctionOp {
  std::string_view name;
  SymOp op;
};
constexpr FunctionOp kFunctionOps[] = {
    {"FloorDiv", SymOp::kFloorDiv},
    {"CleanDiv", SymOp::kFloorDiv},
    {"Mod", SymOp::kMod},
    {"PythonMod", SymOp::kMod},
    {"Max", SymOp::kMax},
    {"Min", SymOp::kMin},
    {"IntTrueDiv", SymOp::kTrueDiv},
    {"FloatTrueDiv", SymOp::kTrueDiv},
    {"PowByNatural", SymOp::kPow},
    {"FloatPow", SymOp::kPow},
    {"ToFloat", SymOp::kFloat},
    {"TruncToInt", SymOp::kTrunc},
    {"FloorToInt", SymOp::kFloor},
    {"CeilToInt", SymOp::kCeil},
    {"Equality", SymOp::kEq},
    {"Unequality", SymOp::kNe},
    {"StrictLessThan", SymOp::kLt},
    {"LessThan", SymOp::kLe},
    {"StrictGreaterThan", SymOp::kGt},
    {"GreaterThan", SymOp::kGe},
};

}  // namespace

SymOp operation_of(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kAdd: return SymOp::kAdd;
    case ExprKind::kMul: return SymOp::kMul;
    case ExprKind::kPow: return SymOp::kPow;
    case ExprKind::kAnd: return SymOp::kAnd;
    case ExprKind::kOr: return SymOp::kOr;
    case ExprKind::kNot: return SymOp::kNot;
    default: break;
  }
  for (const FunctionOp& row : kFunctionOps)
    if (row.name == expr->name) return row.op;
  fail_unsupported("the size ", str(expr), " cannot be computed from its parts");
}

const Expr* substitute(const Expr* expr, const std::function<const Expr*(const Expr* symbol)>& value_of) {
  if (expr->kind == ExprKind::kSymbol) return value_of(expr);
  if (expr->args.empty()) return expr;
  std::vector<const Expr*> args;
  bool changes = false;
  for (const Expr* arg : expr->args) {
    args.push_back(substitute(arg, value_of));
    changes = changes || args.back() != arg;
  }
  if (!changes) return expr;
  SymOp op = operation_of(expr);
  if (args.size() == 1) return rung::apply(op, args);
  const Expr* result = args[0];
  for (size_t i = 1; i < args.size(); ++i) result = rung::apply(op, std::array{result, args[i]});
  return result;
}

}  // namespace rung
