// Torch's own tables, from the facts in the registry.
#include "trace/table.h"

namespace rung {

DecompositionTable aten_decompositions(Build build) { return DecompositionTable("aten", build); }

DecompositionTable composite_decompositions(Build build) {
  DecompositionTable table("composite", build);
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (schema_of(op).has(kCompositeImplicit, build)) table.open(op);
  return table;
}

DecompositionTable core_aten_decompositions(Build build) {
  DecompositionTable table("core", build);
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (schema_of(op).has(kInCoreTable, build)) table.open(op);
  return table;
}

}  // namespace rung
