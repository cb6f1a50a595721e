// A table that opens what the set does not take whatever the arguments are, by the search.
#include "opset/reach.h"

#include "opset/search.h"

namespace rung {

DecompositionTable table_for(const OpSet& set) {
  DecompositionTable table(set.name, set.build);
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (!set.accepts_all(op)) table.open(op);
  table.choose_by([kept = std::make_shared<const OpSet>(set)](const DecompositionTable& open) {
    return std::make_unique<Search>(*kept, open);
  });
  return table;
}

}  // namespace rung
