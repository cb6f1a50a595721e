// Placeholders, nodes and outputs of a graph, in the order and with the names that torch gives them when it loads a
// file.
#include "export/read_graph.h"

#include "base/error.h"
#include "export/file_facts.h"
#include "ir/fit.h"
#include "shape/expr.h"

namespace rung {

void ValueTable::set(json::Value object) {
  entries_.reserve(object.size());
  object.for_each_member([&](std::string_view name, json::Value value) { entries_.emplace_back(name, value); });
}

json::Value ValueTable::find(std::string_view name) {
  if (next_ < entries_.size() && entries_[next_].first == name) return entries_[next_++].second;
  if (by_name_.empty())
    for (const auto& [key, value] : entries_)
      if (!by_name_.emplace(key, value).second) fail_input("the value '", key, "' is described twice");
  auto found = by_name_.find(name);
  return found == by_name_.end() ? json::Value() : found->second;
}

void GraphReader::read() {
  find_members();
  auto* facts = state_.arena.make<GraphFacts>();
  facts->graph = source_;
  graph_.file_facts = facts;
  size_t index = 0;
  inputs_.for_each_item([&](json::Value input) {
    try {
      read_input(input, index);
    } catch (const Error& error) {
      throw error.at(cat("input ", index));
    }
    ++index;
  });
  nodes_.for_each_item([&](json::Value node) {
    read_node(node);
    ++node_index_;
  });
  std::vector<Argument> results;
  outputs_.for_each_item([&](json::Value output) {
    try {
      read_output(output, results);
    } catch (const Error& error) {
      throw error.at(cat("output ", results.size()));
    }
  });
  if (graph_.is_single_tensor_return && results.size() != 1)
    fail_input("the graph should return one bare value, but has ", results.size(), " outputs");
  Node* output = graph_.append(NodeKind::kOutput, defined_.contains("output") ? fresh_name("output") : "output");
  output->target = "output";
  output->args = state_.arena.copy(results);
}

void GraphReader::find_members() {
  source_.for_each_member([&](std::string_view key, json::Value value) {
    if (key == "inputs")
      inputs_ = value;
    else if (key == "outputs")
      outputs_ = value;
    else if (key == "nodes")
      nodes_ = value;
    else if (key == "tensor_values")
      tensors_.set(value);
    else if (key == "sym_int_values")
      sym_ints_.set(value);
    else if (key == "sym_bool_values")
      sym_bools_.set(value);
    else if (key == "sym_float_values")
      sym_floats_.set(value);
    else if (key == "custom_obj_values")
      objects_.set(value);
    else if (key == "is_single_tensor_return")
      graph_.is_single_tensor_return = value.as_bool();
  });
  for (auto [key, value] :
       {std::pair("inputs", &inputs_), std::pair("outputs", &outputs_), std::pair("nodes", &nodes_)})
    if (!*value) fail_input("the graph lacks '", key, "'");
}

void GraphReader::read_input(json::Value input, size_t index) {
  auto [tag, value] = read_union(input);
  Node* node = graph_.append(NodeKind::kPlaceholder, {});
  if (tag == "as_tensor" || tag == "as_custom_obj") {
    set_value(*node, value.at("name").as_string(), table_for(tag));
  } else if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") {
    json::Value name = value.find("as_name");
    if (!name || name.is_null()) fail_input("a symbolic input has no name");
    set_value(*node, name.as_string(), table_for(tag));
  } else if (tag == "as_int" || tag == "as_float" || tag == "as_bool" || tag == "as_none" || tag == "as_string") {
    // A constant: its name stands in the signature only.
    std::string_view name;
    size_t at = 0;
    state_.input_specs.for_each_item([&](json::Value spec) {
      if (at++ != index) return;
      json::Value constant = spec.find("constant_input");
      if (constant && !constant.is_null()) name = constant.at("name").as_string();
    });
    node->target = name.empty() ? state_.arena.copy(std::string_view(cat("arg", index))) : name;
    facts_for(*node)->node = input;
    invent_name(*node, node->target);
    return;
  } else {
    fail_input("an input cannot be of the kind '", tag, "'");
  }
  node->target = node->name;
}

