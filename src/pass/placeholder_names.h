// Names of calls and placeholders that would collide.
#pragma once
#include "ir/graph.h"
#include "ir/names.h"

namespace rung {

/// Every other node that has the name of a placeholder moves to the next free number of its base. `given`: the names of
/// those other nodes, and perhaps of some that are no longer there.
void rename_calls(Graph& graph, const Names& given);

/// Names the placeholders of branches after the operands they stand for, in all sub-graphs of `graph`.
void name_subgraphs(Graph& graph);

}  // namespace rung
