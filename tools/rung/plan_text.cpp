// A plan as tables of text.
#include <algorithm>
#include <map>

#include "base/strings.h"
#include "plan.h"
#include "schema/nearest.h"

namespace rung::tool {
namespace {

constexpr size_t kSourcesShown = 3;

std::string counted(size_t count, std::string_view singular, std::string_view plural) {
  return cat(count, ' ', count == 1 ? singular : plural);
}

// "aten.add.Tensor", or with what is missing of it.
std::string need_text(const Need& need) {
  return need.kind == Need::Kind::kCondition ? cat(need.name, " (conditions)") : need.name;
}

// The largest first.
template <typename Map>
std::string counts_text(const Map& map, size_t limit) {
  std::vector<std::pair<std::string_view, size_t>> counts(map.begin(), map.end());
  std::ranges::stable_sort(counts, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> words;
  for (const auto& [name, count] : counts)
    if (words.size() < limit) words.push_back(cat(name, ' ', count));
  if (counts.size() > limit) words.push_back(cat(counts.size() - limit, " more"));
  return joined(words);
}

// Where it comes from; then of a condition, what failed, and of an operator, what the set has instead.
std::string from_text(const NeedFacts& facts) {
  const std::string from = counts_text(facts.sources, kSourcesShown);
  if (facts.need.kind == Need::Kind::kCondition) return cat(from, "; ", facts.reason);
  std::vector<std::string> names;
  for (OpId op : facts.accepted) names.push_back(short_name(op));
  return names.empty() ? from : cat(from, "; the set has ", joined(names));
}

}  // namespace

size_t PlanReport::unlocked_after(size_t count) const {
  size_t unlocked = survey.ready();
  for (size_t i = 0; i < count; ++i) unlocked += steps[i].models.size();
  return unlocked;
}

size_t PlanReport::operators_after(size_t count) const {
  size_t operators = 0;
  for (size_t i = 0; i < count; ++i) operators += steps[i].operators.size();
  return operators;
}

std::vector<size_t> PlanReport::curve() const {
  std::vector<size_t> left, curve{survey.ready()};  // by model, what is not implemented yet
  for (const auto& lacks : survey.missing) left.push_back(lacks.size());
  for (const PlanStep& step : steps)
    for (uint32_t op : step.operators) {
      curve.push_back(curve.back());
      for (size_t model = 0; model < left.size(); ++model)
        if (std::ranges::binary_search(survey.missing[model], op)) curve.back() += --left[model] == 0;
    }
  return curve;
}

std::string PlanReport::summary() const {
  return cat(set, ": ", counted(models.size(), "model", "models"), ", ", survey.ready(),
             " of them inside of the set already; ", counted(survey.needs.size(), "operator is", "operators are"),
             " missing");
}

std::string PlanReport::verdict() const {
  std::string text;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (checks[i].unlocked != unlocked_after(i + 1))
      text += cat("step ", i + 1, ", lowered again: ", counted(checks[i].unlocked, "model is", "models are"),
                  " inside of the set, the plan says ", unlocked_after(i + 1), '\n');
    for (const Need& need : checks[i].fresh)
      text += cat("step ", i + 1, ", lowered again: a model now lacks ", need_text(need), " too\n");
  }
  return text.empty() ? "lowered again after each step: what the plan says is so\n" : text;
}

Table steps_table(const PlanReport& report) {
  Table table{{{"step", true}, {"operators", true}, {"models", true}, {"implement"}}, {}};
  table.rows.push_back({"0", "0", cat(report.unlocked_after(0)), ""});
  const std::vector<size_t> curve = report.curve();
  size_t operators = 0;
  for (size_t i = 0; i < report.steps.size(); ++i) {
    std::vector<std::string> names;
    for (uint32_t index : report.steps[i].operators) {
      ++operators;
      const size_t more = curve[operators] - curve[operators - 1];
      names.push_back(need_text(report.survey.needs[index].need) + (more > 0 ? cat(" +", more) : ""));
    }
    table.rows.push_back({cat(i + 1), cat(operators), cat(curve[operators]), joined(names)});
  }
  return table;
}

Table needs_table(const PlanReport& report) {
  std::vector<NeedFacts> needs = report.survey.needs;
  std::ranges::stable_sort(needs, [](const auto& a, const auto& b) { return a.models > b.models; });
  Table table{{{"missing"}, {"models", true}, {"alone", true}, {"calls", true}, {"from"}}, {}};
  for (const NeedFacts& facts : needs)
    table.rows.push_back(
        {need_text(facts.need), cat(facts.models), cat(facts.alone), cat(facts.calls), from_text(facts)});
  return table;
}

Table reached_table(const PlanReport& report) {
  Table table{{{"reached already"}, {"models", true}, {"calls", true}, {"by"}}, {}};
  std::map<std::string_view, size_t> rules;
  size_t calls = 0;
  for (const ReachedFacts& facts : report.survey.reached) {
    calls += facts.calls;
    for (const auto& [rule, count] : facts.rules) rules[rule] += count;
    table.rows.push_back(
        {facts.name, cat(facts.models), cat(facts.calls), counts_text(facts.rules, facts.rules.size())});
  }
  table.rows.push_back({"in all", "", cat(calls), counts_text(rules, rules.size())});
  return table;
}

std::vector<std::string> remarks(const PlanReport& report) {
  std::vector<std::string> lines;
  if (report.steps_left > 0) lines.push_back(cat(counted(report.steps_left, "more step", "more steps"), " to the end"));
  for (const auto& [name, models] : report.survey.higher_order)
    lines.push_back(cat("higher-order operator ", name, ", left in ", counted(models, "model", "models"),
                        ": sets do not speak of it"));
  for (const auto& [model, reason] : report.survey.refused) lines.push_back(cat("no lowering: ", reason));
  return lines;
}

std::string plan_text(const PlanReport& report) {
  std::string text = cat(report.summary(), "\n\n", table_text(steps_table(report)), report.verdict());
  for (const std::string& line : remarks(report)) text += line + '\n';
  if (!report.survey.needs.empty()) text += '\n' + table_text(needs_table(report));
  if (!report.survey.reached.empty()) text += '\n' + table_text(reached_table(report));
  return text;
}

}  // namespace rung::tool
