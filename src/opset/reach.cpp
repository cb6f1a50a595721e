// Every op by itself: which bodies lead on is known before the program is.
#include "opset/reach.h"

#include "base/error.h"
#include "ir/op_def.h"
#include "schema/gen/op_ids.h"
#include "schema/nearest.h"

namespace rung {
namespace {

bool accepts_prims(const OpSet& set) {
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (set.accepts(op) && schema_of(op).ns() == "prims") return true;
  return false;
}

// The last line of a stack trace that names a place: "  File "model.py", line 12, in forward".
std::string place_of(const Node& source) {
  if (!source.metadata.is_object()) return "";
  const json::Value trace = source.metadata.find("stack_trace");
  if (!trace.is_string()) return "";
  const std::string_view text = trace.as_string();
  const size_t at = text.rfind("File \"");
  if (at == text.npos) return "";
  return std::string(text.substr(at, text.find('\n', at) - at));
}

std::string chain_text(const Origin& origin) {
  std::string chain;
  for (const Frame* frame = origin.chain; frame != nullptr; frame = frame->outer)
    chain = cat(schema_of(frame->op).name, chain.empty() ? "" : " > ", chain);
  return chain;
}

// Other overloads of the packet, and ops of a like name.
std::string accepted_like(OpId op, const OpSet& set) {
  std::string text;
  for (OpId other = 0; other < all_ops().size(); ++other)
    if (set.accepts(other) && schema_of(other).packet() == schema_of(op).packet())
      text += cat(text.empty() ? "" : ", ", short_name(other));
  return text;
}

}  // namespace

DecompositionTable table_for(const OpSet& set) {
  DecompositionTable table(set.name, set.build);
  const bool to_prims = accepts_prims(set);
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

std::string violations_text(const std::vector<Violation>& violations, const OpSet& set) {
  std::string text;
  for (const Violation& violation : violations) {
    const Node& node = *violation.node;
    text += cat("'", node.name, "' (", target_name(node), "): ", violation.reason, '\n');
    if (node.origin != nullptr && node.origin->source != nullptr) {
      const Node& source = *node.origin->source;
      const std::string chain = chain_text(*node.origin), place = place_of(source);
      text +=
          cat("    from '", source.name, "' (", target_name(source), ")", chain.empty() ? "" : " by " + chain, '\n');
      if (!place.empty()) text += cat("    ", place, '\n');
    }
    if (!node.is_call(Callee::kOp)) continue;
    if (const std::string like = accepted_like(node.op, set); !like.empty())
      text += cat("    the set accepts ", like, '\n');
  }
  return text;
}

}  // namespace rung
