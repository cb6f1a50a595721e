// Arguments of nodes: one function for each family of tags.
#include "base/error.h"
#include "export/read_graph.h"

namespace rung {
namespace {

// The tags whose value stands by itself.
enum class Simple : uint8_t { kInt, kFloat, kBool, kString };

Argument read_simple(Simple kind, json::Value value) {
  switch (kind) {
    case Simple::kInt: return Argument::of(value.as_int());
    case Simple::kFloat: return Argument::of(read_float(value));
    case Simple::kBool: return Argument::of(value.as_bool());
    case Simple::kString: return Argument::string(value.as_string());
  }
  return {};
}

// TensorArgument, or in old files the bare name.
std::string_view tensor_name(json::Value value) {
  return value.is_string() ? value.as_string() : value.at("name").as_string();
}

}  // namespace

Argument GraphReader::node_argument(std::string_view name) {
  auto found = defined_.find(name);
  if (found == defined_.end()) fail_undefined(name);
  return Argument::of(found->second);
}

Argument GraphReader::argument(json::Value source) {
  auto [tag, value] = read_union(source);
  if (tag == "as_tensor") return node_argument(value.at("name").as_string());
  if (tag == "as_int") return read_simple(Simple::kInt, value);
  if (tag == "as_none") return Argument::none();
  if (tag == "as_bool") return read_simple(Simple::kBool, value);
  if (tag == "as_float") return read_simple(Simple::kFloat, value);
  if (tag == "as_string") return read_simple(Simple::kString, value);
  if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") return sym_argument(value);
  if (tag == "as_scalar_type") return Argument::of(read_dtype(value));
  if (tag == "as_memory_format") return Argument::of(read_memory_format(value));
  if (tag == "as_layout") return Argument::of(read_layout(value));
  if (tag == "as_device") return Argument::of(state_.arena.make<Device>(state_.values.device(value)));
  if (tag == "as_complex")
    return Argument::of(state_.arena.make<ComplexNumber>(read_float(value.at("real")), read_float(value.at("imag"))));
  if (tag == "as_graph") return graph_argument(value);
  if (tag == "as_custom_obj") return object_argument(value);
  if (tag == "as_operator") return Argument::object(value.as_string());
  if (tag == "as_optional_tensor") return optional_tensor(value);
  if (tag == "as_string_to_argument") return dict_argument(value);
  return list_argument(tag, value);
}

template <typename Read>
Argument GraphReader::list_of(json::Value value, Read&& read) {
  if (!value.is_array()) value.size(), fail_input("expected a list, found an object");
  std::span<Argument> items = state_.arena.array<Argument>(value.size());
  size_t next = 0;
  value.for_each_item([&](json::Value item) { items[next++] = read(item); });
  return Argument::list(items);
}

Argument GraphReader::list_argument(std::string_view tag, json::Value value) {
  auto simple = [this](Simple kind, json::Value list) {
    return list_of(list, [kind](json::Value item) { return read_simple(kind, item); });
  };
  if (tag == "as_ints") return simple(Simple::kInt, value);
  if (tag == "as_tensors") return list_of(value, [&](json::Value item) { return node_argument(tensor_name(item)); });
  if (tag == "as_sym_ints" || tag == "as_sym_floats" || tag == "as_sym_bools")
    return list_of(value, [&](json::Value item) { return sym_argument(item); });
  if (tag == "as_optional_tensors") return list_of(value, [&](json::Value item) { return optional_tensor(item); });
  if (tag == "as_floats") return simple(Simple::kFloat, value);
  if (tag == "as_bools") return simple(Simple::kBool, value);
  if (tag == "as_strings") return simple(Simple::kString, value);
  if (tag == "as_int_lists") return list_of(value, [&](json::Value item) { return simple(Simple::kInt, item); });
  if (tag == "as_float_lists") return list_of(value, [&](json::Value item) { return simple(Simple::kFloat, item); });
  if (tag == "as_nested_tensors") {
    return list_of(value, [&](json::Value inner) {
      return list_of(inner, [&](json::Value item) { return node_argument(tensor_name(item)); });
    });
  }
  fail_input("unknown kind of argument '", tag, "'");
}

// SymIntArgument and its like: a name, or a plain number.
Argument GraphReader::sym_argument(json::Value source) {
  auto [tag, value] = read_union(source);
  if (tag == "as_name") return node_argument(value.as_string());
  if (tag == "as_int") return read_simple(Simple::kInt, value);
  if (tag == "as_float") return read_simple(Simple::kFloat, value);
  if (tag == "as_bool") return read_simple(Simple::kBool, value);
  fail_input("unknown kind of symbolic argument '", tag, "'");
}

Argument GraphReader::optional_tensor(json::Value source) {
  auto [tag, value] = read_union(source);
  if (tag == "as_none") return Argument::none();
  if (tag == "as_tensor") return node_argument(tensor_name(value));
  fail_input("unknown kind of optional tensor '", tag, "'");
}

Argument GraphReader::dict_argument(json::Value value) {
  std::span<NamedArgument> entries = state_.arena.array<NamedArgument>(value.size());
  size_t next = 0;
  value.for_each_member([&](std::string_view key, json::Value entry) { entries[next++] = {key, argument(entry)}; });
  return Argument::dict(entries);
}

// A lifted object is a placeholder; another is known by its name among the constants.
Argument GraphReader::object_argument(json::Value value) {
  std::string_view name = value.at("name").as_string();
  auto found = defined_.find(name);
  return found == defined_.end() ? Argument::object(name) : Argument::of(found->second);
}

// torch makes the get_attr of a sub-graph right where its user's arguments are read.
Argument GraphReader::graph_argument(json::Value value) {
  std::string_view name = value.at("name").as_string();
  Graph* inner = state_.arena.make<Graph>(state_.arena);
  inner->name = name;
  try {
    GraphReader(state_, value.at("graph"), *inner).read();
  } catch (const Error& error) {
    throw error.at(cat("graph '", name, "'"));
  }
  Node* node = graph_.append(NodeKind::kGetAttr, {});
  invent_name(*node, name);
  node->target = name;
  std::span<Argument> held = state_.arena.array<Argument>(1);
  held[0] = Argument::of(inner);
  node->args = held;
  return Argument::of(node);
}

}  // namespace rung
