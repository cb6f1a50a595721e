// torch.export's renaming after a trace: the names of inputs win over the names of ops.
#include "pass/placeholder_names.h"

#include <algorithm>
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
  explicit Renamer(Arena& arena, size_t placeholders = 0) : arena_(arena) { taken_.reserve(placeholders); }

  /// A name that is kept as it is.
  std::string_view take(std::string_view name) {
    note(name, split_suffix(name), true);
    return name;
  }

  std::string_view rename(std::string_view wanted, bool is_placeholder) {
    Split split = split_suffix(wanted);
    if (!is_taken(wanted, split)) {
      note(wanted, split, is_placeholder);
      return wanted;
    }
    std::string_view key = split.number >= 0 && !is_placeholder ? split.prefix : wanted;
    std::string_view name = arena_.copy(std::string_view(cat(key, '_', prefixes_[key].last_number + 1)));
    note(name, split_suffix(name), true);
    return name;
  }

 private:
  struct Prefix {
    int64_t last_number = 0;
    bool has_taken = false;
  };

  // The calls of a graph have names of their own: only placeholders, and names given here, can be in the way. Most
  // calls are told apart from those by their prefix.
  bool is_taken(std::string_view name, const Split& split) {
    if (split.number < 0) return taken_.contains(name);
    auto found = prefixes_.find(split.prefix);
    return found != prefixes_.end() && found->second.has_taken && taken_.contains(name);
  }

  void note(std::string_view name, const Split& split, bool may_be_in_the_way) {
    if (may_be_in_the_way) taken_.insert(name);
    if (split.number < 0) return;
    Prefix& prefix = prefixes_[split.prefix];
    prefix.last_number = std::max(prefix.last_number, split.number);
    prefix.has_taken = prefix.has_taken || may_be_in_the_way;
  }

  Arena& arena_;
  std::unordered_set<std::string_view> taken_;
  std::unordered_map<std::string_view, Prefix> prefixes_;
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
  Renamer renamer(*program.arena, names.size());
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
