// The one call through which every typed function goes to the tracer that is at work, or computes.
#pragma once
#include "ir/argument.h"
#include "ir/current_arena.h"
#include "schema/schema.h"

namespace rung {

/// Calls an op: on the tracer of this thread, or, where none is at work, on tensors with values. `args`: all arguments
/// in schema order; they need not outlive the call, but what they point at must lie in current_arena() or live longer.
/// Returns a tensor, a kList of results, or kNone for an op without results.
Argument dispatch(OpId op, Arguments args);

}  // namespace rung
