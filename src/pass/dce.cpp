// One walk backwards with the counts of uses.
#include "pass/dce.h"

#include "schema/gen/op_ids.h"

namespace rung {
namespace {

bool has_side_effect(const Node& node) {
  if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput) return true;
  if (node.callee == Callee::kCustom) return node.meta.kind == ValueMeta::Kind::kNone;  // it is there for its effect
  if (node.callee == Callee::kHigherOrder) return node.target == "with_effects";
  if (node.callee != Callee::kOp) return false;
  switch (node.op) {
    case op::aten__assert_async_msg:
    case op::aten__assert_scalar:
    case op::aten__assert_tensor_metadata:
    case op::aten_sym_constrain_range:
    case op::aten_sym_constrain_range_for_size: return true;
    default: return schema_of(node.op).is_mutable();
  }
}

}  // namespace

bool eliminate_dead_code(Graph& graph) {
  bool changed = false;
  for (Node* node = graph.last; node != nullptr;) {
    Node* previous = node->previous;
    if (node->kind == NodeKind::kGetAttr && node->args.size() == 1)
      changed |= eliminate_dead_code(*node->args[0].graph);
    if (node->uses == 0 && !has_side_effect(*node)) {
      for_each_operand(*node, [](Node* operand) { --operand->uses; });
      graph.erase(node);
      changed = true;
    }
    node = previous;
  }
  return changed;
}

}  // namespace rung
