// The tracer: every op that a body calls on Tensor handles comes here, and becomes a node, or the nodes of its own body.
#pragma once
#include <vector>

#include "ir/graph.h"
#include "ir/op_def.h"
#include "trace/names.h"
#include "trace/table.h"

namespace rung {

struct FunctionalStorage;

/// Appends nodes to one graph. Two levels, as in torch: above, views and writes are followed and made functional, and
/// CompositeImplicit ops are opened; below, the table's decompositions run on plain tensors.
class Tracer {
 public:
  Tracer(Graph& graph, const DecompositionTable& table);

  /// Calls an op. `args`: all arguments in schema order, as many as the schema has; nothing is left out.
  /// Returns a tensor, a kList of results, or kNone for an op without results.
  Argument call(OpId op, Arguments args);

  /// A placeholder whose value is a tensor; above the functional level it is wrapped.
  Node* placeholder(std::string_view name, ValueMeta meta);
  /// The value that `argument` has now: views of what was written to are made anew, wrappers taken off.
  Argument plain(const Argument& argument);

  Graph& graph() { return graph_; }
  Arena& arena() { return *graph_.arena; }
  const DecompositionTable& table() const { return table_; }

 private:
  Graph& graph_;
  const DecompositionTable& table_;
  Names names_;
};

}  // namespace rung
