// Names of dimensions to symbols, symbols to numbers.
#include "pass/bind_sizes.h"

#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "pass/guards.h"
#include "shape/rebuild.h"

namespace rung {
namespace {

const InputSpec* find_input(const ExportedProgram& program, std::string_view name) {
  for (const InputSpec& input : program.inputs)
    if (input.kind == InputKind::kUserInput && input.node->name == name) return &input;
  return nullptr;
}

// "x.0": the input's name and the dimension.
std::optional<SymInt> size_at(const ExportedProgram& program, std::string_view place) {
  size_t dot = place.rfind('.');
  std::string_view name = place.substr(0, dot);
  const InputSpec* input = find_input(program, name);
  if (input == nullptr) return std::nullopt;
  const ValueMeta& meta = input->node->meta;
  if (dot == place.npos) {
    if (meta.kind == ValueMeta::Kind::kSymInt) return meta.number;
    fail_input("input '", name, "' is no number: say which dimension, as in '", name, ".0'");
  }
  if (meta.as_tensor() == nullptr) fail_input("input '", name, "' has no dimensions");
  std::string_view digits = place.substr(dot + 1);
  size_t dim = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), dim);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail_input("'", digits, "' is no dimension of input '", name, "'");
  if (dim >= meta.tensor->rank())
    fail_input("input '", name, "' has ", meta.tensor->rank(), " dimensions: there is no dimension ", dim);
  return meta.tensor->sizes[dim];
}

void add_symbols(const Expr* expr, std::map<std::string, const Expr*, std::less<>>& symbols) {
  if (expr->kind == ExprKind::kSymbol) symbols.emplace(expr->name, expr);
  for (const Expr* arg : expr->args) add_symbols(arg, symbols);
}

std::map<std::string, const Expr*, std::less<>> input_symbols(const ExportedProgram& program) {
  std::map<std::string, const Expr*, std::less<>> symbols;
  for (const InputSpec& input : program.inputs) {
    const ValueMeta& meta = input.node->meta;
    if (meta.kind == ValueMeta::Kind::kSymInt && meta.number.is_symbolic()) add_symbols(meta.number.expr(), symbols);
    if (const TensorMeta* tensor = meta.as_tensor())
      for (SymInt size : tensor->sizes)
        if (size.is_symbolic()) add_symbols(size.expr(), symbols);
  }
  return symbols;
}

std::string known_names(const std::map<std::string, const Expr*, std::less<>>& symbols) {
  std::string names;
  for (const auto& [name, symbol] : symbols) names += cat(names.empty() ? "" : ", ", name);
  return names.empty() ? "the program has no dynamic sizes" : cat("its symbols are ", names);
}

std::string range_text(const RangeConstraint& range) {
  return cat('[', range.min ? cat(*range.min) : "-int_oo", ", ", range.max ? cat(*range.max) : "int_oo", ']');
}

void check_range(const ExportedProgram& program, std::string_view symbol, int64_t value) {
  for (const RangeConstraint& range : program.range_constraints) {
    if (range.symbol != symbol) continue;
    bool inside = (!range.min || value >= *range.min) && (!range.max || value <= *range.max);
    if (!inside) fail_input("cannot bind ", symbol, " to ", value, ": its range is ", range_text(range));
  }
}

// The symbol of a size such as 2*s44, and the value that makes it `size`.
std::pair<std::string, int64_t> solve(std::string_view place, const Expr* expr, int64_t size) {
  if (expr->kind == ExprKind::kSymbol) return {std::string(expr->name), size};
  bool is_multiple = expr->kind == ExprKind::kMul && expr->args.size() == 2 &&
                     expr->args[0]->kind == ExprKind::kInteger && expr->args[1]->kind == ExprKind::kSymbol;
  if (!is_multiple) fail_input("'", place, "' is the size ", str(expr), ": bind its symbols instead");
  int64_t factor = expr->args[0]->integer;
  if (size % factor != 0) fail_input("cannot bind '", place, "' to ", size, ": it is ", str(expr));
  return {std::string(expr->args[1]->name), size / factor};
}

}  // namespace

