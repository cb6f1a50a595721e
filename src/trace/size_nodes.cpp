// Symbolic numbers as nodes: arithmetic where a body does it, the sizes of tensors where an op is given one.
#include <algorithm>

#include "schema/gen/op_ids.h"
#include "shape/arithmetic.h"
#include "shape/expr.h"
#include "trace/tracer.h"

namespace rung {
namespace {

bool gives_float(const Expr* expr) {
  constexpr std::string_view kFloats[] = {"IntTrueDiv", "FloatTrueDiv", "ToFloat",     "TruncToFloat",
                                          "FloatPow",   "RoundDecimal", "RoundToFloat"};
  return expr->name.starts_with("OpaqueUnaryFn_") || std::ranges::find(kFloats, expr->name) != std::end(kFloats);
}

bool is_float(const Expr* value) {
  switch (value->kind) {
    case ExprKind::kFloat:
    case ExprKind::kRational: return true;
    case ExprKind::kSymbol: return value->assumptions.find("integer=True") == value->assumptions.npos;
    case ExprKind::kFunction: return gives_float(value);
    default: return std::ranges::any_of(value->args, is_float);
  }
}

ValueMeta::Kind kind_of_value(const Expr* value) {
  bool truth = value->kind == ExprKind::kRelation || value->kind == ExprKind::kAnd || value->kind == ExprKind::kOr ||
               value->kind == ExprKind::kNot;
  if (truth) return ValueMeta::Kind::kSymBool;
  return is_float(value) ? ValueMeta::Kind::kSymFloat : ValueMeta::Kind::kSymInt;
}

// "_operator.floordiv" -> "floordiv"
std::string_view name_of(SymOp op) {
  std::string_view target = target_of(op);
  return target.substr(target.rfind('.') + 1);
}

bool holds_size(const Argument& argument) {
  if (argument.kind == Argument::Kind::kList) return std::ranges::any_of(argument.list_items(), holds_size);
  return argument.kind == Argument::Kind::kSymInt;
}

}  // namespace

bool reads_size(OpId op) {
  return op == op::aten_sym_size_int || op == op::aten_sym_stride_int || op == op::aten_sym_numel ||
         op == op::aten_sym_storage_offset;
}

ValueMeta number_meta(const Expr* value) {
  ValueMeta meta;
  meta.kind = kind_of_value(value);
  if (meta.kind == ValueMeta::Kind::kSymInt)
    meta.number = SymInt(value);
  else
    meta.expr = value;
  return meta;
}

Argument Tracer::size_operand(SymInt size) {
  if (size.is_int()) return Argument::of(size);
  if (const SymNode* made = size.node()) return Argument::of(made->node);
  const Expr* value = size.expr();
  if (value->kind == ExprKind::kFloat) return Argument::of(value->number);
  if (value->kind == ExprKind::kConstant) return Argument::of(value->name == "true");
  Node*& node = intermediates_[value];
  if (node == nullptr) {
    node = append(NodeKind::kCall, Callee::kPython, "sym_size_int");
    node->target = kIntermediateSize;
    node->meta = number_meta(value);
  }
  return Argument::of(node);
}

// The node is made at once, whether an op will take it or not: torch does the same, and dead code goes later.
SymInt Tracer::trace(const Expr* value, SymOp op, SymInt a, SymInt b) {
  std::span<Argument> args = arena().array<Argument>(static_cast<size_t>(operand_count(op)));
  args[0] = size_operand(a);
  if (args.size() == 2) args[1] = size_operand(b);
  Node* node = append(NodeKind::kCall, Callee::kPython, name_of(op));
  node->target = target_of(op);
  set_arguments(*node, args);
  node->meta = number_meta(value);
  return SymInt(arena().make<SymNode>(SymNode{value, node}));
}

Argument Tracer::with_size_nodes(const Argument& argument) {
  if (argument.kind == Argument::Kind::kSymInt) return size_operand(argument.sym());
  if (argument.kind != Argument::Kind::kList || !holds_size(argument)) return argument;
  std::span<Argument> items = arena().array<Argument>(argument.size);
  for (size_t i = 0; i < items.size(); ++i) items[i] = with_size_nodes(argument.items[i]);
  return Argument::list(items);
}

}  // namespace rung
