// Why a program does not fit an op set, for people.
#pragma once
#include <string>
#include <vector>

#include "ir/program.h"
#include "opset/op_set.h"

namespace rung {

/// A lowered program's violations as text. Calls that fail for the same reason, and came from the same op by the same
/// bodies, are one paragraph: the op and the reason; each call with its type, the node of the source program, its
/// module and the line of the user's code; the bodies that led to the op, and what each of its own rules would need;
/// the nearest op that the set accepts; the rungs on which the source's op is still one node. Without an end of line.
std::string violations_text(const std::vector<Violation>& violations, const ExportedProgram& lowered, const OpSet& set);

/// Holds every call of a lowered program against the set. Fails with kUnsupported, with violations_text(), where one is
/// outside.
void check_reached(const ExportedProgram& lowered, const OpSet& set);

}  // namespace rung
