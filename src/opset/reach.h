// A table for an op set, and what it does not reach.
#pragma once
#include "opset/op_set.h"
#include "trace/table.h"

namespace rung {

/// Keeps the calls that the set accepts, and opens every other by the rules that lead into the set most cheaply; calls
/// that none leads on from stay whole (opset/search.h).
DecompositionTable table_for(const OpSet& set);

/// A lowered program's violations as text for people, one paragraph each: the node and its op, what the set lacks, the
/// node of the source program and the line of the user's code, the chain of bodies, and accepted ops of the same
/// packet.
std::string violations_text(const std::vector<Violation>& violations, const OpSet& set);

}  // namespace rung
