// What became of the operators of a program: the nodes that each was lowered to, and the bodies that made them.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace rung {

enum class Fate : uint8_t {
  kSurvived,  // stands in the result as it was
  kOpened,    // other calls stand for it
  kRemoved,
};

/// A line of an expansion: a body that ran, or a node of the result that it made.
struct Step {
  size_t depth = 0;             // 0: made by the source's own body, or in the source's place
  const Frame* body = nullptr;  // one of the two
  const Node* node = nullptr;
};

/// The nodes of a lowered graph, sub-graphs included, by the node of the source program that they came from.
class Offspring {
 public:
  Offspring() = default;
  explicit Offspring(const Graph& lowered);

  /// In the order of the graph; empty where nothing is left.
  std::span<const Node* const> of(const Node& source) const;

 private:
  std::unordered_map<const Node*, std::vector<const Node*>> made_;
};

Fate fate_of(const Node& source, std::span<const Node* const> made);

/// The run of the source's own body, which made all or some of `made`; null where none ran.
const Frame* own_body(const Node& source, std::span<const Node* const> made);

/// The tree of bodies below the source's own, with the nodes they made, in order, flat.
std::vector<Step> expansion(const Node& source, std::span<const Node* const> made);

/// Why nothing is left of a call; needs Graph::count_uses of its graph.
std::string_view removal_reason(const Node& source);

/// "aten.linear", "operator.mul", "higher_order.cond": what a call calls, short.
std::string callee_text(const Node& call);

}  // namespace rung
