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

class Renamer {
 public:
  explicit Renamer(Arena& arena) : arena_(arena) {}

  /// A name that is kept as it is.
  std::string_view take(std::string_view name) {
    taken_.insert(name);
    note_number(split_suffix(name), true);
    return name;
  }

  /// `wanted` if no placeholder has it. The calls of a graph have names of their own.
  std::string_view name_call(std::string_view wanted) {
    Split split = split_suffix(wanted);
    if (!is_taken(wanted, split)) {
      note_number(split, false);
      return wanted;
    }
    std::string_view key = split.number >= 0 ? split.prefix : wanted;
    return take(arena_.copy(std::string_view(cat(key, '_', prefixes_[key].last_number + 1))));
  }

 private:
  struct Prefix {
    int64_t last_number = 0;
    bool has_taken = false;
  };

  // Only placeholders, and names given here, can be in the way. Most calls are told apart from those by their prefix.
  bool is_taken(std::string_view name, const Split& split) {
    if (split.number < 0) return taken_.contains(name);
    auto found = prefixes_.find(split.prefix);
    return found != prefixes_.end() && found->second.has_taken && taken_.contains(name);
  }

  void note_number(const Split& split, bool may_be_in_the_way) {
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
void name_subgraph(Graph& graph, Arguments operands) {
  Renamer renamer(*graph.arena);
  size_t next = 0;
  for (Node* node : graph) {
    bool named = next < operands.size() && operands[next].kind == Argument::Kind::kNode;
    if (node->kind == NodeKind::kPlaceholder && named) {
      node->name = node->target = renamer.take(operands[next].node->name);
    } else {
      node->name = renamer.name_call(node->name);
    }
    ++next;
  }
  name_subgraphs(graph);
}

}  // namespace

void name_subgraphs(Graph& graph) {
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
      for (Graph* inner : subgraphs(*node)) name_subgraphs(*inner);
      continue;
    }
    for (Graph* inner : subgraphs(*node)) name_subgraph(*inner, operands);
  }
}

void rename_calls(Graph& graph, const Names& given) {
  bool any_in_the_way = false;
  for (const Node* node = graph.first; node != nullptr && node->kind == NodeKind::kPlaceholder; node = node->next)
    any_in_the_way = any_in_the_way || given.is_given(node->name);
  if (!any_in_the_way) return;
  Renamer renamer(*graph.arena);
  for (Node* node : graph)
    node->name = node->kind == NodeKind::kPlaceholder ? renamer.take(node->name) : renamer.name_call(node->name);
}

}  // namespace rung
