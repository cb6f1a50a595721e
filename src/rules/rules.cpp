// No rule registers itself: the families are listed.
#include "rules/rules.h"

#include <array>
#include <span>

#include "base/error.h"
#include "rules/families.h"

namespace rung {

// In the order in which equal costs prefer them.
static std::span<const std::span<const LateralRule>> lateral_families() {
  using namespace rules;
  static const std::array<std::span<const LateralRule>, 12> kFamilies = {
      kCopyRules,      kNumberRules, kConstantRules, kArithmeticRules, kComparisonRules, kViewRules,
      kReductionRules, kIndexRules,  kProductRules,  kTwinRules,       kPlaceRules,      kSpecialRules,
  };
  return kFamilies;
}

// By op. Rules are asked for again with each lowering, and looking an op up by its name takes long.
static const std::vector<std::vector<Rule>>& rules_by_op() {
  static const std::vector<std::vector<Rule>> table = [] {
    std::vector<std::vector<Rule>> rules(all_ops().size());
    for (std::span<const LateralRule> family : lateral_families())
      for (const LateralRule& row : family) {
        const OpId op = find_op(row.op);
        RUNG_CHECK(op != kNoOp, "a rule is of '", row.op, "', which no schema has");
        rules[op].push_back(row.rule);
      }
    return rules;
  }();
  return table;
}

std::vector<Rule> lateral_rules(OpId op) {
  std::vector<Rule> found = rules_by_op()[op];
  if (const std::optional<Rule> rule = rules::namesake_rule(op)) found.push_back(*rule);
  if (const std::optional<Rule> rule = rules::copy_rule(op)) found.push_back(*rule);
  return found;
}

}  // namespace rung
