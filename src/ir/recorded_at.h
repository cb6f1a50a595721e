// Where a node of a program was recorded: lines of the user's code, and modules.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace rung {

/// A frame of a stack trace: `File "model.py", line 10, in forward`, and the line of code below it.
struct SourceLine {
  std::string_view file, line, function, code;

  /// "model.py:10 in forward"
  std::string place() const;
};

/// Takes the innermost frame off the end of `stack_trace`; nothing if it has none left.
std::optional<SourceLine> take_source_line(std::string_view& stack_trace);

/// The stack trace in a node's metadata; empty if there is none.
std::string_view stack_trace_of(json::Value metadata);

/// The innermost line outside of torch itself, else the innermost; nothing if none was recorded.
std::optional<SourceLine> source_line(const Node& node);

/// A call of a module: "layers.0.fc" of class "torch.nn.modules.linear.Linear". The program itself has an empty path.
struct ModuleCall {
  std::string_view path, type;
};

/// The modules that were at work when the node was recorded, outermost first; none if that was not recorded.
std::vector<ModuleCall> module_stack(const Node& node);

}  // namespace rung
