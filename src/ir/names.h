// Names of nodes, as torch.fx gives them.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/arena.h"
#include "schema/schema.h"

namespace rung {

/// The namespace of one graph. The last number given to a base name is remembered, so a name is never given twice,
/// and nodes that die later leave gaps.
class Names {
 public:
  explicit Names(Arena& arena) : arena_(arena) {}

  /// `candidate` if it is free, else its base with the next free number. The text lies in the arena.
  std::string_view create(std::string_view candidate);

 private:
  Arena& arena_;
  std::unordered_set<std::string_view> used_;
  std::unordered_map<std::string_view, int64_t> last_number_;
};

/// The name that torch would like for a node of `op`: its packet in snake case, without the underscores of a dunder.
std::string_view op_base_name(OpId op);

}  // namespace rung
