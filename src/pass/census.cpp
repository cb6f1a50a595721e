// One walk over a graph and those inside of it.
#include "pass/census.h"

namespace rung {

Census census_of(const Graph& graph) {
  Census census;
  for_each_operator(graph, [&](const Node& node) {
    OpCount& count = census[target_name(node)];
    count.op = node.op;
    ++count.calls;
  });
  return census;
}

}  // namespace rung
