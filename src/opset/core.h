// The core rung: what torch's table leads to, and from where it stops.
#pragma once
#include "opset/op_set.h"
#include "trace/table.h"

namespace rung {

/// The operators that are tagged core.
OpSet core_ops(Build build = Build::k2_13);

/// Opens what torch's core table opens, as torch does. What that leaves outside of core_ops() (linalg_vector_norm,
/// exp2, unfold, ...) is brought in by the search for the way into them; where there is none, it stays as it is.
DecompositionTable closed_core_decompositions(Build build = Build::k2_13);

}  // namespace rung
