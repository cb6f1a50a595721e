// Max and Min.
#include <algorithm>
#include <array>
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
      if (std::find(operands.others.begin(), operands.others.end(), arg) == operands.others.end())
        operands.others.push_back(arg);
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

}  // namespace

const Expr* extreme(Extreme which, ExprArgs args) {
  Collector collector(which);
  auto [number, others] = collector.collect(args);
  if (number == nullptr && others.size() == 2)
    if (const Expr* one = of_two_multiples(which, others[0], others[1])) return one;
  if (number != nullptr && others.size() == 1)
    if (const Expr* one = of_number_and_other(which, number, others[0])) return one;
  if (number != nullptr) others.push_back(number);
  return make_function(find_function(collector.name()), others);
}

}  // namespace rung
