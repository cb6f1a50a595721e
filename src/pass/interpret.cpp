// One case a callee.
#include "pass/interpret.h"

#include "base/error.h"
#include "ir/bind.h"
#include "meta/view.h"
#include "schema/gen/op_ids.h"

namespace rung {

Interpreter::Interpreter(Tracer& tracer, const Graph& graph, const InterpretOptions& options)
    : tracer_(tracer), graph_(graph), options_(options), values_(graph.size) {}

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
  switch (argument.kind) {
    case Argument::Kind::kNode: return values_[argument.node->index];
    case Argument::Kind::kList: {
      std::span<Argument> items = tracer_.arena().array<Argument>(argument.size);
      for (size_t i = 0; i < items.size(); ++i) items[i] = value(argument.items[i]);
      return Argument::list(items);
    }
    default: return argument;
  }
}

void Interpreter::run_node(const Node& node) {
  tracer_.set_source(&node);
  switch (node.callee) {
    case Callee::kOp: return set(&node, call_op(node));
    case Callee::kGetItem: {
      Argument tuple = value(node.args[0]);
      int64_t index = node.args[1].integer;
      if (tuple.kind != Argument::Kind::kList || index < 0 || index >= tuple.size)
        fail_input("takes result ", index, " of a node that has ", tuple.kind == Argument::Kind::kList ? tuple.size : 1);
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
    case Callee::kPython: fail_unsupported("arithmetic on symbolic sizes is not supported yet");
    case Callee::kNotACall: RUNG_UNREACHABLE();
  }
}

Argument Interpreter::call_op(const Node& node) {
  std::vector<Argument> positional;
  std::vector<NamedArgument> named;
  for (const Argument& argument : node.args) positional.push_back(value(argument));
  for (const NamedArgument& argument : node.kwargs) named.push_back({argument.name, value(argument.value)});
  std::span<Argument> args = bind_arguments(schema_of(node.op), positional, named, tracer_.arena());
  return node.op == op::aten_view ? view_or_copy(node, args) : tracer_.call(node.op, args);
}

// A recorded view may have been valid only for the strides of an op that is now opened. torch refuses then; rung
// copies first.
Argument Interpreter::view_or_copy(const Node& node, std::span<Argument> args) {
  Argument self = tracer_.plain(args[0]);
  const TensorMeta& meta = *self.node->tensor();
  std::vector<SymInt> sizes;
  for (const Argument& size : args[1].list_items()) sizes.push_back(size.kind == Argument::Kind::kInt ? SymInt(size.integer) : SymInt(0));
  bool all_known = true;
  for (const Argument& size : args[1].list_items()) all_known = all_known && size.kind == Argument::Kind::kInt;
  if (!all_known || meta::view_strides(meta, meta::infer_size(sizes, meta)).has_value()) return tracer_.call(node.op, args);
  if (options_.like_torch) meta::fail_view(meta, sizes);
  const Argument copy[] = {args[0], Argument::of(MemoryFormat::kContiguous)};
  args[0] = tracer_.call(op::aten_clone, copy);
  return tracer_.call(node.op, args);
}

Argument Interpreter::call_higher_order(const Node& node) {
  if (node.target == "wrap_with_set_grad_enabled") {
    std::vector<Argument> operands;
    for (const Argument& argument : node.args.subspan(2)) operands.push_back(value(argument));
    return inline_subgraph(*node.args[1].graph, operands);
  }
  fail_unsupported("higher-order operator '", node.target, "' is not supported yet");
}

Argument Interpreter::inline_subgraph(const Graph& graph, Arguments operands) {
  const_cast<Graph&>(graph).renumber();
  Interpreter inner(tracer_, graph, options_);
  size_t next = 0;
  for (Node* node : graph)
    if (node->kind == NodeKind::kPlaceholder) inner.set(node, operands[next++]);
  inner.run();
  return inner.value(graph.output()->args[0]);
}

}  // namespace rung
