// What a user may have meant by the name of an op that does not exist.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace rung {

/// "aten.silu", "aten.add.Tensor": as short as a user may spell it.
std::string short_name(OpId op);

/// Ops whose names are nearest to `text` by letters to add or drop, the likeliest first; none if nothing is
/// near.
std::vector<OpId> nearest_ops(std::string_view text, size_t limit);
/// The same, but only of the ops of `among`.
std::vector<OpId> nearest_ops(std::string_view text, size_t limit, std::span<const OpId> among);

/// The op whose name is nearest to that of `op` among those for which `is_meant` holds, however far it is; kNoOp if
/// there is none.
OpId nearest_op(OpId op, const std::function<bool(OpId)>& is_meant);

/// "unknown op 'aten.slu': did you mean aten.silu?"
std::string unknown_op_message(std::string_view text);

/// As find_op_spelling, but fails with kInput and unknown_op_message().
OpId op_of_spelling(std::string_view text);

}  // namespace rung
