// Checks a call against its schema, argument by argument, without taking memory while all is well.
#include "ir/fit.h"

#include <algorithm>

#include "base/strings.h"

namespace rung {
namespace {

using Kind = Argument::Kind;

bool is_any_int(const Argument& value) {
  return value.kind == Kind::kInt || value.kind == Kind::kBool || value.kind == Kind::kSymInt;
}

bool is_node_of(const Argument& value, std::initializer_list<ValueMeta::Kind> kinds) {
  if (value.kind != Kind::kNode) return false;
  for (ValueMeta::Kind kind : kinds)
    if (value.node->meta.kind == kind) return true;
  return value.node->meta.kind == ValueMeta::Kind::kNone;
}

bool fits_tensor(const Argument& value) {
  // A number in a tensor's place is a wrapped number.
  if (value.kind == Kind::kFunctional || value.kind == Kind::kReal || value.is_number() || value.kind == Kind::kSymInt)
    return true;
  using enum ValueMeta::Kind;
  return is_node_of(value, {kTensor, kToken, kSymInt, kSymFloat, kSymBool});
}

bool fits_item(const Argument& value, ArgType type) {
  using enum ValueMeta::Kind;
  switch (type) {
    case ArgType::kTensor: return fits_tensor(value);
    case ArgType::kInt:
    case ArgType::kSymInt: return is_any_int(value) || is_node_of(value, {kSymInt});
    case ArgType::kFloat:
      return is_any_int(value) || value.kind == Kind::kFloat || is_node_of(value, {kSymFloat, kSymInt});
    case ArgType::kBool: return is_any_int(value) || is_node_of(value, {kSymBool});
    case ArgType::kScalar:
      return value.is_number() || value.kind == Kind::kSymInt || is_node_of(value, {kSymInt, kSymFloat, kSymBool});
    case ArgType::kString:
    case ArgType::kDimname: return value.kind == Kind::kString;
    case ArgType::kScalarType: return value.kind == Kind::kDType;
    case ArgType::kLayout: return value.kind == Kind::kLayout;
    case ArgType::kDevice: return value.kind == Kind::kDevice;
    case ArgType::kMemoryFormat: return value.kind == Kind::kMemoryFormat;
    case ArgType::kGenerator:
    case ArgType::kStorage:
    case ArgType::kStream:
    case ArgType::kObject: return value.kind == Kind::kObject || is_node_of(value, {kObject});
  }
  return false;
}

bool fits(const Argument& value, const ArgDef& definition) {
  if (value.is_none()) return definition.optional;
  if (!definition.list) return fits_item(value, definition.type);
  if (value.kind == Kind::kNode && value.node->meta.kind == ValueMeta::Kind::kList) return true;
  if (value.kind != Kind::kList) return definition.list_size > 0 && fits_item(value, definition.type);
  for (const Argument& item : value.list_items())
    if (!fits_item(item, definition.type) && !(item.is_none() && definition.optional_items)) return false;
  return true;
}

std::string_view type_name(ArgType type) {
  switch (type) {
    case ArgType::kTensor: return "tensor";
    case ArgType::kInt:
    case ArgType::kSymInt: return "integer";
    case ArgType::kFloat: return "float";
    case ArgType::kBool: return "bool";
    case ArgType::kScalar: return "number";
    case ArgType::kString: return "string";
    case ArgType::kScalarType: return "dtype";
    case ArgType::kLayout: return "layout";
    case ArgType::kDevice: return "device";
    case ArgType::kMemoryFormat: return "memory format";
    case ArgType::kGenerator: return "generator";
    case ArgType::kDimname: return "dimension name";
    case ArgType::kStorage: return "storage";
    case ArgType::kStream: return "stream";
    case ArgType::kObject: return "object";
  }
  return "?";
}

std::string_view value_name(const ValueMeta& meta) {
  switch (meta.kind) {
    case ValueMeta::Kind::kTensor: return "a tensor";
    case ValueMeta::Kind::kList: return "several values";
    case ValueMeta::Kind::kSymInt: return "an integer";
    case ValueMeta::Kind::kSymFloat: return "a float";
    case ValueMeta::Kind::kSymBool: return "a bool";
    case ValueMeta::Kind::kObject: return "an object";
    case ValueMeta::Kind::kToken: return "a token";
    case ValueMeta::Kind::kNone: break;
  }
  return "a node";
}

}  // namespace

std::string describe(const ArgDef& definition) {
  std::string_view name = type_name(definition.type);
  if (definition.list) return cat("a list of ", name, "s", definition.optional ? " or None" : "");
  bool vowel = std::string_view("aeiou").find(name[0]) != std::string_view::npos;
  return cat(vowel ? "an " : "a ", name, definition.optional ? " or None" : "");
}

std::string describe(const Argument& value) {
  switch (value.kind) {
    case Kind::kNone: return "None";
    case Kind::kBool: return "a bool";
    case Kind::kInt:
    case Kind::kSymInt: return "an integer";
    case Kind::kFloat: return "a float";
    case Kind::kComplex: return "a complex number";
    case Kind::kString: return "a string";
    case Kind::kDType: return "a dtype";
    case Kind::kLayout: return "a layout";
    case Kind::kMemoryFormat: return "a memory format";
    case Kind::kDevice: return "a device";
    case Kind::kNode: return cat("'", value.node->name, "', ", value_name(value.node->meta));
    case Kind::kList:
      return value.size == 0 ? "an empty list" : cat("a list of ", value.size, " (", describe(value.items[0]), ")");
    case Kind::kDict: return "a dictionary";
    case Kind::kGraph: return "a graph";
    case Kind::kReal:
    case Kind::kFunctional: return "a tensor";
    case Kind::kObject: return "an object";
  }
  return "?";
}

std::optional<std::string> misfit(const Node& node, Build build) {
  std::span<const ArgDef> definitions = args_of(node.op, build);
  std::string_view op = schema_of(node.op).name;
  size_t positional = 0, named = 0;
  while (positional < definitions.size() && !definitions[positional].keyword_only) ++positional;
  if (node.args.size() > positional)
    return cat(op, " takes ", positional, " positional arguments, got ", node.args.size());
  for (size_t i = 0; i < definitions.size(); ++i) {
    const ArgDef& definition = definitions[i];
    const Argument* value = i < node.args.size() ? &node.args[i] : nullptr;
    for (const NamedArgument& argument : node.kwargs) {
      if (argument.name != definition.name) continue;
      if (value != nullptr) return cat(op, " gets the argument '", definition.name, "' twice");
      value = &argument.value;
      ++named;
    }
    if (value == nullptr && definition.default_value.kind == Default::Kind::kNoDefault)
      return cat(op, ": the argument '", definition.name, "' is missing");
    if (value != nullptr && !fits(*value, definition))
      return cat(op, ": the argument '", definition.name, "' takes ", describe(definition), ", got ", describe(*value));
  }
  if (named == node.kwargs.size()) return std::nullopt;
  for (const NamedArgument& argument : node.kwargs) {
    auto known = [&](const ArgDef& definition) { return definition.name == argument.name; };
    if (std::find_if(definitions.begin(), definitions.end(), known) == definitions.end())
      return cat(op, " has no argument '", argument.name, "'");
  }
  return cat(op, " has arguments that it does not take");
}

}  // namespace rung
