// One walk: an expression is computed by the first node that stands for it.
#include "pass/settle_sizes.h"

#include <algorithm>
#include <array>
#include <compare>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "schema/gen/op_ids.h"
#include "shape/rebuild.h"
#include "shape/shape_env.h"
#include "trace/tracer.h"

namespace rung {
namespace {

// sympy sorts the operands that it keeps by class, then by content; classes that it does not know come last.
int class_rank(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kInteger: return expr->integer == 0 ? 0 : expr->integer == 1 ? 1 : expr->integer == -1 ? 5 : 7;
    case ExprKind::kRational: return 8;
    case ExprKind::kFloat: return 9;
    case ExprKind::kSymbol: return 13;
    case ExprKind::kPow: return 16;
    case ExprKind::kMul: return 17;
    case ExprKind::kAdd: return 18;
    default: return 100;
  }
}

int compare(const Expr* a, const Expr* b) {
  if (a == b) return 0;
  if (int order = class_rank(a) - class_rank(b); order != 0) return order;
  if (int order = a->name.compare(b->name); order != 0) return order;
  if (a->args.size() != b->args.size()) return a->args.size() < b->args.size() ? -1 : 1;
  for (size_t i = 0; i < a->args.size(); ++i)
    if (int order = compare(a->args[i], b->args[i]); order != 0) return order;
  if (a->integer != b->integer) return a->integer < b->integer ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number ? 1 : 0;
}

// The operands of a sum or product in the order in which sympy keeps (and not prints) them.
std::vector<const Expr*> kept_order(const Expr* expr) {
  std::vector<const Expr*> args(expr->args.begin(), expr->args.end());
  bool sorted = expr->kind == ExprKind::kAdd || expr->kind == ExprKind::kMul;
  if (sorted)
    std::stable_sort(args.begin(), args.end(), [](const Expr* a, const Expr* b) {
      if (a->is_number() != b->is_number()) return a->is_number();
      return compare(a, b) < 0;
    });
  return args;
}

const Expr* value_of(const Node& node) {
  switch (node.meta.kind) {
    case ValueMeta::Kind::kSymInt: return node.meta.number.is_symbolic() ? node.meta.number.expr() : nullptr;
    case ValueMeta::Kind::kSymFloat:
    case ValueMeta::Kind::kSymBool:
      return node.meta.expr->is_number() || node.meta.expr->kind == ExprKind::kConstant ? nullptr : node.meta.expr;
    default: return nullptr;
  }
}

// What torch.fx calls a node that a pass makes: by the overload.
std::string_view name_of_read(OpId op) {
  switch (op) {
    case op::aten_sym_size_int: return "sym_size_int";
    case op::aten_sym_stride_int: return "sym_stride_int";
    default: return "sym_storage_offset_default";
  }
}

class Settling {
 public:
  Settling(Graph& graph, Names& names) : graph_(graph), names_(names) {
    for (const Expr* condition : current_shape_env().asserts()) waiting_.push_back(condition);
  }

  // Uses are counted on the way: a large graph does not fit into the caches, and each walk over it costs.
  void run() {
    uint32_t index = 0;
    for (Node* node : graph_) {
      node->index = index++;
      node->uses = 0;
    }
    replacements_.resize(graph_.size);
    Node* first = first_call();
    read_inputs(first);
    for (Node* node = first; node != nullptr;) {
      Node* next = node->next;
      if (settle(*node)) count_operands(*node);
      node = next;
    }
    for (Node* node : made_) count_operands(*node);
    for (Node* read : reads_)
      if (read->uses == 0)
        graph_.erase(read);
      else
        count_operands(*read);
  }

 private:
  static constexpr uint32_t kMadeHere = UINT32_MAX;  // index of a node that nothing replaces

  static void count_operands(const Node& node) {
    for_each_operand(node, [](Node* operand) { ++operand->uses; });
  }

  Node* first_call() const {
    Node* node = graph_.first;
    while (node != nullptr && node->kind == NodeKind::kPlaceholder) node = node->next;
    return node;
  }

  // The first input that has a symbol as one of its sizes tells its value.
  void read_inputs(Node* place) {
    for (Node* input = graph_.first; input != nullptr && input->kind == NodeKind::kPlaceholder; input = input->next) {
      if (const Expr* value = value_of(*input)) by_value_.emplace(value, input);
      const TensorMeta* tensor = input->tensor();
      if (tensor == nullptr) continue;
      for (size_t i = 0; i < tensor->rank(); ++i) read(*input, op::aten_sym_size_int, i, tensor->sizes[i], place);
      for (size_t i = 0; i < tensor->rank(); ++i) read(*input, op::aten_sym_stride_int, i, tensor->strides[i], place);
    }
  }

