// What became of each operator of a program on its way to a rung, as text.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/program.h"

namespace rung {

/// One overload, or all of a packet; any op if neither is said.
struct OpChoice {
  OpId op = kNoOp;
  std::string_view packet;  // "aten::add"

  bool is_any() const { return op == kNoOp && packet.empty(); }
  bool holds(OpId other) const;
};

struct ExplainOptions {
  /// Only what has to do with these. Where the program does not call them: what calls them in the result, else what
  /// called them on the way; else the text says that nobody did, and which ops of the program have a like name.
  OpChoice op = {};
  /// Only the node of this name.
  std::string_view node = {};
  /// What is to be said beside a node of the result: why a set does not accept it.
  const std::unordered_map<const Node*, std::string>* remarks = nullptr;
};

/// A trace: a line a call of `source` with its type and its fate (survived, opened by which body, removed and why),
/// where it was recorded, and below an opened call its expansion: bodies inside of bodies, and what they left in the
/// result. Then an answer by name about `options.op`, and the totals. `lowered` must come from `source`.
std::string explain(const ExportedProgram& source, const ExportedProgram& lowered, const ExplainOptions& options = {});

/// Where a node was recorded: "fc (torch.nn.modules.linear.Linear), model.py:10 in forward: return self.fc(x)"; empty
/// if nothing is known.
std::string place_text(const Node& node);

/// The arguments of a call as Python writes them: "(x, 1, alpha=2)".
std::string arguments_text(const Node& call);

}  // namespace rung
