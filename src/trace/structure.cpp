// Leaves of structures from arguments, and structures as arguments.
#include <algorithm>
#include <string>

#include "base/error.h"
#include "ir/current_arena.h"
#include "ir/tensor.h"

namespace rung::detail {
namespace {

std::string_view kind_name(const Argument& argument) {
  using Kind = Argument::Kind;
  switch (argument.kind) {
    case Kind::kNone: return "None";
    case Kind::kBool: return "a bool";
    case Kind::kInt: return "an int";
    case Kind::kFloat: return "a float";
    case Kind::kComplex: return "a complex number";
    case Kind::kString: return "a string";
    case Kind::kDType: return "a dtype";
    case Kind::kLayout: return "a layout";
    case Kind::kMemoryFormat: return "a memory format";
    case Kind::kDevice: return "a device";
    case Kind::kNode:
    case Kind::kFunctional: return "a tensor";
    case Kind::kList: return "a list";
    case Kind::kDict: return "a dict";
    case Kind::kSymInt: return "a size";
    default: return "another value";
  }
}

[[noreturn]] void fail_kind(std::string_view wanted, const Argument& got) {
  fail_input("a parameter of the function is ", wanted, ", and was given ", kind_name(got));
}

}  // namespace

Tensor tensor_of(const Argument& argument) {
  if (!argument.is_tensor() && !argument.is_none() && !Tensor(argument).is_number()) fail_kind("a tensor", argument);
  return Tensor(argument);
}

SymInt int_of(const Argument& argument) {
  if (argument.kind == Argument::Kind::kSymInt) return argument.sym();
  if (argument.kind != Argument::Kind::kInt) fail_kind("an int", argument);
  return argument.integer;
}

double float_of(const Argument& argument) {
  if (argument.kind != Argument::Kind::kFloat && argument.kind != Argument::Kind::kInt) fail_kind("a float", argument);
  return Scalar(argument).to_double();
}

bool bool_of(const Argument& argument) {
  if (argument.kind != Argument::Kind::kBool) fail_kind("a bool", argument);
  return argument.boolean;
}

Scalar scalar_of(const Argument& argument) {
  if (!Tensor(argument).is_number()) fail_kind("a number", argument);
  return Scalar(argument);
}

std::string_view string_of(const Argument& argument) {
  if (argument.kind != Argument::Kind::kString) fail_kind("a string", argument);
  return argument.string_view();
}

DType dtype_of(const Argument& argument) {
  if (argument.kind != Argument::Kind::kDType) fail_kind("a dtype", argument);
  return argument.dtype_value;
}

Arguments items_of(const Argument& argument, int64_t count) {
  if (argument.kind != Argument::Kind::kList) fail_kind("a list", argument);
  if (count >= 0 && argument.size != count)
    fail_input("a parameter of the function has ", count, " items, and was given ", argument.size);
  return argument.list_items();
}

const Argument& entry_of(const Argument& dict, std::string_view key) {
  if (dict.kind != Argument::Kind::kDict) fail_kind("a dict", dict);
  for (const NamedArgument& entry : dict.dict_entries())
    if (entry.name == key) return entry.value;
  fail_input("a dict has no entry '", key, "'");
}

Argument list_of(const std::vector<Argument>& items) { return Argument::list(current_arena().copy(items)); }

Argument dict_of(const std::vector<std::pair<std::string, Argument>>& entries) {
  Arena& arena = current_arena();
  std::span<NamedArgument> kept = arena.array<NamedArgument>(entries.size());
  for (size_t i = 0; i < kept.size(); ++i)
    kept[i] = {arena.copy(std::string_view(entries[i].first)), entries[i].second};
  return Argument::dict(kept);
}

}  // namespace rung::detail
