// One case a callee.
#include "pass/interpret.h"

#include <algorithm>

#include "base/error.h"
#include "ir/bind.h"
#include "meta/layout.h"
#include "meta/view.h"
#include "schema/gen/op_ids.h"
#include "shape/arithmetic.h"
#include "shape/expr.h"
#include "shape/shape_env.h"
#include "trace/functional.h"

namespace rung {

Interpreter::Interpreter(Tracer& tracer, const Graph& graph, const InterpretOptions& options)
    : tracer_(tracer), graph_(graph), options_(options), values_(graph.size) {
  if (options.sizes_were_bound) slices_.emplace(graph);
  if (tracer.has_choice()) find_only_results();
}

void Interpreter::find_only_results() {
  constexpr int kUnseen = -2, kSeveral = -1;
  only_results_.assign(graph_.size, kUnseen);
  for (const Node* node : graph_) {
    const bool is_item = node->is_call(Callee::kGetItem);
    for_each_operand(*node, [&](const Node* operand) {
      int& only = only_results_[operand->index];
      const int used = is_item ? static_cast<int>(node->args[1].integer) : kSeveral;
      only = only == kUnseen || only == used ? used : kSeveral;
    });
  }
}

void Interpreter::run() {
  for (Node* node : graph_) {
    if (node->kind != NodeKind::kCall) continue;
    try {
      run_node(*node);
    } catch (const Error& error) {
      throw error.at(cat("node ", node->index, " '", node->name, "' (", target_name(*node), ")"));
    }
  }
}

Argument Interpreter::value(const Argument& argument) {
  using Kind = Argument::Kind;
  switch (argument.kind) {
    case Kind::kNode: {
      Argument& held = values_[argument.node->index];
      bool is_untracked_input = held.kind == Kind::kNode && held.node->meta.kind == ValueMeta::Kind::kTensor;
      if (is_untracked_input) held = tracer_.track(held.node);
      return held;
    }
    case Kind::kList: {
      auto is_constant = [](const Argument& item) { return item.kind != Kind::kNode && item.kind != Kind::kList; };
      if (std::ranges::all_of(argument.list_items(), is_constant)) return argument;
      std::span<Argument> items = tracer_.arena().array<Argument>(argument.size);
      for (size_t i = 0; i < items.size(); ++i) items[i] = value(argument.items[i]);
      return Argument::list(items);
    }
    default: return argument;
  }
}

void Interpreter::note_made(const Node& node, const Argument& result) {
  options_.made->resize(std::max<size_t>(options_.made->size(), node.index + 1));
  (*options_.made)[node.index] = result.kind == Argument::Kind::kNode         ? result.node
                                 : result.kind == Argument::Kind::kFunctional ? result.functional->value
                                                                              : nullptr;
}

void Interpreter::run_node(const Node& node) {
  tracer_.set_source(&node, only_result(node));
  symbols_.expect(node.meta);
  switch (node.callee) {
    case Callee::kOp: return set(&node, call_op(node));
    case Callee::kGetItem: {
      Argument tuple = value(node.args[0]);
      int64_t index = node.args[1].integer;
      if (tuple.kind != Argument::Kind::kList || index < 0 || index >= tuple.size)
        fail_input("takes result ", index, " of a node that has ",
                   tuple.kind == Argument::Kind::kList ? tuple.size : 1);
      return set(&node, tuple.items[index]);
    }
    case Callee::kHigherOrder: return set(&node, call_higher_order(node));
    case Callee::kCustom: {
      std::vector<Argument> args;
      std::vector<NamedArgument> kwargs;
      for (const Argument& argument : node.args) args.push_back(value(argument));
      for (const NamedArgument& argument : node.kwargs) kwargs.push_back({argument.name, value(argument.value)});
      return set(&node, tracer_.call_foreign(node, args, kwargs));
    }
    case Callee::kPython: {
      std::vector<Argument> numbers;
      for (const Argument& argument : node.args) numbers.push_back(value(argument));
      return set(&node, compute_python(node.target, numbers));
    }
    case Callee::kNotACall: RUNG_UNREACHABLE();
  }
}

Argument Interpreter::call_op(const Node& node) {
  positional_.clear();
  named_.clear();
  for (const Argument& argument : node.args) positional_.push_back(value(argument));
  for (const NamedArgument& argument : node.kwargs) named_.push_back({argument.name, value(argument.value)});
  std::vector<Argument>& args = arguments_;
  bind_arguments(schema_of(node.op), positional_, named_, tracer_.arena(), args);
  if (reads_size(node.op)) return read_size(node.op, *tracer_.plain(args[0]).node->tensor(), args);
  if (node.op == op::aten__assert_scalar) assert_number(args[0]);
  if (options_.autocast) cast_operands(*options_.autocast, node.op, args, tracer_);
  if (slices_ && node.op == op::aten_slice_Tensor) {
    StaticSlices::Form form = slices_->form_of(node, tracer_.plain(args[0]).node->tensor()->sizes, args);
    if (form == StaticSlices::Form::kNothing) return args[0];
    if (form == StaticSlices::Form::kAlias) return tracer_.call(op::aten_alias, Arguments(args).first(1));
  }
  if (node.op == op::aten_reshape && !options_.like_torch && has_strides_of_either_kernel(node, args[0]))
    args[0] = contiguous_copy(args[0]);
  return node.op == op::aten_view ? view_or_copy(node, args) : tracer_.call(node.op, args);
}

// Attention that stays whole picks its kernel when it runs, by whether gradients are recorded, and the kernels lay
// their results out differently: torch records the view that fits one of them, and its program fails with the other.
bool Interpreter::has_strides_of_either_kernel(const Node& node, const Argument& operand) {
  const Node* made = tracer_.plain(operand).node;
  const TensorMeta* recorded = node.args[0].node->tensor();
  return made->is_call(Callee::kOp) && made->op == op::aten_scaled_dot_product_attention && recorded != nullptr &&
         !std::ranges::equal(made->tensor()->strides, recorded->strides);
}

Argument Interpreter::contiguous_copy(const Argument& tensor) {
  const Argument args[] = {tensor, Argument::of(MemoryFormat::kContiguous)};
  return tracer_.call(op::aten_clone, args);
}

bool Interpreter::allows_view(const TensorMeta& meta, Arguments sizes) {
  SymTraceScope no_trace(nullptr);
  std::vector<SymInt> asked;
  for (const Argument& size : sizes) asked.push_back(number_of(size));
  meta::Sizes full = meta::infer_size(asked, meta);
  if (meta::view_strides(meta, full)) return true;
  if (options_.like_torch) meta::fail_view(meta, full);
  return false;
}

// A recorded view may have been valid only for the strides of an op that is now opened. torch refuses then; rung
// copies first.
Argument Interpreter::view_or_copy(const Node& node, std::span<Argument> args) {
  Argument self = tracer_.plain(args[0]);
  if (!allows_view(*self.node->tensor(), args[1].list_items())) args[0] = contiguous_copy(args[0]);
  return tracer_.call(node.op, args);
}

// Regions that only switch a mode are inlined; the others keep their sub-graphs, lowered by the same table.
Argument Interpreter::call_higher_order(const Node& node) {
  if (node.target == "wrap_with_set_grad_enabled") return inline_subgraph(node, 1, options_);
  if (node.target == "wrap_with_autocast") {
    InterpretOptions inside = options_;
    inside.autocast = Autocast::of(node.args);
    return inline_subgraph(node, 4, inside);
  }
  std::vector<Argument> args;
  std::vector<Argument> operands;
  for (size_t i = 0; i < node.args.size(); ++i) {
    args.push_back(tracer_.plain(value(node.args[i])));
    bool is_predicate = i == 0 && node.target == "cond";
    if (!is_predicate) for_each_node(args.back(), [&](Node* operand) { operands.push_back(Argument::of(operand)); });
  }
  for (size_t i = 0; i < args.size(); ++i)
    if (node.args[i].kind == Argument::Kind::kNode && node.args[i].node->kind == NodeKind::kGetAttr)
      args[i] = Argument::of(lower_subgraph(*node.args[i].node, node.target, operands));
  return tracer_.call_foreign(node, args, node.kwargs);
}

// Of a sub-graph, whose nodes have indices of their own.
static InterpretOptions inside(InterpretOptions options) {
  options.made = nullptr;
  return options;
}

Argument Interpreter::inline_subgraph(const Node& node, size_t graph_at, const InterpretOptions& options) {
  Graph& graph = *node.args[graph_at].node->args[0].graph;
  graph.renumber();
  Interpreter inner(tracer_, graph, inside(options));
  size_t next = graph_at + 1;
  for (Node* placeholder : graph)
    if (placeholder->kind == NodeKind::kPlaceholder) inner.set(placeholder, value(node.args[next++]));
  inner.run();
  return graph.is_single_tensor_return ? inner.value(graph.output()->args[0])
                                       : inner.value(Argument::list(graph.output()->args));
}

// A graph of its own, named anew in the graph that holds it; returns the get_attr node for it.
Node* Interpreter::lower_subgraph(const Node& held, std::string_view operator_name, Arguments operands) {
  Arena& arena = tracer_.arena();
  Graph& source = *held.args[0].graph;
  source.renumber();
  Graph* graph = arena.make<Graph>(arena);
  graph->is_single_tensor_return = source.is_single_tensor_return;
  {
    Tracer tracer(*graph, tracer_.table(), options_.like_torch);
    TracerScope scope(tracer);
    Interpreter inner(tracer, source, inside(options_));
    // cond and while_loop hand their operands through; map and scan take them apart first
    bool handed_through = operator_name == "cond" || operator_name == "while_loop";
    size_t position = 0;
    for (Node* placeholder : source) {
      if (placeholder->kind != NodeKind::kPlaceholder) continue;
      bool has_operand =
          handed_through && position < operands.size() && operands[position].kind == Argument::Kind::kNode;
      ValueMeta meta = has_operand ? operands[position].node->meta : placeholder->meta;
      std::string_view name = arena.copy(std::string_view(cat("arg", position, "_1")));
      Node* mine = tracer.add_placeholder(name, meta);
      mine->metadata = placeholder->metadata;
      inner.set(placeholder, Argument::of(mine));
      ++position;
    }
    inner.run();
    std::vector<Argument> results;
    for (const Argument& result : source.output()->args)
      results.push_back(tracer.with_size_nodes(tracer.plain(inner.value(result))));
    tracer.set_source(nullptr);
    set_arguments(*tracer.append(NodeKind::kOutput, Callee::kNotACall, "output"), arena.copy(results));
  }
  std::string_view stem = held.target.substr(0, held.target.rfind('_'));
  graph->name = tracer_.subgraph_name(stem);
  Node* node = tracer_.append(NodeKind::kGetAttr, Callee::kNotACall, graph->name);
  node->target = graph->name;
  const Argument content[] = {Argument::of(graph)};
  node->args = arena.copy(std::span<const Argument>(content));
  return node;
}

}  // namespace rung
