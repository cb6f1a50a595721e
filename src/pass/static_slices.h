// Slices of dimensions that were dynamic when a program was exported, and are static now.
#pragma once
#include <unordered_set>

#include "ir/graph.h"

namespace rung {

/// Indexing of a dynamic dimension records every slice; of a static one it leaves out those that take all, starts at 0
/// instead of none, and records an alias where x[:] takes all of a tensor.
class StaticSlices {
 public:
  /// `graph`: as exported, with its slices.
  explicit StaticSlices(const Graph& graph);

  enum class Form { kSlice, kNothing, kAlias };
  /// What a static export would have recorded for a slice of a tensor with these sizes. `args` in schema order; a start
  /// that is none becomes 0. Slices are asked for in the order of the graph.
  Form form_of(const Node& slice, SymInts sizes, std::span<Argument> args);

 private:
  std::unordered_set<const Node*> indexed_further_;
  std::unordered_set<const Node*> whole_;  // slices so far that together take all of a tensor
};

}  // namespace rung
