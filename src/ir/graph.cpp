// Linking of nodes, and what can be asked of a graph without knowing what its ops mean.
#include "ir/graph.h"

#include <algorithm>

#include "base/error.h"

namespace rung {

// Not yet linked. Room doubles with the graph, up to a limit.
Node* Graph::new_node(NodeKind kind, std::string_view node_name) {
  if (room.empty()) room = arena->array<Node>(std::clamp(size, size_t{4}, size_t{2048}));
  Node* node = &room.front();
  room = room.subspan(1);
  node->kind = kind;
  node->name = node_name;
  return node;
}

Node* Graph::append(NodeKind kind, std::string_view node_name) {
  Node* node = new_node(kind, node_name);
  node->index = static_cast<uint32_t>(size);
  node->previous = last;
  (last != nullptr ? last->next : first) = node;
  last = node;
  ++size;
  return node;
}

Node* Graph::insert_before(Node* place, NodeKind kind, std::string_view node_name) {
  RUNG_CHECK(place != nullptr, "no node to insert '", node_name, "' before");
  Node* node = new_node(kind, node_name);
  node->previous = place->previous;
  node->next = place;
  (place->previous != nullptr ? place->previous->next : first) = node;
  place->previous = node;
  ++size;
  return node;
}

void Graph::erase(Node* node) {
  (node->previous != nullptr ? node->previous->next : first) = node->next;
  (node->next != nullptr ? node->next->previous : last) = node->previous;
  --size;
}

void Graph::count_uses() {
  for (Node* node : *this) node->uses = 0;
  for (Node* node : *this) {
    for_each_operand(*node, [](Node* operand) { ++operand->uses; });
    for (const Argument& argument : node->args)
      if (argument.kind == Argument::Kind::kGraph) argument.graph->count_uses();
  }
}

void Graph::renumber() {
  uint32_t next = 0;
  for (Node* node : *this) node->index = next++;
}

void set_arguments(Node& node, Arguments args, std::span<const NamedArgument> kwargs) {
  node.args = args;
  node.kwargs = kwargs;
  for_each_operand(node, [](Node* operand) { ++operand->uses; });
}

namespace {

Argument replaced(const Argument& argument, Arena& arena, const std::function<Node*(Node*)>& replacement) {
  if (argument.kind == Argument::Kind::kNode) return Argument::of(replacement(argument.node));
  bool changes = false;
  for_each_node(argument, [&](Node* operand) { changes = changes || replacement(operand) != operand; });
  if (!changes) return argument;
  if (argument.kind == Argument::Kind::kList) {
    std::span<Argument> items = arena.array<Argument>(argument.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = replaced(argument.items[i], arena, replacement);
    return Argument::list(items);
  }
  std::span<NamedArgument> entries = arena.copy(argument.dict_entries());
  for (NamedArgument& entry : entries) entry.value = replaced(entry.value, arena, replacement);
  return Argument::dict(entries);
}

}  // namespace

void replace_operands(Node& node, Arena& arena, const std::function<Node*(Node*)>& replacement) {
  bool changes = false;
  for_each_operand(node, [&](Node* operand) { changes = changes || replacement(operand) != operand; });
  if (!changes) return;
  std::span<Argument> args = arena.copy(node.args);
  for (Argument& argument : args) argument = replaced(argument, arena, replacement);
  node.args = args;
  std::span<NamedArgument> kwargs = arena.copy(node.kwargs);
  for (NamedArgument& argument : kwargs) argument.value = replaced(argument.value, arena, replacement);
  node.kwargs = kwargs;
}

std::string target_name(const Node& node) {
  switch (node.callee) {
    case Callee::kNotACall: return std::string(node.target);
    case Callee::kOp: return torch_name(node.op);
    case Callee::kGetItem: return "operator.getitem";
    case Callee::kPython:
      return std::string(node.target.starts_with("_operator.") ? node.target.substr(1) : node.target);
    case Callee::kHigherOrder: return cat("torch.ops.higher_order.", node.target);
    case Callee::kCustom: break;
  }
  size_t colons = node.target.find("::");
  if (colons == node.target.npos) return std::string(node.target);
  return cat("torch.ops.", node.target.substr(0, colons), '.', node.target.substr(colons + 2));
}

namespace {

void collect_graphs(const Argument& argument, std::vector<Graph*>& out) {
  if (argument.kind == Argument::Kind::kGraph) out.push_back(argument.graph);
  if (argument.kind == Argument::Kind::kNode && argument.node->kind == NodeKind::kGetAttr)
    for (const Argument& held : argument.node->args) collect_graphs(held, out);
  if (argument.kind == Argument::Kind::kList)
    for (const Argument& item : argument.list_items()) collect_graphs(item, out);
  if (argument.kind == Argument::Kind::kDict)
    for (const NamedArgument& entry : argument.dict_entries()) collect_graphs(entry.value, out);
}

}  // namespace

std::vector<Graph*> subgraphs(const Node& node) {
  std::vector<Graph*> out;
  for (const Argument& argument : node.args) collect_graphs(argument, out);
  for (const NamedArgument& argument : node.kwargs) collect_graphs(argument.value, out);
  return out;
}

}  // namespace rung
