// The rules that every pass keeps. A broken one is a bug in rung, never in what a user wrote.
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/fit.h"

namespace rung {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  void run() {
    const Node* previous = nullptr;
    size_t count = 0;
    for (const Node* node : graph_) {
      RUNG_CHECK(node->previous == previous, place(*node), "the links of the node list are broken");
      check_order(*node);
      check_name(*node);
      for_each_operand(*node, [&](const Node* operand) { check_operand(*node, operand); });
      check_call(*node);
      for (const Graph* inner : subgraphs_once(*node)) Verifier(*inner).run();
      defined_.insert(node);
      previous = node;
      ++count;
    }
    RUNG_CHECK(previous == graph_.last, "the graph's last node is not the end of its list");
    RUNG_CHECK(count == graph_.size, "the graph counts ", graph_.size, " nodes, but has ", count);
    RUNG_CHECK(graph_.output() != nullptr, "the graph has no output node at its end");
  }

 private:
  static std::string place(const Node& node) { return cat("node '", node.name, "': "); }

  void check_order(const Node& node) {
    if (node.kind == NodeKind::kPlaceholder)
      RUNG_CHECK(!past_inputs_, place(node), "a placeholder after other nodes");
    else
      past_inputs_ = true;
    if (node.kind == NodeKind::kOutput) RUNG_CHECK(node.next == nullptr, place(node), "nodes after the output");
  }

  void check_name(const Node& node) {
    RUNG_CHECK(!node.name.empty() || node.kind == NodeKind::kOutput, "a node without a name: ", target_name(node));
    RUNG_CHECK(node.name.empty() || names_.insert(node.name).second, "two nodes are called '", node.name, "'");
  }

  void check_operand(const Node& user, const Node* operand) {
    RUNG_CHECK(operand != nullptr, place(user), "an operand is missing");
    RUNG_CHECK(defined_.contains(operand), place(user), "uses '", operand->name, "', which is not defined before it");
  }

  void check_call(const Node& node) {
    RUNG_CHECK((node.kind == NodeKind::kCall) == (node.callee != Callee::kNotACall), place(node),
               "kind and callee disagree");
    if (node.callee == Callee::kOp) {
      RUNG_CHECK(node.op < all_ops().size(), place(node), "no such op: ", node.op);
      auto problem = misfit(node, Build::k2_13);
      // A file of torch 2.2 may use what 2.13 has changed.
      if (problem && !schema_of(node.op).has(kOwnArguments, Build::k2_2)) RUNG_CHECK(false, place(node), *problem);
    }
    if (node.callee != Callee::kGetItem) return;
    bool good = node.args.size() == 2 && node.args[0].kind == Argument::Kind::kNode &&
                node.args[1].kind == Argument::Kind::kInt;
    RUNG_CHECK(good, place(node), "getitem takes a node and an index");
    const ValueMeta& source = node.args[0].node->meta;
    if (source.kind != ValueMeta::Kind::kList) return;
    bool in_range = node.args[1].integer >= 0 && static_cast<size_t>(node.args[1].integer) < source.list->size();
    RUNG_CHECK(in_range, place(node), "takes result ", node.args[1].integer, " of ", source.list->size());
  }

  // A get_attr and its user both hold the graph; it is checked where it enters.
  static std::vector<Graph*> subgraphs_once(const Node& node) {
    return node.kind == NodeKind::kGetAttr ? subgraphs(node) : std::vector<Graph*>();
  }

  const Graph& graph_;
  bool past_inputs_ = false;
  std::unordered_set<const Node*> defined_;
  std::unordered_set<std::string_view> names_;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace rung
