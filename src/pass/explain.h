// What became of each operator of a program on its way to a rung.
#pragma once
#include <string>

#include "ir/program.h"

namespace rung {

struct ExplainFilter {
  OpId op = kNoOp;          // only nodes that call this overload
  std::string_view packet;  // or any overload of this packet: "aten::add"
  std::string_view node;    // only the node of this name
};

/// One paragraph a call of `source`: survived, opened (every node it became, with its type and the chain of bodies
/// that made it), or removed; then the totals. `lowered` must come from `source`.
std::string explain(const ExportedProgram& source, const ExportedProgram& lowered, const ExplainFilter& filter = {});

}  // namespace rung