  // Whether a node was made.
  bool read(Node& tensor, OpId op, size_t dim, SymInt size, Node* place) {
    bool is_symbol = size.is_symbolic() && size.expr()->kind == ExprKind::kSymbol;
    if (!is_symbol || by_value_.contains(size.expr())) return false;
    Node* node = insert(place, Callee::kOp, name_of_read(op), tensor);
    node->op = op;
    const Argument args[] = {Argument::of(&tensor), Argument::of(static_cast<int64_t>(dim))};
    bool takes_dim = op != op::aten_sym_storage_offset;
    node->args = graph_.arena->copy(std::span<const Argument>(args).first(takes_dim ? 2 : 1));
    node->meta = number_meta(size.expr());
    by_value_[size.expr()] = node;
    reads_.push_back(node);
    return true;
  }

  // A tensor whose sizes depend on data: they are read after it, and what is known of them is asserted.
  void bind_symbols(Node& node) {
    std::vector<const Expr*> bound;
    if (const Expr* value = value_of(node); value != nullptr && value->kind == ExprKind::kSymbol)
      bound.push_back(value);
    if (const TensorMeta* tensor = node.tensor()) {
      Node* after = node.next;
      auto note = [&](OpId op, size_t dim, SymInt size) {
        if (read(node, op, dim, size, after)) bound.push_back(size.expr());
      };
      for (size_t i = 0; i < tensor->rank(); ++i) note(op::aten_sym_size_int, i, tensor->sizes[i]);
      for (size_t i = 0; i < tensor->rank(); ++i) note(op::aten_sym_stride_int, i, tensor->strides[i]);
      note(op::aten_sym_storage_offset, 0, tensor->storage_offset);
    }
    if (bound.empty()) return;
    Node* place = node.next;
    while (place->index == kMadeHere) place = place->next;
    unsettled_.insert(bound.begin(), bound.end());
    for (const Expr* symbol : bound) {
      unsettled_.erase(symbol);
      assert_bounds(symbol, node, place);
      assert_what_waits(node, place);
    }
  }

  void assert_bounds(const Expr* symbol, const Node& source, Node* place) {
    constexpr int64_t kUnbounded = 9223372036854775806;
    ValueRange range = current_shape_env().range(symbol);
    bool is_float = number_meta(symbol).kind == ValueMeta::Kind::kSymFloat;
    if (is_float) return;
    bounded_.insert(symbol);
    if (range.min) add_assert(rung::apply(SymOp::kGe, std::array{symbol, make_integer(*range.min)}), source, place);
    if (range.max && *range.max < kUnbounded)
      add_assert(rung::apply(SymOp::kLe, std::array{symbol, make_integer(*range.max)}), source, place);
  }

  // Conditions are asserted as soon as all of their symbols are known, with the bounds of the last one.
  void assert_what_waits(const Node& source, Node* place) {
    std::vector<const Expr*> still;
    for (const Expr* condition : waiting_) {
      if (!all_known(condition))
        still.push_back(condition);
      else if (!is_bound_of_symbol(condition))
        add_assert(condition, source, place);
    }
    waiting_ = std::move(still);
  }

  bool all_known(const Expr* expr) const {
    if (expr->kind == ExprKind::kSymbol) return by_value_.contains(expr) && !unsettled_.contains(expr);
    return std::ranges::all_of(expr->args, [&](const Expr* arg) { return all_known(arg); });
  }

  bool is_bound_of_symbol(const Expr* condition) const {
    return condition->kind == ExprKind::kRelation &&
           (condition->name == "LessThan" || condition->name == "GreaterThan") &&
           condition->args[1]->kind == ExprKind::kInteger && bounded_.contains(condition->args[0]);
  }

  void add_assert(const Expr* condition, const Node& source, Node* place) {
    if (!asserted_.insert(condition).second) return;
    source_ = &source;
    Argument holds = compute(condition, place);
    Node* node = insert(place, Callee::kOp, "_assert_scalar_default", source);
    node->op = op::aten__assert_scalar;
    std::string text =
        cat("Runtime assertion failed for expression ", str(condition), " on node '", holds.node->name, "'");
    const Argument args[] = {holds, Argument::string(graph_.arena->copy(std::string_view(text)))};
    node->args = graph_.arena->copy(std::span<const Argument>(args));
    made_.push_back(node);
  }

