// Names of nodes, as torch.fx gives them.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

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
  /// Whether create() has returned `name`.
  bool is_given(std::string_view name) const;

 private:
  // The names of one base: base, base_0, base_1, ... by position. A program has few bases and many names, so that a
  // set of all names would be the slowest part of a trace.
  struct Base {
    int64_t last_number = 0;
    std::vector<bool> used;
    std::unordered_set<size_t> used_far;  // positions far beyond the others

    bool is_used(int64_t number) const;
    void use(int64_t number);
  };

  Arena& arena_;
  std::unordered_map<std::string_view, Base> bases_;
};

/// The name that torch would like for a node of `op`: its packet in snake case, without the underscores of a dunder.
std::string_view op_base_name(OpId op);

}  // namespace rung
