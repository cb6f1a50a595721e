// Entries are opened from the newest to the oldest, and closed at the end.
#include "export/from_node.h"

#include "base/error.h"
#include "schema/nearest.h"

namespace rung {
namespace {

// "aten.linear.default"
std::string op_text(OpId op) { return torch_name(op).substr(std::string_view("torch.ops.").size()); }

// What a node calls, as str() of its target gives it in torch.
std::string target_text(const Node& node) {
  if (node.kind != NodeKind::kCall) return std::string(node.target);
  if (node.callee == Callee::kOp) return op_text(node.op);
  if (node.callee == Callee::kGetItem) return "<built-in function getitem>";
  std::string target(node.target);
  if (node.callee == Callee::kPython) return cat("<built-in function ", target.substr(target.rfind('.') + 1), '>');
  if (const size_t colons = target.find("::"); colons != target.npos) target.replace(colons, 2, ".");
  return target;
}

// What the file says of a node; empty if it says nothing.
std::string_view recorded(const Node& node) {
  const json::Value value = node.metadata.is_object() ? node.metadata.find("from_node") : json::Value();
  return value.is_string() ? value.as_string() : std::string_view();
}

// The same as the text of a list.
std::string_view recorded_list(const Node& source) {
  const std::string_view text = recorded(source);
  if (text.empty()) return "[]";
  try {
    const auto document = json::Document::parse(text);
    if (document->root().is_null()) return "[]";
    if (!document->root().is_array()) fail_input("expected a list, found ", json::kind_name(document->root().kind()));
  } catch (const Error& error) {
    throw error.at("from_node").at(source.name);
  }
  return text;
}

// A lowering may leave a graph as it is: two such graphs differ in how much is known of what was before.
size_t history_size(const Node& node) {
  size_t size = recorded(node).size();
  for (const Origin* origin = node.origin; origin != nullptr && origin->source != nullptr;
       origin = origin->source->origin)
    ++size;
  return size;
}

}  // namespace

std::string_view FromNodes::quoted(const Node& node) {
  if (node.origin == nullptr || node.origin->source == nullptr) return {};
  if (node.origin == latest_) return quoted_;
  text_ = "[";
  open_ = 0;
  append_steps(*node.origin);
  for (; open_ > 0; --open_) text_ += "}]";
  quoted_.clear();
  json::append_string(quoted_, text_);
  latest_ = node.origin;
  return quoted_;
}

// Where the source was lowered too, without a file in between, its own origin goes on.
void FromNodes::append_steps(const Origin& newest) {
  const Node* source = nullptr;
  for (const Origin* origin = &newest; origin != nullptr && origin->source != nullptr; origin = source->origin) {
    source = origin->source;
    const std::string target = target_text(*source);
    const uint32_t graph = graph_id(*source), module_graph = graph + 1;
    append_step(source->name, target, module_graph, "Interpreter_PropagateUnbackedSymInts");
    for (const Frame* frame = origin->chain; frame != nullptr; frame = frame->outer)
      append_step(source->name, op_text(frame->op), module_graph,
                  cat("rung: ", frame->rule, " of ", short_name(frame->op)));
    append_step(source->name, target, graph, "ExportedProgram.module()");
  }
  text_.pop_back();  // the bracket: the oldest entry's list is what the file says
  text_ += recorded_list(*source);
}

void FromNodes::append_step(std::string_view name, std::string_view target, uint32_t graph, std::string_view pass) {
  text_ += "{\"name\": ";
  json::append_string(text_, name);
  text_ += ", \"target\": ";
  json::append_string(text_, target);
  text_ += cat(", \"graph_id\": ", graph, ", \"pass_name\": ");
  json::append_string(text_, pass);
  text_ += ", \"action\": \"create\", \"from_node\": [";
  ++open_;
}

// Once for all nodes of the source's graph.
uint32_t FromNodes::graph_id(const Node& source) {
  if (auto found = graph_ids_.find(&source); found != graph_ids_.end()) return found->second;
  const Node* first = &source;
  while (first->previous != nullptr) first = first->previous;
  uint32_t hash = 0x811c9dc5;
  auto mix = [&](size_t value) { hash = (hash ^ static_cast<uint32_t>(value)) * 0x01000193; };
  for (const Node* node = first; node != nullptr; node = node->next) {
    for (char c : node->name) mix(static_cast<uint8_t>(c));
    mix(history_size(*node));
  }
  for (const Node* node = first; node != nullptr; node = node->next) graph_ids_.emplace(node, hash);
  graph_ids_.emplace(&source, hash);  // it may have been taken out since
  return hash;
}

}  // namespace rung
