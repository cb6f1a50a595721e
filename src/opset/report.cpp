// Violations are grouped: 60 layers that fail for one reason are one paragraph, in which every call is named.
#include "opset/report.h"

#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/current_arena.h"
#include "ir/recorded_at.h"
#include "opset/reach.h"
#include "opset/search.h"
#include "pass/lower.h"
#include "pass/offspring.h"
#include "schema/nearest.h"

namespace rung {
namespace {

const Node* source_of(const Node& node) { return node.origin == nullptr ? nullptr : node.origin->source; }
const Frame* chain_of(const Node& node) { return node.origin == nullptr ? nullptr : node.origin->chain; }

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += cat(text.empty() ? "" : ", ", item);
  return text;
}

std::string type_of(const ValueMeta& meta) {
  if (const TensorMeta* tensor = meta.as_tensor()) return type_text(*tensor);
  if (meta.kind == ValueMeta::Kind::kSymInt) return cat("Sym(", meta.number.str(), ')');
  if (meta.kind != ValueMeta::Kind::kList) return "";
  std::vector<std::string> types;
  for (const ValueMeta& item : *meta.list) types.push_back(type_of(item));
  return cat('(', joined(types), ')');
}

// "layers.0.fc (Linear)"
std::string module_text(const ModuleCall& module) {
  const std::string_view name = module.type.substr(module.type.rfind('.') + 1);
  return cat(module.path.empty() ? "the program" : module.path, " (", name, ')');
}

// "aten.linear (decomposition) > aten.t (decomposition)": the outermost body first.
std::string chain_text(const Frame* chain) {
  std::string text;
  for (; chain != nullptr; chain = chain->outer)
    text = cat(short_name(chain->op), " (", chain->rule, ')', text.empty() ? "" : " > ", text);
  return text;
}

// What forms of one op share: view for view_copy and _unsafe_view, add for add_, i1e for special_i1e.
std::string_view stem_of(OpId op) {
  std::string_view name = schema_of(op).packet();
  for (std::string_view prefix : {"special_", "linalg_", "_unsafe_", "native_", "_native_", "_"})
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  for (std::string_view suffix : {"_copy", "_"})
    if (name.ends_with(suffix)) {
      name.remove_suffix(suffix.size());
      break;
    }
  return name;
}

bool is_same_packet(OpId a, OpId b) {
  return schema_of(a).ns() == schema_of(b).ns() && schema_of(a).packet() == schema_of(b).packet();
}

class Report {
 public:
  explicit Report(const OpSet& set)
      : set_(set),
        table_(table_for(set)),
        search_(set_, table_),
        arena_(scratch_),
        rungs_{aten_decompositions(set.build), composite_decompositions(set.build), core_aten_decompositions(set.build),
               prims_decompositions(set.build)} {}

  std::string text(const std::vector<Violation>& violations) {
    std::vector<Group> groups;
    std::unordered_map<std::string, size_t> by_key;
    for (const Violation& violation : violations) {
      const auto [found, is_new] = by_key.emplace(key_of(violation), groups.size());
      if (is_new) groups.push_back({&violation.reason, {}});
      groups[found->second].nodes.push_back(violation.node);
    }
    for (const Group& group : groups) append(group);
    if (!out_.empty()) out_.pop_back();
    return std::move(out_);
  }

 private:
  struct Group {
    const std::string* reason;
    std::vector<const Node*> nodes;
  };

  static std::string key_of(const Violation& violation) {
    const Node& node = *violation.node;
    const Node* source = source_of(node);
    return cat(callee_text(node), '\n', violation.reason, '\n',
               source == nullptr || source->kind != NodeKind::kCall ? "" : callee_text(*source), '\n',
               chain_text(chain_of(node)));
  }

  void append(const Group& group) {
    const Node& first = *group.nodes[0];
    const Node* source = source_of(first);
    out_ += cat(out_.empty() ? "" : "\n", callee_text(first),
                group.nodes.size() > 1 ? cat(", ", group.nodes.size(), " calls") : "", ": ", *group.reason, '\n');
    places_.clear();
    for (const Node* node : group.nodes) append_call(*node);
    append_bodies(first);
    out_ += cat("    nearest: ", nearest_text(first), '\n');
    if (source != nullptr && source->kind == NodeKind::kCall) out_ += cat("    rungs: ", rungs_text(*source), '\n');
  }

