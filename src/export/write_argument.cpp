// Which tag for which value: by the value, and for an empty list by what the schema takes.
#include "base/error.h"
#include "export/write_graph.h"

namespace rung {
namespace {

using Kind = Argument::Kind;

// What all items of a list have in common.
bool all_of(Arguments items, Kind kind) {
  for (const Argument& item : items)
    if (item.kind != kind) return false;
  return true;
}

bool is_sym_node(const Argument& item, ValueMeta::Kind kind) {
  return item.kind == Kind::kNode && item.node->meta.kind == kind;
}

bool all_sym(Arguments items, Kind number, ValueMeta::Kind symbolic) {
  for (const Argument& item : items)
    if (item.kind != number && !is_sym_node(item, symbolic)) return false;
  return true;
}

bool all_optional_nodes(Arguments items) {
  for (const Argument& item : items)
    if (item.kind != Kind::kNode && !item.is_none()) return false;
  return true;
}

bool all_lists_of(Arguments items, Kind kind) {
  for (const Argument& item : items)
    if (item.kind != Kind::kList || !all_of(item.list_items(), kind)) return false;
  return true;
}

std::string_view empty_list_tag(const ArgDef* definition) {
  if (definition == nullptr) return "as_tensors";
  switch (definition->type) {
    case ArgType::kBool: return "as_bools";
    case ArgType::kInt:
    case ArgType::kSymInt: return "as_ints";
    case ArgType::kFloat:
    case ArgType::kScalar: return "as_floats";
    case ArgType::kString:
    case ArgType::kDimname: return "as_strings";
    default: return "as_tensors";
  }
}

void append_number(std::string& out, const Argument& item) {
  switch (item.kind) {
    case Kind::kBool: out += item.boolean ? "true" : "false"; return;
    case Kind::kInt: append_part(out, item.integer); return;
    case Kind::kFloat: json::append_float(out, item.number); return;
    case Kind::kString: json::append_string(out, item.string_view()); return;
    default: RUNG_UNREACHABLE();
  }
}

template <typename Append>
void append_list(std::string& out, Arguments items, Append&& append) {
  out += '[';
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ", ";
    append(items[i]);
  }
  out += ']';
}

}  // namespace

void GraphWriter::argument(const Argument& value, const ArgDef* definition) {
  switch (value.kind) {
    case Kind::kNone: out_ += "{\"as_none\": true}"; return;
    case Kind::kNode: return node_argument(*value.node);
    case Kind::kList: return list_argument(value.list_items(), definition);
    case Kind::kBool: out_ += "{\"as_bool\": "; break;
    case Kind::kInt: out_ += "{\"as_int\": "; break;
    case Kind::kFloat: out_ += "{\"as_float\": "; break;
    case Kind::kString: out_ += "{\"as_string\": "; break;
    case Kind::kComplex:
      out_ += "{\"as_complex\": {\"real\": ";
      json::append_float(out_, value.complex->real);
      out_ += ", \"imag\": ";
      json::append_float(out_, value.complex->imag);
      out_ += "}}";
      return;
    case Kind::kDType: out_ += cat("{\"as_scalar_type\": ", info(value.dtype_value).serde, '}'); return;
    case Kind::kLayout: out_ += cat("{\"as_layout\": ", static_cast<int>(value.layout_value), '}'); return;
    case Kind::kMemoryFormat: out_ += cat("{\"as_memory_format\": ", static_cast<int>(value.format_value), '}'); return;
    case Kind::kDevice:
      out_ += "{\"as_device\": ";
      append_device(out_, *value.device);
      out_ += '}';
      return;
    case Kind::kDict: {
      out_ += "{\"as_string_to_argument\": {";
      bool first = true;
      for (const NamedArgument& entry : value.dict_entries()) {
        if (!std::exchange(first, false)) out_ += ", ";
        json::append_string(out_, entry.name);
        out_ += ": ";
        argument(entry.value, nullptr);
      }
      out_ += "}}";
      return;
    }
    case Kind::kObject: return object_argument(value.string_view());
    case Kind::kGraph:
    case Kind::kSymInt:
    case Kind::kReal:
    case Kind::kFunctional: fail_internal(__FILE__, __LINE__, "an argument that only occurs while tracing");
  }
  append_number(out_, value);
  out_ += '}';
}

void GraphWriter::node_argument(const Node& given) {
  auto alias = aliases_.find(&given);
  const Node& node = alias == aliases_.end() ? given : *alias->second;
  if (node.kind == NodeKind::kGetAttr && node.args.size() == 1 && node.args[0].kind == Kind::kGraph) {
    out_ += "{\"as_graph\": {\"name\": ";
    json::append_string(out_, node.target);
    out_ += ", \"graph\": ";
    GraphWriter(out_, values_, from_nodes_, *node.args[0].graph, {}).write();
    out_ += "}}";
    return;
  }
  switch (node.meta.kind) {
    case ValueMeta::Kind::kSymInt: out_ += "{\"as_sym_int\": {\"as_name\": "; break;
    case ValueMeta::Kind::kSymFloat: out_ += "{\"as_sym_float\": {\"as_name\": "; break;
    case ValueMeta::Kind::kSymBool: out_ += "{\"as_sym_bool\": {\"as_name\": "; break;
    case ValueMeta::Kind::kObject: return name_object(node.name);
    default: out_ += "{\"as_tensor\": {\"name\": "; break;
  }
  json::append_string(out_, node.name);
  out_ += "}}";
}

