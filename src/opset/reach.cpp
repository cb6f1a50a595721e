// Every op by itself: which bodies lead on is known before the program is.
#include "opset/reach.h"

#include "ir/op_def.h"
#include "schema/gen/op_ids.h"

namespace rung {

DecompositionTable table_for(const OpSet& set) {
  DecompositionTable table(set.name, set.build);
  const bool to_prims = set.accepts_prims();
  if (to_prims) table.lead_to_prims();
  for (OpId op = 0; op < all_ops().size(); ++op) {
    const OpDef* row = op_def(op);
    if (row == nullptr || set.accepts(op) || schema_of(op).ns() != "aten") continue;
    const bool has_body = row->body != nullptr || (set.build == Build::k2_2 && row->body_2_2 != nullptr);
    if (has_body || (to_prims && row->reference != nullptr)) table.open(op);
  }
  return table;
}

void drop_metadata_asserts(Graph& graph, const OpSet& set) {
  if (set.accepts(op::aten__assert_tensor_metadata)) return;
  for (Node* node = graph.first; node != nullptr;) {
    Node* next = node->next;
    for (Graph* inner : subgraphs(*node)) drop_metadata_asserts(*inner, set);
    if (node->is_call(Callee::kOp) && node->op == op::aten__assert_tensor_metadata) graph.erase(node);
    node = next;
  }
  graph.count_uses();
}

}  // namespace rung
