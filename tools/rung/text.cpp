// Formats by name.
#include "text.h"

#include <cstdio>

#include "base/error.h"
#include "export/save.h"
#include "ir/print.h"

namespace rung::tool {

std::string program_text(const ExportedProgram& program, std::string_view format) {
  std::string text = format == "code"        ? code_text(*program.graph)
                     : format == "readable"  ? readable_text(*program.graph)
                     : format == "signature" ? signature_text(program)
                     : format == "ranges"    ? range_constraints_text(program)
                                             : graph_text(*program.graph);
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    fail_input("cannot write to standard output");
}

}  // namespace rung::tool
