// torch.export's renaming after a trace: the names of inputs win over the names of ops.
#include "pass/placeholder_names.h"

#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"

namespace rung {
namespace {

struct Split {
  std::string_view prefix;
  int64_t number = -1;
};

// "prefix_<digits>" at the last underscore that digits follow; what comes after the digits does not matter to torch.
Split split_suffix(std::string_view name) {
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] != '_' || i + 1 == name.size() || !is_digit(name[i + 1])) continue;
    int64_t number = 0;
    for (size_t j = i + 1; j < name.size() && is_digit(name[j]) && j < i + 18; ++j)
      number = number * 10 + (name[j] - '0');
    return {name.substr(0, i), number};
  }
  return {};
}

void name_subgraphs(Graph& graph, Arena& arena);

class Renamer {
 public:
  explicit Renamer(Arena& arena) : arena_(arena) {}

  /// A name that is kept as it is.
  std::string_view take(std::string_view name) {
    used_.insert(name);
    if (Split split = split_suffix(name); split.number > last_number(split.prefix)) last_[split.prefix] = split.number;
    return name;
  }

  std::string_view rename(std::string_view wanted, bool is_placeholder) {
    Split split = split_suffix(wanted);
    std::string_view key = split.number >= 0 && !is_placeholder ? split.prefix : wanted;
    std::string_view name = wanted;
    if (used_.contains(name)) name = arena_.copy(cat(key, '_', last_number(key) + 1));
    if (Split made = split_suffix(name); made.number > 0 && made.number > last_number(made.prefix))
      last_[made.prefix] = made.number;
    used_.insert(name);
    return name;
  }

 private:
  int64_t last_number(std::string_view prefix) const {
    auto found = last_.find(prefix);
    return found == last_.end() ? 0 : found->second;
  }

  Arena& arena_;
  std::unordered_set<std::string_view> used_;
  std::unordered_map<std::string_view, int64_t> last_;
};

// The placeholders of a branch take the names of the operands they stand for.
void name_subgraph(Graph& graph, Arguments operands, Arena& arena) {
  Renamer renamer(arena);
  size_t next = 0;
  for (Node* node : graph) {
    bool named = next < operands.size() && operands[next].kind == Argument::Kind::kNode;
    if (node->kind == NodeKind::kPlaceholder && named) {
      node->name = node->target = renamer.take(operands[next].node->name);
    } else {
      node->name = renamer.rename(node->name, false);
    }
    ++next;
  }
  name_subgraphs(graph, arena);
}

void name_subgraphs(Graph& graph, Arena& arena) {
  for (Node* node : graph) {
    if (!node->is_call(Callee::kHigherOrder)) continue;
    std::vector<Argument> operands;
    if (node->target == "cond") {
      Arguments given = node->args[3].list_items();
      operands.assign(given.begin(), given.end());
    } else if (node->target == "map_impl") {
      for (const Argument& list : node->args.subspan(1))
        operands.insert(operands.end(), list.list_items().begin(), list.list_items().end());
    } else {
      for (Graph* inner : subgraphs(*node)) name_subgraphs(*inner, arena);
      continue;
    }
    for (Graph* inner : subgraphs(*node)) name_subgraph(*inner, operands, arena);
  }
}

}  // namespace

void rename_placeholders(ExportedProgram& program, std::span<const std::string_view> names) {
  Renamer renamer(*program.arena);
  auto is_user = [](const InputSpec& spec) {
    return spec.kind == InputKind::kUserInput || spec.kind == InputKind::kConstantInput;
  };
  for (bool user_inputs : {true, false})
    for (size_t i = 0; i < program.inputs.size(); ++i)
      if (is_user(program.inputs[i]) == user_inputs)
        program.inputs[i].node->name = program.inputs[i].node->target = renamer.rename(names[i], true);
  for (Node* node : *program.graph)
    if (node->kind != NodeKind::kPlaceholder) node->name = renamer.rename(node->name, false);
  name_subgraphs(*program.graph, *program.arena);
}

}  // namespace rung
