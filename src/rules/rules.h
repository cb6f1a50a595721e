// Lateral rules: other ways to say a call, for back ends that have one form and lack another.
#pragma once
#include <vector>

#include "trace/rule.h"

namespace rung {

/// A rule of one op. It is exact but for rounding, and holds where its body does not say `not_decomposed()`.
struct LateralRule {
  std::string_view op;  // "aten::mul.Scalar"
  Rule rule;
};

/// The rules of an op: those of its rows, then what its name says (a namesake in ATen, a copy for a view).
std::vector<Rule> lateral_rules(OpId op);

}  // namespace rung
