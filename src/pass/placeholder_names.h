// The names that a lowered program's placeholders get, and the renaming of calls that would collide with them.
#pragma once
#include "ir/program.h"

namespace rung {

/// Gives each placeholder the name in `names` (parallel to program.inputs), in torch's order: user inputs first, then
/// the others; every other node whose name is then taken moves to the next free number of its base.
void rename_placeholders(ExportedProgram& program, std::span<const std::string_view> names);

}  // namespace rung
