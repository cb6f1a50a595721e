// Comparisons and what joins them.
#include <algorithm>
#include <array>
#include <optional>
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

// One form for x < y and y > x, so that a condition and its opposite are found together.
const Expr* one_form(const Expr* relation) {
  const Expr* left = relation->args[0];
  const Expr* right = relation->args[1];
  bool swap = left->is_number() ? !right->is_number() : !right->is_number() && compare_sort_keys(left, right) > 0;
  if (!swap) return relation;
  return make_relation(row_of(relation->name).mirrored, right, left);
}

const Expr* joined(ExprKind kind, ExprArgs args) {
  const Expr* neutral = truth(kind == ExprKind::kAnd);
  const Expr* absorbing = truth(kind == ExprKind::kOr);
  std::vector<const Expr*> kept, forms;
  auto take = [&](const Expr* arg) {
    const Expr* form = arg->kind == ExprKind::kRelation ? one_form(arg) : arg;
    if (arg == neutral || std::find(forms.begin(), forms.end(), form) != forms.end()) return true;
    const Expr* against = negation(form);
    if (against->kind == ExprKind::kRelation) against = one_form(against);
    if (arg == absorbing || std::find(forms.begin(), forms.end(), against) != forms.end()) return false;
    forms.push_back(form);
    kept.push_back(arg);
    return true;
  };
  for (const Expr* arg : args) {
    ExprArgs inner = arg->kind == kind ? arg->args : ExprArgs(&arg, 1);
    for (const Expr* one : inner)
      if (!take(one)) return absorbing;
  }
  return make_boolean(kind, kept);
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
