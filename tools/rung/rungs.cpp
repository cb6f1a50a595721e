// Names of the command line to tables.
#include "rungs.h"

#include <vector>

#include "base/error.h"
#include "ir/op_def.h"
#include "schema/nearest.h"

namespace rung::tool {
namespace {

// All overloads that a spelling stands for.
std::vector<OpId> ops_of(std::string_view spelling) {
  OpId exact = find_op_spelling(spelling);
  std::string_view packet = spelling;
  if (packet.starts_with("torch.ops.")) packet.remove_prefix(10);
  size_t separator = packet.find("::") != packet.npos ? packet.find("::") + 2 : packet.find('.') + 1;
  bool names_overload = packet.find('.', separator) != packet.npos;
  if (names_overload) return {exact != kNoOp ? exact : op_of_spelling(spelling)};
  std::string ns(packet.substr(0, packet.find_first_of(":.")));
  std::vector<OpId> found;
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (schema_of(op).ns() == ns && schema_of(op).packet() == packet.substr(separator)) found.push_back(op);
  return found.empty() ? std::vector<OpId>{op_of_spelling(spelling)} : found;
}

}  // namespace

Build build_of(const Options& options) { return build_from_name(options.value_or("--build", "2.13")).value(); }

DecompositionTable table_of(std::string_view rung, Build build) {
  if (rung == "aten") return aten_decompositions(build);
  if (rung == "composite") return composite_decompositions(build);
  if (rung == "core") return core_aten_decompositions(build);
  if (rung == "prims") fail_unsupported("no path to 'prims': this version of rung lowers to aten, composite and core");
  if (rung.ends_with(".json")) fail_unsupported("no path to '", rung, "': this version of rung reads no op set files; it lowers to aten, composite and core");
  fail_input("unknown rung '", rung, "': use aten, composite or core");
}

void adjust(DecompositionTable& table, const Options& options) {
  for (std::string_view spelling : options.values("--keep")) {
    bool any = false;
    for (OpId op : ops_of(spelling)) {
      if (table.must_open(op)) continue;
      table.keep(op);
      any = true;
    }
    if (!any) fail_unsupported("--keep ", spelling, ": this op cannot be kept, its parts may alias or write to its inputs; functionalization opens it");
  }
  for (std::string_view spelling : options.values("--open")) {
    bool any = false;
    for (OpId op : ops_of(spelling)) {
      if (op_def(op) == nullptr || op_def(op)->body == nullptr) continue;
      table.open(op);
      any = true;
    }
    if (!any) fail_unsupported("--open ", spelling, ": rung has no decomposition for it");
  }
}

}  // namespace rung::tool
