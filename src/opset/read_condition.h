// Conditions of an op set's file.
#pragma once
#include <span>

#include "base/json.h"
#include "opset/op_set.h"

namespace rung {

/// Every member of `entry` but "op". `ops`: those that the entry is about. Fails with kInput, the place in the entry
/// first: an unknown condition, a wrong type, what nothing can meet, what an op has no argument for, and conditions
/// that contradict each other.
Condition read_condition(json::Value entry, std::span<const OpId> ops);

}  // namespace rung