  // An assert of the program itself, which is already there.
  bool is_repeated_assert(const Node& node) {
    if (!node.is_call(Callee::kOp) || node.op != op::aten__assert_scalar) return false;
    const Argument& condition = node.args[0];
    if (condition.kind == Argument::Kind::kBool) return condition.boolean;
    const Expr* value = condition.kind == Argument::Kind::kNode ? value_of(*condition.node) : nullptr;
    return value != nullptr && !asserted_.insert(value).second;
  }

  Node* insert(Node* place, Callee callee, std::string_view name, const Node& source) {
    Node* node = graph_.insert_before(place, NodeKind::kCall, names_.create(name));
    node->callee = callee;
    node->index = kMadeHere;
    node->metadata = source.metadata;
    node->origin = source.origin;
    return node;
  }

  // A sub-graph reads symbols from its own inputs.
  void settle_subgraphs(const Node& node) {
    for (const Argument& argument : node.args) {
      if (argument.kind != Argument::Kind::kGraph) continue;
      Names names(*graph_.arena);
      for (const Node* inner : *argument.graph) names.create(inner->name);
      settle_sizes(*argument.graph, names);
    }
  }

  // Whether the node stays.
  bool settle(Node& node) {
    settle_subgraphs(node);
    replace_operands(node, *graph_.arena, [&](Node* operand) {
      bool replaced = operand->index != kMadeHere && replacements_[operand->index] != nullptr;
      return replaced ? replacements_[operand->index] : operand;
    });
    if (is_repeated_assert(node)) {
      graph_.erase(&node);
      return false;
    }
    const Expr* value = value_of(node);
    if (value == nullptr) {
      bind_symbols(node);
      return true;
    }
    bool is_intermediate = node.target == kIntermediateSize;
    auto known = by_value_.find(value);
    if (known == by_value_.end() && !is_intermediate) {
      by_value_[value] = &node;
      bind_symbols(node);
      return true;
    }
    source_ = &node;
    replacements_[node.index] = known != by_value_.end() ? known->second : compute(value, &node).node;
    graph_.erase(&node);
    return false;
  }

  // As nodes before `place`; a number stays one.
  Argument compute(const Expr* value, Node* place) {
    if (value->kind == ExprKind::kInteger) return Argument::of(value->integer);
    if (value->kind == ExprKind::kFloat) return Argument::of(value->number);
    if (value->kind == ExprKind::kConstant) return Argument::of(value->name == "true");
    if (auto known = by_value_.find(value); known != by_value_.end()) return Argument::of(known->second);
    if (value->kind == ExprKind::kSymbol)
      fail_input("the symbolic size '", value->name, "' is bound by no input of the program");
    SymOp op = operation_of(value);
    std::vector<Argument> operands;
    for (const Expr* arg : kept_order(value)) operands.push_back(compute(arg, place));
    size_t taken = static_cast<size_t>(operand_count(op));
    Argument result = Argument::of(operation(op, std::span(operands).first(std::min(taken, operands.size())), place));
    for (size_t i = taken; i < operands.size(); ++i) {
      const Argument pair[] = {result, operands[i]};
      result = Argument::of(operation(op, pair, place));
    }
    result.node->meta = number_meta(value);
    by_value_[value] = result.node;
    return result;
  }

  Node* operation(SymOp op, std::span<const Argument> operands, Node* place) {
    std::string_view target = target_of(op);
    Node* node = insert(place, Callee::kPython, target.substr(target.rfind('.') + 1), *source_);
    node->target = target;
    node->args = graph_.arena->copy(operands);
    made_.push_back(node);
    std::vector<const Expr*> values;
    for (const Argument& operand : operands)
      values.push_back(operand.kind == Argument::Kind::kNode    ? value_of(*operand.node)
                       : operand.kind == Argument::Kind::kFloat ? make_float(operand.number)
                                                                : make_integer(operand.integer));
    node->meta = number_meta(rung::apply(op, values));
    return node;
  }

  Graph& graph_;
  Names& names_;
  std::unordered_map<const Expr*, Node*> by_value_;
  std::vector<Node*> replacements_;   // by index
  std::vector<Node*> reads_;          // of symbols from tensors
  std::vector<Node*> made_;           // asserts and arithmetic
  const Node* source_ = nullptr;      // whose place a computation takes
  std::vector<const Expr*> waiting_;  // conditions to assert
  std::unordered_set<const Expr*> asserted_, bounded_;
  std::unordered_set<const Expr*> unsettled_;  // read just now, with bounds that are still to be asserted
};

}  // namespace

void settle_sizes(Graph& graph, Names& names) { Settling(graph, names).run(); }

}  // namespace rung
