// Runs a graph through a tracer, node by node, as torch.fx.Interpreter does under a trace.
#pragma once
#include <vector>

#include "trace/tracer.h"

namespace rung {

struct InterpretOptions {
  bool like_torch = false;
};

class Interpreter {
 public:
  /// `graph` must be renumbered. Values of placeholders are set by the caller.
  Interpreter(Tracer& tracer, const Graph& graph, const InterpretOptions& options);

  void set(const Node* node, const Argument& value) { values_[node->index] = value; }
  /// Every call, in order; errors name the node.
  void run();
  /// What `argument` of the source graph is now.
  Argument value(const Argument& argument);

 private:
  void run_node(const Node& node);
  Argument call_op(const Node& node);
  Argument view_or_copy(const Node& node, std::span<Argument> args);
  Argument call_higher_order(const Node& node);
  Argument inline_subgraph(const Graph& graph, Arguments operands);

  Tracer& tracer_;
  const Graph& graph_;
  InterpretOptions options_;
  std::vector<Argument> values_;
};

}  // namespace rung
