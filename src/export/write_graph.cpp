// Nodes, inputs, outputs and values of a graph. getitem and get_attr nodes are no nodes of the file: they are folded
// into the results and arguments of calls.
#include "export/write_graph.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "ir/annotation.h"

namespace rung {
namespace {

struct PythonRow {
  std::string_view target;
  std::string_view names[3];
};
// Parameters of the functions that are not _operator's binary ones (a, b).
constexpr PythonRow kPythonRows[] = {
    {"math.ceil", {"x"}},        {"math.floor", {"x"}}, {"math.trunc", {"x"}}, {"torch.sym_ite", {"b", "t", "f"}},
    {"torch.sym_sum", {"args"}},
};

std::string_view python_argument_name(std::string_view target, size_t index) {
  constexpr std::string_view kCommon[] = {"a", "b"};
  if (target.starts_with("torch._functorch.") || target.starts_with("torch._C.")) return {};  // called by position
  for (const PythonRow& row : kPythonRows)
    if (row.target == target && index < std::size(row.names)) return row.names[index];
  return index < std::size(kCommon) ? kCommon[index] : std::string_view();
}

bool same_value_meta(const ValueMeta& a, const ValueMeta& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == ValueMeta::Kind::kSymInt) return a.number.identical(b.number);
  return a.kind == ValueMeta::Kind::kObject || a.tensor == b.tensor;
}

std::string file_target(const Node& node) {
  switch (node.callee) {
    case Callee::kOp: return torch_name(node.op);
    case Callee::kPython: return std::string(node.target);
    default: return target_name(node);
  }
}

}  // namespace

const NodeFacts* current_facts(const Node& node) {
  if (node.file_facts != nullptr) return facts_of(node);
  // A node that lowering carried over without opening it.
  if (node.origin == nullptr || node.origin->chain != nullptr || node.origin->source == nullptr) return nullptr;
  const Node& source = *node.origin->source;
  bool same =
      source.kind == node.kind && source.callee == node.callee && source.op == node.op && source.file_facts != nullptr;
  return same && (node.kind != NodeKind::kCall || source.target == node.target || node.callee == Callee::kOp)
             ? facts_of(source)
             : nullptr;
}

void append_unknown(std::string& out, json::Value source, std::span<const std::string_view> known) {
  source.for_each_member([&](std::string_view key, json::Value value) {
    if (std::find(known.begin(), known.end(), key) != known.end()) return;
    out += ", ";
    json::append_string(out, key);
    out += ": ";
    json::append_value(out, value);
  });
}

void GraphWriter::write() {
  collect_getitems();
  out_ += "{\"inputs\": [";
  write_inputs();
  out_ += "], \"outputs\": [";
  write_outputs();
  out_ += "], \"nodes\": [";
  write_nodes();
  out_ += ']';
  write_tables();
  constexpr std::string_view kKnown[] = {"inputs",           "outputs",           "nodes",
                                         "tensor_values",    "sym_int_values",    "sym_bool_values",
                                         "sym_float_values", "custom_obj_values", "is_single_tensor_return"};
  if (const GraphFacts* facts = facts_of(graph_)) append_unknown(out_, facts->graph, kKnown);
  out_ += '}';
}

void GraphWriter::collect_getitems() {
  for (const Node* node : graph_) {
    if (!node->is_call(Callee::kGetItem)) continue;
    const Node* source = node->args[0].node;
    size_t index = static_cast<size_t>(node->args[1].integer);
    auto first = aliases_.find(source);
    auto& items = getitems_[first == aliases_.end() ? source : first->second];
    if (items.size() <= index) items.resize(index + 1);
    if (items[index] == nullptr)
      items[index] = node;
    else
      aliases_.emplace(node, items[index]);
  }
}

const Node* GraphWriter::getitem(const Node& source, size_t index) const {
  auto found = getitems_.find(&source);
  return found == getitems_.end() || index >= found->second.size() ? nullptr : found->second[index];
}

