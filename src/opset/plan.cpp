// The set with the most models per operator is found by Dinkelbach's method over minimum cuts: for a rate of m models
// for n operators, "n for every model unlocked, less m for every operator" is a choice of projects with tools, whose
// best selection is a cut; where its worth is above zero, the rate can be bettered, else it is the best.
#include "opset/plan.h"

#include <algorithm>
#include <map>

namespace rung {
namespace {

using Operators = std::vector<uint32_t>;  // ascending

// The locked models that lack the same operators.
struct Group {
  Operators lacks;
  int64_t models = 0;
};

struct Rate {
  int64_t models = 0, operators = 1;
  bool operator>(const Rate& other) const { return models * other.operators > other.models * operators; }
};

Rate rate_of(const std::vector<Group>& groups, const Operators& chosen) {
  Rate rate{0, static_cast<int64_t>(chosen.size())};
  for (const Group& group : groups)
    if (std::ranges::includes(chosen, group.lacks)) rate.models += group.models;
  return rate;
}

// What a model is worth flows through the operators that it lacks, each of which takes its price. A set whose operators
// are all paid for by models inside of it is worth nothing at this rate; worth that finds no room betters the rate.
class Network {
 public:
  Network(const std::vector<Group>& groups, Rate rate) : groups_(groups) {
    uint32_t operators = 0;
    for (const Group& group : groups) operators = std::max(operators, group.lacks.back() + 1);
    room_.assign(operators, rate.models);
    payers_.resize(operators);
    for (uint32_t g = 0; g < groups.size(); ++g) {
      worth_.push_back(groups[g].models * rate.operators);
      paid_.emplace_back(groups[g].lacks.size(), 0);
      for (uint32_t k = 0; k < groups[g].lacks.size(); ++k) payers_[groups[g].lacks[k]].push_back({g, k});
    }
    for (uint32_t g = 0; g < groups.size(); ++g) pay(g);
  }

  /// Operators with a better rate; none if there are none.
  Operators better() {
    std::vector<uint32_t> rich;
    for (uint32_t g = 0; g < groups_.size(); ++g)
      if (worth_[g] > 0) rich.push_back(g);
    search(std::move(rich));
    return reached_operators();
  }

  /// The fewest operators with just this rate, which must be the best. What a group reaches is the least set that it is
  /// in, unless there is room: then it is in none.
  Operators fewest() {
    Operators best;
    for (uint32_t g = 0; g < groups_.size(); ++g) {
      if (search({g}) != kNone) continue;
      Operators reached = reached_operators();
      if (best.empty() || reached.size() < best.size() || (reached.size() == best.size() && reached < best))
        best = std::move(reached);
    }
    return best;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Payment {
    uint32_t group, k;  // of its operator `k`
  };

  // Sends what the group is worth to operators that have room, moving other payments out of the way.
  void pay(uint32_t group) {
    while (worth_[group] > 0) {
      const uint32_t end = search({group});
      if (end == kNone) return;
      int64_t amount = std::min(worth_[group], room_[end]);
      for_each_step_back(end, [&](int64_t&, int64_t* freed) {
        if (freed != nullptr) amount = std::min(amount, *freed);
      });
      for_each_step_back(end, [&](int64_t& paid, int64_t* freed) {
        paid += amount;
        if (freed != nullptr) *freed -= amount;
      });
      worth_[group] -= amount;
      room_[end] -= amount;
    }
  }

  // Along the path that ends at an operator: each payment on it, and the one that had to leave for it, if any.
  template <typename Visit>
  void for_each_step_back(uint32_t end, Visit&& visit) {
    while (end != kNone) {
      const Payment by = reached_by_[end];
      const Payment freed = freed_by_[by.group];
      const bool is_start = freed.group == kNone;
      visit(paid_[by.group][by.k], is_start ? nullptr : &paid_[by.group][freed.k]);
      end = is_start ? kNone : groups_[by.group].lacks[freed.k];
    }
  }

  // Everything that groups lead to: a group to the operators that it lacks, an operator to the groups that pay for it.
  // Stops at the first operator with room and gives it.
  uint32_t search(std::vector<uint32_t> queue) {
    reached_by_.assign(room_.size(), {kNone, 0});
    freed_by_.assign(groups_.size(), {kNone, 0});
    std::vector<bool> seen(groups_.size());
    for (uint32_t g : queue) seen[g] = true;
    for (size_t next = 0; next < queue.size(); ++next) {
      const uint32_t g = queue[next];
      for (uint32_t k = 0; k < groups_[g].lacks.size(); ++k) {
        const uint32_t op = groups_[g].lacks[k];
        if (reached_by_[op].group != kNone) continue;
        reached_by_[op] = {g, k};
        if (room_[op] > 0) return op;
        for (const Payment& payer : payers_[op]) {
          if (seen[payer.group] || paid_[payer.group][payer.k] == 0) continue;
          seen[payer.group] = true;
          freed_by_[payer.group] = payer;
          queue.push_back(payer.group);
        }
      }
    }
    return kNone;
  }

  Operators reached_operators() const {
    Operators reached;
    for (uint32_t op = 0; op < reached_by_.size(); ++op)
      if (reached_by_[op].group != kNone) reached.push_back(op);
    return reached;
  }

  const std::vector<Group>& groups_;
  std::vector<int64_t> worth_;                // by group: what is not yet paid
  std::vector<int64_t> room_;                 // by operator: what it may still take
  std::vector<std::vector<int64_t>> paid_;    // by group, for each operator that it lacks
  std::vector<std::vector<Payment>> payers_;  // by operator: who may pay for it
  // Of the last search: how an operator was reached, and by freeing which payment a group was.
  std::vector<Payment> reached_by_, freed_by_;
};

Operators best_set(const std::vector<Group>& groups) {
  Rate rate;
  for (const Group& group : groups)
    if (Rate own = rate_of(groups, group.lacks); own > rate) rate = own;
  while (true) {
    Network network(groups, rate);
    const Operators better = network.better();
    if (better.empty()) return network.fewest();
    rate = rate_of(groups, better);
  }
}

std::vector<Group> grouped(std::span<const Operators> missing) {
  std::map<Operators, int64_t> counts;
  for (const Operators& lacks : missing)
    if (!lacks.empty()) ++counts[lacks];
  std::vector<Group> groups;
  for (const auto& [lacks, models] : counts) groups.push_back({lacks, models});
  return groups;
}

// Those that most models lack come first.
Operators by_use(Operators operators, const std::vector<Group>& groups) {
  std::map<uint32_t, int64_t> uses;
  for (const Group& group : groups)
    for (uint32_t op : group.lacks) uses[op] += group.models;
  std::ranges::stable_sort(operators, [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
  return operators;
}

}  // namespace

std::vector<PlanStep> plan_steps(std::span<const std::vector<uint32_t>> missing) {
  std::vector<Operators> left(missing.begin(), missing.end());
  for (Operators& lacks : left) std::ranges::sort(lacks);
  std::vector<PlanStep> steps;
  for (std::vector<Group> groups = grouped(left); !groups.empty(); groups = grouped(left)) {
    const Operators chosen = best_set(groups);
    PlanStep step;
    for (uint32_t m = 0; m < left.size(); ++m) {
      if (left[m].empty()) continue;
      std::erase_if(left[m], [&](uint32_t op) { return std::ranges::binary_search(chosen, op); });
      if (left[m].empty()) step.models.push_back(m);
    }
    step.operators = by_use(chosen, groups);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace rung
