// Sizes as nodes of a finished graph, by the rules of torch's pass for runtime assertions.
#pragma once
#include "ir/graph.h"
#include "ir/names.h"

namespace rung {

/// Reads the symbols of the inputs right after the placeholders (sym_size.int), computes sizes of tensors on the way
/// from those, and lets every expression be computed once, where it is first needed. Dead code is gone already. New
/// nodes get their names from `names`.
void settle_sizes(Graph& graph, Names& names);

}  // namespace rung
