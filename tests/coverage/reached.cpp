// Both ways lower the whole program, and hold the result against the set.
#include "coverage/reached.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "pass/lower.h"
#include "pass/offspring.h"

namespace rung::coverage {
namespace {

constexpr std::string_view kDelegates[] = {"executorch_arm_tosa_pro_fp", "executorch_arm_tosa_pro_int",
                                           "executorch_nxp_neutron", "executorch_samsung_enn", "executorch_xnnpack"};

Reached reached(const ExportedProgram& program, const DecompositionTable& table, const OpSet& set, bool like_torch) {
  Reached result;
  try {
    const ExportedProgram lowered = lower(program, table, {.like_torch = like_torch});
    result.nodes = lowered.graph->size;
    for (const Violation& violation : violations(*lowered.graph, set)) ++result.left[callee_text(*violation.node)];
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    result.refusal = error.what();
  }
  return result;
}

}  // namespace

Target target_named(const std::string& project, std::string_view name) {
  const bool is_rung = name == "core" || name == "prims";
  return {is_rung ? read_op_set(cat(project, "/tests/coverage/sets/", name, ".json")) : op_set_named(name),
          std::ranges::find(kDelegates, name) != std::end(kDelegates)};
}

std::vector<Target> all_targets(const std::string& project) {
  std::vector<Target> targets = {target_named(project, "core"), target_named(project, "prims")};
  for (const ShippedSet& set : shipped_sets()) targets.push_back(target_named(project, set.name));
  std::stable_partition(targets.begin(), targets.end(), [](const Target& target) { return !target.is_delegate; });
  return targets;
}

Reached by_rung(const ExportedProgram& program, const OpSet& set) {
  return reached(program, table_for(set), set, false);
}

// Where both of torch's tables have a rule for a composite op, the default one comes first: its composite body.
Reached by_torch(const ExportedProgram& program, const OpSet& set) {
  DecompositionTable table = torch_prims_decompositions(set.build);
  for (OpId op = 0; op < all_ops().size(); ++op) {
    const OpDef* row = op_def(op);
    const bool has_both = row != nullptr && row->reference != nullptr && body_in(*row, set.build) != nullptr;
    const bool is_composite = schema_of(op).has(kCompositeImplicit, set.build);
    if (set.accepts(op))
      table.keep(op);
    else if (has_both && is_composite && table.opens(op) && !table.must_open(op))
      table.open_by(op, body_in(*row, set.build));
  }
  Reached result = reached(program, table, set, true);
  result.left.erase("aten._assert_tensor_metadata");  // rung drops it, and exporters do
  return result;
}

}  // namespace rung::coverage