  // Code is shown once, though several calls are of one line.
  void append_call(const Node& node) {
    const std::string type = type_of(node.meta);
    out_ += cat("    '", node.name, "'", type.empty() ? "" : " ", type);
    const Node* source = source_of(node);
    const Node& traced = source == nullptr ? node : *source;
    if (source != nullptr && source->kind != NodeKind::kCall) out_ += cat(", from the input '", source->name, "'");
    if (source != nullptr && source->kind == NodeKind::kCall)
      out_ += cat(", from '", source->name, "' (", callee_text(*source), ')');
    if (const std::vector<ModuleCall> modules = module_stack(traced); !modules.empty())
      out_ += cat(" in ", module_text(modules.back()));
    const std::optional<SourceLine> line = source_line(traced);
    if (!line) {
      out_ += '\n';
      return;
    }
    const std::string place = line->place();
    out_ += cat(", ", place, '\n');
    if (!line->code.empty() && places_.insert(place).second) out_ += cat("        ", line->code, '\n');
  }

  void append_bodies(const Node& node) {
    const std::string chain = chain_text(chain_of(node));
    out_ += cat("    bodies: ", chain, chain.empty() ? "" : "; ", stop_text(node), '\n');
  }

  // Why the way ends here: what each rule of the op would leave outside.
  std::string stop_text(const Node& node) {
    if (node.callee != Callee::kOp) return "rung has no rule for operators of other namespaces";
    std::vector<Argument> args;
    bind_arguments(schema_of(node.op), node.args, node.kwargs, scratch_, args);
    std::vector<std::string> ways;
    for (const Search::Attempt& attempt : search_.attempts(node.op, args)) {
      std::vector<std::string> outside;
      for (OpId op : attempt.outside) outside.push_back(short_name(op));
      ways.push_back(cat(attempt.rule, " (needs ", joined(outside), ')'));
    }
    const std::string name = short_name(node.op);
    if (ways.empty()) return cat("no rule opens ", name);
    return cat(name, " could be opened by ", joined(ways));
  }

  std::string nearest_text(const Node& node) const {
    if (node.callee != Callee::kOp) return "none: the operator is of another namespace";
    const OpId op = node.op;
    if (set_.accepts(op)) return cat(short_name(op), " itself, where its condition holds");
    std::vector<std::string> overloads, forms;
    for (OpId other = 0; other < all_ops().size(); ++other) {
      if (!set_.accepts(other) || schema_of(other).is_mutable()) continue;
      if (is_same_packet(other, op))
        overloads.push_back(short_name(other));
      else if (stem_of(other) == stem_of(op))
        forms.push_back(short_name(other));
    }
    if (!overloads.empty()) return cat(joined(overloads), " (the same packet)");
    if (!forms.empty()) return cat(joined(forms), " (another form of the operator)");
    const OpId nearest = nearest_op(op, [&](OpId other) { return set_.accepts(other); });
    return nearest == kNoOp ? "none: the set is empty" : cat(short_name(nearest), " (nearest by name)");
  }

  std::string rungs_text(const Node& source) const {
    if (source.callee != Callee::kOp) return cat("every rung keeps ", callee_text(source), " whole");
    const std::string name = short_name(source.op);
    if (schema_of(source.op).is_mutable()) return cat("none keeps ", name, " whole, since it writes to its input");
    std::vector<std::string> whole, opened;
    for (const DecompositionTable& table : rungs_) {
      const bool opens = table.opens(source.op) || table.must_open(source.op);
      (opens ? opened : whole).emplace_back(table.rung());
    }
    if (whole.empty()) return cat("none keeps ", name, " whole");
    return cat(name, " is whole on ", joined(whole), opened.empty() ? "" : "; opened on ", joined(opened));
  }

  const OpSet& set_;
  const DecompositionTable table_;
  Search search_;
  Arena scratch_;
  ArenaScope arena_;
  const DecompositionTable rungs_[4];
  std::string out_;
  std::unordered_set<std::string> places_;  // of the group
};

}  // namespace

std::string violations_text(const std::vector<Violation>& violations, const ExportedProgram& lowered,
                            const OpSet& set) {
  ShapeEnv sizes = shape_env_of(lowered);
  ShapeEnvScope scope(sizes);
  return Report(set).text(violations);
}

void check_reached(const ExportedProgram& lowered, const OpSet& set) {
  const std::vector<Violation> outside = violations(*lowered.graph, set);
  if (outside.empty()) return;
  fail_unsupported("no path to '", set.name, "': ", outside.size(), outside.size() == 1 ? " call is" : " calls are",
                   " outside of the set\n\n", violations_text(outside, lowered, set));
}

}  // namespace rung
