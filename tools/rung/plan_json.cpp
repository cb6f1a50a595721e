// A plan as JSON; docs/plan.md has its fields.
#include <numeric>

#include "json_text.h"
#include "plan.h"
#include "schema/nearest.h"

namespace rung::tool {
namespace {

std::string_view kind_name(Need::Kind kind) {
  switch (kind) {
    case Need::Kind::kOperator: return "operator";
    case Need::Kind::kCondition: return "condition";
    case Need::Kind::kCustom: break;
  }
  return "custom";
}

std::string need_names(const PlanReport& report, const std::vector<uint32_t>& indices) {
  return json_list(indices, [&](uint32_t index) { return json_text(report.survey.needs[index].need.name); });
}

std::string model_json(const PlanReport& report, size_t model) {
  const auto refused = report.survey.refused.find(model);
  return json_object({{"file", json_text(report.models[model])},
                      {"missing", need_names(report, report.survey.missing[model])},
                      {"refused", refused == report.survey.refused.end() ? "null" : json_text(refused->second)}});
}

// `operators` and `models`: as of before the round, counted on.
std::string round_json(const PlanReport& report, const Round& round, size_t& operators, size_t& models) {
  operators += round.implement.size();
  models += round.unlocked.size();
  return json_object(
      {{"implement", json_list(round.implement, [](const Need& need) { return json_text(need.name); })},
       {"unlocks", json_list(round.unlocked, [&](size_t model) { return json_text(report.models[model]); })},
       {"operators", cat(operators)},
       {"models", cat(models)}});
}

std::string need_json(const NeedFacts& facts) {
  return json_object({{"operator", json_text(facts.need.name)},
                      {"kind", json_text(kind_name(facts.need.kind))},
                      {"models", cat(facts.models)},
                      {"alone", cat(facts.alone)},
                      {"calls", cat(facts.calls)},
                      {"from", json_counts(facts.sources)},
                      {"accepted", json_list(facts.accepted, [](OpId op) { return json_text(short_name(op)); })},
                      {"reason", facts.reason.empty() ? "null" : json_text(facts.reason)}});
}

std::string reached_json(const ReachedFacts& facts) {
  return json_object({{"operator", json_text(facts.name)},
                      {"models", cat(facts.models)},
                      {"calls", cat(facts.calls)},
                      {"rules", json_counts(facts.rules)}});
}

}  // namespace

std::string plan_json(const PlanReport& report) {
  std::vector<size_t> models(report.models.size());
  std::iota(models.begin(), models.end(), size_t{0});
  size_t operators = 0, unlocked = report.survey.ready();
  const auto next = [&](const Round& round) { return round_json(report, round, operators, unlocked); };
  return json_object({{"set", json_text(report.set)},
                      {"models", json_list(models, [&](size_t model) { return model_json(report, model); })},
                      {"ready", cat(report.survey.ready())},
                      {"steps", json_list(report.rounds, next)},
                      {"steps_left", cat(report.rounds_left)},
                      {"curve", json_list(report.curve(), [](size_t count) { return cat(count); })},
                      {"missing", json_list(report.survey.needs, need_json)},
                      {"reached", json_list(report.survey.reached, reached_json)},
                      {"higher_order", json_counts(report.survey.higher_order)}}) +
         "\n";
}

}  // namespace rung::tool
