// From nodes to the JSON of a graph.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "export/file_facts.h"
#include "export/from_node.h"
#include "export/write_values.h"
#include "ir/program.h"

namespace rung {

class GraphWriter {
 public:
  /// `specs`: what the placeholders mean, for the root graph; empty for others.
  GraphWriter(std::string& out, ValueWriter& values, FromNodes& from_nodes, const Graph& graph,
              std::span<const InputSpec> specs)
      : out_(out), values_(values), from_nodes_(from_nodes), graph_(graph), specs_(specs) {}

  void write();
  /// {"as_tensor": {"name": ...}} and the like. `definition` tells what an empty list is a list of; may be null.
  void argument(const Argument& value, const ArgDef* definition);

 private:
  /// One of tensor_values, sym_int_values, ...: its text so far, and the names in it.
  struct Table {
    std::string text;
    std::vector<std::string_view> names;
  };

  void collect_getitems();
  void write_inputs();
  void write_nodes();
  void write_outputs();
  void write_tables();
  void write_table(const char* key, Table& table);

  void write_node(const Node& node);
  void write_call_arguments(const Node& node);
  void write_named(std::string_view name, const Argument& value, const ArgDef* definition, bool positional, bool first);
  void write_custom_arguments(const Node& node, const NodeFacts* facts);
  void write_results(const Node& node, const NodeFacts* facts);
  void write_result(const Node& source, size_t index, const ValueMeta& meta);
  void write_result_list(const Node* source, const ValueMetas& metas, std::string_view unused_prefix);
  void write_value(std::string_view name, const ValueMeta& meta, const Node* node);
  void write_metadata(const Node& node);
  void write_node_rest(const Node& node, const NodeFacts* facts);

  void node_argument(const Node& node);
  void list_argument(Arguments items, const ArgDef* definition);
  void object_argument(std::string_view name);
  void name_object(std::string_view name);
  void append_object(std::string& out, std::string_view name) const;
  void sym_item(const Argument& value);

  const Node* getitem(const Node& source, size_t index) const;
  std::string_view class_of(std::string_view object) const;

  std::string& out_;
  ValueWriter& values_;
  FromNodes& from_nodes_;
  const Graph& graph_;
  std::span<const InputSpec> specs_;
  const Node* current_ = nullptr;
  std::unordered_map<const Node*, std::vector<const Node*>> getitems_;  // by source, then index
  std::unordered_map<const Node*, const Node*> aliases_;                // a second getitem of one result -> the first
  std::vector<std::unique_ptr<std::string>> invented_names_;
  Table tensors_, sym_ints_, sym_bools_, sym_floats_, objects_;
};

/// What the file said of the node, if the node still is what the file held.
const NodeFacts* current_facts(const Node& node);

/// Appends `, "key": value` for every member of `source` but `known`.
void append_unknown(std::string& out, json::Value source, std::span<const std::string_view> known);

}  // namespace rung
