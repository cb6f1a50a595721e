// One condition at a time, then what they say together.
#include "opset/read_condition.h"

#include <algorithm>

#include "ir/fit.h"
#include "opset/json_place.h"
#include "schema/nearest.h"

namespace rung {
namespace {

// Reads a list whose items must differ.
template <typename Item, typename Read>
void read_list(json::Value list, std::vector<Item>& items, Read&& read) {
  for_each_item_at(list, [&](json::Value value, size_t) {
    const Item item = read(value);
    if (std::ranges::find(items, item) != items.end()) fail_input("it stands twice in the list");
    items.push_back(item);
  });
  if (items.empty()) fail_input("nothing is accepted: leave the op out");
}

DType read_dtype(json::Value value) {
  const std::optional<DType> dtype = dtype_from_name(value.as_string());
  if (!dtype) fail_input("unknown dtype '", value.as_string(), "'");
  return *dtype;
}

int64_t read_rank(json::Value value) {
  const int64_t rank = value.as_int();
  if (rank < 0) fail_input("a rank is not negative, got ", rank);
  return rank;
}

MemoryFormat read_format(json::Value value) {
  const auto found = std::ranges::find(kFormats, value.as_string(), &FormatName::name);
  if (found == std::end(kFormats))
    fail_input("unknown format '", value.as_string(), "': use contiguous, channels_last or channels_last_3d");
  return found->format;
}

bool is_number(const ArgDef& argument) {
  switch (argument.type) {
    case ArgType::kInt:
    case ArgType::kSymInt:
    case ArgType::kFloat:
    case ArgType::kBool:
    case ArgType::kScalar: return !argument.list;
    default: return false;
  }
}

bool can_hold(const ArgDef& argument, json::Kind kind) {
  const bool is_scalar = argument.type == ArgType::kScalar;
  switch (kind) {
    case json::Kind::kBool: return is_scalar || argument.type == ArgType::kBool;
    case json::Kind::kInt: return argument.type != ArgType::kBool;
    case json::Kind::kFloat: return is_scalar || argument.type == ArgType::kFloat;
    default: return false;
  }
}

void check_argument(OpId op, std::string_view name, json::Value value) {
  const auto& args = schema_of(op).args;
  const auto argument = std::ranges::find(args, name, &ArgDef::name);
  if (argument == args.end()) fail_input(short_name(op), " has no argument of this name");
  if (argument->optional && value.is_null()) return;
  if (!is_number(*argument))
    fail_input("the argument of ", short_name(op), " is ", describe(*argument),
               argument->optional ? ", and can only be held against null" : ", and cannot be held against a value");
  if (!can_hold(*argument, value.kind()))
    fail_input("the argument of ", short_name(op), " is ", describe(*argument), ", found ",
               json::kind_name(value.kind()));
}

// The name of a list of tensors any of which may be left out: Tensor?[].
std::string read_list_name(json::Value value, std::span<const OpId> ops) {
  const std::string name(value.as_string());
  for (OpId op : ops) {
    const auto& args = schema_of(op).args;
    const auto argument = std::ranges::find(args, name, &ArgDef::name);
    if (argument == args.end()) fail_input(short_name(op), " has no argument '", name, "'");
    if (argument->type != ArgType::kTensor || !argument->list)
      fail_input("the argument of ", short_name(op), " is ", describe(*argument), ", a list of tensors is expected");
  }
  return name;
}

Argument read_value(json::Value value) {
  switch (value.kind()) {
    case json::Kind::kBool: return Argument::of(value.as_bool());
    case json::Kind::kInt: return Argument::of(value.as_int());
    case json::Kind::kFloat: return Argument::of(value.as_float());
    default: return Argument::none();
  }
}

// A condition on tensors says nothing of an op that takes none.
void check_takes_tensors(std::span<const OpId> ops) {
  for (OpId op : ops)
    if (std::ranges::find(schema_of(op).args, ArgType::kTensor, &ArgDef::type) == schema_of(op).args.end())
      fail_input(short_name(op), " takes no tensor");
}

void check_together(const Condition& condition) {
  if (!condition.format) return;
  const FormatName& format = *std::ranges::find(kFormats, *condition.format, &FormatName::format);
  for (int64_t rank : condition.ranks)
    if (format.rank != 0 && static_cast<size_t>(rank) != format.rank)
      fail_input("format: ", format.name, " is of tensors of rank ", format.rank, ", and 'rank' takes ", rank);
}

}  // namespace

Condition read_condition(json::Value entry, std::span<const OpId> ops) {
  Condition condition;
  for_each_member_at(entry, [&](std::string_view key, json::Value value) {
    if (key == "op") return;
    if (key == "dtype") {
      read_list(value, condition.dtypes, read_dtype);
    } else if (key == "rank") {
      read_list(value, condition.ranks, read_rank);
    } else if (key == "static") {
      condition.is_static = value.as_bool();
    } else if (key == "format") {
      condition.format = read_format(value);
    } else if (key == "where") {
      for_each_member_at(value, [&](std::string_view name, json::Value wanted) {
        for (OpId op : ops) check_argument(op, name, wanted);
        condition.where.emplace_back(name, read_value(wanted));
      });
    } else if (key == "no_none") {
      read_list(value, condition.no_none, [&](json::Value name) { return read_list_name(name, ops); });
    } else {
      fail_input("unknown condition: use dtype, rank, static, format, where, no_none");
    }
    if (key == "dtype" || key == "rank" || key == "format") check_takes_tensors(ops);
  });
  check_together(condition);
  return condition;
}

}  // namespace rung
