// A program as text, in the formats of --format.
#pragma once
#include <string>
#include <string_view>

#include "ir/program.h"

namespace rung::tool {

/// graph, code, readable, signature, ranges (of the symbols of dynamic sizes) or json; ends in a newline.
std::string program_text(const ExportedProgram& program, std::string_view format);

/// All of `text` to stdout; fails with kInput if it cannot be written.
void print(std::string_view text);

}  // namespace rung::tool