void GraphWriter::write_inputs() {
  size_t index = 0;
  for (const Node* node : graph_) {
    if (node->kind != NodeKind::kPlaceholder) break;
    if (index > 0) out_ += ", ";
    const InputSpec* spec = index < specs_.size() ? &specs_[index] : nullptr;
    const NodeFacts* facts = current_facts(*node);
    ++index;
    if (spec != nullptr && spec->kind == InputKind::kConstantInput)
      argument(spec->constant, nullptr);
    else if (node->meta.kind != ValueMeta::Kind::kNone)
      write_value(node->name, node->meta, node);
    else if (facts != nullptr && facts->node)
      json::append_value(out_, facts->node);
    else
      out_ += "{\"as_none\": true}";
  }
}

void GraphWriter::write_outputs() {
  const Node* output = graph_.output();
  RUNG_CHECK(output != nullptr, "a graph without an output node cannot be written");
  for (size_t i = 0; i < output->args.size(); ++i) {
    if (i > 0) out_ += ", ";
    argument(output->args[i], nullptr);
  }
}

void GraphWriter::write_nodes() {
  bool first = true;
  for (const Node* node : graph_) {
    if (node->kind != NodeKind::kCall || node->callee == Callee::kGetItem) continue;
    if (!std::exchange(first, false)) out_ += ", ";
    current_ = node;
    write_node(*node);
  }
}

void GraphWriter::write_node(const Node& node) {
  const NodeFacts* facts = current_facts(node);
  out_ += "{\"target\": ";
  json::append_string(out_, file_target(node));
  out_ += ", \"inputs\": [";
  if (node.callee == Callee::kCustom)
    write_custom_arguments(node, facts);
  else
    write_call_arguments(node);
  out_ += "], \"outputs\": [";
  write_results(node, facts);
  out_ += "], \"metadata\": ";
  write_metadata(node);
  write_node_rest(node, facts);
  out_ += '}';
}

// As read, but for what a lowering has to say: marks that torch puts into "custom", and where the node is from.
void GraphWriter::write_metadata(const Node& node) {
  const bool has_marks = is_marked(node);
  const std::string_view from_node = from_nodes_.quoted(node);
  if (!has_marks && from_node.empty()) {
    if (node.metadata)
      json::append_value(out_, node.metadata);
    else
      out_ += "{}";
    return;
  }
  std::string_view before = "{";
  auto append_key = [&](std::string_view key) {
    out_ += before;
    json::append_string(out_, key);
    out_ += ": ";
    before = ", ";
  };
  if (node.metadata)
    node.metadata.for_each_member([&](std::string_view key, json::Value value) {
      if ((has_marks && key == "custom") || (!from_node.empty() && key == "from_node")) return;
      append_key(key);
      json::append_value(out_, value);
    });
  if (has_marks) {
    append_key("custom");
    json::append_string(out_, custom_metadata(node, node.metadata));
  }
  if (!from_node.empty()) {
    append_key("from_node");
    out_ += from_node;
  }
  out_ += '}';
}

void GraphWriter::write_node_rest(const Node& node, const NodeFacts* facts) {
  std::string_view name = node.name;
  json::Value source = facts != nullptr ? facts->node : json::Value();
  out_ += ", \"is_hop_single_tensor_return\": ";
  if (node.callee == Callee::kHigherOrder)
    out_ += node.meta.kind == ValueMeta::Kind::kTensor ? "true" : "false";
  else
    out_ += "null";
  // torch renames a node without a value when it loads it; the file's name is the one to give back.
  if (source && node.file_facts != nullptr && node.meta.kind == ValueMeta::Kind::kNone)
    if (json::Value written = source.find("name"); written && written.is_string()) name = written.as_string();
  out_ += ", \"name\": ";
  json::append_string(out_, name);
  constexpr std::string_view kKnown[] = {"target", "inputs", "outputs", "metadata", "is_hop_single_tensor_return",
                                         "name"};
  if (source) append_unknown(out_, source, kKnown);
}

void GraphWriter::write_named(std::string_view name, const Argument& value, const ArgDef* definition, bool positional,
                              bool first) {
  out_ += first ? "{\"name\": " : ", {\"name\": ";
  json::append_string(out_, name);
  out_ += ", \"arg\": ";
  argument(value, definition);
  out_ += positional ? ", \"kind\": 1}" : ", \"kind\": 2}";
}

