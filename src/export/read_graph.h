// From the JSON of a graph to nodes.
#pragma once
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "export/read_values.h"
#include "ir/graph.h"
#include "ir/names.h"

namespace rung {

struct NodeFacts;

/// What a node's "target" means.
struct Target {
  Callee callee = Callee::kNotACall;
  OpId op = kNoOp;
  std::string_view name;  // as Node::target has it
};
/// "torch.ops.aten.add.Tensor", "_operator.mul", ... Fails with kInput on what rung does not know.
Target resolve_target(std::string_view text, Arena& arena);

/// What all graphs of a program share while it is read.
struct ReadState {
  ReadState(Arena& where, Build which, bool current, json::Value specs,
            std::map<std::string, int64_t, std::less<>>& hints)
      : arena(where), values(where, hints), build(which), keeps_texts(current), input_specs(specs) {}

  Arena& arena;
  ValueReader values;
  Build build;
  bool keeps_texts;         // the file spells values as torch 2.13 does, so that they can be written back as they are
  json::Value input_specs;  // of the signature: constant inputs have their names there
  std::unordered_map<std::string_view, Target> targets;
};

/// The entries of tensor_values and its like. Files list them in the order of their use, so the next one is tried
/// first.
class ValueTable {
 public:
  void set(json::Value object);
  /// kMissing if there is none.
  json::Value find(std::string_view name);

 private:
  std::vector<std::pair<std::string_view, json::Value>> entries_;
  std::unordered_map<std::string_view, json::Value> by_name_;  // made when a guess failed
  size_t next_ = 0;
};

class GraphReader {
 public:
  GraphReader(ReadState& state, json::Value source, Graph& out) : state_(state), source_(source), graph_(out) {}
  /// Fails with kInput; messages begin with the node.
  void read();

 private:
  struct RawNode;
  struct RawInput;

  void find_members();
  void read_input(json::Value input, size_t index);
  void read_output(json::Value output, std::vector<Argument>& out);

  void read_node(json::Value source);
  RawInput read_named_argument(json::Value source);
  void read_call(const RawNode& raw, const Target& target);
  void bind_to_schema(std::span<const RawInput> inputs, Node& node);
  void bind_freely(std::span<const RawInput> inputs, Node& node);
  void name_call(const RawNode& raw, Node& node);

  void read_results(const RawNode& raw, Node& node);
  void read_single_result(const RawNode& raw, Node& node, json::Value output);
  Node* add_getitem(Node& source, int64_t index);
  ValueMeta add_result(Node& source, int64_t index, json::Value output);
  ValueMeta add_result_list(Node& source, std::string_view tag, json::Value list);
  ValueMeta make_list(const std::vector<ValueMeta>& metas);

  Argument argument(json::Value value);
  Argument list_argument(std::string_view tag, json::Value value);
  Argument sym_argument(json::Value value);
  Argument optional_tensor(json::Value value);
  Argument graph_argument(json::Value value);
  Argument object_argument(json::Value value);
  Argument dict_argument(json::Value value);
  template <typename Read>
  Argument list_of(json::Value value, Read&& read);
  Argument node_argument(std::string_view name);
  [[noreturn]] void fail_undefined(std::string_view name) const;

  /// The one value of a node: its name, its metadata and where that stands in the file.
  void set_value(Node& node, std::string_view name, ValueTable& table);
  ValueTable& table_for(std::string_view tag);
  ValueMeta value_meta(std::string_view name, ValueTable& table, json::Value& entry);
  NodeFacts* facts_for(Node& node);
  void define(std::string_view name, Node& node);
  /// Names a node that has no name in the file, as torch.fx would.
  void invent_name(Node& node, std::string_view candidate);
  std::string_view fresh_name(std::string_view candidate);
  void note_name(std::string_view name);

  static constexpr uint32_t kInvented = 1;  // in Node::index while reading

  ReadState& state_;
  json::Value source_;
  Graph& graph_;
  json::Value inputs_, outputs_, nodes_;
  ValueTable tensors_, sym_ints_, sym_floats_, sym_bools_, objects_;
  std::unordered_map<std::string_view, Node*> defined_;
  std::unique_ptr<Names> names_;  // made when the first name has to be invented
  size_t node_index_ = 0;
};

}  // namespace rung
