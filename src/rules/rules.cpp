// No rule registers itself: the families are listed, and gathered once into a table by op.
#include "rules/rules.h"

#include <array>

#include "base/error.h"
#include "rules/families.h"

namespace rung {
namespace {

using namespace rules;

std::vector<std::vector<Rule>> rules_by_op() {
  std::vector<std::vector<Rule>> table(all_ops().size());
  for (std::span<const LateralRule> family : lateral_families()) {
    for (const LateralRule& row : family) {
      const OpId op = find_op(row.op);
      RUNG_CHECK(op != kNoOp, "a rule is of '", row.op, "', which no schema has");
      table[op].push_back(row.rule);
    }
  }
  for (OpId op = 0; op < table.size(); ++op) {
    if (std::optional<Rule> rule = namesake_rule(op)) table[op].push_back(*rule);
    if (std::optional<Rule> rule = copy_rule(op)) table[op].push_back(*rule);
  }
  return table;
}

}  // namespace

std::span<const std::span<const LateralRule>> lateral_families() {
  static const std::array<std::span<const LateralRule>, 12> kFamilies = {
      kCopyRules,      kNumberRules, kConstantRules, kArithmeticRules, kComparisonRules, kViewRules,
      kReductionRules, kIndexRules,  kProductRules,  kTwinRules,       kPlaceRules,      kSpecialRules,
  };
  return kFamilies;
}

std::span<const Rule> lateral_rules(OpId op) {
  static const std::vector<std::vector<Rule>> table = rules_by_op();
  return table[op];
}

}  // namespace rung
