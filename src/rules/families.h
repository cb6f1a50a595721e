// The families of lateral rules. Each is one file of this folder.
#pragma once
#include <optional>
#include <span>

#include "rules/rules.h"

namespace rung::rules {

extern const std::span<const LateralRule> kArithmeticRules;
extern const std::span<const LateralRule> kComparisonRules;
extern const std::span<const LateralRule> kConstantRules;
extern const std::span<const LateralRule> kCopyRules;
extern const std::span<const LateralRule> kIndexRules;
extern const std::span<const LateralRule> kNumberRules;
extern const std::span<const LateralRule> kPlaceRules;
extern const std::span<const LateralRule> kProductRules;
extern const std::span<const LateralRule> kReductionRules;
extern const std::span<const LateralRule> kSpecialRules;
extern const std::span<const LateralRule> kTwinRules;
extern const std::span<const LateralRule> kViewRules;

/// Of an elementwise primitive that has a namesake in ATen.
std::optional<Rule> namesake_rule(OpId op);
/// Of a view that has a twin which copies: select_copy.int for select.int.
std::optional<Rule> copy_rule(OpId op);

}  // namespace rung::rules
