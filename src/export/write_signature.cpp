// Input and output specs, and how modules are called.
#include "base/error.h"
#include "export/read_values.h"
#include "export/write_graph.h"
#include "export/writer.h"

namespace rung {
namespace {

void append_key_name(std::string& out, std::string_view key, std::string_view name) {
  out += cat(", \"", key, "\": ");
  json::append_string(out, name);
}

// TensorArgument, TokenArgument.
void append_name(std::string& out, std::string_view name) {
  out += "{\"name\": ";
  json::append_string(out, name);
  out += '}';
}

std::string_view class_of_object(const Node& node) {
  const NodeFacts* facts = current_facts(node);
  return facts != nullptr && facts->value ? facts->value.at("class_fqn").as_string() : std::string_view();
}

void append_object(std::string& out, const Node& node) {
  out += "{\"name\": ";
  json::append_string(out, node.name);
  append_key_name(out, "class_fqn", class_of_object(node));
  out += '}';
}

// The value of a node as a spec names it.
void append_node(std::string& out, const Node& node) {
  using Kind = ValueMeta::Kind;
  switch (node.meta.kind) {
    case Kind::kSymInt: out += "{\"as_sym_int\": {\"as_name\": "; break;
    case Kind::kSymFloat: out += "{\"as_sym_float\": {\"as_name\": "; break;
    case Kind::kSymBool: out += "{\"as_sym_bool\": {\"as_name\": "; break;
    case Kind::kObject:
      out += "{\"as_custom_obj\": ";
      append_object(out, node);
      out += '}';
      return;
    default: out += "{\"as_tensor\": {\"name\": "; break;
  }
  json::append_string(out, node.name);
  out += "}}";
}

void append_input_spec(std::string& out, const InputSpec& spec) {
  switch (spec.kind) {
    case InputKind::kUserInput:
      out += "{\"user_input\": {\"arg\": ";
      append_node(out, *spec.node);
      break;
    case InputKind::kParameter:
      out += "{\"parameter\": {\"arg\": ";
      append_name(out, spec.node->name);
      append_key_name(out, "parameter_name", spec.target);
      break;
    case InputKind::kBuffer:
      out += "{\"buffer\": {\"arg\": ";
      append_name(out, spec.node->name);
      append_key_name(out, "buffer_name", spec.target);
      out += spec.persistent ? ", \"persistent\": true" : ", \"persistent\": false";
      break;
    case InputKind::kTensorConstant:
      out += "{\"tensor_constant\": {\"arg\": ";
      append_name(out, spec.node->name);
      append_key_name(out, "tensor_constant_name", spec.target);
      break;
    case InputKind::kCustomObject:
      out += "{\"custom_obj\": {\"arg\": ";
      append_object(out, *spec.node);
      append_key_name(out, "custom_obj_name", spec.target);
      break;
    case InputKind::kToken:
      out += "{\"token\": {\"arg\": ";
      append_name(out, spec.node->name);
      break;
    case InputKind::kConstantInput:
      out += "{\"constant_input\": {\"name\": ";
      json::append_string(out, spec.node->target);
      out += ", \"value\": ";
      append_constant(out, spec.constant);
      break;
  }
  out += "}}";
}

std::string_view output_tag(OutputKind kind) {
  switch (kind) {
    case OutputKind::kUserOutput: return "user_output";
    case OutputKind::kLossOutput: return "loss_output";
    case OutputKind::kBufferMutation: return "buffer_mutation";
    case OutputKind::kGradientToParameter: return "gradient_to_parameter";
    case OutputKind::kGradientToUserInput: return "gradient_to_user_input";
    case OutputKind::kUserInputMutation: return "user_input_mutation";
    case OutputKind::kToken: return "token";
    case OutputKind::kParameterMutation: return "parameter_mutation";
  }
  RUNG_UNREACHABLE();
}

std::string_view output_target_key(OutputKind kind) {
  switch (kind) {
    case OutputKind::kBufferMutation: return "buffer_name";
    case OutputKind::kGradientToParameter:
    case OutputKind::kParameterMutation: return "parameter_name";
    case OutputKind::kGradientToUserInput:
    case OutputKind::kUserInputMutation: return "user_input_name";
    default: return "";
  }
}

void append_output_spec(std::string& out, const OutputSpec& spec) {
  out += cat("{\"", output_tag(spec.kind), "\": {\"arg\": ");
  bool is_node = spec.value.kind == Argument::Kind::kNode;
  if (spec.kind == OutputKind::kUserOutput) {
    if (is_node)
      append_node(out, *spec.value.node);
    else
      append_constant(out, spec.value);
  } else {
    if (!is_node) fail_input("an output of the kind '", output_tag(spec.kind), "' must be a node");
    append_name(out, spec.value.node->name);
  }
  std::string_view key = output_target_key(spec.kind);
  if (!key.empty()) append_key_name(out, key, spec.target);
  out += "}}";
}

// From the names of the program that was read to those of this one.
using NameMap = std::unordered_map<std::string_view, std::string_view>;

NameMap lowered_names(const Graph& graph) {
  NameMap names;
  // The last node that came from a source node carries its value.
  for (const Node* node : graph)
    if (node->origin != nullptr && node->origin->source != nullptr) names[node->origin->source->name] = node->name;
  return names;
}

// An argument of a call signature with today's names, one tag a union. False if a name is gone.
bool append_call_argument(std::string& out, json::Value source, const NameMap* names) {
  auto [tag, value] = read_union(source);
  out += cat("{\"", tag, "\": ");
  json::Value name =
      value.is_object() ? value.find(tag == "as_tensor" || tag == "as_custom_obj" ? "name" : "as_name") : json::Value();
  if (!name || name.is_null()) {
    if (tag == "as_none")
      out += "true";
    else
      json::append_value(out, value);
    out += '}';
    return true;
  }
  std::string_view text = name.as_string();
  if (names != nullptr) {
    auto found = names->find(text);
    if (found == names->end()) return false;
    text = found->second;
  }
  out += tag == "as_tensor" || tag == "as_custom_obj" ? "{\"name\": " : "{\"as_name\": ";
  json::append_string(out, text);
  if (tag == "as_custom_obj") append_key_name(out, "class_fqn", value.at("class_fqn").as_string());
  out += "}}";
  return true;
}

bool append_call_arguments(std::string& out, json::Value list, const NameMap* names) {
  bool all = true, first = true;
  out += '[';
  list.for_each_item([&](json::Value item) {
    if (!std::exchange(first, false)) out += ", ";
    all = append_call_argument(out, item, names) && all;
  });
  out += ']';
  return all;
}

// False if the signature speaks of values that are gone.
bool append_call_signature(std::string& out, json::Value source, const NameMap* names) {
  out += "{\"inputs\": ";
  bool all = append_call_arguments(out, source.at("inputs"), names);
  out += ", \"outputs\": ";
  all = append_call_arguments(out, source.at("outputs"), names) && all;
  for (std::string_view key : {"in_spec", "out_spec", "forward_arg_names"}) {
    out += cat(", \"", key, "\": ");
    json::Value value = source.find(key);
    if (value)
      json::append_value(out, value);
    else
      out += "null";
  }
  constexpr std::string_view kKnown[] = {"inputs", "outputs", "in_spec", "out_spec", "forward_arg_names"};
  append_unknown(out, source, kKnown);
  out += '}';
  return all;
}

void append_call_entry(std::string& out, json::Value entry, const NameMap* names) {
  out += "{\"fqn\": ";
  std::string_view fqn = entry.at("fqn").as_string();
  json::append_string(out, fqn);
  out += ", \"signature\": ";
  json::Value signature = entry.find("signature");
  size_t start = out.size();
  if (!signature || signature.is_null()) {
    out += "null";
  } else if (!append_call_signature(out, signature, names)) {
    out.resize(start);
    // Without the root's signature torch cannot load; its inputs and outputs may be empty.
    if (!fqn.empty())
      out += "null";
    else {
      out += "{\"inputs\": [], \"outputs\": []";
      for (std::string_view key : {"in_spec", "out_spec", "forward_arg_names"}) {
        out += cat(", \"", key, "\": ");
        json::Value value = signature.find(key);
        if (value)
          json::append_value(out, value);
        else
          out += "null";
      }
      out += '}';
    }
  }
  constexpr std::string_view kKnown[] = {"fqn", "signature"};
  append_unknown(out, entry, kKnown);
  out += '}';
}

// Of a program that no file describes: a flat list of positional arguments, a value or a tuple back.
void append_flat_call(std::string& out, const ExportedProgram& program) {
  constexpr std::string_view kLeaf = R"({"type": null, "context": null, "children_spec": []})";
  auto tuple_of = [&](size_t count) {
    std::string text = R"({"type": "builtins.tuple", "context": "null", "children_spec": [)";
    for (size_t i = 0; i < count; ++i) text += cat(i > 0 ? ", " : "", kLeaf);
    return text + "]}";
  };
  size_t inputs = 0, outputs = 0;
  std::string names;
  for (const InputSpec& spec : program.inputs) {
    if (spec.kind != InputKind::kUserInput && spec.kind != InputKind::kConstantInput) continue;
    if (inputs++ > 0) names += ", ";
    json::append_string(names, spec.node->name);
  }
  for (const OutputSpec& spec : program.outputs) outputs += spec.kind == OutputKind::kUserOutput;
  std::string in_spec = R"([1, {"type": "builtins.tuple", "context": "null", "children_spec": [)" + tuple_of(inputs) +
                        R"(, {"type": "builtins.dict", "context": "[]", "children_spec": []}]}])";
  std::string out_spec = cat("[1, ", outputs == 1 ? std::string(kLeaf) : tuple_of(outputs), "]");
  out += R"([{"fqn": "", "signature": {"inputs": [], "outputs": [], "in_spec": )";
  json::append_string(out, in_spec);
  out += ", \"out_spec\": ";
  json::append_string(out, out_spec);
  out += cat(", \"forward_arg_names\": [", names, "]}}]");
}

}  // namespace

void append_constant(std::string& out, const Argument& value) {
  using Kind = Argument::Kind;
  switch (value.kind) {
    case Kind::kNone: out += "{\"as_none\": true}"; return;
    case Kind::kBool: out += value.boolean ? "{\"as_bool\": true}" : "{\"as_bool\": false}"; return;
    case Kind::kInt: out += cat("{\"as_int\": ", value.integer, '}'); return;
    case Kind::kFloat:
      out += "{\"as_float\": ";
      json::append_float(out, value.number);
      break;
    case Kind::kString:
      out += "{\"as_string\": ";
      json::append_string(out, value.string_view());
      break;
    default: fail_input("an input or output that is no node must be None, a bool, a number or a string");
  }
  out += '}';
}

void append_signature(std::string& out, const ExportedProgram& program) {
  out += "{\"input_specs\": [";
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (i > 0) out += ", ";
    append_input_spec(out, program.inputs[i]);
  }
  out += "], \"output_specs\": [";
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (i > 0) out += ", ";
    append_output_spec(out, program.outputs[i]);
  }
  out += "]}";
}

void append_module_call_graph(std::string& out, const ExportedProgram& program) {
  json::Value entries;
  if (program.document != nullptr) entries = program.document->root().at("graph_module").find("module_call_graph");
  if (!entries || !entries.is_array() || entries.size() == 0) return append_flat_call(out, program);
  NameMap names;
  bool renamed = !is_as_read(program);
  if (renamed) names = lowered_names(*program.graph);
  bool first = true;
  out += '[';
  entries.for_each_item([&](json::Value entry) {
    if (!std::exchange(first, false)) out += ", ";
    append_call_entry(out, entry, renamed ? &names : nullptr);
  });
  out += ']';
}

}  // namespace rung
