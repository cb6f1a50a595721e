// Which operators to implement next, by the models that they unlock.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace rung {

/// Operators to implement together, and the models that they unlock.
struct PlanStep {
  std::vector<uint32_t> operators;  // first those that most of the models still locked lack, then by number
  std::vector<uint32_t> models;     // in order
};

/// The order in which to implement operators. `missing[m]` are those that model `m` lacks, by number, each once; a
/// model is unlocked when all of them are implemented. Steps follow until every model is unlocked; a model that lacks
/// nothing is in no step.
///
/// Each step is the best that there is, not only the best single operator or the best single model: of all sets of
/// operators not yet chosen, it is one with the most models unlocked per operator, where a set unlocks the locked
/// models that lack nothing outside of it and of what was chosen before. Where several sets are as good, the step is
/// the one with the fewest operators (the others follow, at the same rate), then the one whose numbers, in ascending
/// order, come first. The whole order is greedy: a set that is best now may leave less for later.
std::vector<PlanStep> plan_steps(std::span<const std::vector<uint32_t>> missing);

}  // namespace rung
