// A node uses a value that is not there: why not? Only errors come here, so time does not matter.
#include "base/error.h"
#include "export/read_graph.h"

namespace rung {
namespace {

using NameList = std::vector<std::string_view>;

// All names that stand under `key` anywhere in the value; a sub-graph has names of its own and is left out.
void collect_names(json::Value value, NameList& out) {
  if (value.is_array()) value.for_each_item([&](json::Value item) { collect_names(item, out); });
  if (!value.is_object()) return;
  value.for_each_member([&](std::string_view key, json::Value member) {
    if (key == "as_graph") return;
    if ((key == "name" || key == "as_name") && member.is_string())
      out.push_back(member.as_string());
    else
      collect_names(member, out);
  });
}

struct Uses {
  std::vector<NameList> operands;                        // of each node
  std::unordered_map<std::string_view, size_t> definer;  // value -> node
};

Uses read_uses(json::Value nodes) {
  Uses uses;
  nodes.for_each_item([&](json::Value node) {
    NameList& operands = uses.operands.emplace_back();
    node.find("inputs").for_each_item([&](json::Value input) {
      if (json::Value argument = input.find("arg")) collect_names(argument, operands);
    });
    NameList results;
    if (json::Value outputs = node.find("outputs")) collect_names(outputs, results);
    for (std::string_view name : results) uses.definer.emplace(name, uses.operands.size() - 1);
  });
  return uses;
}

// A chain of values from `start`'s operands back to one that node `goal` defines; empty if there is none.
NameList path_to(const Uses& uses, std::string_view start, size_t goal) {
  std::unordered_map<std::string_view, std::string_view> reached_from;
  NameList pending = {start};
  while (!pending.empty()) {
    std::string_view value = pending.back();
    pending.pop_back();
    auto node = uses.definer.find(value);
    if (node == uses.definer.end()) continue;
    if (node->second == goal) {
      NameList path;
      for (std::string_view at = value; at != start; at = reached_from.at(at)) path.insert(path.begin(), at);
      path.insert(path.begin(), start);
      return path;
    }
    for (std::string_view operand : uses.operands[node->second])
      if (operand != start && reached_from.emplace(operand, value).second) pending.push_back(operand);
  }
  return {};
}

}  // namespace

void GraphReader::fail_undefined(std::string_view name) const {
  Uses uses;
  try {
    uses = read_uses(nodes_);
  } catch (const Error&) {
    fail_input("uses '", name, "', which is not defined before it");
  }
  auto definer = uses.definer.find(name);
  if (definer == uses.definer.end()) fail_input("uses '", name, "', which nothing defines");
  if (definer->second == node_index_) fail_input("uses its own result '", name, "': a cycle");
  NameList path = path_to(uses, name, node_index_);
  if (path.empty()) fail_input("uses '", name, "' before node ", definer->second, " defines it");
  std::string text;
  for (std::string_view value : path) text += cat("'", value, "' needs ");
  fail_input("uses '", name, "', which needs this node's result: a cycle (", text, "'", name, "')");
}

}  // namespace rung
