// Whether lateral rules are sound: what they compute beside what the op itself computes.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/rule.h"

namespace rung::rule_test {

/// A rule, and the dtypes of samples on which it held: it did not decline, its trace has the dtype, sizes and strides
/// of the call's own result, and computes its values.
struct RuleReport {
  OpId op = kNoOp;
  std::string_view rule;
  std::set<DType> held;
  double farthest = 0;  // of its values from the op's own, as interp/distance.h has it
};

struct Report {
  std::vector<RuleReport> rules;  // every rule of every op, in order
  /// What a rule computes otherwise than its op, with the call: "aten::neg by product with -1 of f32[2]: ...".
  std::vector<std::string> faults;
};

/// Tries each rule on each sample of its op, as it computes and as it is traced. Fails with kInput where an op has
/// none.
Report check_rules();
/// The same of some rules of one op.
void check_rules_of(OpId op, std::span<const Rule> rules, Report& report);

/// docs/rules.md
std::string rules_document(const Report& report);

}  // namespace rung::rule_test
