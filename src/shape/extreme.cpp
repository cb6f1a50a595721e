// Max and Min.
#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <vector>

#include "shape/algebra.h"
#include "shape/expr_order.h"
#include "shape/facts.h"
#include "shape/simplify.h"

namespace rung {
namespace {

struct Operands {
  const Expr* number = nullptr;
  std::vector<const Expr*> others;
  std::unordered_set<const Expr*> met;
};

class Collector {
 public:
  explicit Collector(Extreme which) : which_(which), name_(which == Extreme::kMax ? "Max" : "Min") {}

  std::string_view name() const { return name_; }

  Operands collect(ExprArgs args) const {
    Operands operands;
    for (const Expr* arg : args) {
      if (arg->is(ExprKind::kFunction, name_))
        for (const Expr* inner : arg->args) put(operands, inner);
      else
        put(operands, arg);
    }
    return operands;
  }

 private:
  void put(Operands& operands, const Expr* arg) const {
    if (!arg->is_number()) {
      if (operands.met.insert(arg).second) operands.others.push_back(arg);
      return;
    }
    int order = operands.number == nullptr ? 0 : compare_sort_keys(arg, operands.number);
    bool is_further = which_ == Extreme::kMax ? order > 0 : order < 0;
    if (operands.number == nullptr || is_further) operands.number = arg;
  }

