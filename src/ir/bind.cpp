// Binding by name and position, and its inverse.
#include "ir/bind.h"

#include <algorithm>

#include "base/error.h"

namespace rung {
namespace {

using Kind = Argument::Kind;

bool is_default(const Argument& value, const ArgDef& definition) {
  const Default& d = definition.default_value;
  switch (d.kind) {
    case Default::Kind::kNoDefault: return false;
    case Default::Kind::kNone: return value.is_none();
    case Default::Kind::kBool: return value.kind == Kind::kBool && value.boolean == (d.ints[0] != 0);
    case Default::Kind::kInt: return value.kind == Kind::kInt && value.integer == d.ints[0];
    case Default::Kind::kFloat: return value.kind == Kind::kFloat && value.number == d.number;
    case Default::Kind::kString: return value.kind == Kind::kString && value.string_view() == d.text;
    case Default::Kind::kScalarType: return value.kind == Kind::kDType && info(value.dtype_value).c10 == d.ints[0];
    case Default::Kind::kLayout: return value.kind == Kind::kLayout && value.layout_value == Layout::kStrided;
    case Default::Kind::kMemoryFormat:
      return value.kind == Kind::kMemoryFormat && value.format_value == MemoryFormat::kContiguous;
    case Default::Kind::kInts: break;
  }
  if (value.kind != Kind::kList || value.size != d.count) return false;
  for (uint32_t i = 0; i < value.size; ++i)
    if (value.items[i].kind != Kind::kInt || value.items[i].integer != d.ints[i]) return false;
  return true;
}

Argument coerce_item(const Argument& value, ArgType type) {
  bool wants_int = type == ArgType::kInt || type == ArgType::kSymInt;
  if (type == ArgType::kFloat && value.kind == Kind::kInt) return Argument::of(static_cast<double>(value.integer));
  if (type == ArgType::kFloat && value.kind == Kind::kBool) return Argument::of(value.boolean ? 1.0 : 0.0);
  if (wants_int && value.kind == Kind::kBool) return Argument::of(static_cast<int64_t>(value.boolean));
  return value;
}

Argument coerce(const Argument& value, const ArgDef& definition, Arena& arena) {
  if (!definition.list) return coerce_item(value, definition.type);
  bool one_for_all = definition.list_size > 0 && value.kind != Kind::kList && !value.is_none();
  size_t count = one_for_all ? static_cast<size_t>(definition.list_size) : value.kind == Kind::kList ? value.size : 0;
  auto needs_no_coercion = [&](const Argument& item) { return item.kind == coerce_item(item, definition.type).kind; };
  if (count == 0 || (!one_for_all && std::ranges::all_of(value.list_items(), needs_no_coercion))) return value;
  std::span<Argument> items = arena.array<Argument>(count);
  for (size_t i = 0; i < count; ++i) items[i] = coerce_item(one_for_all ? value : value.items[i], definition.type);
  return Argument::list(items);
}

size_t positional_count(std::span<const ArgDef> definitions) {
  size_t count = 0;
  while (count < definitions.size() && !definitions[count].keyword_only) ++count;
  return count;
}

NormalArguments without_defaults(std::span<const ArgDef> definitions, Arguments all, Arena& arena) {
  size_t positional = positional_count(definitions);
  size_t count = positional;
  while (count > 0 && is_default(all[count - 1], definitions[count - 1])) --count;
  size_t keywords = 0;
  for (size_t i = positional; i < all.size(); ++i) keywords += !is_default(all[i], definitions[i]);
  NormalArguments normal;
  normal.args = arena.copy(all.first(count));
  std::span<NamedArgument> named = arena.array<NamedArgument>(keywords);
  size_t next = 0;
  for (size_t i = positional; i < all.size(); ++i)
    if (!is_default(all[i], definitions[i])) named[next++] = {definitions[i].name, all[i]};
  normal.kwargs = named;
  return normal;
}

}  // namespace

Argument default_argument(const ArgDef& definition, Arena& arena) {
  const Default& d = definition.default_value;
  switch (d.kind) {
    case Default::Kind::kNoDefault:
    case Default::Kind::kNone: return Argument::none();
    case Default::Kind::kBool: return Argument::of(d.ints[0] != 0);
    case Default::Kind::kInt: return Argument::of(d.ints[0]);
    case Default::Kind::kFloat: return Argument::of(d.number);
    case Default::Kind::kString: return Argument::string(d.text);
    case Default::Kind::kScalarType: return Argument::of(dtype_from_c10(d.ints[0]).value());
    case Default::Kind::kLayout: return Argument::of(Layout::kStrided);
    case Default::Kind::kMemoryFormat: return Argument::of(MemoryFormat::kContiguous);
    case Default::Kind::kInts: break;
  }
  std::span<Argument> items = arena.array<Argument>(d.count);
  for (size_t i = 0; i < items.size(); ++i) items[i] = Argument::of(d.ints[i]);
  return Argument::list(items);
}

void bind_arguments(const OpSchema& schema, Arguments args, std::span<const NamedArgument> kwargs, Arena& arena,
                    std::vector<Argument>& all) {
  size_t positional = positional_count(schema.args);
  if (args.size() > positional)
    fail_input(schema.name, " takes ", positional, " positional arguments, got ", args.size());
  all.assign(schema.args.size(), Argument::none());
  uint64_t given = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    all[i] = coerce(args[i], schema.args[i], arena);
    given |= uint64_t{1} << i;
  }
  for (const NamedArgument& argument : kwargs) {
    size_t i = 0;
    while (i < schema.args.size() && schema.args[i].name != argument.name) ++i;
    if (i == schema.args.size()) fail_input(schema.name, " has no argument '", argument.name, "'");
    if (given >> i & 1) fail_input(schema.name, " got argument '", argument.name, "' twice");
    all[i] = coerce(argument.value, schema.args[i], arena);
    given |= uint64_t{1} << i;
  }
  for (size_t i = 0; i < schema.args.size(); ++i) {
    if (given >> i & 1) continue;
    if (schema.args[i].default_value.kind == Default::Kind::kNoDefault)
      fail_input(schema.name, " needs argument '", schema.args[i].name, "'");
    all[i] = default_argument(schema.args[i], arena);
  }
}

NormalArguments normal_arguments(const OpSchema& schema, Arguments all, Arena& arena) {
  return without_defaults(schema.args, all, arena);
}

NormalArguments normal_arguments(OpId op, Arguments all, Build build, Arena& arena) {
  const OpSchema& schema = schema_of(op);
  std::span<const ArgDef> definitions = args_of(op, build);
  std::vector<Argument> own(definitions.size());
  for (size_t i = 0; i < definitions.size(); ++i) own[i] = default_argument(definitions[i], arena);
  for (size_t i = 0; i < all.size(); ++i) {
    auto found = std::ranges::find(definitions, schema.args[i].name, &ArgDef::name);
    if (found != definitions.end())
      own[static_cast<size_t>(found - definitions.begin())] = all[i];
    else if (!is_default(all[i], schema.args[i]))
      fail_unsupported(schema.name, " has no argument '", schema.args[i].name, "' in torch ", build_name(build));
  }
  return without_defaults(definitions, own, arena);
}

}  // namespace rung