namespace {

// torch's guards are about sizes of inputs, by their place in the arguments.
void check_guards(const ExportedProgram& program, const SymbolValues& values) {
  if (program.document == nullptr) return;
  json::Value guards = program.document->root().find("guards_code");
  if (!guards || !guards.is_array()) return;
  auto size_of = [&](std::string_view name, size_t dim) -> std::optional<int64_t> {
    const InputSpec* input = find_input(program, name);
    const TensorMeta* tensor = input == nullptr ? nullptr : input->node->tensor();
    if (tensor == nullptr || dim >= tensor->rank()) return std::nullopt;
    if (tensor->sizes[dim].is_int()) return tensor->sizes[dim].value();
    return evaluate(tensor->sizes[dim].expr(), [&](const Expr* symbol) -> std::optional<int64_t> {
      auto found = values.find(symbol->name);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    });
  };
  guards.for_each_item([&](json::Value guard) {
    if (guard.is_string() && guard_holds(guard.as_string(), size_of) == false)
      fail_input("the sizes that are bound break the program's guard '", guard.as_string(), "'");
  });
}

}  // namespace

SymbolValues resolve_bindings(const ExportedProgram& program, std::span<const SizeBinding> bindings) {
  SymbolValues values;
  auto symbols = input_symbols(program);
  for (const SizeBinding& binding : bindings) {
    std::pair<std::string, int64_t> bound = {binding.place, binding.size};
    if (!symbols.contains(binding.place)) {
      std::optional<SymInt> size = size_at(program, binding.place);
      if (!size) fail_input("there is no symbol or input '", binding.place, "': ", known_names(symbols));
      if (size->is_int()) {
        if (size->value() == binding.size) continue;
        fail_input("cannot bind '", binding.place, "' to ", binding.size, ": it is ", size->value(), ", and static");
      }
      bound = solve(binding.place, size->expr(), binding.size);
    }
    check_range(program, bound.first, bound.second);
    auto [place, is_new] = values.insert(bound);
    if (!is_new && place->second != bound.second)
      fail_input(bound.first, " is bound to ", place->second, " and to ", bound.second);
  }
  check_guards(program, values);
  return values;
}

ValueMeta bound_meta(const ValueMeta& meta, const SymbolValues& values, Arena& arena) {
  auto value_of = [&](const Expr* symbol) {
    auto found = values.find(symbol->name);
    return found == values.end() ? symbol : make_integer(found->second);
  };
  return replaced_meta(meta, [&](const Expr* size) { return substitute(size, value_of); }, arena);
}

ValueMeta replaced_meta(const ValueMeta& meta, const std::function<const Expr*(const Expr*)>& replace, Arena& arena) {
  using Kind = ValueMeta::Kind;
  auto replaced = [&](SymInt size) { return size.is_int() ? size : SymInt(replace(size.expr())); };
  auto all_replaced = [&](SymInts sizes) {
    std::span<SymInt> out = arena.copy(sizes);
    for (SymInt& size : out) size = replaced(size);
    return out;
  };
  ValueMeta out = meta;
  if (meta.kind == Kind::kSymInt) out.number = replaced(meta.number);
  if (meta.kind == Kind::kSymFloat || meta.kind == Kind::kSymBool) out.expr = replace(meta.expr);
  if (meta.kind == Kind::kList) {
    std::span<ValueMeta> items = arena.copy(*meta.list);
    for (ValueMeta& item : items) item = replaced_meta(item, replace, arena);
    out.list = arena.make<ValueMetas>(items);
  }
  if (const TensorMeta* tensor = meta.as_tensor()) {
    TensorMeta* copy = arena.make<TensorMeta>(*tensor);
    copy->sizes = all_replaced(tensor->sizes);
    copy->strides = all_replaced(tensor->strides);
    copy->storage_offset = replaced(tensor->storage_offset);
    out.tensor = copy;
  }
  return out;
}

}  // namespace rung
