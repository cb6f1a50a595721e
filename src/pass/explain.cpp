// Lowered nodes are grouped by the node they came from.
#include "pass/explain.h"

#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "ir/provenance.h"

namespace rung {
namespace {

using Offspring = std::unordered_map<const Node*, std::vector<const Node*>>;

std::string result_text(const ValueMeta& meta) {
  const TensorMeta* tensor = meta.as_tensor();
  if (tensor == nullptr) return meta.kind == ValueMeta::Kind::kList ? "several results" : "";
  return type_text(*tensor);
}

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

void add_subgraph_offspring(const Graph& graph, Offspring& offspring) {
  for (const Node* node : graph) {
    if (node->kind == NodeKind::kCall && node->origin != nullptr && node->callee != Callee::kGetItem)
      offspring[node->origin->source].push_back(node);
    for (Graph* inner : subgraphs(*node)) add_subgraph_offspring(*inner, offspring);
  }
}

enum class Fate { kSurvived, kOpened, kRemoved };

struct Totals {
  size_t survived = 0, opened = 0, removed = 0;
};

Fate fate_of(const Node& node, const std::vector<const Node*>& made) {
  if (made.empty()) return Fate::kRemoved;
  for (const Node* child : made)
    if (child->origin->chain == nullptr && child->callee == node.callee && child->op == node.op) return Fate::kSurvived;
  return Fate::kOpened;
}

bool wanted(const Node& node, const ExplainFilter& filter) {
  if (!filter.node.empty()) return node.name == filter.node;
  if (filter.op != kNoOp) return node.op == filter.op;
  if (!filter.packet.empty())
    return node.op != kNoOp && schema_of(node.op).name.substr(0, schema_of(node.op).name.find('.')) == filter.packet;
  return true;
}

void append_paragraph(std::string& out, const Node& node, const std::vector<const Node*>& made) {
  out += cat(padded(std::string(node.name), 24), ' ', callee_text(node));
  switch (fate_of(node, made)) {
    case Fate::kSurvived: out += "  survived\n"; return;
    case Fate::kRemoved:
      out += node.uses > 0 ? "  removed: it stands for one of its inputs, or nothing that it was opened into is used\n"
                           : "  removed: nothing uses it\n";
      return;
    case Fate::kOpened: break;
  }
  out += cat("  opened into ", made.size(), made.size() == 1 ? " operator\n" : " operators\n");
  for (const Node* child : made) {
    out += cat("    ", padded(std::string(child->name), 22), ' ', padded(callee_text(*child), 28), ' ',
               padded(result_text(child->meta), 20));
    if (child->origin->chain != nullptr)
      out += cat(" by ", chain_text(child->origin->chain));
    else
      out += " in its place";
    out += '\n';
  }
}

void explain_graph(std::string& out, const Graph& graph, const Offspring& offspring, const ExplainFilter& filter,
                   Totals& totals) {
  static const std::vector<const Node*> none;
  for (const Node* node : graph) {
    for (Graph* inner : subgraphs(*node)) explain_graph(out, *inner, offspring, filter, totals);
    if (node->kind != NodeKind::kCall || node->callee == Callee::kGetItem || !wanted(*node, filter)) continue;
    auto found = offspring.find(node);
    const std::vector<const Node*>& made = found == offspring.end() ? none : found->second;
    append_paragraph(out, *node, made);
    Fate fate = fate_of(*node, made);
    totals.survived += fate == Fate::kSurvived;
    totals.opened += fate == Fate::kOpened;
    totals.removed += fate == Fate::kRemoved;
  }
}

}  // namespace

std::string explain(const ExportedProgram& source, const ExportedProgram& lowered, const ExplainFilter& filter) {
  Offspring offspring;
  add_subgraph_offspring(*lowered.graph, offspring);
  source.graph->count_uses();
  std::string out;
  Totals totals;
  explain_graph(out, *source.graph, offspring, filter, totals);
  return out + cat(totals.survived + totals.opened + totals.removed, " operators: ", totals.survived, " survived, ",
                   totals.opened, " opened, ", totals.removed, " removed\n");
}

}  // namespace rung
