// The modes that are on, for the tracer.
#pragma once
#include "schema/schema.h"
#include "trace/mode.h"

namespace rung {

/// The innermost mode that is on; null if there is none.
Mode* innermost_mode();

/// Calls the innermost mode, which is off meanwhile.
Argument call_mode(OpId op, Arguments args);

}  // namespace rung