void GraphWriter::sym_item(const Argument& value) {
  if (value.kind == Kind::kNode) {
    out_ += "{\"as_name\": ";
    json::append_string(out_, value.node->name);
  } else {
    out_ += value.kind == Kind::kInt     ? "{\"as_int\": "
            : value.kind == Kind::kFloat ? "{\"as_float\": "
                                         : "{\"as_bool\": ";
    append_number(out_, value);
  }
  out_ += '}';
}

void GraphWriter::list_argument(Arguments items, const ArgDef* definition) {
  auto number = [&](const Argument& item) { append_number(out_, item); };
  auto sym = [&](const Argument& item) { sym_item(item); };
  auto name = [&](const Argument& item) {
    auto alias = aliases_.find(item.node);
    out_ += "{\"name\": ";
    json::append_string(out_, alias == aliases_.end() ? item.node->name : alias->second->name);
    out_ += '}';
  };
  auto list = [&](std::string_view tag, auto&& append) {
    out_ += cat("{\"", tag, "\": ");
    append_list(out_, items, append);
    out_ += '}';
  };
  if (items.empty()) return list(empty_list_tag(definition), number);
  if (all_of(items, Kind::kBool)) return list("as_bools", number);
  if (all_of(items, Kind::kInt)) return list("as_ints", number);
  if (all_of(items, Kind::kFloat)) return list("as_floats", number);
  if (all_of(items, Kind::kString)) return list("as_strings", number);
  if (all_sym(items, Kind::kInt, ValueMeta::Kind::kSymInt)) return list("as_sym_ints", sym);
  if (all_sym(items, Kind::kFloat, ValueMeta::Kind::kSymFloat)) return list("as_sym_floats", sym);
  if (all_sym(items, Kind::kBool, ValueMeta::Kind::kSymBool)) return list("as_sym_bools", sym);
  if (all_of(items, Kind::kNode)) return list("as_tensors", name);
  if (all_lists_of(items, Kind::kNode))
    return list("as_nested_tensors", [&](const Argument& item) { append_list(out_, item.list_items(), name); });
  if (all_optional_nodes(items)) {
    return list("as_optional_tensors", [&](const Argument& item) {
      if (item.is_none())
        out_ += "{\"as_none\": true}";
      else
        out_ += "{\"as_tensor\": ", name(item), out_ += '}';
    });
  }
  auto inner_numbers = [&](const Argument& item) { append_list(out_, item.list_items(), number); };
  if (all_lists_of(items, Kind::kInt)) return list("as_int_lists", inner_numbers);
  if (all_lists_of(items, Kind::kFloat)) return list("as_float_lists", inner_numbers);
  fail_input("node '", current_ != nullptr ? current_->name : "output",
             "': a .pt2 cannot hold a list of such different items");
}

// Of an object the IR keeps the name only; its class stands in the file's own text.
std::string_view GraphWriter::class_of(std::string_view name) const {
  std::string_view found;
  for (const Node* node : graph_) {
    if (node->kind != NodeKind::kPlaceholder) break;
    const NodeFacts* facts = current_facts(*node);
    if (node->name == name && facts != nullptr && facts->value) found = facts->value.at("class_fqn").as_string();
  }
  const NodeFacts* facts = current_ != nullptr ? current_facts(*current_) : nullptr;
  if (!found.empty() || facts == nullptr || !facts->node) return found;
  facts->node.at("inputs").for_each_item([&](json::Value input) {
    json::Value object = input.at("arg").find("as_custom_obj");
    if (object && object.is_object() && object.at("name").as_string() == name)
      found = object.at("class_fqn").as_string();
  });
  return found;
}

void GraphWriter::name_object(std::string_view name) {
  out_ += "{\"as_custom_obj\": ";
  append_object(out_, name);
  out_ += '}';
}

void GraphWriter::append_object(std::string& out, std::string_view name) const {
  out += "{\"name\": ";
  json::append_string(out, name);
  out += ", \"class_fqn\": ";
  json::append_string(out, class_of(name));
  out += '}';
}

void GraphWriter::object_argument(std::string_view name) {
  if (!name.starts_with("torch.ops.") && !name.starts_with("_operator.")) return name_object(name);
  out_ += "{\"as_operator\": ";
  json::append_string(out_, name);
  out_ += '}';
}

}  // namespace rung
