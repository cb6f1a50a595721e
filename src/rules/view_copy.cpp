// Of a view and its twin whose name ends in _copy: in a functional graph they are the same values.
#include "base/error.h"
#include "rules/families.h"
#include "trace/dispatch.h"

namespace rung::rules {
namespace {

// Whether rung can tell what the op's result looks like.
bool is_known(OpId op) {
  const OpDef* row = op_def(op);
  return row != nullptr && (row->meta != nullptr || row->body != nullptr);
}

// select_copy.int of select.int; kNoOp if there is none, or one of them is not known.
OpId copy_of(OpId view) {
  const OpSchema& schema = schema_of(view);
  const std::string overload = schema.overload() == "default" ? "" : cat('.', schema.overload());
  const OpId found = find_op(cat("aten::", schema.packet(), "_copy", overload));
  const bool is_copy = found != kNoOp && schema_of(found).has(kViewCopy);
  return is_copy && is_known(view) && is_known(found) ? found : kNoOp;
}

Argument call_copy(const Call& call) { return dispatch(copy_of(call.op), call.args); }

}  // namespace

std::optional<Rule> copy_rule(OpId op) {
  if (!schema_of(op).is_view() || schema_of(op).ns() != "aten" || copy_of(op) == kNoOp) return std::nullopt;
  return Rule{"copy for a view", call_copy};
}

}  // namespace rung::rules
