// Comparisons and what joins them.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "shape/algebra.h"
#include "shape/expr_order.h"
#include "shape/facts.h"
#include "shape/simplify.h"

namespace rung {
namespace {

struct RelationRow {
  std::string_view name, opposite, mirrored;
};

constexpr RelationRow kRows[] = {
    {"Equality", "Unequality", "Equality"},           {"Unequality", "Equality", "Unequality"},
    {"LessThan", "StrictGreaterThan", "GreaterThan"}, {"StrictLessThan", "GreaterThan", "StrictGreaterThan"},
    {"GreaterThan", "StrictLessThan", "LessThan"},    {"StrictGreaterThan", "LessThan", "StrictLessThan"},
};

const RelationRow& row_of(std::string_view name) {
  for (const RelationRow& row : kRows)
    if (row.name == name) return row;
  RUNG_UNREACHABLE();
}

bool is_truth(const Expr* expr) {
  return expr->kind >= ExprKind::kRelation || expr->is(ExprKind::kConstant, "true") ||
         expr->is(ExprKind::kConstant, "false");
}

const Expr* truth(bool value) { return make_constant(value ? "true" : "false"); }

std::optional<bool> opposite(std::optional<bool> known) { return known ? std::optional(!*known) : known; }

std::optional<bool> are_equal(const Expr* a, const Expr* b) {
  if (a == b) return true;
  if (a->kind == ExprKind::kConstant && b->kind == ExprKind::kConstant && is_truth(a) && is_truth(b)) return false;
  if (is_truth(a) || is_truth(b)) {
    if (a->kind == ExprKind::kSymbol || b->kind == ExprKind::kSymbol || is_truth(a) == is_truth(b)) return std::nullopt;
    return false;
  }
  if (a->is_number() && b->is_number()) return compare_sort_keys(a, b) == 0;
  const Facts& difference = facts_of(subtract(a, b));
  if (difference.is_zero()) return true;
  if (difference.is_nonzero()) return false;
  return std::nullopt;
}

std::optional<bool> holds(std::string_view name, const Expr* left, const Expr* right) {
  if (name == "Equality") return are_equal(left, right);
  if (name == "Unequality") return opposite(are_equal(left, right));
  if (name == "GreaterThan") return is_at_least(left, right);
  if (name == "LessThan") return is_at_least(right, left);
  if (name == "StrictLessThan") return opposite(is_at_least(left, right));
  return opposite(is_at_least(right, left));
}

bool prefers_minus(const Expr* expr) {
  if (expr->kind != ExprKind::kAdd) {
    const Expr* coefficient = split_coefficient(expr).coefficient;
    return coefficient != nullptr && coefficient->is_negative_number();
  }
  size_t negative = 0;
  for (const Expr* term : expr->args) negative += prefers_minus(term);
  if (2 * negative != expr->args.size()) return 2 * negative > expr->args.size();
  return compare_sort_keys(expr, negate(expr)) < 0;
}

bool are_in_order(const Expr* a, const Expr* b) {
  return a->weight != b->weight ? a->weight < b->weight : compare_sort_keys(a, b) <= 0;
}

// One form for x < y, y > x and -y < -x, so that a condition and its opposite are found together: sympy's canonical.
const Expr* one_form(const Expr* relation) {
  const Expr* left = relation->args[0];
  const Expr* right = relation->args[1];
  std::string_view name = relation->name;
  if (is_truth(left) || is_truth(right)) return relation;
  if (!right->is_number() && (left->is_number() || !are_in_order(left, right))) {
    std::swap(left, right);
    name = row_of(name).mirrored;
  }
  if (prefers_minus(left)) return make_relation(row_of(name).mirrored, negate(left), negate(right));
  if (!right->is_number() && prefers_minus(right) && !are_in_order(left, negate(right)))
    return make_relation(name, negate(right), negate(left));
  return make_relation(name, left, right);
}

// The comparisons among `args`, each once; false where one of them is the opposite of another.
bool keep_different(std::vector<const Expr*>& args) {
  std::unordered_set<const Expr*> forms;
  std::vector<const Expr*> kept;
  for (const Expr* arg : args) {
    if (arg->kind == ExprKind::kRelation) {
      const Expr* form = one_form(arg);
      if (forms.contains(one_form(negation(form)))) return false;
      if (!forms.insert(form).second) continue;
    }
    kept.push_back(arg);
  }
  args = std::move(kept);
  return true;
}

std::vector<const Expr*> flattened(ExprKind kind, const std::vector<const Expr*>& args) {
  std::vector<const Expr*> flat;
  std::unordered_set<const Expr*> met;
  for (const Expr* arg : args)
    for (const Expr* inner : arg->kind == kind ? arg->args : ExprArgs(&arg, 1))
      if (met.insert(inner).second) flat.push_back(inner);
  return flat;
}

const Expr* joined(ExprKind kind, ExprArgs operands) {
  bool is_and = kind == ExprKind::kAnd;
  std::vector<const Expr*> args(operands.begin(), operands.end());
  if (is_and) args = flattened(kind, args);
  if (is_and) sort_by_weight(args);
  // Of a disjunction, sympy compares only what is joined now.
  if (!keep_different(args)) return truth(!is_and);
  args = flattened(kind, args);
  if (std::find(args.begin(), args.end(), truth(!is_and)) != args.end()) return truth(!is_and);
  std::erase(args, truth(is_and));
  return make_boolean(kind, args);
}

}  // namespace

const Expr* relation(std::string_view name, const Expr* left, const Expr* right) {
  std::optional<bool> known = holds(name, left, right);
  return known ? truth(*known) : make_relation(name, left, right);
}

const Expr* conjunction(ExprArgs args) { return joined(ExprKind::kAnd, args); }

const Expr* disjunction(ExprArgs args) { return joined(ExprKind::kOr, args); }

const Expr* negation(const Expr* condition) {
  if (condition->is(ExprKind::kConstant, "true")) return truth(false);
  if (condition->is(ExprKind::kConstant, "false")) return truth(true);
  if (condition->kind == ExprKind::kNot) return condition->args[0];
  if (condition->kind == ExprKind::kRelation)
    return make_relation(row_of(condition->name).opposite, condition->args[0], condition->args[1]);
  return make_boolean(ExprKind::kNot, std::array{condition});
}

}  // namespace rung
