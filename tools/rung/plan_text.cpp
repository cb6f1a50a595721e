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

std::vector<size_t> PlanReport::curve() const {
  std::vector<size_t> curve{survey.ready()};
  for (const Round& round : rounds)
    for (size_t gain : round.gains) curve.push_back(curve.back() + gain);
  return curve;
}

std::string PlanReport::summary() const {
  return cat(set, ": ", counted(models.size(), "model", "models"), ", ", survey.ready(),
             " of them inside of the set already; ", counted(survey.needs.size(), "operator is", "operators are"),
             " missing");
}

Table steps_table(const PlanReport& report) {
  Table table{{{"step", true}, {"operators", true}, {"models", true}, {"implement"}}, {}};
  size_t operators = 0, models = report.survey.ready();
  table.rows.push_back({"0", "0", cat(models), ""});
  for (size_t i = 0; i < report.rounds.size(); ++i) {
    const Round& round = report.rounds[i];
    std::vector<std::string> names;
    for (size_t k = 0; k < round.implement.size(); ++k)
      names.push_back(need_text(round.implement[k]) + (round.gains[k] > 0 ? cat(" +", round.gains[k]) : ""));
    operators += round.implement.size();
    models += round.unlocked.size();
    table.rows.push_back({cat(i + 1), cat(operators), cat(models), joined(names)});
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
  if (report.rounds_left > 0)
    lines.push_back(cat(counted(report.rounds_left, "more step", "more steps"), " to the end"));
  for (const auto& [name, models] : report.survey.higher_order)
    lines.push_back(cat("higher-order operator ", name, ", left in ", counted(models, "model", "models"),
                        ": sets do not speak of it"));
  for (const auto& [model, reason] : report.survey.refused) lines.push_back(cat("no lowering: ", reason));
  return lines;
}

std::string plan_text(const PlanReport& report) {
  std::string text = cat(report.summary(), "\n\n", table_text(steps_table(report)));
  for (const std::string& line : remarks(report)) text += line + '\n';
  if (!report.survey.needs.empty()) text += '\n' + table_text(needs_table(report));
  if (!report.survey.reached.empty()) text += '\n' + table_text(reached_table(report));
  return text;
}

}  // namespace rung::tool
