// What is known of the symbols of a program, and how its branches on sizes are decided.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shape/value_range.h"

namespace rung {

/// Ranges and hints (the sizes that a program was exported with) of symbols. A branch is decided by the ranges; where
/// they do not tell, by the hints, and the decision is kept as a guard, as torch does.
class ShapeEnv {
 public:
  void add_symbol(std::string_view name, ValueRange range, std::optional<int64_t> hint);

  /// Fails with kUnsupported where neither ranges nor hints decide: the size depends on data.
  bool decide(const Expr* condition);
  /// By the ranges alone.
  std::optional<bool> known(const Expr* condition) const;
  ValueRange range(const Expr* expr) const;
  /// What `expr` was when the program was exported; nothing where a symbol has no hint.
  std::optional<int64_t> hint(const Expr* expr) const;
  /// Conditions that the hints decided, in order; each holds.
  const std::vector<const Expr*>& guards() const { return guards_; }

 private:
  struct Symbol {
    ValueRange range;
    std::optional<int64_t> hint;
  };
  const Symbol* find(const Expr* symbol) const;

  std::unordered_map<std::string, Symbol> symbols_;
  std::unordered_map<const Expr*, bool> decided_;
  std::vector<const Expr*> guards_;
};

/// The innermost of the thread's scopes; without one, nothing is known of any symbol.
ShapeEnv& current_shape_env();

class ShapeEnvScope {
 public:
  explicit ShapeEnvScope(ShapeEnv& env);
  ~ShapeEnvScope();
  ShapeEnvScope(const ShapeEnvScope&) = delete;
  ShapeEnvScope& operator=(const ShapeEnvScope&) = delete;

 private:
  ShapeEnv* outer_;
};

}  // namespace rung
