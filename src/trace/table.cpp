// Torch's own tables, from the facts in the registry.
#include "trace/table.h"

#include <algorithm>

#include "schema/floor.h"
#include "schema/gen/op_ids.h"

namespace rung {

// In torch's table, but never opened by run_decompositions: CompositeImplicit ops that also have kernels of their own.
static constexpr OpId kHiddenRules[] = {
    op::aten_upsample_nearest1d,
    op::aten_upsample_nearest2d,
    op::aten_upsample_nearest3d,
    op::aten__upsample_nearest_exact1d,
    op::aten__upsample_nearest_exact2d,
    op::aten__upsample_nearest_exact3d,
    op::aten_mish_backward,
    op::aten_native_channel_shuffle,
    op::aten_silu_backward,
};

bool DecompositionTable::opens_above(OpId op) {
  static constexpr OpId kOps[] = {
      op::aten_cudnn_batch_norm,    op::aten_hardshrink,
      op::aten_multi_margin_loss,   op::aten_multilabel_margin_loss_forward,
      op::aten_softshrink,          op::aten_upsample_bicubic2d,
      op::aten_upsample_bilinear2d,
  };
  return std::ranges::find(kOps, op) != std::end(kOps);
}

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
  for (OpId op : kHiddenRules)
    if (table.opens(op)) table.hide(op);
  table.count_foreign_rules(foreign_core_table(build).size());
  return table;
}

DecompositionTable torch_prims_decompositions(Build build) {
  DecompositionTable table("prims", build);
  table.lead_to_prims();
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (schema_of(op).has(kInCoreTable, build) || schema_of(op).has(kInAllTable, build)) table.open(op);
  for (OpId op : kHiddenRules) table.keep(op);
  return table;
}

// What computes nothing: assertions, and questions about sizes.
static constexpr OpId kStatements[] = {
    op::aten__assert_async_msg,    op::aten__assert_scalar,      op::aten__assert_tensor_metadata,
    op::aten__linalg_check_errors, op::aten_sym_size_int,        op::aten_sym_stride_int,
    op::aten_sym_storage_offset,   op::aten_sym_constrain_range, op::aten_sym_constrain_range_for_size,
};

DecompositionTable DecompositionTable::only(OpId op) const {
  DecompositionTable table = *this;
  table.is_closed_ = false;
  table.open_.reset();
  table.hidden_.reset();
  table.own_bodies_.clear();
  if (opens(op)) table.open(op);
  if (own_bodies_.contains(op)) table.own_bodies_[op] = own_bodies_.at(op);
  return table;
}

DecompositionTable prims_decompositions(Build build) {
  DecompositionTable table("prims", build);
  table.lead_to_prims();
  table.close();
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (schema_of(op).ns() == "aten") table.open(op);
  for (const FloorOp& floor : prims_floor()) table.keep(floor.op);
  for (OpId op : kStatements) table.keep(op);
  return table;
}

}  // namespace rung
