// Which operators a program is made of, and how often each is called.
#pragma once
#include <map>
#include <string>

#include "ir/graph.h"

namespace rung {

/// Calls visit(const Node&) for every call of an operator, those of sub-graphs too, where the sub-graph is named.
/// Taking an item of a tuple is no operator.
template <typename Visit>
void for_each_operator(const Graph& graph, Visit&& visit) {
  for (const Node* node : graph) {
    if (node->kind == NodeKind::kGetAttr)
      for (const Graph* inner : subgraphs(*node)) for_each_operator(*inner, visit);
    if (node->kind == NodeKind::kCall && node->callee != Callee::kGetItem) visit(*node);
  }
}

struct OpCount {
  OpId op = kNoOp;
  size_t calls = 0;
};

/// How often each operator is called, by the name that FX prints.
using Census = std::map<std::string, OpCount>;
Census census_of(const Graph& graph);

}  // namespace rung
