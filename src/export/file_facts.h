// What the reader keeps for the writer beside the fields of the IR, so that what was not changed is written as it was.
#pragma once
#include "base/json.h"
#include "ir/graph.h"

namespace rung {

/// Behind Node::file_facts.
struct NodeFacts {
  json::Value node;   // the object in "nodes"; missing for placeholders and getitems
  json::Value value;  // the entry of tensor_values, sym_int_values, ... of the node's one value
  ValueMeta meta;     // what `value` says; the entry holds while the node still has this meta
};

/// Behind Graph::file_facts.
struct GraphFacts {
  json::Value graph;  // the object with "nodes"
};

inline const NodeFacts* facts_of(const Node& node) { return static_cast<const NodeFacts*>(node.file_facts); }
inline const GraphFacts* facts_of(const Graph& graph) { return static_cast<const GraphFacts*>(graph.file_facts); }

}  // namespace rung
