// The "from_node" metadata of nodes that a lowering made: torch's record of where a node came from, with rung's bodies
// in it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/graph.h"

namespace rung {

/// What torch's run_decompositions() writes for a node is two entries, one in the other: the source's node in the
/// module that was traced, and in the exported program; in them lies what the source's own from_node says. Between the
/// two rung puts an entry for each body, the innermost first, with the body's op as target and a pass name such as
///
///     rung: decomposition of aten.linear
///
/// Without the entries whose pass name begins with "rung: " it is torch's record. Where torch has addresses of graphs,
/// rung has numbers that depend on the graph's names and on what was before it: they are the same in each run.
class FromNodes {
 public:
  /// The metadata's text as a string of JSON, with its quotes; empty for a node without a source. Valid until the next
  /// call. Fails with kInput where the source's from_node is no list of JSON.
  std::string_view quoted(const Node& node);

 private:
  void append_steps(const Origin& origin);
  void append_step(std::string_view name, std::string_view target, uint32_t graph_id, std::string_view pass);
  uint32_t graph_id(const Node& source);

  const Origin* latest_ = nullptr;  // neighbours often share their origin
  std::string quoted_;
  std::string text_;
  size_t open_ = 0;  // entries that are not closed yet
  std::unordered_map<const Node*, uint32_t> graph_ids_;
};

}  // namespace rung
