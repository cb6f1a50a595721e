// A plan for a back end, and its three forms.
#pragma once
#include <string>
#include <vector>

#include "opset/survey.h"
#include "table.h"

namespace rung::tool {

struct PlanReport {
  std::string set;
  std::vector<std::string> models;
  Survey survey;
  std::vector<Round> rounds;
  size_t rounds_left = 0;  // beyond --limit

  /// The models that are unlocked after 0, 1, 2, ... operators in the order of the plan.
  std::vector<size_t> curve() const;
  /// "49 models, 2 of them inside of the set already; 44 operators are missing"
  std::string summary() const;
};

Table steps_table(const PlanReport& report);
/// What is missing, the most used first.
Table needs_table(const PlanReport& report);
/// What is not accepted, and reached all the same.
Table reached_table(const PlanReport& report);
/// What the tables leave out: higher-order operators, models that have no lowering; a line each.
std::vector<std::string> remarks(const PlanReport& report);

std::string plan_text(const PlanReport& report);
/// docs/plan.md says what it holds.
std::string plan_json(const PlanReport& report);
/// A page of its own, with the curve.
std::string plan_page(const PlanReport& report);

}  // namespace rung::tool
