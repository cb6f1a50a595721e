// No rule registers itself: the families are listed.
#include "rules/rules.h"

#include <array>

#include "rules/families.h"

namespace rung {
std::span<const std::span<const LateralRule>> lateral_families() {
  using namespace rules;
  static const std::array<std::span<const LateralRule>, 12> kFamilies = {
      kCopyRules,      kNumberRules, kConstantRules, kArithmeticRules, kComparisonRules, kViewRules,
      kReductionRules, kIndexRules,  kProductRules,  kTwinRules,       kPlaceRules,      kSpecialRules,
  };
  return kFamilies;
}

std::vector<Rule> lateral_rules(OpId op) {
  const std::string_view name = schema_of(op).name;
  std::vector<Rule> found;
  for (std::span<const LateralRule> family : lateral_families())
    for (const LateralRule& row : family)
      if (row.op == name) found.push_back(row.rule);
  if (const std::optional<Rule> rule = rules::namesake_rule(op)) found.push_back(*rule);
  if (const std::optional<Rule> rule = rules::copy_rule(op)) found.push_back(*rule);
  return found;
}

}  // namespace rung
