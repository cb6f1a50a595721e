// A call node: its target, its arguments bound to the schema, and the getitem nodes of its results.
#include <algorithm>

#include "base/error.h"
#include "export/file_facts.h"
#include "export/read_graph.h"
#include "ir/fit.h"

namespace rung {

enum class ArgumentPlace : uint8_t { kUnknown, kPositional, kKeyword };  // the file's numbers

struct GraphReader::RawInput {
  std::string_view name;
  Argument value;
  ArgumentPlace place = ArgumentPlace::kUnknown;
};

struct GraphReader::RawNode {
  json::Value source, inputs, outputs, metadata;
  std::string_view target, name;
  // A higher-order operator that returns one bare tensor; older files do not say, then it does.
  bool returns_bare = true;
};

namespace {

constexpr std::string_view kPythonKeywords[] = {
    "and",      "as",     "assert",  "async", "await", "break",  "class", "continue", "def",  "del",  "elif",
    "else",     "except", "finally", "for",   "from",  "global", "if",    "import",   "in",   "is",   "lambda",
    "nonlocal", "not",    "or",      "pass",  "raise", "return", "try",   "while",    "with", "yield"};
bool is_keyword(std::string_view name) {
  return std::binary_search(std::begin(kPythonKeywords), std::end(kPythonKeywords), name);
}

bool is_sym(std::string_view tag) { return tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool"; }

std::string_view sym_name(json::Value value) {
  json::Value name = value.find("as_name");
  if (!name || name.is_null()) fail_input("a symbolic result has no name");
  return name.as_string();
}

// "native_layer_norm_default": what torch.fx calls a node that nobody named.
std::string fallback_name(const Node& node) {
  std::string_view text = node.target;
  if (node.callee == Callee::kOp)
    text.remove_prefix(text.find('.', sizeof("torch.ops.") - 1) + 1);
  else if (node.callee == Callee::kCustom)
    text.remove_prefix(text.find("::") + 2);
  else if (node.callee == Callee::kPython)
    text.remove_prefix(text.rfind('.') + 1);
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    bool upper = text[i] >= 'A' && text[i] <= 'Z';
    if (upper && i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z') name += '_';
    name += upper ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
  }
  return name;
}

std::string node_place(size_t index, std::string_view target) {
  constexpr std::string_view kPrefix = "torch.ops.";
  if (target.starts_with(kPrefix)) target.remove_prefix(kPrefix.size());
  return cat("node ", index, " ", target);
}

// Results of an op against its schema: their number, and tensor for tensor.
void check_results(const OpSchema& schema, json::Value outputs, Build build) {
  // torch 2.2 leaves out results that are plain integers, so what comes after them moves up.
  if (build == Build::k2_2 && outputs.size() < schema.returns.size()) return;
  if (schema.returns.size() != outputs.size())
    fail_input(schema.name, " has ", schema.returns.size(), " results, but the node lists ", outputs.size());
  size_t next = 0;
  outputs.for_each_item([&](json::Value output) {
    const ReturnDef& wanted = schema.returns[next++];
    std::string_view tag = read_union(output).tag;
    bool fits = wanted.type != ArgType::kTensor ? is_sym(tag)
                : wanted.list                   ? tag == "as_tensors"
                                                : tag == "as_tensor" || tag == "as_none";
    if (!fits) fail_input(schema.name, ": result ", next - 1, " cannot be of the kind '", tag, "'");
  });
}

}  // namespace

void GraphReader::read_node(json::Value source) {
  RawNode raw;
  raw.source = source;
  try {
    source.for_each_member([&](std::string_view key, json::Value value) {
      if (key == "target")
        raw.target = value.as_string();
      else if (key == "inputs")
        raw.inputs = value;
      else if (key == "outputs")
        raw.outputs = value;
      else if (key == "metadata")
        raw.metadata = value;
      else if (value.is_null())
        return;
      else if (key == "name")
        raw.name = value.as_string();
      else if (key == "is_hop_single_tensor_return")
        raw.returns_bare = value.as_bool();
    });
    for (auto [key, value] : {std::pair("inputs", raw.inputs), std::pair("outputs", raw.outputs)})
      if (!value) fail_input("the node lacks '", key, "'");
    if (raw.target.empty()) fail_input("the node lacks 'target'");
    auto [place, is_new] = state_.targets.try_emplace(raw.target);
    if (is_new) place->second = resolve_target(raw.target, state_.arena);
    read_call(raw, place->second);
  } catch (const Error& error) {
    throw error.at(node_place(node_index_, raw.target));
  }
}

GraphReader::RawInput GraphReader::read_named_argument(json::Value source) {
  RawInput input;
  source.for_each_member([&](std::string_view key, json::Value value) {
    if (key == "name")
      input.name = value.as_string();
    else if (key == "arg")
      input.value = argument(value);
    else if (key == "kind" && !value.is_null()) {
      int64_t kind = value.as_int();
      if (kind < 0 || kind > 2) fail_input("the argument's kind is ", kind, ", expected 1 (positional) or 2 (keyword)");
      input.place = static_cast<ArgumentPlace>(kind);
    }
  });
  return input;
}

void GraphReader::read_call(const RawNode& raw, const Target& target) {
  std::vector<RawInput> inputs;
  inputs.reserve(raw.inputs.size());
  raw.inputs.for_each_item([&](json::Value source) {
    try {
      inputs.push_back(read_named_argument(source));
    } catch (const Error& error) {
      json::Value name = source.is_object() ? source.find("name") : json::Value();
      bool has_name = name.is_string() && !name.as_string().empty();
      throw error.at(has_name ? cat("argument '", name.as_string(), "'") : cat("argument ", inputs.size()));
    }
  });
  // Only now: sub-graphs among the arguments have put their get_attr nodes before this one.
  Node& node = *graph_.append(NodeKind::kCall, {});
  node.callee = target.callee;
  node.op = target.op;
  node.target = target.name;
  node.metadata = raw.metadata;
  facts_for(node)->node = raw.source;
  if (target.callee == Callee::kOp) {
    bind_to_schema(inputs, node);
    if (auto problem = misfit(node, state_.build)) fail_input(*problem);
    check_results(schema_of(target.op), raw.outputs, state_.build);
  } else {
    bind_freely(inputs, node);
  }
  read_results(raw, node);
}

// As torch does: where the file says the place of an argument, that; else those without a default are positional.
void GraphReader::bind_to_schema(std::span<const RawInput> inputs, Node& node) {
  std::vector<Argument> args;
  std::vector<NamedArgument> kwargs;
  size_t next = 0, used = 0;
  std::span<const ArgDef> definitions = args_of(node.op, state_.build);
  for (size_t i = 0; i < definitions.size(); ++i) {
    const ArgDef& definition = definitions[i];
    const RawInput* input = next < inputs.size() && inputs[next].name == definition.name ? &inputs[next++] : nullptr;
    for (size_t j = 0; j < inputs.size() && input == nullptr; ++j)
      if (inputs[j].name == definition.name) input = &inputs[j];
    if (input == nullptr) continue;
    ++used;
    bool has_default = definition.default_value.kind != Default::Kind::kNoDefault;
    bool positional = input->place == ArgumentPlace::kPositional || is_keyword(definition.name) ||
                      (input->place == ArgumentPlace::kUnknown && !has_default && !definition.keyword_only);
    if (positional && args.size() == i && !definition.keyword_only)
      args.push_back(input->value);
    else if (positional && input->place == ArgumentPlace::kPositional)
      fail_input("the positional argument '", definition.name, "' comes after one that is missing");
    else
      kwargs.push_back({definition.name, input->value});
  }
  node.args = state_.arena.copy(args);
  node.kwargs = state_.arena.copy(kwargs);
  if (used == inputs.size()) return;
  for (const RawInput& input : inputs) {
    auto same = [&](const auto& other) { return other.name == input.name; };
    if (std::none_of(definitions.begin(), definitions.end(), same))
      fail_input(schema_of(node.op).name, " has no argument '", input.name, "'");
    if (std::count_if(inputs.begin(), inputs.end(), same) > 1)
      fail_input(schema_of(node.op).name, " gets the argument '", input.name, "' twice");
  }
}

// Without a schema: as the file says, and in its order.
void GraphReader::bind_freely(std::span<const RawInput> inputs, Node& node) {
  std::vector<Argument> args;
  std::vector<NamedArgument> kwargs;
  for (const RawInput& input : inputs) {
    bool positional = input.place == ArgumentPlace::kPositional || input.name.empty() ||
                      node.callee == Callee::kPython ||
                      (input.place == ArgumentPlace::kUnknown && node.callee == Callee::kCustom);
    if (positional)
      args.push_back(input.value);
    else
      kwargs.push_back({input.name, input.value});
  }
  node.args = state_.arena.copy(args);
  node.kwargs = state_.arena.copy(kwargs);
}

void GraphReader::name_call(const RawNode& raw, Node& node) {
  if (raw.name.empty()) return invent_name(node, fallback_name(node));
  node.name = raw.name;
  define(raw.name, node);
}

void GraphReader::read_results(const RawNode& raw, Node& node) {
  if (raw.outputs.size() == 0) return name_call(raw, node);
  std::vector<json::Value> outputs;
  raw.outputs.for_each_item([&](json::Value output) { outputs.push_back(output); });
  std::string_view first = read_union(outputs[0]).tag;
  bool in_tuple = node.callee == Callee::kHigherOrder && !raw.returns_bare && first != "as_none";
  if (outputs.size() == 1 && !in_tuple && first != "as_tensors") return read_single_result(raw, node, outputs[0]);
  name_call(raw, node);
  if (outputs.size() == 1 && first == "as_tensors" && !in_tuple) {
    node.meta = add_result_list(node, first, read_union(outputs[0]).value);
    return;
  }
  std::vector<ValueMeta> metas;
  for (size_t i = 0; i < outputs.size(); ++i) metas.push_back(add_result(node, static_cast<int64_t>(i), outputs[i]));
  node.meta = make_list(metas);
}

void GraphReader::read_single_result(const RawNode& raw, Node& node, json::Value output) {
  auto [tag, value] = read_union(output);
  if (tag == "as_tensor") {
    set_value(node, value.at("name").as_string(), tensors_);
  } else if (is_sym(tag)) {
    set_value(node, sym_name(value), table_for(tag));
  } else if (tag == "as_none") {
    if (!raw.name.empty()) note_name(raw.name);
    invent_name(node, fallback_name(node) + "_unused");
  } else {
    fail_input("a result cannot be of the kind '", tag, "'");
  }
}

Node* GraphReader::add_getitem(Node& source, int64_t index) {
  Node* item = graph_.append(NodeKind::kCall, {});
  item->callee = Callee::kGetItem;
  item->target = "getitem";
  item->metadata = source.metadata;
  std::span<Argument> args = state_.arena.array<Argument>(2);
  args[0] = Argument::of(&source);
  args[1] = Argument::of(index);
  item->args = args;
  return item;
}

ValueMeta GraphReader::add_result(Node& source, int64_t index, json::Value output) {
  auto [tag, value] = read_union(output);
  Node* item = add_getitem(source, index);
  if (tag == "as_tensor") {
    set_value(*item, value.at("name").as_string(), tensors_);
  } else if (is_sym(tag)) {
    set_value(*item, sym_name(value), table_for(tag));
  } else if (tag == "as_none") {
    invent_name(*item, "as_none");
  } else if (tag == "as_tensors" || tag == "as_sym_ints" || tag == "as_sym_floats" || tag == "as_sym_bools") {
    invent_name(*item, "getitem");
    item->meta = add_result_list(*item, tag, value);
  } else {
    fail_input("a result cannot be of the kind '", tag, "'");
  }
  return item->meta;
}

ValueMeta GraphReader::add_result_list(Node& source, std::string_view tag, json::Value list) {
  std::vector<ValueMeta> metas;
  ValueTable& table = table_for(tag);
  list.for_each_item([&](json::Value entry) {
    Node* item = add_getitem(source, static_cast<int64_t>(metas.size()));
    set_value(*item, tag == "as_tensors" ? entry.at("name").as_string() : sym_name(entry), table);
    metas.push_back(item->meta);
  });
  return make_list(metas);
}

ValueMeta GraphReader::make_list(const std::vector<ValueMeta>& metas) {
  ValueMeta meta;
  meta.kind = ValueMeta::Kind::kList;
  meta.list = state_.arena.make<ValueMetas>(state_.arena.copy(metas));
  return meta;
}

}  // namespace rung
