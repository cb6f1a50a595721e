// The graph of a program, node for node as torch.fx has it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/json.h"
#include "ir/argument.h"
#include "ir/tensor_meta.h"
#include "schema/schema.h"

namespace rung {

struct Origin;

/// What a call node calls.
enum class Callee : uint8_t {
  kNotACall,
  kOp,           // an overload of aten or prims: Node::op
  kGetItem,      // operator.getitem(tuple, index)
  kPython,       // a function of Python on numbers: Node::target is "_operator.mul", "math.trunc", "torch.sym_max"
  kHigherOrder,  // Node::target is "cond", "while_loop", ...
  kCustom,       // an operator of another namespace: Node::target is "transformers::grouped_mm_fallback.default"
};

/// A kGetAttr that stands for a sub-graph holds it as its only argument (kGraph); FX does not print it.
/// The arguments of kOutput are what the graph returns, one each (FX wraps them in a tuple).
enum class NodeKind : uint8_t { kPlaceholder, kGetAttr, kCall, kOutput };

/// One line of an FX graph. Lies in the program's arena.
struct Node {
  NodeKind kind = NodeKind::kCall;
  Callee callee = Callee::kNotACall;
  OpId op = kNoOp;
  /// How often other nodes name this one: kept by set_arguments() while a graph is made, else as of count_uses().
  uint32_t uses = 0;
  /// Position in the graph as it was appended, or as of the last Graph::renumber(); scratch of the pass that runs.
  uint32_t index = 0;
  std::string_view name;
  std::string_view target;  // placeholder: its name when traced; get_attr: the attribute's path; calls: see Callee
  std::span<const Argument> args;
  std::span<const NamedArgument> kwargs;
  ValueMeta meta;
  /// The "metadata" object of a .pt2 (stack_trace, nn_module_stack, ...): kept as read.
  json::Value metadata;
  /// Where a lowered node came from; null in a program as read.
  const Origin* origin = nullptr;
  /// Copies share this with their source: what the reader kept for the writer beside the fields above.
  const void* file_facts = nullptr;
  Node* previous = nullptr;
  Node* next = nullptr;

  bool is_call(Callee wanted) const { return kind == NodeKind::kCall && callee == wanted; }
  const TensorMeta* tensor() const { return meta.as_tensor(); }
};

/// A rule that was applied on the way from a source node to a lowered one.
struct Frame {
  OpId op;                // the op whose body ran
  std::string_view rule;  // "decomposition", "composite", ...
  const Frame* outer;     // the body that called this one; null for the source's own
};

/// Source node (of the program that was lowered), then the chain of bodies, innermost first.
struct Origin {
  const Node* source = nullptr;
  const Frame* chain = nullptr;
};

/// Calls `visit(Node*)` for every operand of `node`, with repeats, args before kwargs.
template <typename Visit>
void for_each_operand(const Node& node, Visit&& visit) {
  for (const Argument& argument : node.args) for_each_node(argument, visit);
  for (const NamedArgument& argument : node.kwargs) for_each_node(argument.value, visit);
}

/// Gives a new node its arguments, and counts the uses of its operands.
void set_arguments(Node& node, Arguments args, std::span<const NamedArgument> kwargs = {});

/// Puts `replacement(operand)` in place of every operand, where that is another node.
void replace_operands(Node& node, Arena& arena, const std::function<Node*(Node*)>& replacement);

/// Nodes in order: placeholders first, the output last. Nodes live in `arena`, which outlives the graph.
struct Graph {
  explicit Graph(Arena& where) : arena(&where) {}

  Arena* arena;
  Node* first = nullptr;
  Node* last = nullptr;
  size_t size = 0;
  /// Sub-graphs print as nested modules under this name ("true_graph_0"); empty for the root.
  std::string_view name;
  /// A sub-graph that returns one bare value and not a tuple (the condition of while_loop).
  bool is_single_tensor_return = false;
  /// What a .pt2 said of the graph beside its nodes; null in a program that was traced.
  const void* file_facts = nullptr;
  /// Room for nodes to come: they lie side by side, since every pass walks over them.
  std::span<Node> room;

  Node* new_node(NodeKind kind, std::string_view name);
  /// A new node at the end.
  Node* append(NodeKind kind, std::string_view name);
  /// A new node before `place`.
  Node* insert_before(Node* place, NodeKind kind, std::string_view name);
  /// Takes the node out; its memory stays.
  void erase(Node* node);
  /// The output node; null while a graph is being built.
  Node* output() const { return last != nullptr && last->kind == NodeKind::kOutput ? last : nullptr; }
  /// Sets Node::uses of every node, in sub-graphs too.
  void count_uses();
  /// Sets Node::index to 0, 1, 2, ...
  void renumber();

  struct Iterator {
    Node* node;
    Node* operator*() const { return node; }
    Iterator& operator++() {
      node = node->next;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {first}; }
  Iterator end() const { return {nullptr}; }
};

/// "torch.ops.aten.add.Tensor", "operator.getitem", "torch.ops.higher_order.cond": a call's target as FX prints it.
std::string target_name(const Node& node);

/// The sub-graphs that the arguments of `node` hold, itself or through get_attr nodes, in order.
std::vector<Graph*> subgraphs(const Node& node);

/// Throws kInternal when the graph breaks a rule of the IR: placeholders first and output last, every operand defined
/// before its use and in this graph, names present and unique, arguments that fit the schema.
void verify(const Graph& graph);

}  // namespace rung
