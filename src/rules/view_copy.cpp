// Of a view and its twin whose name ends in _copy: in a functional graph they are the same values.
#include "base/error.h"
#include "rules/families.h"
#include "trace/dispatch.h"

namespace rung::rules {
namespace {

// select_copy.int of select.int; kNoOp if there is none.
OpId copy_of(OpId view) {
  const OpSchema& schema = schema_of(view);
  const std::string overload = schema.overload() == "default" ? "" : cat('.', schema.overload());
  const OpId found = find_op(cat("aten::", schema.packet(), "_copy", overload));
  return found != kNoOp && schema_of(found).has(kViewCopy) ? found : kNoOp;
}

Argument call_copy(const Call& call) { return dispatch(copy_of(call.op), call.args); }

}  // namespace

std::optional<Rule> copy_rule(OpId op) {
  if (!schema_of(op).is_view() || schema_of(op).ns() != "aten" || copy_of(op) == kNoOp) return std::nullopt;
  return Rule{"copy for a view", call_copy};
}

}  // namespace rung::rules
