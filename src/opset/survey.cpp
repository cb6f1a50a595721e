// Programs are lowered to a set, and what is left outside of it is counted.
#include "opset/survey.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "opset/reach.h"
#include "pass/census.h"
#include "pass/lower.h"
#include "pass/offspring.h"
#include "schema/nearest.h"

namespace rung {
namespace {

Need need_of(const Node& outside, const OpSet& set) {
  if (outside.callee != Callee::kOp) return {callee_text(outside), Need::Kind::kCustom, kNoOp};
  const bool is_named = set.accepts(outside.op);
  return {short_name(outside.op), is_named ? Need::Kind::kCondition : Need::Kind::kOperator, outside.op};
}

std::vector<OpId> accepted_like(OpId op, const OpSet& set) {
  std::vector<OpId> accepted;
  for (OpId other = 0; op != kNoOp && other < all_ops().size(); ++other)
    if (other != op && set.accepts(other) && schema_of(other).ns() == schema_of(op).ns() &&
        schema_of(other).packet() == schema_of(op).packet())
      accepted.push_back(other);
  return accepted;
}

ExportedProgram lowered_by(const DecompositionTable& table, const NamedProgram& model) {
  try {
    return lower(model.program, table);
  } catch (const Error& error) {
    throw error.at(model.name);
  }
}

// The rules on the way to what a call became, each once.
std::set<std::string_view> rules_of(std::span<const Node* const> made) {
  std::set<std::string_view> rules;
  for (const Node* node : made) {
    if (node->origin->chain == nullptr) rules.insert("in its place");
    for (const Frame* frame = node->origin->chain; frame != nullptr; frame = frame->outer) rules.insert(frame->rule);
  }
  return rules;
}

// Counts model by model.
class Counter {
 public:
  explicit Counter(const OpSet& set) : set_(set), table_(table_for(set)) {}

  void add(size_t index, const NamedProgram& model) {
    model_ = index;
    try {
      const ExportedProgram lowered = lowered_by(table_, model);
      count_needs(*lowered.graph);
      count_reached(*model.program.graph, *lowered.graph);
      count_higher_order(*lowered.graph);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) throw;
      survey_.refused.emplace(index, error.what());
    }
  }

  Survey result(size_t models) {
    survey_.missing.resize(models);
    for (auto& [need, counted] : needs_) {
      const auto index = static_cast<uint32_t>(survey_.needs.size());
      for (size_t model : counted.models) survey_.missing[model].push_back(index);
      counted.facts.need = need;
      counted.facts.models = counted.models.size();
      counted.facts.accepted = accepted_like(need.op, set_);
      survey_.needs.push_back(std::move(counted.facts));
    }
    for (const auto& lacks : survey_.missing)
      if (lacks.size() == 1) ++survey_.needs[lacks[0]].alone;
    for (auto& [name, counted] : reached_) {
      if (counted.is_stuck) continue;
      counted.facts.name = name;
      counted.facts.models = counted.models.size();
      survey_.reached.push_back(std::move(counted.facts));
    }
    return std::move(survey_);
  }

 private:
  struct Needed {
    NeedFacts facts;
    std::set<size_t> models;
  };
  struct Reached {
    ReachedFacts facts;
    std::set<size_t> models;
    bool is_stuck = false;  // some call became something outside
  };

  void count_needs(const Graph& lowered) {
    outside_.clear();
    for (const Violation& violation : violations(lowered, set_)) {
      const Node& node = *violation.node;
      outside_.insert(&node);
      const Need need = need_of(node, set_);
      Needed& needed = needs_[need];
      if (needed.facts.calls++ == 0 && need.kind == Need::Kind::kCondition) needed.facts.reason = violation.reason;
      needed.models.insert(model_);
      if (node.origin != nullptr && node.origin->source != nullptr)
        ++needed.facts.sources[callee_text(*node.origin->source)];
    }
  }

  void count_reached(const Graph& source, const Graph& lowered) {
    const Offspring offspring(lowered);
    for_each_operator(source, [&](const Node& call) {
      if (call.callee != Callee::kOp || set_.accepts(call.op)) return;
      const std::span<const Node* const> made = offspring.of(call);
      if (made.empty()) return;
      Reached& reached = reached_[callee_text(call)];
      ++reached.facts.calls;
      reached.models.insert(model_);
      reached.is_stuck |= std::ranges::any_of(made, [&](const Node* node) { return outside_.contains(node); });
      for (std::string_view rule : rules_of(made)) ++reached.facts.rules[rule];
    });
  }

  void count_higher_order(const Graph& lowered) {
    std::set<std::string> names;
    for_each_operator(lowered, [&](const Node& call) {
      if (call.callee == Callee::kHigherOrder) names.insert(std::string(call.target));
    });
    for (const std::string& name : names) ++survey_.higher_order[name];
  }

  const OpSet& set_;
  DecompositionTable table_;
  Survey survey_;
  std::map<Need, Needed> needs_;
  std::map<std::string, Reached> reached_;
  size_t model_ = 0;               // of these, the one that is being counted
  std::set<const Node*> outside_;  // and its calls outside of the set
};

// What models still lack: a set cannot hold an operator of another namespace, though it is implemented.
std::vector<std::vector<uint32_t>> still_missing(const Survey& survey, const std::set<Need>& chosen) {
  std::vector<std::vector<uint32_t>> missing = survey.missing;
  for (std::vector<uint32_t>& lacks : missing)
    std::erase_if(lacks, [&](uint32_t index) { return chosen.contains(survey.needs[index].need); });
  return missing;
}

std::vector<size_t> gains_of(const PlanStep& step, const std::vector<std::vector<uint32_t>>& missing) {
  std::vector<size_t> left, gains;
  for (const auto& lacks : missing) left.push_back(lacks.size());
  for (uint32_t op : step.operators) {
    gains.push_back(0);
    for (size_t model = 0; model < left.size(); ++model)
      if (std::ranges::binary_search(missing[model], op)) gains.back() += --left[model] == 0;
  }
  return gains;
}

}  // namespace

size_t Survey::ready() const {
  const auto empty = std::ranges::count_if(missing, [](const auto& lacks) { return lacks.empty(); });
  return static_cast<size_t>(empty) - refused.size();
}

Survey survey(std::span<const NamedProgram> models, const OpSet& set) {
  Counter counter(set);
  for (size_t model = 0; model < models.size(); ++model) counter.add(model, models[model]);
  return counter.result(models.size());
}

std::vector<Round> plan_rounds(std::span<const NamedProgram> models, OpSet set, const Survey& first) {
  std::vector<Round> rounds;
  std::set<Need> chosen;
  Survey now = first;
  std::vector<std::vector<uint32_t>> missing = now.missing;
  for (std::vector<PlanStep> steps; !(steps = plan_steps(missing)).empty();) {
    Round round;
    round.gains = gains_of(steps[0], missing);
    for (uint32_t index : steps[0].operators) {
      const Need& need = now.needs[index].need;
      round.implement.push_back(need);
      chosen.insert(need);
      if (need.op != kNoOp) set.accept(need.op);
    }
    now = survey(models, set);
    std::vector<std::vector<uint32_t>> after = still_missing(now, chosen);
    for (size_t model = 0; model < models.size(); ++model)
      if (!missing[model].empty() && after[model].empty()) round.unlocked.push_back(model);
    const size_t told = std::accumulate(round.gains.begin(), round.gains.end() - 1, size_t{0});
    round.gains.back() = round.unlocked.size() - std::min(told, round.unlocked.size());
    missing = std::move(after);
    rounds.push_back(std::move(round));
  }
  return rounds;
}

}  // namespace rung