void GraphWriter::write_call_arguments(const Node& node) {
  bool first = true;
  if (node.callee != Callee::kOp) {
    for (size_t i = 0; i < node.args.size(); ++i) {
      std::string_view name =
          node.callee == Callee::kPython ? python_argument_name(node.target, i) : std::string_view();
      write_named(name, node.args[i], nullptr, true, std::exchange(first, false));
    }
    for (const NamedArgument& argument : node.kwargs)
      write_named(argument.name, argument.value, nullptr, false, std::exchange(first, false));
    return;
  }
  std::span<const ArgDef> definitions = args_of(node.op, Build::k2_13);
  size_t written = 0;
  for (size_t i = 0; i < definitions.size(); ++i) {
    const ArgDef& definition = definitions[i];
    auto named = std::find_if(node.kwargs.begin(), node.kwargs.end(),
                              [&](const auto& entry) { return entry.name == definition.name; });
    bool positional = named == node.kwargs.end();
    if (positional && (definition.keyword_only || i >= node.args.size())) continue;
    write_named(definition.name, positional ? node.args[i] : named->value, &definition, positional,
                std::exchange(first, false));
    ++written;
  }
  if (written != node.args.size() + node.kwargs.size())
    fail_input("node '", node.name, "': torch 2.13's ", schema_of(node.op).name, " does not take all of its arguments");
}

// The schema of another namespace's operator is not known; the names of its arguments are in the file.
void GraphWriter::write_custom_arguments(const Node& node, const NodeFacts* facts) {
  size_t index = 0;
  std::vector<std::string_view> names;
  if (facts != nullptr && facts->node)
    facts->node.at("inputs").for_each_item([&](json::Value input) { names.push_back(input.at("name").as_string()); });
  if (names.size() < node.args.size())
    fail_input("node '", node.name, "': the argument names of ", node.target, " are unknown, so it cannot be written");
  // An empty list says in the file only what it is a list of.
  auto write_one = [&](std::string_view name, const Argument& value, bool positional) {
    json::Value source;
    facts->node.at("inputs").for_each_item([&](json::Value input) {
      if (input.at("name").as_string() == name) source = input.at("arg");
    });
    bool empty_list = value.kind == Argument::Kind::kList && value.size == 0;
    if (!empty_list || !source || source.size() != 1) return write_named(name, value, nullptr, positional, index == 0);
    out_ += index == 0 ? "{\"name\": " : ", {\"name\": ";
    json::append_string(out_, name);
    out_ += ", \"arg\": ";
    json::append_value(out_, source);
    out_ += positional ? ", \"kind\": 1}" : ", \"kind\": 2}";
  };
  for (; index < node.args.size(); ++index) write_one(names[index], node.args[index], true);
  for (const NamedArgument& argument : node.kwargs) {
    write_one(argument.name, argument.value, false);
    ++index;
  }
}

void GraphWriter::write_results(const Node& node, const NodeFacts* facts) {
  bool is_op = node.callee == Callee::kOp;
  size_t returns = is_op ? schema_of(node.op).returns.size() : 1;
  if (returns == 0) return;
  if (!is_op && facts != nullptr && facts->node && node.meta.kind == ValueMeta::Kind::kNone &&
      facts->node.at("outputs").size() == 0)
    return;
  if (node.meta.kind != ValueMeta::Kind::kList) return write_value(node.name, node.meta, &node);
  const ValueMetas& metas = *node.meta.list;
  bool one_list = is_op && returns == 1;
  if (node.callee == Callee::kCustom && facts != nullptr && facts->node) {
    json::Value outputs = facts->node.at("outputs");
    outputs.for_each_item([&](json::Value output) { one_list = outputs.size() == 1 && output.find("as_tensors"); });
  }
  if (one_list) return write_result_list(&node, metas, cat(node.name, "_unused_"));
  for (size_t i = 0; i < metas.size(); ++i) {
    if (i > 0) out_ += ", ";
    write_result(node, i, metas[i]);
  }
}

void GraphWriter::write_result(const Node& source, size_t index, const ValueMeta& meta) {
  const Node* item = getitem(source, index);
  if (meta.kind == ValueMeta::Kind::kNone) {
    out_ += "{\"as_none\": true}";
    return;
  }
  std::string unused = cat(source.name, "_unused_", index);
  if (meta.kind == ValueMeta::Kind::kList) return write_result_list(item, *meta.list, unused + "_");
  if (item != nullptr) return write_value(item->name, meta, item);
  invented_names_.push_back(std::make_unique<std::string>(std::move(unused)));
  write_value(*invented_names_.back(), meta, nullptr);
}

