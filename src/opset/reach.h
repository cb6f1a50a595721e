// A table for an op set, and what it does not reach.
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

/// A lowered program's violations as text for people, one paragraph each: the node and its op, what the set lacks, the
/// node of the source program and the line of the user's code, the chain of bodies, and accepted ops of the same
/// packet.
std::string violations_text(const std::vector<Violation>& violations, const OpSet& set);

}  // namespace rung
