// The innermost ShapeEnv knows what is known of symbols.
#include "pass/numbers.h"

#include <optional>
#include <vector>

#include "base/error.h"
#include "ir/graph.h"
#include "meta/layout.h"
#include "meta/view.h"
#include "schema/gen/op_ids.h"
#include "shape/arithmetic.h"
#include "shape/expr.h"
#include "shape/shape_env.h"

namespace rung {
namespace {

Argument argument_of(SymInt number) {
  if (number.is_int()) return Argument::of(number);
  const Expr* value = number.expr();
  if (value->kind == ExprKind::kFloat) return Argument::of(value->number);
  if (value->is(ExprKind::kConstant, "true") || value->is(ExprKind::kConstant, "false"))
    return Argument::of(value->name == "true");
  return Argument::of(number);
}

void add_symbols(SymInt size, std::vector<const Expr*>& symbols) {
  bool is_symbol = size.is_symbolic() && size.expr()->kind == ExprKind::kSymbol;
  if (is_symbol) symbols.push_back(size.expr());
}

// In the order in which torch names them: sizes, strides, offset.
void add_symbols(const ValueMeta& meta, std::vector<const Expr*>& symbols) {
  using Kind = ValueMeta::Kind;
  if (meta.kind == Kind::kSymInt || meta.kind == Kind::kSymFloat) return add_symbols(meta.as_number(), symbols);
  if (meta.kind == Kind::kList)
    for (const ValueMeta& item : *meta.list) add_symbols(item, symbols);
  const TensorMeta* tensor = meta.as_tensor();
  if (tensor == nullptr) return;
  for (SymInt size : tensor->sizes) add_symbols(size, symbols);
  for (SymInt stride : tensor->strides) add_symbols(stride, symbols);
  add_symbols(tensor->storage_offset, symbols);
}

}  // namespace

SymInt number_of(const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::kInt: return argument.integer;
    case Argument::Kind::kBool: return SymInt(make_constant(argument.boolean ? "true" : "false"));
    case Argument::Kind::kFloat: return SymInt(make_float(argument.number));
    case Argument::Kind::kSymInt: return argument.sym();
    case Argument::Kind::kNode: return argument.node->meta.as_number();
    default: fail_input("arithmetic needs numbers, got an argument of kind ", static_cast<int>(argument.kind));
  }
}

// A size is known where it is asked for: no op is called.
Argument read_size(OpId op, const TensorMeta& tensor, Arguments args) {
  if (op == op::aten_sym_storage_offset) return Argument::of(tensor.storage_offset);
  if (op == op::aten_sym_numel) return Argument::of(meta::numel(tensor.sizes));
  if (tensor.rank() == 0) fail_input("dimension specified as ", args[1].integer, " but tensor has no dimensions");
  size_t dim = static_cast<size_t>(wrap_dim(args[1].integer, static_cast<int64_t>(tensor.rank())));
  return Argument::of(op == op::aten_sym_size_int ? tensor.sizes[dim] : tensor.strides[dim]);
}

Argument compute_python(std::string_view target, Arguments numbers) {
  std::optional<SymOp> op = find_sym_op(target);
  if (!op) fail_unsupported("rung does not compute ", target, " of symbolic numbers");
  size_t count = static_cast<size_t>(operand_count(*op));
  if (numbers.size() != count) fail_input(target, " takes ", count, " arguments, got ", numbers.size());
  SymInt first = number_of(numbers[0]);
  return argument_of(count == 1 ? sym_apply(*op, first) : sym_apply(*op, first, number_of(numbers[1])));
}

void assert_number(const Argument& condition) {
  SymInt holds = number_of(condition);
  if (holds.is_symbolic()) current_shape_env().assert_later(holds.expr());
}

void DataSymbols::expect(const ValueMeta& recorded) {
  ShapeEnv& env = current_shape_env();
  if (!env.has_symbols()) return;
  std::vector<const Expr*> all, fresh;
  add_symbols(recorded, all);
  for (const Expr* symbol : all)
    if (!env.hint(symbol) && seen_.insert(symbol).second) fresh.push_back(symbol);
  env.expect(std::move(fresh), recorded.kind == ValueMeta::Kind::kTensor || recorded.kind == ValueMeta::Kind::kList);
}

}  // namespace rung
