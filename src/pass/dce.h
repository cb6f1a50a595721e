// Dead code, by torch's rules.
#pragma once
#include "ir/graph.h"

namespace rung {

/// Takes out every call whose value nobody uses and that does nothing else, in one walk backwards. Asserts and writes
/// stay; random ops go. Node::uses must be right, and stays so. Returns whether anything was taken out.
bool eliminate_dead_code(Graph& graph);

}  // namespace rung
