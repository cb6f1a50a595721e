// Unboxing checks kinds, since arguments may come from a file.
#include "ops/box.h"

#include "ir/graph.h"

namespace rung {
namespace {

using Kind = Argument::Kind;

[[noreturn]] void fail_kind(std::string_view wanted, const Argument& argument) {
  fail_input("expected ", wanted, " as an argument, got kind ", static_cast<int>(argument.kind));
}

}  // namespace

Tensor unbox_tensor(const Argument& argument) {
  if (!argument.is_none() && !argument.is_tensor() && !argument.is_number() && argument.kind != Kind::kSymInt)
    fail_kind("a tensor", argument);
  return Tensor(operand(argument));
}

SymInt unbox_int(const Argument& argument) {
  if (argument.kind == Kind::kInt) return argument.integer;
  if (argument.kind == Kind::kBool) return static_cast<int64_t>(argument.boolean);
  if (argument.kind == Kind::kSymInt) return argument.sym();
  if (argument.kind == Kind::kNode && operand(argument).kind != Kind::kNode) return unbox_int(operand(argument));
  fail_kind("an integer", argument);
}

double unbox_float(const Argument& argument) {
  if (!argument.is_number()) fail_kind("a number", argument);
  return Scalar(argument).to_double();
}

bool unbox_bool(const Argument& argument) {
  if (argument.kind == Kind::kBool) return argument.boolean;
  if (argument.kind == Kind::kInt) return argument.integer != 0;
  fail_kind("a bool", argument);
}

DType unbox_dtype(const Argument& argument) {
  if (argument.kind != Kind::kDType) fail_kind("a dtype", argument);
  return argument.dtype_value;
}

SymInts unbox_ints(const Argument& argument) {
  if (argument.kind != Kind::kList) fail_kind("a list of integers", argument);
  std::span<SymInt> out = current_arena().array<SymInt>(argument.size);
  for (size_t i = 0; i < out.size(); ++i) out[i] = unbox_int(argument.items[i]);
  return out;
}

std::span<const double> unbox_floats(const Argument& argument) {
  if (argument.kind != Kind::kList) fail_kind("a list of numbers", argument);
  std::span<double> out = current_arena().array<double>(argument.size);
  for (size_t i = 0; i < out.size(); ++i) out[i] = unbox_float(argument.items[i]);
  return out;
}

TensorList unbox_tensors(const Argument& argument) {
  if (argument.kind != Kind::kList) fail_kind("a list of tensors", argument);
  // Handles in an arena are borrowed: they are never destroyed, so they must not count as references.
  static_assert(sizeof(Tensor) == sizeof(Argument));
  std::span<Argument> out = current_arena().array<Argument>(argument.size);
  for (size_t i = 0; i < out.size(); ++i) out[i] = unbox_tensor(argument.items[i]).argument();
  return {reinterpret_cast<const Tensor*>(out.data()), out.size()};
}

Argument box_list(TensorList tensors) {
  std::span<Argument> items = current_arena().array<Argument>(tensors.size());
  for (size_t i = 0; i < items.size(); ++i) items[i] = tensors[i].argument();
  return Argument::list(items);
}

ValueMeta meta_list(std::span<const TensorMeta* const> metas) {
  Arena& arena = current_arena();
  std::span<ValueMeta> items = arena.array<ValueMeta>(metas.size());
  for (size_t i = 0; i < items.size(); ++i) items[i] = ValueMeta::of(metas[i]);
  ValueMeta list;
  list.kind = ValueMeta::Kind::kList;
  list.list = arena.make<ValueMetas>(items);
  return list;
}

}  // namespace rung
