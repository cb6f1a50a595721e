// One call a node.
#include "nn/program.h"

#include <unordered_map>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/real_tensor.h"
#include "ops/gen/aten.h"
#include "ref/pool.h"
#include "shape/arithmetic.h"
#include "trace/dispatch.h"
#include "trace/tracer.h"

namespace rung::nn {
namespace {

Tensor stored_tensor(const ExportedProgram& program, const StoredTensor& stored) {
  const Payload& payload = program.payloads[stored.payload];
  if (stored.meta == nullptr || stored.pickled)
    fail_unsupported("'", stored.name, "' is an object of Python, not a tensor");
  if (payload.bytes.size() < storage_bytes(*stored.meta))
    fail_input("the program was exported without its weights: '", stored.name, "' has no values");
  auto storage = std::make_shared<Storage>();
  storage->bytes = reinterpret_cast<std::byte*>(const_cast<char*>(payload.bytes.data()));
  storage->size = payload.bytes.size();
  storage->writable = false;
  storage->owner = std::make_shared<std::vector<std::shared_ptr<const void>>>(program.keep_alive);
  return ref::pooled(new RealTensor(*stored.meta, storage));
}

const Expr* make_number(const Argument& argument) {
  using Kind = Argument::Kind;
  if (argument.kind == Kind::kInt) return make_integer(argument.integer);
  if (argument.kind == Kind::kFloat) return make_float(argument.number);
  if (argument.kind == Kind::kBool) return make_constant(argument.boolean ? "true" : "false");
  fail_input("a number is needed here");
}

Argument to_argument(const Expr* value) {
  if (value->kind == ExprKind::kInteger) return Argument::of(value->integer);
  if (value->kind == ExprKind::kFloat) return Argument::of(value->number);
  if (value->kind == ExprKind::kConstant) return Argument::of(value->name == "true");
  fail_input("the value ", str(value), " is no number");
}

class Run {
 public:
  explicit Run(const ExportedProgram& program) : program_(program) {}

  std::vector<Tensor> run(const std::vector<Tensor>& inputs) {
    bind_inputs(inputs);
    for (Node* node : *program_.graph) {
      if (node->kind != NodeKind::kCall) continue;
      try {
        values_[node] = call(*node);
      } catch (const Error& error) {
        throw error.at(cat("node '", node->name, "' (", target_name(*node), ")"));
      }
    }
    std::vector<Tensor> outputs;
    for (const OutputSpec& spec : program_.outputs)
      if (spec.kind == OutputKind::kUserOutput) outputs.push_back(Tensor(argument(spec.value)));
    return outputs;
  }

 private:
  // What a node made: a tensor, a number, or several tensors.
  struct Value {
    std::vector<Tensor> tensors;
    bool is_list = false;
    Argument number;
  };

  static Value value_of(const Argument& result) {
    Value value;
    value.is_list = result.kind == Argument::Kind::kList;
    if (value.is_list)
      for (const Argument& item : result.list_items()) value.tensors.emplace_back(item);
    else if (result.kind == Argument::Kind::kReal)
      value.tensors.emplace_back(result);
    else
      value.number = result;
    return value;
  }

  void bind_inputs(const std::vector<Tensor>& inputs) {
    std::unordered_map<std::string_view, Tensor> stored;
    for (const auto* list : {&program_.state, &program_.constants})
      for (const StoredTensor& each : *list)
        if (!each.pickled) stored.emplace(each.name, aten::clone(stored_tensor(program_, each)));
    size_t next = 0;
    for (const InputSpec& spec : program_.inputs) {
      if (spec.kind == InputKind::kConstantInput) {
        values_[spec.node].number = spec.constant;
        ++next;
        continue;
      }
      Tensor tensor = spec.kind != InputKind::kUserInput ? stored[spec.target]
                      : next < inputs.size()             ? inputs[next++]
                                                         : Tensor();
      if (!tensor.is_real()) fail_input("the program's input '", spec.node->name, "' was not given");
      values_[spec.node] = value_of(tensor.argument());
    }
  }

  Argument argument(const Argument& source) {
    if (source.kind == Argument::Kind::kNode) {
      const Value& value = values_[source.node];
      if (value.is_list) fail_unsupported("a list of tensors as an argument");
      return value.tensors.empty() ? value.number : value.tensors[0].argument();
    }
    if (source.kind != Argument::Kind::kList) return source;
    std::span<Argument> items = current_arena().array<Argument>(source.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = argument(source.items[i]);
    return Argument::list(items);
  }

  Value call(const Node& node) {
    if (node.callee == Callee::kGetItem)
      return value_of(values_[node.args[0].node].tensors.at(static_cast<size_t>(node.args[1].integer)).argument());
    if (node.callee == Callee::kPython) return number(node);
    if (node.callee != Callee::kOp) fail_unsupported("rung has no kernel of what is not an operator of ATen or prims");
    std::vector<Argument> positional, all;
    std::vector<NamedArgument> named;
    for (const Argument& each : node.args) positional.push_back(argument(each));
    for (const NamedArgument& each : node.kwargs) named.push_back({each.name, argument(each.value)});
    bind_arguments(schema_of(node.op), positional, named, current_arena(), all);
    return value_of(dispatch(node.op, all));
  }

  // A function of Python on numbers.
  Value number(const Node& node) {
    std::optional<SymOp> op = find_sym_op(node.target);
    if (!op) fail_unsupported("rung does not compute this function");
    std::vector<const Expr*> operands;
    for (const Argument& each : node.args) operands.push_back(make_number(argument(each)));
    Value value;
    value.number = to_argument(rung::apply(*op, operands));
    return value;
  }

  const ExportedProgram& program_;
  std::unordered_map<const Node*, Value> values_;
};

}  // namespace

StateDict weights_of(const ExportedProgram& program) {
  StateDict weights;
  for (const StoredTensor& stored : program.state) weights.emplace_back(stored.name, stored_tensor(program, stored));
  return weights;
}

std::vector<Tensor> run_program(const ExportedProgram& program, const std::vector<Tensor>& inputs) {
  return Run(program).run(inputs);
}

}  // namespace rung::nn
