// A program of one call, to repeat what it does.
#pragma once
#include "interp/run.h"

namespace rung::interp {

struct Repro {
  ExportedProgram program;
  NamedTensors inputs;  // by the names of its inputs
};

/// `node` calls an op, and `operands` are the values of the nodes that it names. Tensors become inputs of the program,
/// numbers constants in it; what the call gives is returned, of several results those that the node's graph uses. Fails
/// with kUnsupported for another kind of call.
Repro one_call(const Node& node, const std::vector<std::pair<const Node*, Value>>& operands, Build build);

}  // namespace rung::interp
