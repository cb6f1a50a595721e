// Decisions are remembered: the same few conditions come up at every op.
#include "shape/shape_env.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "shape/rebuild.h"

namespace rung {
namespace {

thread_local ShapeEnv* current = nullptr;

bool compare(SymOp relation, int64_t a, int64_t b) {
  switch (relation) {
    case SymOp::kEq: return a == b;
    case SymOp::kNe: return a != b;
    case SymOp::kLt: return a < b;
    case SymOp::kLe: return a <= b;
    case SymOp::kGt: return a > b;
    case SymOp::kGe: return a >= b;
    default: RUNG_CHECK(false, "no relation: operation ", static_cast<int>(relation));
  }
  RUNG_UNREACHABLE();
}

}  // namespace

ShapeEnv ShapeEnv::fork() const {
  ShapeEnv env;
  env.symbols_ = symbols_;
  env.replacements_ = replacements_;
  env.expected_ = expected_;
  env.expects_sizes_ = expects_sizes_;
  env.solves_ = solves_;
  env.keeps_minima_ = keeps_minima_;
  return env;
}

void ShapeEnv::add_symbol(std::string_view name, ValueRange range, std::optional<int64_t> hint) {
  symbols_[std::string(name)] = {range, hint, static_cast<int64_t>(symbols_.size())};
}

void ShapeEnv::expect(std::vector<const Expr*> symbols, bool are_sizes) {
  expects_sizes_ = are_sizes;
  expected_ = std::move(symbols);
  std::reverse(expected_.begin(), expected_.end());
}

const Expr* ShapeEnv::fresh(Sort sort, ValueRange range) {
  if (!expected_.empty() && expects_sizes_ == (sort == Sort::kSize)) {
    const Expr* symbol = expected_.back();
    expected_.pop_back();
    return symbol;
  }
  std::string_view prefix = sort == Sort::kFloat ? "zuf" : "u";
  int64_t number = 0;
  while (symbols_.contains(cat(prefix, number))) ++number;
  const Expr* symbol = make_symbol(cat(prefix, number), sort == Sort::kFloat ? "" : "integer=True");
  add_symbol(symbol->name, range, std::nullopt);
  made_.emplace_back(symbol, range);
  return symbol;
}

// "u0 >= 0", "u0 <= 5"
void ShapeEnv::assert_later(const Expr* condition) {
  if (known(condition)) return;
  asserts_.push_back(condition);
  bool is_bound = condition->kind == ExprKind::kRelation && condition->args[0]->kind == ExprKind::kSymbol &&
                  condition->args[1]->kind == ExprKind::kInteger;
  auto found = is_bound ? symbols_.find(std::string(condition->args[0]->name)) : symbols_.end();
  if (found == symbols_.end()) return;
  ValueRange& range = found->second.range;
  int64_t bound = condition->args[1]->integer;
  if (condition->name == "GreaterThan") range.min = std::max(bound, range.min.value_or(bound));
  if (condition->name == "LessThan") range.max = std::min(bound, range.max.value_or(bound));
  decided_.clear();
}

const ShapeEnv::Symbol* ShapeEnv::find(const Expr* symbol) const {
  auto found = symbols_.find(std::string(symbol->name));
  return found == symbols_.end() ? nullptr : &found->second;
}

RangeOf ShapeEnv::ranges() const {
  return [this](const Expr* symbol) {
    const Symbol* found = find(symbol);
    return found == nullptr ? ValueRange{} : found->range;
  };
}

ValueRange ShapeEnv::range(const Expr* expr) const { return bounds(expr, ranges()); }

std::optional<bool> ShapeEnv::known(const Expr* condition) const {
  if (condition->is(ExprKind::kConstant, "true")) return true;
  if (condition->is(ExprKind::kConstant, "false")) return false;
  return rung::known(condition, ranges());
}

std::optional<int64_t> ShapeEnv::hint(const Expr* expr) const {
  return evaluate(expr, [&](const Expr* symbol) {
    const Symbol* found = find(symbol);
    return found == nullptr ? std::nullopt : found->hint;
  });
}

// torch calls this size-oblivious: a size that depends on data is neither 0 nor 1, and no other size.
std::optional<int64_t> ShapeEnv::likely(const Expr* condition) const {
  constexpr int64_t kLarge = 8191;
  return evaluate(condition, [&](const Expr* symbol) -> std::optional<int64_t> {
    const Symbol* found = find(symbol);
    if (found == nullptr) return std::nullopt;
    if (found->hint) return found->hint;
    bool is_size = found->range.min && *found->range.min >= 0;
    return is_size ? std::optional(kLarge + 2 * found->order) : std::nullopt;
  });
}

const Expr* ShapeEnv::replaced(const Expr* expr) const {
  if (replacements_.empty()) return expr;
  return substitute(expr, [&](const Expr* symbol) {
    auto found = replacements_.find(symbol);
    return found == replacements_.end() ? symbol : found->second;
  });
}

bool ShapeEnv::is_replaced(std::string_view symbol) const {
  return std::ranges::any_of(replacements_, [&](const auto& entry) { return entry.first->name == symbol; });
}

namespace {

void add_symbols(const Expr* expr, std::vector<const Expr*>& symbols) {
  if (expr->kind == ExprKind::kSymbol) symbols.push_back(expr);
  for (const Expr* arg : expr->args) add_symbols(arg, symbols);
}

bool holds(const Expr* expr, const Expr* symbol) {
  return expr == symbol || std::ranges::any_of(expr->args, [&](const Expr* arg) { return holds(arg, symbol); });
}

// The number by which a sum has `symbol` as a term; 0 if it does not, or not so simply.
int64_t factor_of(const Expr* sum, const Expr* symbol) {
  auto factor = [&](const Expr* term) -> int64_t {
    if (term == symbol) return 1;
    bool is_multiple = term->kind == ExprKind::kMul && term->args.size() == 2 && term->args[1] == symbol &&
                       term->args[0]->kind == ExprKind::kInteger;
    return is_multiple ? term->args[0]->integer : 0;
  };
  if (sum->kind != ExprKind::kAdd) return factor(sum);
  for (const Expr* term : sum->args)
    if (int64_t found = factor(term); found != 0) return found;
  return 0;
}

// The value of `symbol` where `zero` is 0, if that is an integer.
const Expr* solution(const Expr* zero, const Expr* symbol) {
  int64_t factor = factor_of(zero, symbol);
  if (factor == 0) return nullptr;
  const Expr* term = rung::apply(SymOp::kMul, std::array{make_integer(factor), symbol});
  const Expr* rest = rung::apply(SymOp::kSub, std::array{zero, term});
  if (holds(rest, symbol)) return nullptr;
  bool divides = factor == 1 || factor == -1 || (rest->kind == ExprKind::kInteger && rest->integer % factor == 0);
  if (!divides) return nullptr;
  return rung::apply(SymOp::kFloorDiv, std::array{rest, make_integer(-factor)});
}

}  // namespace

// torch solves for the symbol with the largest hint, of those for the last by name.
void ShapeEnv::solve(const Expr* equality) {
  std::vector<const Expr*> symbols;
  add_symbols(equality, symbols);
  auto rank = [&](const Expr* symbol) { return std::pair(hint(symbol).value_or(INT64_MAX), symbol->name); };
  const Expr* symbol = *std::ranges::max_element(symbols, {}, rank);
  const Expr* zero = rung::apply(SymOp::kSub, ExprArgs(equality->args));
  const Expr* value = solution(zero, symbol);
  if (value == nullptr) return;
  for (auto& [known, old] : replacements_)
    old = substitute(old, [&](const Expr* inner) { return inner == symbol ? value : inner; });
  replacements_[symbol] = value;
  decided_.clear();
}

bool ShapeEnv::decide(const Expr* condition) {
  if (const Expr* simpler = replaced(condition); simpler != condition) return decide(simpler);
  auto [found, is_new] = decided_.emplace(condition, false);
  if (!is_new) return found->second;
  std::optional<bool> answer = known(condition);
  if (!answer) {
    std::optional<int64_t> value = hint(condition);
    bool is_guard = value.has_value();
    if (!value) value = likely(condition);
    if (!value) {
      decided_.erase(found);
      fail_unsupported("whether ", str(condition), " cannot be decided: the number depends on data");
    }
    answer = *value != 0;
    found->second = *answer;
    if (is_guard) guards_.push_back(*answer ? condition : rung::apply(SymOp::kNot, std::array{condition}));
    if (is_guard && solves_ && guards_.back()->is(ExprKind::kRelation, "Equality")) solve(guards_.back());
    return *answer;
  }
  return found->second = *answer;
}

int64_t ShapeEnv::specialize(const Expr* expr) {
  std::optional<int64_t> value = hint(expr);
  if (!value) fail_unsupported("a number is needed, and the size ", str(expr), " depends on data");
  decide(rung::apply(SymOp::kEq, std::array{expr, make_integer(*value)}));
  return *value;
}

SymInt ShapeEnv::smaller(SymInt a, SymInt b) const { return keeps_minima_ ? min(a, b) : b < a ? b : a; }

bool decide_or_false(SymOp relation, SymInt a, SymInt b) {
  if (a.is_int() && b.is_int()) return compare(relation, a.value(), b.value());
  const Expr* condition = rung::apply(relation, std::array{a.as_expr(), b.as_expr()});
  ShapeEnv& env = current_shape_env();
  return env.hint(condition) ? env.decide(condition) : env.known(condition) == true;
}

bool statically_known(SymOp relation, SymInt a, SymInt b) {
  return current_shape_env().known(rung::apply(relation, std::array{a.as_expr(), b.as_expr()})) == true;
}

LayoutScope::LayoutScope() : env_(current_shape_env()), outer_(std::exchange(env_.solves_, false)) {}
LayoutScope::~LayoutScope() { env_.solves_ = outer_; }

ShapeEnv& current_shape_env() {
  thread_local ShapeEnv nothing_known;
  return current != nullptr ? *current : nothing_known;
}

ShapeEnvScope::ShapeEnvScope(ShapeEnv& env) : outer_(current) { current = &env; }
ShapeEnvScope::~ShapeEnvScope() { current = outer_; }

}  // namespace rung
