// A table for an op set, and what is left out of its result.
#pragma once
#include "opset/op_set.h"
#include "trace/table.h"

namespace rung {

/// Keeps what the set accepts, under whichever condition, and opens everything else that has a body; down to prims only
/// where the set accepts prims.
DecompositionTable table_for(const OpSet& set);

/// Takes out assertions on dtypes, devices and layouts that the set does not accept: the graph's metadata says the
/// same.
void drop_metadata_asserts(Graph& graph, const OpSet& set);

}  // namespace rung
