// What models lack of a set, and the plan of it, on programs.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "export/load.h"
#include "opset/read_op_set.h"
#include "opset/survey.h"
#include "unit/golden_programs.h"
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

std::vector<NamedProgram> golden_models() { return programs(golden_programs("models")); }

const NeedFacts& need_named(const Survey& survey, std::string_view name) {
  const auto found =
      std::ranges::find_if(survey.needs, [&](const NeedFacts& facts) { return facts.need.name == name; });
  REQUIRE(found != survey.needs.end());
  return *found;
}

// Models that lack something, and nothing outside of `mask`.
int models_unlocked(const std::vector<uint32_t>& missing, uint32_t mask) {
  int models = 0;
  for (uint32_t lacks : missing) models += lacks != 0 && (lacks & ~mask) == 0;
  return models;
}

}  // namespace

TEST_CASE("survey: what is missing, from what, and what the set has of the same packet") {
  const auto models = programs({example_path("net-2.13.pt2")});
  const Survey found = survey(models, set_of(R"({"ops": ["aten.permute", "aten.add"]})"));
  REQUIRE(found.needs.size() == 2);
  const NeedFacts& linear = need_named(found, "aten.linear");
  CHECK(linear.need.kind == Need::Kind::kOperator);
  CHECK(linear.sources == std::map<std::string, size_t>{{"aten.linear", 1}});
  CHECK(linear.alone == 0);
  CHECK(found.missing == std::vector<std::vector<uint32_t>>{{0, 1}});
  CHECK(found.ready() == 0);
  const auto sizes = programs({file_path("sizes.pt2")});
  const Survey views = survey(sizes, set_of(R"({"ops": ["aten.view.dtype"]})"));
  CHECK(need_named(views, "aten.view").accepted == std::vector<OpId>{find_op("aten::view.dtype")});
}

TEST_CASE("survey: what is not accepted and reached all the same, by the rules that took part") {
  const auto models = programs({example_path("net-2.13.pt2")});
  const Survey found = survey(models, set_of(R"({"ops": ["aten.permute", "aten.mm", "aten.add.Tensor"]})"));
  REQUIRE(found.reached.size() == 1);  // linear; silu is stuck
  CHECK(found.reached[0].name == "aten.linear");
  CHECK(found.reached[0].calls == 1);
  CHECK(found.reached[0].rules.at("decomposition") == 1);
  CHECK(found.reached[0].rules.at("product and sum") == 1);
}

TEST_CASE("survey: an operator under a condition that fails is apart, with what failed") {
  const auto models = programs({example_path("net-2.13.pt2")});
  const OpSet set = set_of(R"({"ops": ["aten.linear", {"op": "aten.silu", "rank": [4]}]})");
  const Survey found = survey(models, set);
  REQUIRE(found.needs.size() == 1);
  CHECK(found.needs[0].need.kind == Need::Kind::kCondition);
  CHECK(found.needs[0].alone == 1);
  CHECK(found.needs[0].reason == "tensor operand 1 has rank 2, the set takes 4");
  const auto rounds = plan_rounds(models, set, found);
  REQUIRE(rounds.size() == 1);
  CHECK(rounds[0].unlocked == std::vector<size_t>{0});
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
  const auto rounds = plan_rounds(models, set, found);
  REQUIRE(rounds.size() == 1);
  CHECK(rounds[0].unlocked == std::vector<size_t>{0});
}

TEST_CASE("survey: every round of the plan of all models is the best there is, and all are unlocked") {
  const auto models = golden_models();
  REQUIRE(models.size() == 49);
  size_t tried = 0;
  for (std::string_view name : {"executorch_vulkan", "executorch_xnnpack", "torch_mlir_to_tosa"}) {
    CAPTURE(name);
    OpSet set = op_set_named(name);
    const Survey first = survey(models, set);
    size_t unlocked = first.ready();
    std::set<Need> chosen;
    bool opened_ways = false;  // for what was stuck
    for (const Round& round : plan_rounds(models, set, first)) {
      const Survey now = survey(models, set);
      std::vector<uint32_t> missing(models.size());
      const bool is_small = now.needs.size() <= 16;  // else there are too many sets to try them all
      tried += is_small;
      for (size_t m = 0; is_small && m < models.size(); ++m)
        for (uint32_t need : now.missing[m])
          if (!chosen.contains(now.needs[need].need)) missing[m] |= 1u << need;
      const auto operators = static_cast<int>(round.implement.size()), gained = static_cast<int>(round.unlocked.size());
      for (uint32_t mask = 1; is_small && mask < 1u << now.needs.size(); ++mask)
        if (models_unlocked(missing, mask) * operators > gained * std::popcount(mask))
          FAIL_CHECK("set ", mask, " is better than the round that unlocks ", gained, " with ", operators);
      for (const Need& need : round.implement) {
        chosen.insert(need);
        if (need.op != kNoOp) set.accept(need.op);
      }
      unlocked += round.unlocked.size();
      CHECK(std::accumulate(round.gains.begin(), round.gains.end(), size_t{0}) == round.unlocked.size());
      opened_ways |= survey(models, set).needs.size() + round.implement.size() < now.needs.size();
    }
    CHECK(unlocked == models.size());
    CHECK(opened_ways == (name == "executorch_xnnpack"));
  }
  CHECK(tried > 0);
}

}  // namespace rung
