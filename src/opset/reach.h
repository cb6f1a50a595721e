// A table for an op set.
#pragma once
#include "opset/op_set.h"
#include "trace/table.h"

namespace rung {

/// Keeps the calls that the set accepts, and opens every other by the rules that lead into the set most cheaply; calls
/// that none leads on from stay whole (opset/search.h). The table and its copies keep what was found for the programs
/// to come; they may be used by several threads at once.
DecompositionTable table_for(const OpSet& set);

}  // namespace rung
