// Two graphs are walked side by side, counted, and held against the program that they came from.
#include "pass/diff.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/strings.h"
#include "ir/recorded_at.h"
#include "pass/census.h"
#include "schema/nearest.h"

namespace rung {
namespace {

// ---- node by node

class SideBySide {
 public:
  /// The first difference; nothing if there is none.
  std::optional<NodeDifference> compare(const Graph& a, const Graph& b) {
    const Node *left = a.first, *right = b.first;
    for (; left != nullptr && right != nullptr; left = left->next, right = right->next) {
      if (!same_node(*left, *right)) return inner_ ? inner_ : NodeDifference{{left, right}};
      partner_[left] = right;
    }
    if (left == right) return std::nullopt;
    return NodeDifference{{left, right}};
  }

 private:
  bool same_node(const Node& a, const Node& b) {
    if (a.kind != b.kind || a.callee != b.callee || a.op != b.op || !same_target(a, b)) return false;
    return same_items(a.args, b.args) && same_entries(a.kwargs, b.kwargs) && same_type(a.meta, b.meta);
  }

  // Placeholders and sub-graphs have names only.
  static bool same_target(const Node& a, const Node& b) {
    const bool is_named = a.kind == NodeKind::kPlaceholder || (a.kind == NodeKind::kGetAttr && !a.args.empty());
    return is_named || a.target == b.target;
  }

  static bool same_type(const ValueMeta& a, const ValueMeta& b) {
    const bool is_known = a.kind != ValueMeta::Kind::kNone && b.kind != ValueMeta::Kind::kNone;
    return !is_known || type_text(a) == type_text(b);
  }

  bool same_items(Arguments a, Arguments b) {
    return std::ranges::equal(a, b, [&](const Argument& x, const Argument& y) { return same(x, y); });
  }

  bool same_entries(std::span<const NamedArgument> a, std::span<const NamedArgument> b) {
    return std::ranges::equal(a, b, [&](const NamedArgument& x, const NamedArgument& y) {
      return x.name == y.name && same(x.value, y.value);
    });
  }

  bool same(const Argument& a, const Argument& b) {
    using Kind = Argument::Kind;
    if (a.kind != b.kind) return false;
    switch (a.kind) {
      case Kind::kNode: {
        auto found = partner_.find(a.node);
        return found != partner_.end() && found->second == b.node;
      }
      case Kind::kList: return same_items(a.list_items(), b.list_items());
      case Kind::kDict: return same_entries(a.dict_entries(), b.dict_entries());
      case Kind::kGraph:
        if (auto inner = compare(*a.graph, *b.graph); inner && !inner_) inner_ = inner;
        return !inner_;
      default: return same_argument(a, b);
    }
  }

  std::unordered_map<const Node*, const Node*> partner_;
  std::optional<NodeDifference> inner_;  // in a sub-graph
};

bool same_kinds(const ExportedProgram& a, const ExportedProgram& b) {
  const auto alike = [](const auto& x, const auto& y) { return x.kind == y.kind; };
  return std::ranges::equal(a.inputs, b.inputs, alike) && std::ranges::equal(a.outputs, b.outputs, alike);
}

// ---- by operator and module

using Counts = std::map<std::string, std::array<size_t, 2>>;

std::vector<CensusDifference> differences(const Counts& counts) {
  std::vector<CensusDifference> rows;
  for (const auto& [op, calls] : counts)
    if (calls[0] != calls[1]) rows.push_back({op, calls});
  return rows;
}

std::string module_of(const Node& call) {
  const std::vector<ModuleCall> stack = module_stack(call);
  return stack.empty() ? "" : std::string(stack.back().path);
}

std::vector<ModuleDifference> grouped(const std::map<std::string, Counts>& by_module) {
  std::map<std::vector<CensusDifference>, size_t> places;
  std::vector<ModuleDifference> groups;
  for (const auto& [module, counts] : by_module) {
    std::vector<CensusDifference> census = differences(counts);
    if (census.empty()) continue;
    const auto [place, is_new] = places.emplace(census, groups.size());
    if (is_new) groups.push_back({{}, std::move(census)});
    groups[place->second].modules.push_back(module);
  }
  return groups;
}

// ---- by the source

std::string chain_text(const Frame* chain) {
  std::string text;
  for (const Frame* frame = chain; frame != nullptr; frame = frame->outer)
    text = cat(short_name(frame->op), text.empty() ? "" : " > ", text);
  return text;
}

Outcome outcome_of(const Node& source, const Offspring& offspring) {
  const std::span<const Node* const> made = offspring.of(source);
  Outcome outcome{fate_of(source, made), {}};
  if (outcome.fate == Fate::kSurvived && made.size() == 1) return outcome;
  for (const Node* node : made) {
    const Outcome::Part part{callee_text(*node), chain_text(node->origin->chain), 0};
    auto same = [&](const Outcome::Part& other) { return other.op == part.op && other.by == part.by; };
    auto found = std::ranges::find_if(outcome.parts, same);
    if (found == outcome.parts.end()) found = outcome.parts.insert(found, part);
    ++found->calls;
  }
  return outcome;
}

}  // namespace

ProgramDiff diff_programs(const ExportedProgram& a, const ExportedProgram& b) {
  ProgramDiff diff;
  diff.first = SideBySide().compare(*a.graph, *b.graph);
  diff.same_signature = same_kinds(a, b);
  Counts counts;
  std::map<std::string, Counts> by_module;
  const ExportedProgram* sides[] = {&a, &b};
  for (size_t side = 0; side < 2; ++side)
    for_each_operator(*sides[side]->graph, [&](const Node& call) {
      ++diff.calls[side];
      ++counts[callee_text(call)][side];
      ++by_module[module_of(call)][callee_text(call)][side];
    });
  diff.census = differences(counts);
  diff.modules = grouped(by_module);
  return diff;
}

std::vector<FateDifference> diff_fates(const ExportedProgram& source, const ExportedProgram& a,
                                       const ExportedProgram& b) {
  const Offspring offspring[] = {Offspring(*a.graph), Offspring(*b.graph)};
  std::map<std::pair<std::string, std::array<Outcome, 2>>, size_t> calls;
  for_each_operator(*source.graph, [&](const Node& call) {
    std::array<Outcome, 2> outcomes{outcome_of(call, offspring[0]), outcome_of(call, offspring[1])};
    if (outcomes[0] != outcomes[1]) ++calls[{callee_text(call), std::move(outcomes)}];
  });
  std::vector<FateDifference> fates;
  for (const auto& [key, count] : calls) fates.push_back({key.first, key.second, count});
  std::ranges::stable_sort(fates, [](const auto& x, const auto& y) { return x.calls > y.calls; });
  return fates;
}

}  // namespace rung
