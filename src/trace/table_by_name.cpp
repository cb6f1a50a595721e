// A packet stands for all its overloads; one that can be opened or kept is enough.
#include "trace/table_by_name.h"

#include "base/error.h"
#include "ir/op_def.h"
#include "schema/nearest.h"

namespace rung {

std::vector<OpId> ops_of_spelling(std::string_view spelling) {
  constexpr std::string_view kPrefix = "torch.ops.";
  std::string_view packet = spelling;
  if (packet.starts_with(kPrefix)) packet.remove_prefix(kPrefix.size());
  const bool colons = packet.find("::") != packet.npos;
  const size_t separator = colons ? packet.find("::") : packet.find('.');
  if (separator == packet.npos) return {op_of_spelling(spelling)};
  const std::string_view ns = packet.substr(0, separator), name = packet.substr(separator + (colons ? 2 : 1));
  if (name.find('.') != name.npos) return {op_of_spelling(spelling)};
  std::vector<OpId> found;
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (schema_of(op).ns() == ns && schema_of(op).packet() == name) found.push_back(op);
  return found.empty() ? std::vector<OpId>{op_of_spelling(spelling)} : found;
}

void open_by_name(DecompositionTable& table, std::string_view spelling) {
  bool any = false;
  for (OpId op : ops_of_spelling(spelling)) {
    const OpDef* def = op_def(op);
    if (def == nullptr || (def->body == nullptr && (table.build() != Build::k2_2 || def->body_2_2 == nullptr)))
      continue;
    table.open(op);
    any = true;
  }
  if (!any) fail_unsupported(spelling, ": rung has no decomposition for it");
}

void keep_by_name(DecompositionTable& table, std::string_view spelling) {
  bool any = false;
  for (OpId op : ops_of_spelling(spelling)) {
    if (table.must_open(op)) continue;
    table.keep(op);
    any = true;
  }
  if (!any)
    fail_unsupported(
        spelling, ": this op cannot be kept, its parts may alias or write to its inputs; functionalization opens it");
}

}  // namespace rung
