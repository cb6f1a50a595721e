// Where a node comes from, as people say it: the line of the user's code, the module, the bodies that made it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace rung {

/// A line of a stack trace as Python prints it: `File "model.py", line 10, in forward`.
struct StackFrame {
  std::string_view file, line, function;
};
/// Nothing for a line of another kind. White space around it is the caller's.
std::optional<StackFrame> stack_frame(std::string_view line);

/// A place in code, and what stands there; the code is empty where the trace does not have it.
struct SourceLine {
  StackFrame frame;
  std::string_view code;
};
/// The innermost place in a node's stack trace that is not torch's own; where all are torch's, the innermost.
std::optional<SourceLine> source_line(const Node& node);

/// "layers.0.fc" and "Linear". The path of the program itself is empty.
struct ModuleName {
  std::string_view path, type;
};
/// The innermost module of a node's module stack.
std::optional<ModuleName> innermost_module(const Node& node);

/// What a call node calls, as short as a user may spell it: "aten.add.Tensor"; other callees as FX prints them.
std::string callee_text(const Node& node);

/// "aten.linear > aten.t": a chain of bodies, the outermost first.
std::string chain_text(const Frame* chain);
/// "aten.linear (decomposition) > aten.t (decomposition)"
std::string chain_text_with_rules(const Frame* chain);

}  // namespace rung
