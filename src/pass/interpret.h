// Runs a graph through a tracer, node by node, as torch.fx.Interpreter does under a trace.
#pragma once
#include <optional>
#include <vector>

#include "pass/autocast.h"
#include "pass/numbers.h"
#include "pass/static_slices.h"
#include "trace/tracer.h"

namespace rung {

struct InterpretOptions {
  bool like_torch = false;
  bool sizes_were_bound = false;             // dynamic sizes are static now: the graph is to be that of a static export
  std::optional<Autocast> autocast = {};     // inside a region of torch.autocast
  std::vector<const Node*>* made = nullptr;  // by index of the source: the node that a result became
};

class Interpreter {
 public:
  /// `graph` must be renumbered. Values of placeholders are set by the caller: a node of the new graph, whose views and
  /// writes are followed from its first use on, or a constant.
  Interpreter(Tracer& tracer, const Graph& graph, const InterpretOptions& options);

  void set(const Node* node, const Argument& value) {
    values_[node->index] = value;
    if (options_.made != nullptr) note_made(*node, value);
  }
  /// As value(), of an input that may not have been used yet.
  const Argument& held(const Node* input) const { return values_[input->index]; }
  /// Every call, in order; errors name the node.
  void run();
  /// What `argument` of the source graph is now.
  Argument value(const Argument& argument);

 private:
  void run_node(const Node& node);
  void find_only_results();
  int only_result(const Node& node) const { return only_results_.empty() ? -1 : only_results_[node.index]; }
  void note_made(const Node& node, const Argument& result);
  Argument call_op(const Node& node);
  bool allows_view(const TensorMeta& meta, Arguments sizes);
  bool has_strides_of_either_kernel(const Node& node, const Argument& operand);
  Argument contiguous_copy(const Argument& tensor);
  Argument view_or_copy(const Node& node, std::span<Argument> args);
  Argument call_higher_order(const Node& node);
  Argument inline_subgraph(const Node& node, size_t graph_at, const InterpretOptions& options);
  Node* lower_subgraph(const Node& held, std::string_view operator_name, Arguments operands);

  Tracer& tracer_;
  const Graph& graph_;
  InterpretOptions options_;
  std::vector<Argument> values_;
  std::vector<int> only_results_;     // by index: the one result that is used, or -1; empty where nobody asks
  std::vector<Argument> positional_;  // scratch of call_op
  std::vector<NamedArgument> named_;
  std::vector<Argument> arguments_;
  std::optional<StaticSlices> slices_;
  DataSymbols symbols_;
};

}  // namespace rung
