// A row of an op: what rung itself knows of it. The schema comes from the generated table by the row's name.
#pragma once
#include <span>
#include <string_view>

#include "ir/tensor.h"
#include "schema/schema.h"

namespace rung {

/// All arguments of a call in schema order, defaults filled in; and, for a meta, the arena that its result lies in.
struct Call {
  OpId op;
  Arguments args;
};

/// Runs the op's decomposition: calls other ops, returns the result (a tensor, or a kList of tensors).
/// Returns `not_decomposed()` where torch's body returns NotImplemented: the op then stays as it is.
using Body = Argument (*)(const Call&);
/// Sizes, strides and dtype of the result without computing it.
using Meta = ValueMeta (*)(const Call&);
/// Computes the op on tensors with values.
using Kernel = Argument (*)(const Call&);

/// What a body returns to say "not for these arguments".
inline Argument not_decomposed() {
  Argument a;
  a.kind = Argument::Kind::kObject;
  return a;
}
inline bool is_not_decomposed(const Argument& a) { return a.kind == Argument::Kind::kObject; }

/// Writes `written`, a changed value of result `out_index` of a view op, back into the view's base; returns the new
/// base.
using ViewInverse = Tensor (*)(const Tensor& base, const Tensor& written, const Call& view, uint32_t out_index);

struct OpDef {
  std::string_view op;                // "aten::silu"
  std::string_view hidden_rule = {};  // name of torch's rule, if torch hides it from torch.compile and marks its nodes
  Meta meta = nullptr;                // leaf: needed; composite: may be left out, its body's results have one
  Meta kernel_meta = nullptr;     // where torch's kernel lays its result out otherwise than torch's fake tensors say
  Body body = nullptr;            // decomposition in one step, into other ops
  Body body_2_2 = nullptr;        // where torch 2.2 takes the op apart in another way
  Body body_2_14 = nullptr;       // where torch 2.14 does
  Body reference = nullptr;       // into prims, as torch's Python reference does: for tables that lead to prims
  ViewInverse inverse = nullptr;  // views only: how a write through the view reaches the base
};

/// The decomposition of a build; nullptr if there is none.
inline Body body_in(const OpDef& row, Build build) {
  const Body own = build == Build::k2_2 ? row.body_2_2 : build == Build::k2_14 ? row.body_2_14 : nullptr;
  return own != nullptr ? own : row.body;
}

/// The row of an op; nullptr if rung knows nothing of it beyond the schema.
const OpDef* op_def(OpId op);
/// What computes the op itself; nullptr if it is computed by its body, or is a view, or cannot be computed.
Kernel kernel_of(OpId op);
/// Every row, by family.
std::span<const std::span<const OpDef>> op_families();

}  // namespace rung
