// The explanation of a program as one page of HTML, and as graphs for Model Explorer.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/program.h"

namespace rung {

/// A program lowered from the one that is explained.
struct PageRung {
  std::string name;                          // "core"
  const ExportedProgram* program = nullptr;  // null where there is no path
  std::string error;                         // why there is none
  /// What a set does not accept, and why.
  const std::unordered_map<const Node*, std::string>* outside = nullptr;
};

/// A page that needs nothing but a browser: the operators of `source` by module, what each became on every rung, and
/// how often each operator is called on each. `title` names the program; `asked` is the index of the rung that was
/// asked for.
std::string explain_page(const ExportedProgram& source, std::string_view title, std::span<const PageRung> rungs,
                         size_t asked);

/// Two graphs in the JSON of Google's Model Explorer, the program and the lowered one: nodes by module, and in the
/// second one below the source's node by the bodies that made them. `rung` is lowered.
std::string model_explorer_json(const ExportedProgram& source, std::string_view title, const PageRung& rung);

}  // namespace rung