  Extreme which_;
  std::string_view name_;
};

const Expr* coefficient_of(const Expr* expr) {
  const Expr* coefficient = split_coefficient(expr).coefficient;
  return coefficient != nullptr ? coefficient : make_integer(1);
}

// Of 2*x and 3*x, where the sign of x is known.
const Expr* of_two_multiples(Extreme which, const Expr* a, const Expr* b) {
  const Expr* rest = split_coefficient(a).rest;
  if (rest != split_coefficient(b).rest) return nullptr;
  int order = compare_sort_keys(coefficient_of(a), coefficient_of(b));
  if (!facts_of(rest).is_nonnegative()) {
    if (!facts_of(rest).is_nonpositive()) return nullptr;
    order = -order;
  }
  return (which == Extreme::kMax) == (order > 0) ? a : b;
}

// Max(s0, 1) is s0: a number and one other, which is known to be above zero or not below it.
const Expr* of_number_and_other(Extreme which, const Expr* number, const Expr* other) {
  bool is_above = (number_value(number) == 0 && facts_of(other).is_nonnegative()) ||
                  (number_value(number) == 1 && facts_of(other).is_positive());
  if (!is_above) return nullptr;
  return which == Extreme::kMax ? other : number;
}

// Inside Max, "same" is Max and "other" Min, and the other way round.
struct Names {
  std::string_view same, other;
};

bool is_call(const Expr* expr, std::string_view name) { return expr->is(ExprKind::kFunction, name); }

// Without looking for anything to simplify; one argument stands for itself.
const Expr* plain_call(std::string_view name, std::vector<const Expr*> args) {
  std::vector<const Expr*> once;
  for (const Expr* arg : args)
    if (std::find(once.begin(), once.end(), arg) == once.end()) once.push_back(arg);
  return make_function(find_function(name), once);
}

// Max(a, Min(a, b)) is a, Max(a, Min(b, Max(a, c))) is Max(a, Min(b, c)): `expr` where `known` stands beside it.
const Expr* without(const Expr* expr, const Expr* known, const Names& names) {
  if (!is_call(expr, names.same) && !is_call(expr, names.other)) return expr;
  bool has = std::find(expr->args.begin(), expr->args.end(), known) != expr->args.end();
  if (has && is_call(expr, names.other)) return known;
  std::vector<const Expr*> args;
  for (const Expr* arg : expr->args)
    if (arg != known) args.push_back(without(arg, known, names));
  return plain_call(expr->name, std::move(args));
}

void absorb(std::vector<const Expr*>& args, const Names& names) {
  for (size_t i = 0; i < args.size(); ++i) {
    bool any = false;
    for (size_t j = i + 1; j < args.size(); ++j) {
      args[j] = without(args[j], args[i], names);
      any |= is_call(args[j], names.same) || is_call(args[j], names.other);
    }
    if (!any) return;
  }
}

// The most extreme number that stands beside the others or inside one of them.
void find_number(const Expr* expr, std::string_view name, bool is_max, const Expr*& found) {
  if (!is_call(expr, "Max") && !is_call(expr, "Min")) return;
  const Expr* first = expr->args[0];
  if (expr->name == name && first->is_number()) {
    int order = found == nullptr ? 1 : compare_sort_keys(first, found);
    if (found == nullptr || (is_max ? order > 0 : order < 0)) found = first;
  }
  for (const Expr* arg : expr->args) find_number(arg, name, is_max, found);
}

// Min(2, Max(3, x)) is 2: an inner extreme that lies beyond the number is left out.
void drop_beyond_number(const Expr* number, std::vector<const Expr*>& others, const Names& names) {
  bool is_max = names.same == "Max";
  const Expr* limit = number;
  for (const Expr* other : others) find_number(other, names.same, is_max, limit);
  std::erase_if(others, [&](const Expr* other) {
    if (!is_call(other, names.other)) return false;
    const Expr* first = other->args[0];
    return (is_max ? is_at_least(first, limit) : is_at_least(limit, first)) == false;
  });
}

// Max(Min(x, y), Min(x, z)) is Min(x, Max(y, z)), where all inner calls have something in common.
void factor_out(std::vector<const Expr*>& args, const Names& names) {
  auto middle =
      std::stable_partition(args.begin(), args.end(), [&](const Expr* arg) { return !is_call(arg, names.other); });
  std::vector<const Expr*> calls(middle, args.end());
  if (calls.size() < 2) return;
  auto in_all = [&](const Expr* arg) {
    return std::all_of(calls.begin(), calls.end(), [&](const Expr* call) {
      return std::find(call->args.begin(), call->args.end(), arg) != call->args.end();
    });
  };
  std::vector<const Expr*> common, left;
  std::copy_if(calls[0]->args.begin(), calls[0]->args.end(), std::back_inserter(common), in_all);
  if (common.empty()) return;
  bool all_differ = true;
  for (const Expr* call : calls) {
    std::vector<const Expr*> own;
    for (const Expr* arg : call->args)
      if (!in_all(arg)) own.push_back(arg);
    all_differ &= !own.empty();
    if (!own.empty()) left.push_back(plain_call(names.other, own));
  }
  if (all_differ) common.push_back(plain_call(names.same, left));
  args.erase(middle, args.end());
  args.push_back(plain_call(names.other, common));
}

// Calls inside calls are walked with all repetitions, so very long ones are left as they are.
bool can_be_walked(const std::vector<const Expr*>& args) {
  constexpr uint64_t kMaxWeight = 20000;
  uint64_t weight = 0;
  for (const Expr* arg : args)
    if (is_call(arg, "Max") || is_call(arg, "Min")) weight += arg->weight;
  return weight <= kMaxWeight;
}

}  // namespace

const Expr* extreme(Extreme which, ExprArgs args) {
  Collector collector(which);
  Names names = which == Extreme::kMax ? Names{"Max", "Min"} : Names{"Min", "Max"};
  auto [number, others, met] = collector.collect(args);
  if (number != nullptr && can_be_walked(others)) drop_beyond_number(number, others, names);
  if (number != nullptr) others.push_back(number);
  sort_by_weight(others);
  if (can_be_walked(others)) {
    absorb(others, names);
    factor_out(others, names);
  }
  Operands merged = collector.collect(others);
  number = merged.number, others = std::move(merged.others);
  if (number == nullptr && others.size() == 2)
    if (const Expr* one = of_two_multiples(which, others[0], others[1])) return one;
  if (number != nullptr && others.size() == 1)
    if (const Expr* one = of_number_and_other(which, number, others[0])) return one;
  if (number != nullptr) others.push_back(number);
  return make_function(find_function(collector.name()), others);
}

}  // namespace rung
