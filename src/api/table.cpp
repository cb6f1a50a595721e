// The public DecompositionTable: copied when it changes.
#include "api/internal.h"

#include <rung/table.h>

#include "api/access.h"

namespace rung {
inline namespace v1 {

DecompositionTable::DecompositionTable(Build build) { TableAccess::set(*this, detail::aten_table(build)); }

Build DecompositionTable::build() const { return table_->value.build(); }

DecompositionTable& DecompositionTable::open(std::string_view op) {
  detail::Table changed = *table_;
  open_by_name(changed.value, op);
  TableAccess::set(*this, std::move(changed));
  return *this;
}

DecompositionTable& DecompositionTable::keep(std::string_view op) {
  detail::Table changed = *table_;
  keep_by_name(changed.value, op);
  TableAccess::set(*this, std::move(changed));
  return *this;
}

bool DecompositionTable::opens(std::string_view op) const {
  for (OpId overload : ops_of_spelling(op))
    if (table_->value.opens(overload) || table_->value.must_open(overload)) return true;
  return false;
}

DecompositionTable aten_decompositions(Build build) { return TableAccess::make(detail::aten_table(build)); }
DecompositionTable composite_decompositions(Build build) { return TableAccess::make(detail::composite_table(build)); }
DecompositionTable core_aten_decompositions(Build build) { return TableAccess::make(detail::core_table(build)); }

}  // namespace v1
}  // namespace rung
