// Makers of constants, by name.
#include "rules/constant_value.h"

#include "ops/number.h"
#include "schema/gen/op_ids.h"

namespace rung {
namespace {

// The argument that says what is made; nothing where the op makes no constant.
std::optional<Scalar> made_of(const Node& node) {
  switch (node.op) {
    case op::aten_scalar_tensor:
    case op::prims_scalar_tensor: return Scalar(node.args[0]);
    case op::aten_full:
    case op::aten_full_like:
    case op::prims_full:
    case op::prims_full_like: return Scalar(node.args[1]);
    case op::aten_zeros:
    case op::aten_zeros_like: return Scalar(0);
    case op::aten_ones:
    case op::aten_ones_like: return Scalar(1);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Scalar> constant_value(const Node& node) {
  const TensorMeta* tensor = node.tensor();
  if (!node.is_call(Callee::kOp) || tensor == nullptr) return std::nullopt;
  const std::optional<Scalar> value = made_of(node);
  if (!value || !value->argument().is_number()) return std::nullopt;
  return ops::convert(*value, tensor->dtype);
}

}  // namespace rung
