// Operators that take graphs: branches and loops.
#pragma once
#include "interp/run.h"

namespace rung::interp {

struct GraphRunner {
  std::function<std::vector<Value>(const Graph& graph, const std::vector<Value>& inputs)> run;
  int64_t max_iterations;
};

/// `args`: the values of the node's arguments, with nothing in the place of graphs. Fails with kUnsupported for an
/// operator that rung does not run.
Value call_higher_order(const Node& node, const std::vector<Value>& args, const GraphRunner& runner);

}  // namespace rung::interp
