// Two choosers in one: torch's own table, and the search for what it does not hold.
#include "opset/core.h"

#include "opset/reach.h"
#include "schema/gen/op_ids.h"
#include "trace/tracer.h"

namespace rung {
namespace {

class CoreChooser final : public RuleChooser {
 public:
  CoreChooser(const DecompositionTable& torch, const OpSet& core, std::unique_ptr<RuleChooser> search)
      : torch_(torch), core_(core), search_(std::move(search)) {}

  const Rule* choose(OpId op, Arguments args) override {
    return is_torchs_own(op) ? torchs_rule(op) : search_->choose(op, args);
  }
  const Rule* choose_for(int result, OpId op, Arguments args) override {
    return is_torchs_own(op) ? torchs_rule(op) : search_->choose_for(result, op, args);
  }

 private:
  // Inside of what torch has no rule for, the search goes on: it knows what it priced. A core operator is asked for
  // only if a user opens it.
  bool is_torchs_own(OpId op) const {
    if (core_.accepts(op)) return true;
    if (!opens(op)) return false;
    for (const Frame* frame = Tracer::current()->frame(); frame != nullptr; frame = frame->outer)
      if (!opens(frame->op)) return false;
    return true;
  }
  bool opens(OpId op) const { return torch_.opens(op) || torch_.must_open(op) || DecompositionTable::opens_above(op); }

  const Rule* torchs_rule(OpId op) {
    const auto [found, is_new] = rules_.try_emplace(op, Rule{"decomposition", nullptr});
    const OpDef* row = op_def(op);
    if (is_new && row != nullptr) found->second.body = body_in(*row, torch_.build());
    return &found->second;
  }

  const DecompositionTable& torch_;
  const OpSet& core_;
  std::unique_ptr<RuleChooser> search_;
  std::map<OpId, Rule> rules_;
};

// What the choosers of a table share.
struct Core {
  explicit Core(Build build) : torch(core_aten_decompositions(build)), set(core_ops(build)), to_core(table_for(set)) {}
  DecompositionTable torch;
  OpSet set;
  DecompositionTable to_core;
};

}  // namespace

OpSet core_ops(Build build) {
  OpSet set;
  set.name = "core";
  set.build = build;
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (schema_of(op).has(kCore, build)) set.accept(op);
  return set;
}

DecompositionTable closed_core_decompositions(Build build) {
  const auto core = std::make_shared<const Core>(build);
  DecompositionTable table = core->torch;
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (!core->set.accepts(op) && !table.hides(op) && op != op::aten__assert_tensor_metadata) table.open(op);
  table.choose_by([core](const DecompositionTable&) {
    return std::make_unique<CoreChooser>(core->torch, core->set, core->to_core.make_chooser());
  });
  return table;
}

}  // namespace rung
