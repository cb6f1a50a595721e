// What the inputs and outputs of the graph mean.
#include "base/error.h"
#include "export/reader.h"

namespace rung {
namespace {

struct InputRow {
  std::string_view tag;
  InputKind kind;
  std::string_view target;  // the key of the target's name
};
constexpr InputRow kInputRows[] = {
    {"user_input", InputKind::kUserInput, ""},
    {"parameter", InputKind::kParameter, "parameter_name"},
    {"buffer", InputKind::kBuffer, "buffer_name"},
    {"tensor_constant", InputKind::kTensorConstant, "tensor_constant_name"},
    {"custom_obj", InputKind::kCustomObject, "custom_obj_name"},
    {"token", InputKind::kToken, ""},
    {"constant_input", InputKind::kConstantInput, ""},
};

struct OutputRow {
  std::string_view tag;
  OutputKind kind;
  std::string_view target;
};
constexpr OutputRow kOutputRows[] = {
    {"user_output", OutputKind::kUserOutput, ""},
    {"loss_output", OutputKind::kLossOutput, ""},
    {"buffer_mutation", OutputKind::kBufferMutation, "buffer_name"},
    {"gradient_to_parameter", OutputKind::kGradientToParameter, "parameter_name"},
    {"gradient_to_user_input", OutputKind::kGradientToUserInput, "user_input_name"},
    {"user_input_mutation", OutputKind::kUserInputMutation, "user_input_name"},
    {"token", OutputKind::kToken, ""},
    {"parameter_mutation", OutputKind::kParameterMutation, "parameter_name"},
};

template <typename Row, size_t count>
const Row& row_of(const Row (&rows)[count], std::string_view tag) {
  for (const Row& row : rows)
    if (row.tag == tag) return row;
  fail_input("unknown kind '", tag, "'");
}

// The value that a spec names: {"name": x} or {"as_tensor": {"name": x}}; empty for a constant.
std::string_view spec_name(json::Value argument) {
  if (json::Value name = argument.find("name"); name && name.is_string()) return name.as_string();
  auto [tag, value] = read_union(argument);
  if (tag == "as_tensor" || tag == "as_custom_obj") return value.at("name").as_string();
  if (tag != "as_sym_int" && tag != "as_sym_float" && tag != "as_sym_bool") return {};
  json::Value name = value.find("as_name");
  return name && !name.is_null() ? name.as_string() : std::string_view();
}

Argument constant_of(Union constant) {
  auto [tag, value] = constant;
  if (tag == "as_none") return Argument::none();
  if (tag == "as_int") return Argument::of(value.as_int());
  if (tag == "as_float") return Argument::of(read_float(value));
  if (tag == "as_bool") return Argument::of(value.as_bool());
  if (tag == "as_string") return Argument::string(value.as_string());
  fail_input("a constant cannot be of the kind '", tag, "'");
}

void check_name(std::string_view expected, std::string_view found) {
  if (expected != found) fail_input("the signature names '", found, "', the graph '", expected, "'");
}

InputSpec read_input_spec(json::Value source, Node* node) {
  auto [tag, value] = read_union(source);
  const InputRow& row = row_of(kInputRows, tag);
  InputSpec spec;
  spec.kind = row.kind;
  spec.node = node;
  if (row.kind == InputKind::kConstantInput) {
    spec.constant = constant_of(read_union(value.at("value")));
    return spec;
  }
  json::Value argument = value.at("arg");
  std::string_view name = spec_name(argument);
  if (row.kind == InputKind::kUserInput && name.empty()) {
    spec.kind = InputKind::kConstantInput;
    spec.constant = constant_of(read_union(argument));
    return spec;
  }
  check_name(node->name, name);
  if (!row.target.empty()) spec.target = value.at(row.target).as_string();
  if (row.kind == InputKind::kToken && node->meta.kind == ValueMeta::Kind::kTensor)
    node->meta.kind = ValueMeta::Kind::kToken;
  if (json::Value persistent = value.find("persistent"); persistent && !persistent.is_null())
    spec.persistent = persistent.as_bool();
  return spec;
}

OutputSpec read_output_spec(json::Value source, const Argument& result) {
  auto [tag, value] = read_union(source);
  const OutputRow& row = row_of(kOutputRows, tag);
  OutputSpec spec;
  spec.kind = row.kind;
  spec.value = result;
  std::string_view name = spec_name(value.at("arg"));
  if (result.kind == Argument::Kind::kNode)
    check_name(result.node->name, name);
  else if (!name.empty())
    fail_input("the signature names '", name, "', the graph returns a constant");
  if (!row.target.empty()) spec.target = value.at(row.target).as_string();
  return spec;
}

void check_call_signature(json::Value signature) {
  for (std::string_view key : {"inputs", "outputs"})
    signature.at(key).for_each_item([&](json::Value argument) {
      auto [tag, value] = read_union(argument);
      if (value.is_object()) spec_name(argument);
    });
  for (std::string_view key : {"in_spec", "out_spec"}) signature.at(key).as_string();
}

}  // namespace

void check_module_calls(json::Value entries) {
  bool has_root = false;
  entries.for_each_item([&](json::Value entry) {
    std::string_view name = entry.at("fqn").as_string();
    json::Value signature = entry.find("signature");
    bool has_signature = signature && !signature.is_null();
    has_root = has_root || (name.empty() && has_signature);
    try {
      if (has_signature) check_call_signature(signature);
    } catch (const Error& error) {
      throw error.at(cat("module '", name, "'"));
    }
  });
  if (entries.size() > 0 && !has_root) fail_input("the call of the root module is not described");
}

void read_signature(json::Value signature, ExportedProgram& program) {
  std::vector<Node*> placeholders;
  for (Node* node : *program.graph)
    if (node->kind == NodeKind::kPlaceholder) placeholders.push_back(node);
  json::Value inputs = signature.at("input_specs"), outputs = signature.at("output_specs");
  Arguments results = program.graph->output()->args;
  if (inputs.size() != placeholders.size())
    fail_input("the signature has ", inputs.size(), " inputs, the graph ", placeholders.size());
  if (outputs.size() != results.size())
    fail_input("the signature has ", outputs.size(), " outputs, the graph ", results.size());
  inputs.for_each_item([&](json::Value spec) {
    size_t index = program.inputs.size();
    try {
      program.inputs.push_back(read_input_spec(spec, placeholders[index]));
    } catch (const Error& error) {
      throw error.at(cat("input ", index));
    }
  });
  outputs.for_each_item([&](json::Value spec) {
    size_t index = program.outputs.size();
    try {
      program.outputs.push_back(read_output_spec(spec, results[index]));
    } catch (const Error& error) {
      throw error.at(cat("output ", index));
    }
  });
}

}  // namespace rung
