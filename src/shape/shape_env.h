// What is known of the symbols of a program, and how its branches on sizes are decided.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shape/sym_int.h"
#include "shape/value_range.h"

namespace rung {

/// Ranges and hints (the sizes that a program was exported with) of symbols. A branch is decided by the ranges; where
/// they do not tell, by the hints, and the decision is kept as a guard, as torch does. A size that depends on data
/// (u0) has no hint: it counts as a large number that equals nothing else.
class ShapeEnv {
 public:
  /// What is known, for a trace that is thrown away: the guards and asserts that come of it go with it.
  ShapeEnv fork() const;
  void add_symbol(std::string_view name, ValueRange range, std::optional<int64_t> hint);
  bool has_symbols() const { return !symbols_.empty(); }

  /// Symbols of numbers that depend on data: a size (u0), an integer (u0) or float (zuf0) that was read from a tensor.
  /// The next of the expected ones, or a new one.
  enum class Sort : uint8_t { kSize, kInteger, kFloat };
  const Expr* fresh(Sort sort, ValueRange range);
  /// The symbols that the result of the op at hand had when the program was exported: sizes, or one number.
  void expect(std::vector<const Expr*> symbols, bool are_sizes);
  /// Symbols that fresh() made, with their ranges.
  const std::vector<std::pair<const Expr*, ValueRange>>& made() const { return made_; }

  /// A condition that the program asserts when it runs. Bounds of one symbol narrow its range.
  void assert_later(const Expr* condition);
  const std::vector<const Expr*>& asserts() const { return asserts_; }

  /// Fails with kUnsupported where nothing decides: the number depends on data, and is no size.
  bool decide(const Expr* condition);
  /// By the ranges alone.
  std::optional<bool> known(const Expr* condition) const;
  ValueRange range(const Expr* expr) const;
  /// The ranges of the symbols; refers to this object.
  RangeOf ranges() const;
  /// What `expr` was when the program was exported; nothing where a symbol has no hint.
  std::optional<int64_t> hint(const Expr* expr) const;
  /// The number that the hints give, with the guard that it stays so. Fails as decide() does.
  int64_t specialize(const Expr* expr);
  /// The smaller of two numbers: the comparison is decided, but from keep_minima() on, as in torch.export, left to the
  /// program as Min().
  SymInt smaller(SymInt a, SymInt b) const;
  void keep_minima() { keeps_minima_ = true; }
  /// With a number or another expression for each symbol that a guard says is equal to it, as torch solves it.
  const Expr* replaced(const Expr* expr) const;
  bool has_replacements() const { return !replacements_.empty(); }
  bool is_replaced(std::string_view symbol) const;
  /// Conditions that the hints decided, in order; each holds.
  const std::vector<const Expr*>& guards() const { return guards_; }

 private:
  friend class LayoutScope;
  struct Symbol {
    ValueRange range;
    std::optional<int64_t> hint;
    int64_t order = 0;  // of those without a hint
  };
  const Symbol* find(const Expr* symbol) const;
  std::optional<int64_t> likely(const Expr* condition) const;
  void solve(const Expr* equality);

  std::unordered_map<std::string, Symbol> symbols_;
  std::unordered_map<const Expr*, bool> decided_;
  std::vector<const Expr*> guards_;
  std::vector<const Expr*> asserts_;
  std::unordered_map<const Expr*, const Expr*> replacements_;  // by symbol
  std::vector<const Expr*> expected_;                          // the next one last
  bool expects_sizes_ = false;
  bool solves_ = true;
  bool keeps_minima_ = false;
  std::vector<std::pair<const Expr*, ValueRange>> made_;
};

/// The innermost of the thread's scopes; without one, nothing is known of any symbol.
ShapeEnv& current_shape_env();

/// Whether the ranges alone tell that the relation holds; no guard comes of asking.
bool statically_known(SymOp relation, SymInt a, SymInt b);

/// A comparison decided as by an operator, but false where nothing decides it.
bool decide_or_false(SymOp relation, SymInt a, SymInt b);

/// A size as the number that the program is to be lowered for: where the graph's form depends on it (how many parts a
/// tensor falls into), torch takes the number that the size had when the program was exported, as int(size) does.
inline int64_t specialize(SymInt size) {
  return size.is_int() ? size.value() : current_shape_env().specialize(size.expr());
}

/// For the life of the object, equalities that are decided stay guards and are not solved: torch decides how a tensor
/// lies in memory by one long condition.
class LayoutScope {
 public:
  LayoutScope();
  ~LayoutScope();
  LayoutScope(const LayoutScope&) = delete;
  LayoutScope& operator=(const LayoutScope&) = delete;

 private:
  ShapeEnv& env_;
  bool outer_;
};

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
