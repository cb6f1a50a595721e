// The order of operators to implement, against every set of operators there is.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>

#include "opset/plan.h"

namespace rung {
namespace {

using Missing = std::vector<std::vector<uint32_t>>;

uint32_t mask_of(const std::vector<uint32_t>& operators) {
  uint32_t mask = 0;
  for (uint32_t op : operators) mask |= 1u << op;
  return mask;
}

// Whether `a` is the better next step than `b`, both being sets of operators as bits.
struct Choice {
  int models, operators;
  std::vector<uint32_t> numbers;  // ascending
  bool better_than(const Choice& other) const {
    const int rate = models * other.operators - other.models * operators;
    if (rate != 0) return rate > 0;
    return operators != other.operators ? operators < other.operators : numbers < other.numbers;
  }
};

Choice choice_of(uint32_t mask, uint32_t chosen, const Missing& missing) {
  Choice choice{0, std::popcount(mask), {}};
  for (uint32_t op = 0; op < 32; ++op)
    if (mask >> op & 1) choice.numbers.push_back(op);
  for (const auto& lacks : missing) {
    const uint32_t left = mask_of(lacks) & ~chosen;
    choice.models += left != 0 && (left & ~mask) == 0;
  }
  return choice;
}

// The best of all sets of the operators that are not chosen.
Choice best_of_all(uint32_t chosen, uint32_t operators, const Missing& missing) {
  Choice best{0, 1, {}};
  for (uint32_t mask = 1; mask < 1u << operators; ++mask) {
    if (mask & chosen) continue;
    Choice choice = choice_of(mask, chosen, missing);
    if (choice.models > 0 && (best.models == 0 || choice.better_than(best))) best = std::move(choice);
  }
  return best;
}

// Below `end`.
uint32_t draw(std::mt19937& random, uint32_t end) { return static_cast<uint32_t>(random()) % end; }

Missing random_instance(std::mt19937& random, uint32_t operators) {
  Missing missing(1 + draw(random, 8));
  const uint32_t most = 1 + draw(random, operators);
  for (auto& lacks : missing) {
    std::set<uint32_t> drawn;
    for (uint32_t i = draw(random, most + 1); i > 0; --i) drawn.insert(draw(random, operators));
    lacks.assign(drawn.begin(), drawn.end());
    std::ranges::shuffle(lacks, random);
  }
  return missing;
}

// Whether some model alone is as good a step: the models that what it lacks unlocks, for an operator.
bool one_model_is_as_good(const Choice& step, uint32_t chosen, const Missing& missing) {
  return std::ranges::any_of(missing, [&](const auto& lacks) {
    const uint32_t left = mask_of(lacks) & ~chosen;
    const Choice own = choice_of(left, chosen, missing);
    return left != 0 && own.models * step.operators >= step.models * own.operators;
  });
}

}  // namespace

TEST_CASE("plan: every step is the best of all sets of operators") {
  std::mt19937 random(7);
  size_t needs_a_union = 0;
  for (int round = 0; round < 2000; ++round) {
    const uint32_t operators = 2 + draw(random, round % 20 == 0 ? 11 : 7);
    const Missing missing = random_instance(random, operators);
    uint32_t chosen = 0;
    for (const PlanStep& step : plan_steps(missing)) {
      const Choice best = best_of_all(chosen, operators, missing);
      std::vector<uint32_t> numbers = step.operators;
      std::ranges::sort(numbers);
      REQUIRE(numbers == best.numbers);
      REQUIRE(step.models.size() == static_cast<size_t>(best.models));
      for (uint32_t m : step.models) CHECK((mask_of(missing[m]) & ~(chosen | mask_of(numbers))) == 0);
      needs_a_union += !one_model_is_as_good(best, chosen, missing);
      chosen |= mask_of(numbers);
    }
    for (const auto& lacks : missing) CHECK((mask_of(lacks) & ~chosen) == 0);
  }
  CHECK(needs_a_union > 100);
}

TEST_CASE("plan: models that overlap are unlocked together where that is better than any one of them") {
  // Each alone: one model for two operators. All three: three models for three operators. Number 3 alone is as good,
  // and smaller.
  const auto steps = plan_steps(Missing{{0, 1}, {1, 2}, {2, 0}, {3}, {}});
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].operators == std::vector<uint32_t>{3});
  CHECK(steps[0].models == std::vector<uint32_t>{3});
  CHECK(steps[1].operators == std::vector<uint32_t>{0, 1, 2});
  CHECK(steps[1].models == std::vector<uint32_t>{0, 1, 2});
}

TEST_CASE("plan: within a step, what most models lack comes first; nothing missing needs no step") {
  const auto steps = plan_steps(Missing{{0, 4}, {4, 8}, {8, 0}, {4, 8, 3, 2, 1, 5, 6}, {4, 3, 1}});
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].operators == std::vector<uint32_t>{4, 8, 0});
  CHECK(steps[1].operators == std::vector<uint32_t>{1, 3});
  CHECK(steps[2].operators == std::vector<uint32_t>{2, 5, 6});
  CHECK(plan_steps(Missing{{}, {}}).empty());
  CHECK(plan_steps(Missing{}).empty());
}

TEST_CASE("plan: a thousand models are planned at once") {
  std::mt19937 random(3);
  Missing missing(1000);
  for (auto& lacks : missing) {
    std::set<uint32_t> drawn;
    for (uint32_t i = 1 + draw(random, 12); i > 0; --i) drawn.insert(draw(random, 1 + draw(random, 300)));
    lacks.assign(drawn.begin(), drawn.end());
  }
  size_t unlocked = 0;
  for (const PlanStep& step : plan_steps(missing)) unlocked += step.models.size();
  CHECK(unlocked == missing.size());
}

}  // namespace rung
