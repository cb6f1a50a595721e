// Decisions are remembered: the same few conditions come up at every op.
#include "shape/shape_env.h"

#include <array>

#include "base/error.h"
#include "shape/arithmetic.h"

namespace rung {
namespace {

thread_local ShapeEnv* current = nullptr;

}  // namespace

void ShapeEnv::add_symbol(std::string_view name, ValueRange range, std::optional<int64_t> hint) {
  symbols_[std::string(name)] = {range, hint};
}

const ShapeEnv::Symbol* ShapeEnv::find(const Expr* symbol) const {
  auto found = symbols_.find(std::string(symbol->name));
  return found == symbols_.end() ? nullptr : &found->second;
}

ValueRange ShapeEnv::range(const Expr* expr) const {
  return bounds(expr, [&](const Expr* symbol) {
    const Symbol* found = find(symbol);
    return found == nullptr ? ValueRange{} : found->range;
  });
}

std::optional<bool> ShapeEnv::known(const Expr* condition) const {
  if (condition->is(ExprKind::kConstant, "true")) return true;
  if (condition->is(ExprKind::kConstant, "false")) return false;
  return rung::known(condition, [&](const Expr* symbol) {
    const Symbol* found = find(symbol);
    return found == nullptr ? ValueRange{} : found->range;
  });
}

std::optional<int64_t> ShapeEnv::hint(const Expr* expr) const {
  return evaluate(expr, [&](const Expr* symbol) {
    const Symbol* found = find(symbol);
    return found == nullptr ? std::nullopt : found->hint;
  });
}

bool ShapeEnv::decide(const Expr* condition) {
  auto [found, is_new] = decided_.emplace(condition, false);
  if (!is_new) return found->second;
  std::optional<bool> answer = known(condition);
  if (!answer) {
    std::optional<int64_t> value = hint(condition);
    if (!value) {
      decided_.erase(found);
      fail_unsupported("whether ", str(condition), " cannot be decided: the size depends on data");
    }
    answer = *value != 0;
    guards_.push_back(*answer ? condition : rung::apply(SymOp::kNot, std::array{condition}));
  }
  return found->second = *answer;
}

ShapeEnv& current_shape_env() {
  thread_local ShapeEnv nothing_known;
  return current != nullptr ? *current : nothing_known;
}

ShapeEnvScope::ShapeEnvScope(ShapeEnv& env) : outer_(current) { current = &env; }
ShapeEnvScope::~ShapeEnvScope() { current = outer_; }

}  // namespace rung
