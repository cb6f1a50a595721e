// What models lack of a set, and the plan of it, on programs.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "export/load.h"
#include "opset/read_op_set.h"
#include "opset/survey.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

OpSet set_of(std::string_view text) {
  TemporaryFolder folder;
  const std::string path = folder.file("set.json");
  write_text(path, text);
  return read_op_set(path);
}

std::vector<NamedProgram> programs(const std::vector<std::string>& paths) {
  std::vector<NamedProgram> models;
  for (const std::string& path : paths) models.push_back({path, load(path)});
  return models;
}

std::vector<NamedProgram> golden_models() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(test_folder() + "../golden/models"))
    if (entry.path().extension() == ".pt2") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return programs(paths);
}

const NeedFacts& need_named(const Survey& survey, std::string_view name) {
  const auto found =
      std::ranges::find_if(survey.needs, [&](const NeedFacts& facts) { return facts.need.name == name; });
  REQUIRE(found != survey.needs.end());
  return *found;
}

// Models that lack nothing outside of `mask`, of those that lack something outside of `chosen`.
int models_unlocked(const std::vector<uint32_t>& missing, uint32_t chosen, uint32_t mask) {
  int models = 0;
  for (uint32_t lacks : missing) models += (lacks & ~chosen) != 0 && (lacks & ~chosen & ~mask) == 0;
  return models;
}

}  // namespace

TEST_CASE("survey: what is missing, from what, and what the set has of the same packet") {
  const auto models = programs({example_path("net-2.13.pt2")});
  const Survey found = survey(models, set_of(R"({"ops": ["aten.permute", "aten.addmm", "aten.mul.Scalar"]})"));
  REQUIRE(found.needs.size() == 2);
  const NeedFacts& mul = need_named(found, "aten.mul.Tensor");
  CHECK(mul.need.kind == Need::Kind::kOperator);
  CHECK(mul.sources == std::map<std::string, size_t>{{"aten.silu", 1}});
  CHECK(mul.accepted == std::vector<OpId>{find_op("aten::mul.Scalar")});
  CHECK(mul.alone == 0);
  CHECK(found.missing == std::vector<std::vector<uint32_t>>{{0, 1}});
  CHECK(found.ready() == 0);
}

TEST_CASE("survey: what is not accepted and reached all the same, by the rules that took part") {
  const auto models = programs({example_path("net-2.13.pt2")});
  const Survey found = survey(models, set_of(R"({"ops": ["aten.permute", "aten.addmm", "aten.mul.Scalar"]})"));
  REQUIRE(found.reached.size() == 1);  // linear; silu is stuck
  CHECK(found.reached[0].name == "aten.linear");
  CHECK(found.reached[0].calls == 1);
  CHECK(found.reached[0].rules.at("composite") == 1);
}

TEST_CASE("survey: an operator under a condition that fails is apart, with what failed") {
  const auto models = programs({example_path("net-2.13.pt2")});
  const Survey found = survey(models, set_of(R"({"ops": ["aten.linear", {"op": "aten.silu", "rank": [4]}]})"));
  REQUIRE(found.needs.size() == 1);
  CHECK(found.needs[0].need.kind == Need::Kind::kCondition);
  CHECK(found.needs[0].alone == 1);
  CHECK(found.needs[0].reason == "the first operand has rank 2, the set takes 4");
  const std::vector<PlanStep> steps = plan_steps(found.missing);
  const auto checks =
      check_steps(models, set_of(R"({"ops": ["aten.linear", {"op": "aten.silu", "rank": [4]}]})"), found, steps);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].unlocked == 1);
}

TEST_CASE("survey: operators of other namespaces are needs, higher-order ones are told apart") {
  const auto models = programs({file_path("custom.pt2"), file_path("branches.pt2")});
  const OpSet set = set_of(R"({"extends": "core", "ops": ["aten.max"]})");
  const Survey found = survey(models, set);
  REQUIRE(found.needs.size() == 2);
  for (const NeedFacts& facts : found.needs) {
    CHECK(facts.need.kind == Need::Kind::kCustom);
    CHECK(facts.need.op == kNoOp);
  }
  CHECK(found.higher_order.at("cond") == 1);
  CHECK(found.ready() == 1);
  const auto checks = check_steps(models, set, found, plan_steps(found.missing));
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].unlocked == 2);
  CHECK(checks[0].fresh.empty());
}

TEST_CASE("survey: a check tells what a step leaves locked, and what is missing that was not") {
  const auto models = programs({example_path("net-2.13.pt2")});
  const OpSet set = set_of(R"({"ops": ["aten.permute", "aten.addmm"]})");
  Survey found = survey(models, set);
  REQUIRE(found.needs.size() == 2);
  found.missing[0] = {0};  // as if the other had come up only now
  const auto checks = check_steps(models, set, found, plan_steps(found.missing));
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].unlocked == 0);
  CHECK(checks[0].fresh == std::vector<Need>{found.needs[1].need});
}

TEST_CASE("survey: the plan of all models is the best at each step, and holds when they are lowered again") {
  const auto models = golden_models();
  REQUIRE(models.size() == 49);
  size_t tried = 0;
  for (std::string_view name : {"executorch_vulkan", "executorch_xnnpack", "torch_mlir_to_tosa"}) {
    CAPTURE(name);
    const OpSet set = op_set_named(name);
    const Survey found = survey(models, set);
    const std::vector<PlanStep> steps = plan_steps(found.missing);
    const auto checks = check_steps(models, set, found, steps);
    size_t unlocked = found.ready();
    for (size_t i = 0; i < steps.size(); ++i) {
      unlocked += steps[i].models.size();
      CHECK(checks[i].unlocked == unlocked);
      CHECK(checks[i].fresh.empty());
    }
    CHECK(unlocked == models.size());
    if (found.needs.size() > 16) continue;  // too many sets to try them all
    ++tried;
    std::vector<uint32_t> missing(models.size());
    for (size_t m = 0; m < models.size(); ++m)
      for (uint32_t need : found.missing[m]) missing[m] |= 1u << need;
    uint32_t chosen = 0;
    for (const PlanStep& step : steps) {
      const auto operators = static_cast<int>(step.operators.size()), gained = static_cast<int>(step.models.size());
      for (uint32_t mask = 1; mask < 1u << found.needs.size(); ++mask)
        if ((mask & chosen) == 0 && models_unlocked(missing, chosen, mask) * operators > gained * std::popcount(mask))
          FAIL_CHECK("set ", mask, " is better than step ", &step - steps.data() + 1);
      for (uint32_t need : step.operators) chosen |= 1u << need;
    }
  }
  CHECK(tried > 0);
}

}  // namespace rung