// `source` is the node whose items these are; null if no getitem stands for the list itself.
void GraphWriter::write_result_list(const Node* source, const ValueMetas& metas, std::string_view unused_prefix) {
  out_ += "{\"as_tensors\": [";
  for (size_t i = 0; i < metas.size(); ++i) {
    if (i > 0) out_ += ", ";
    const Node* item = source != nullptr ? getitem(*source, i) : nullptr;
    std::string_view name;
    if (item != nullptr)
      name = item->name;
    else
      name = *invented_names_.emplace_back(std::make_unique<std::string>(cat(unused_prefix, i)));
    // {"as_tensor": {"name": x}} without its tag.
    size_t start = out_.size();
    write_value(name, metas[i], item);
    constexpr std::string_view kTag = "{\"as_tensor\": ";
    out_.erase(start, kTag.size());
    out_.pop_back();
  }
  out_ += "]}";
}

// A value as a result of a node or as a placeholder: its name here, what it is in one of the tables.
void GraphWriter::write_value(std::string_view name, const ValueMeta& meta, const Node* node) {
  using Kind = ValueMeta::Kind;
  if (meta.kind == Kind::kNone) {
    out_ += "{\"as_none\": true}";
    return;
  }
  RUNG_CHECK(meta.kind != Kind::kList, "node '", name, "': a list where one value is expected");
  bool tensor = meta.kind == Kind::kTensor || meta.kind == Kind::kToken;
  Table& table = tensor                         ? tensors_
                 : meta.kind == Kind::kSymInt   ? sym_ints_
                 : meta.kind == Kind::kSymFloat ? sym_floats_
                 : meta.kind == Kind::kSymBool  ? sym_bools_
                                                : objects_;
  table.names.push_back(name);
  if (!table.text.empty()) table.text += ", ";
  json::append_string(table.text, name);
  table.text += ": ";
  const NodeFacts* facts = node != nullptr ? current_facts(*node) : nullptr;
  if (facts != nullptr && facts->value && same_value_meta(facts->meta, meta))
    json::append_value(table.text, facts->value);
  else if (tensor)
    values_.tensor_meta(table.text, *meta.tensor);
  else if (meta.kind == Kind::kSymInt)
    values_.sym_int(table.text, meta.number);
  else if (meta.kind == Kind::kSymFloat)
    values_.sym_float(table.text, meta.expr);
  else if (meta.kind == Kind::kSymBool)
    values_.sym_bool(table.text, meta.expr);
  else
    append_object(table.text, name);

  constexpr std::string_view kTags[] = {"as_tensor", "as_sym_int", "as_sym_float", "as_sym_bool"};
  size_t tag = tensor ? 0 : meta.kind == Kind::kSymInt ? 1 : meta.kind == Kind::kSymFloat ? 2 : 3;
  if (meta.kind == Kind::kObject) return name_object(name);
  out_ += cat("{\"", kTags[tag], tensor ? "\": {\"name\": " : "\": {\"as_name\": ");
  json::append_string(out_, name);
  out_ += "}}";
}

void GraphWriter::write_tables() {
  write_table("tensor_values", tensors_);
  write_table("sym_int_values", sym_ints_);
  write_table("sym_bool_values", sym_bools_);
  out_ +=
      graph_.is_single_tensor_return ? ", \"is_single_tensor_return\": true" : ", \"is_single_tensor_return\": false";
  write_table("custom_obj_values", objects_);
  write_table("sym_float_values", sym_floats_);
}

void GraphWriter::write_table(const char* key, Table& table) {
  // Descriptions of values that no node has are kept while the graph is the file's own.
  const GraphFacts* facts = facts_of(graph_);
  json::Value recorded = facts != nullptr ? facts->graph.find(key) : json::Value();
  if (recorded && recorded.is_object() && recorded.size() > table.names.size()) {
    std::unordered_set<std::string_view> known(table.names.begin(), table.names.end());
    recorded.for_each_member([&](std::string_view name, json::Value value) {
      if (known.contains(name)) return;
      if (!table.text.empty()) table.text += ", ";
      json::append_string(table.text, name);
      table.text += ": ";
      json::append_value(table.text, value);
    });
  }
  out_ += cat(", \"", key, "\": {");
  out_ += table.text;
  out_ += '}';
}

}  // namespace rung
