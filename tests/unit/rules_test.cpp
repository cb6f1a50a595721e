// Lateral rules: each is sound on every dtype that it holds for. The samples stand in tests/rules.
#include "rules/rules.h"

#include <doctest/doctest.h>

#include <set>

#include "base/error.h"
#include "ops/gen/aten.h"
#include "rules/body.h"
#include "rules/check.h"

namespace rung {
namespace {

rule_test::Report report_of(std::string_view op, Body body) {
  rule_test::Report report;
  const Rule rules[] = {{"planted", body}};
  rule_test::check_rules_of(find_op(op), rules, report);
  return report;
}

Tensor itself(Tensor self) { return self; }
Tensor sum(Tensor self, Tensor other) { return aten::add_Tensor(self, other); }
// another type, which the search does not take
Tensor as_double(Tensor self) { return aten::to_dtype(aten::neg(self), DType::kFloat64); }
// right as it is computed, and wrong in a trace
Tensor wrong_in_a_trace(Tensor self) { return self.is_real() ? aten::neg(self) : aten::abs(self); }
// fails when it is run
Tensor far_place(Tensor self) {
  Tensor place = aten::full({1}, 1000, DType::kInt64);
  return aten::index_select(aten::neg(self), 0, place);
}

}  // namespace

TEST_CASE("rules: each computes what its op does, as computed and as traced, and holds for some dtype") {
  const rule_test::Report report = rule_test::check_rules();
  CHECK(report.rules.size() > 250);
  for (const std::string& fault : report.faults) FAIL_CHECK(fault);
  for (const rule_test::RuleReport& rule : report.rules) {
    CAPTURE(schema_of(rule.op).name);
    CAPTURE(rule.rule);
    CHECK(!rule.held.empty());
  }
}

TEST_CASE("rules: one that is wrong is found") {
  CHECK(report_of("aten::neg", rules::lateral<aten::neg>).faults.empty());
  CHECK(!report_of("aten::neg", rules::lateral<itself>).faults.empty());
  CHECK(!report_of("aten::mul.Tensor", rules::lateral<sum>).faults.empty());
  CHECK(!report_of("aten::neg", rules::lateral<wrong_in_a_trace>).faults.empty());
  CHECK(!report_of("aten::clone", rules::lateral<far_place>).faults.empty());
  const std::set<DType> held = report_of("aten::neg", rules::lateral<as_double>).rules[0].held;
  CHECK(held == std::set{DType::kFloat64});
}

TEST_CASE("rules: those of an op have names of their own") {
  for (OpId op = 0; op < all_ops().size(); ++op) {
    std::set<std::string_view> names;
    for (const Rule& rule : lateral_rules(op)) names.insert(rule.name);
    CHECK_MESSAGE(names.size() == lateral_rules(op).size(), schema_of(op).name);
  }
}

}  // namespace rung