void GraphReader::read_output(json::Value output, std::vector<Argument>& out) {
  Union value = read_union(output);
  std::string_view tag = value.tag;
  bool known = tag == "as_tensor" || tag == "as_sym_int" || tag == "as_sym_bool" || tag == "as_sym_float" ||
               tag == "as_int" || tag == "as_float" || tag == "as_bool" || tag == "as_none" || tag == "as_string" ||
               tag == "as_custom_obj";
  if (!known) fail_input("an output cannot be of the kind '", tag, "'");
  out.push_back(argument(output));
}

ValueTable& GraphReader::table_for(std::string_view tag) {
  if (tag == "as_tensor" || tag == "as_tensors") return tensors_;
  if (tag == "as_sym_int" || tag == "as_sym_ints") return sym_ints_;
  if (tag == "as_sym_float" || tag == "as_sym_floats") return sym_floats_;
  if (tag == "as_sym_bool" || tag == "as_sym_bools") return sym_bools_;
  if (tag == "as_custom_obj") return objects_;
  fail_input("no value can be of the kind '", tag, "'");
}

ValueMeta GraphReader::value_meta(std::string_view name, ValueTable& table, json::Value& entry) {
  entry = table.find(name);
  ValueMeta meta;
  if (&table == &objects_) {
    meta.kind = ValueMeta::Kind::kObject;
    return meta;
  }
  if (!entry) fail_input("the metadata of '", name, "' is missing");
  try {
    if (&table == &tensors_) return ValueMeta::of(state_.values.tensor_meta(entry));
    if (&table == &sym_ints_) {
      meta.kind = ValueMeta::Kind::kSymInt;
      meta.number = state_.values.sym_int(entry);
    } else {
      meta.kind = &table == &sym_floats_ ? ValueMeta::Kind::kSymFloat : ValueMeta::Kind::kSymBool;
      meta.expr = state_.values.sym_other(entry);
    }
  } catch (const Error& error) {
    throw error.at(cat("metadata of '", name, "'"));
  }
  return meta;
}

void GraphReader::set_value(Node& node, std::string_view name, ValueTable& table) {
  NodeFacts* facts = facts_for(node);
  node.name = name;
  json::Value entry;
  node.meta = facts->meta = value_meta(name, table, entry);
  if (state_.keeps_texts) facts->value = entry;
  define(name, node);
}

NodeFacts* GraphReader::facts_for(Node& node) {
  if (node.file_facts == nullptr) node.file_facts = state_.arena.make<NodeFacts>();
  return static_cast<NodeFacts*>(const_cast<void*>(node.file_facts));
}

void GraphReader::define(std::string_view name, Node& node) {
  if (name.empty()) fail_input("a value has no name");
  auto [place, is_new] = defined_.emplace(name, &node);
  if (!is_new) {
    // A name that torch invents may be one that the file gives later; the file's wins.
    if (place->second->index != kInvented) fail_input("the value '", name, "' is defined twice");
    Node* other = place->second;
    place->second = &node;
    other->name = fresh_name(name);
    defined_.emplace(other->name, other);
  }
  note_name(name);
}

void GraphReader::invent_name(Node& node, std::string_view candidate) {
  node.name = fresh_name(candidate);
  node.index = kInvented;
  defined_.emplace(node.name, &node);
}

void GraphReader::note_name(std::string_view name) {
  if (names_ != nullptr) names_->create(name);
}

std::string_view GraphReader::fresh_name(std::string_view candidate) {
  if (names_ == nullptr) {
    names_ = std::make_unique<Names>(state_.arena);
    for (Node* node : graph_)
      if (!node->name.empty()) names_->create(node->name);
  }
  std::string_view name = names_->create(candidate);
  while (defined_.contains(name)) name = names_->create(candidate);
  return name;
}

}  // namespace rung
