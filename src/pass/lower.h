// Lowering: one walk over a program, in which every op that the table opens is replaced by what its body calls.
#pragma once
#include "ir/program.h"
#include "pass/bind_sizes.h"
#include "shape/shape_env.h"
#include "trace/table.h"

namespace rung {

struct LowerOptions {
  /// Give torch's own result even where it leaves the rung open or refuses: its refusal is then kUnsupported.
  bool like_torch = false;
  /// Dynamic sizes that are made static: the values of their symbols (resolve_bindings).
  SymbolValues sizes = {};
  /// Is given for each node of the source's graph, by its index, the node that its result became; null where that is no
  /// single node. Some of them are dropped afterwards.
  std::vector<const Node*>* made = nullptr;
};

/// What is known of a program's sizes: ranges, and the values that it was exported with.
ShapeEnv shape_env_of(const ExportedProgram& program);

/// A new program that shares payloads and documents with `program`. Linear in the nodes emitted.
ExportedProgram lower(const ExportedProgram& program, const DecompositionTable& table,
                      const LowerOptions& options = {});

}  // namespace rung
