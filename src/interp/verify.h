// Whether a program and its lowering compute the same; and if not, where they part.
#pragma once
#include <optional>

#include "interp/run.h"
#include "pass/lower.h"

namespace rung::interp {

/// A node of the program whose result is not what its lowering makes of it, though its operands are.
struct Parting {
  const Node* source = nullptr;   // in the program
  const Node* lowered = nullptr;  // what stands for it; its origin has the chain of bodies
  Tensor expected, got;
  double distance = 0;  // interp/distance.h
  /// The bodies that lead to the wrong one, which is the last: the node's own first. Empty where the node was copied.
  std::vector<OpId> bodies;
};

struct Verification {
  ExportedProgram lowered;
  size_t outputs = 0, mutated = 0;  // how many were compared
  double distance = 0;              // the largest of them
  bool same = true;                 // within what is allowed
  std::string what;                 // the first output that differs: "out0", "mutated.running_mean"; or a failure
  /// The first in the order of the program; nothing if they are the same, or only outputs tell them apart.
  std::optional<Parting> parting;
  /// What the operands of `parting->source` are, by their nodes.
  std::vector<std::pair<const Node*, Value>> operands;
};

/// Lowers `program` by `table` and runs both on `inputs`, from the same seed. Fails as lower() and run() do.
Verification verify(const ExportedProgram& program, const DecompositionTable& table, const std::vector<Value>& inputs,
                    const RunOptions& options = {}, uint64_t seed = 0);

}  // namespace rung::interp
