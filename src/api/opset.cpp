// The public OpSet, and lowering to one.
#include "api/internal.h"

#include <rung/opset.h>

#include "api/access.h"

namespace rung {
inline namespace v1 {

struct OpSetAccess {
  static const detail::Set& of(const OpSet& set) { return *set.set_; }
  static OpSet make(detail::Set set) { return OpSet(std::make_shared<const detail::Set>(std::move(set))); }
};

OpSet OpSet::from_file(const std::string& path) { return OpSetAccess::make(detail::set_from_file(path)); }
OpSet OpSet::named(std::string_view name) { return OpSetAccess::make(detail::set_named(name)); }

const std::string& OpSet::name() const { return set_->value.name; }
Build OpSet::build() const { return set_->value.build; }
size_t OpSet::size() const { return set_->value.size(); }

bool OpSet::accepts(std::string_view op) const {
  for (OpId overload : ops_of_spelling(op))
    if (set_->value.accepts(overload)) return true;
  return false;
}

ExportedProgram lower(const ExportedProgram& program, const OpSet& set, const LowerOptions& options) {
  return lowered_at_file(program, [&](const detail::Program& source) {
    return detail::lower_to_set(source, OpSetAccess::of(set), options.like_torch, options.bind);
  });
}

}  // namespace v1
}  // namespace rung
