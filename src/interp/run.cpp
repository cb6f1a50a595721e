// One call a node; sub-graphs run in frames of their own.
#include "interp/run.h"

#include <algorithm>
#include <new>
#include <unordered_map>

#include "base/error.h"
#include "interp/custom_ops.h"
#include "interp/higher_order.h"
#include "interp/inputs.h"
#include "ir/bind.h"
#include "ir/real_tensor.h"
#include "pass/lower.h"
#include "ref/pool.h"
#include "ref/values.h"
#include "shape/arithmetic.h"
#include "trace/dispatch.h"

namespace rung::interp {

Value::Value(const Argument& result) {
  is_list = result.kind == Argument::Kind::kList;
  if (is_list)
    for (const Argument& item : result.list_items()) items.emplace_back(item);
  else if (result.kind == Argument::Kind::kReal)
    tensor = Tensor(result);
  else
    number = result;
}

Tensor stored_tensor(const ExportedProgram& program, const StoredTensor& stored, bool copies_on_write) {
  const Payload& payload = program.payloads[stored.payload];
  if (stored.meta == nullptr || stored.pickled)
    fail_unsupported("'", stored.name, "' is an object of Python, not a tensor");
  if (payload.bytes.size() < storage_bytes(*stored.meta))
    fail_input("the program was exported without its weights: '", stored.name, "' has no values");
  auto storage = Storage::borrow(payload.bytes.data(), payload.bytes.size(),
                                 std::make_shared<std::vector<std::shared_ptr<const void>>>(program.keep_alive));
  storage->writable = storage->copies_on_write = copies_on_write;
  return ref::pooled(new RealTensor(*stored.meta, storage));
}

NamedTensors state_of(const ExportedProgram& program) {
  NamedTensors state;
  for (const StoredTensor& stored : program.state) state.emplace_back(stored.name, stored_tensor(program, stored));
  return state;
}

namespace {

// ---- numbers of Python

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

Value call_python(std::string_view target, const std::vector<Value>& operands) {
  std::optional<SymOp> op = find_sym_op(target);
  if (!op) fail_unsupported("rung does not compute this function");
  std::vector<const Expr*> numbers;
  for (const Value& each : operands) numbers.push_back(make_number(each.number));
  return Value(to_argument(rung::apply(*op, numbers)));
}

// ---- a graph at work

Argument to_argument(const Value& value) {
  if (!value.is_list) return value.tensor.defined() ? value.tensor.argument() : value.number;
  std::span<Argument> items = current_arena().array<Argument>(value.items.size());
  for (size_t i = 0; i < items.size(); ++i) items[i] = to_argument(value.items[i]);
  return Argument::list(items);
}

class Frame {
 public:
  Frame(const Graph& graph, const RunOptions& options) : graph_(graph), options_(options) { find_last_uses(); }

  /// What the output node names, for the placeholders' values in order.
  std::vector<Value> run(const std::vector<Value>& inputs) {
    size_t next = 0;
    for (const Node* node : graph_) {
      if (node->kind == NodeKind::kPlaceholder) {
        RUNG_CHECK(next < inputs.size(), "a graph has more placeholders than values");
        values_[node] = inputs[next++];
        if (options_.observe != nullptr) options_.observe(*node, values_[node]);
      } else if (node->kind == NodeKind::kCall) {
        call_at(*node);
      } else if (node->kind == NodeKind::kOutput) {
        std::vector<Value> outputs;
        for (const Argument& each : node->args) outputs.push_back(value(each));
        return outputs;
      }
    }
    return {};
  }

  Value value(const Argument& source) const {
    if (source.kind == Argument::Kind::kNode) {
      auto found = values_.find(source.node);
      if (found == values_.end()) fail_unsupported("'", source.node->name, "' has no value here");
      return found->second;
    }
    Value out;
    out.is_list = source.kind == Argument::Kind::kList;
    if (!out.is_list) out.number = source;
    if (out.is_list)
      for (const Argument& item : source.list_items()) out.items.push_back(value(item));
    return out;
  }

 private:
  void find_last_uses() {
    for (const Node* node : graph_) for_each_operand(*node, [&](const Node* operand) { last_use_[operand] = node; });
  }

  void call_at(const Node& node) {
    try {
      Value result = call(node);
      if (options_.observe != nullptr) options_.observe(node, result);
      values_[&node] = std::move(result);
    } catch (const std::bad_alloc&) {
      fail_input("node '", node.name, "' (", target_name(node), "): there is not enough memory for what it computes");
    } catch (const Error& error) {
      throw error.at(cat("node '", node.name, "' (", target_name(node), ")"));
    }
    for_each_operand(node, [&](const Node* operand) {
      if (last_use_[operand] == &node) values_.erase(operand);
    });
    if (!last_use_.contains(&node)) values_.erase(&node);
  }

  Value call(const Node& node) {
    switch (node.callee) {
      case Callee::kOp: return call_op(node);
      case Callee::kGetItem: return get_item(node);
      case Callee::kPython: return call_python(node.target, values(node.args));
      case Callee::kHigherOrder:
        if (node.target == "with_effects") return call_with_effects(node);
        return call_higher_order(node, values_of_call(node), run_graph());
      case Callee::kCustom: return call_custom(node.target, values(node.args));
      case Callee::kNotACall: break;
    }
    RUNG_UNREACHABLE();
  }

  Value call_op(const Node& node) {
    std::vector<Argument> positional, all;
    std::vector<NamedArgument> named;
    for (const Argument& each : node.args) positional.push_back(to_argument(value(each)));
    for (const NamedArgument& each : node.kwargs) named.push_back({each.name, to_argument(value(each.value))});
    bind_arguments(schema_of(node.op), positional, named, current_arena(), all);
    return Value(dispatch(node.op, all));
  }

  // (token, operator, its arguments): nodes run in order, so that the token is handed on as it came.
  Value call_with_effects(const Node& node) {
    OpId op = find_op_spelling(node.args[1].string_view());
    if (op == kNoOp) fail_unsupported("rung does not run the operator ", node.args[1].string_view());
    Node call = node;
    call.op = op;
    call.args = node.args.subspan(2);
    Value results;
    results.is_list = true;
    results.items = {value(node.args[0]), call_op(call)};
    return results;
  }

  Value get_item(const Node& node) {
    Value list = value(node.args[0]);
    auto index = static_cast<size_t>(node.args[1].integer);
    if (index >= list.items.size()) fail_input("item ", index, " of ", list.items.size(), " results was asked for");
    return list.items[index];
  }

  std::vector<Value> values(Arguments args) const {
    std::vector<Value> out;
    for (const Argument& each : args) out.push_back(value(each));
    return out;
  }

  // Sub-graphs stay what they are: the operator takes them from the node.
  std::vector<Value> values_of_call(const Node& node) const {
    std::vector<Value> out;
    for (const Argument& each : node.args) {
      bool is_graph = each.kind == Argument::Kind::kGraph ||
                      (each.kind == Argument::Kind::kNode && each.node->kind == NodeKind::kGetAttr);
      out.push_back(is_graph ? Value() : value(each));
    }
    return out;
  }

  GraphRunner run_graph() const {
    return {[this](const Graph& graph, const std::vector<Value>& inputs) {
              RunOptions inside = options_;
              inside.observe = nullptr;
              return Frame(graph, inside).run(inputs);
            },
            options_.max_iterations};
  }

  const Graph& graph_;
  const RunOptions& options_;
  std::unordered_map<const Node*, Value> values_;
  std::unordered_map<const Node*, const Node*> last_use_;
};

// ---- a program

// The same memory, which is copied at the first write.
Tensor shielded(const Tensor& tensor) {
  const RealTensor& real = *tensor.argument().real;
  auto storage = Storage::borrow(real.storage()->bytes, real.storage()->size, real.storage());
  storage->writable = storage->copies_on_write = true;
  return ref::pooled(new RealTensor(real.meta(), storage));
}

class Run {
 public:
  Run(const ExportedProgram& program, const RunOptions& options) : program_(program), options_(options) {}

  RunResult run(const std::vector<Value>& inputs) {
    bind(inputs);
    Frame frame(*program_.graph, options_);
    std::vector<Value> results = frame.run(placeholders_);
    RunResult result;
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const OutputSpec& spec = program_.outputs[i];
      const Value value = i < results.size() ? results[i] : Value();
      if (spec.kind == OutputKind::kUserOutput || spec.kind == OutputKind::kLossOutput)
        result.outputs.push_back(value);
      else if (spec.kind == OutputKind::kBufferMutation || spec.kind == OutputKind::kParameterMutation ||
               spec.kind == OutputKind::kUserInputMutation)
        result.mutated.emplace_back(spec.target, value.tensor);
    }
    add_writes(result.mutated);
    return result;
  }

 private:
  void bind(const std::vector<Value>& inputs) {
    std::unordered_map<std::string_view, const StoredTensor*> stored;
    for (const auto* list : {&program_.state, &program_.constants})
      for (const StoredTensor& each : *list) stored.emplace(each.name, &each);
    size_t next = 0;
    for (const InputSpec& spec : program_.inputs) {
      if (spec.kind == InputKind::kUserInput || spec.kind == InputKind::kConstantInput) {
        RUNG_CHECK(next < inputs.size(), "inputs were not checked");
        const Value& given = inputs[next++];
        if (spec.kind == InputKind::kConstantInput)
          placeholders_.emplace_back(spec.constant);
        else
          placeholders_.push_back(given.tensor.is_real() ? Value(shielded(given.tensor)) : given);
      } else if (spec.kind == InputKind::kToken) {
        placeholders_.emplace_back(ref::make(*spec.node->tensor(), std::vector<double>()));
      } else {
        auto found = stored.find(spec.target);
        if (found == stored.end()) fail_unsupported("'", spec.target, "' is not in the file: it cannot be run");
        placeholders_.emplace_back(state_tensor(*found->second));
        check_state(spec, placeholders_.back().tensor.meta());
      }
    }
  }

  // The weights of a file and its graph may have been written by different hands.
  static void check_state(const InputSpec& spec, const TensorMeta& stored) {
    const TensorMeta* wanted = spec.node->tensor();
    if (wanted == nullptr || (wanted->dtype == stored.dtype && std::ranges::equal(wanted->sizes, stored.sizes))) return;
    fail_input("'", spec.target, "' is ", type_text(stored), " among the file's tensors, and ", type_text(*wanted),
               " in its graph");
  }

  // Tensors of one payload share a storage, so that a write to one is seen by the others.
  Tensor state_tensor(const StoredTensor& stored) {
    Tensor tensor = stored_tensor(program_, stored, true);
    auto [storage, is_new] = storages_.try_emplace(stored.payload, tensor.argument().real->storage());
    if (!is_new) tensor.argument().real->set_storage(storage->second);
    return tensor;
  }

  // Programs that are not functional write where they please.
  void add_writes(NamedTensors& mutated) const {
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const Tensor& tensor = placeholders_[i].tensor;
      if (!tensor.is_real() || tensor.argument().real->storage()->writes == 0) continue;
      const InputSpec& spec = program_.inputs[i];
      if (spec.kind == InputKind::kToken) continue;  // made here
      mutated.emplace_back(spec.kind == InputKind::kUserInput ? spec.node->name : spec.target, tensor);
    }
  }

  const ExportedProgram& program_;
  const RunOptions& options_;
  std::vector<Value> placeholders_;
  std::unordered_map<uint32_t, std::shared_ptr<Storage>> storages_;
};

}  // namespace

// Regions of autocast are taken apart by lowering, which puts their casts into the graph.
static bool has_autocast(const Graph& graph) {
  for (const Node* node : graph) {
    if (node->is_call(Callee::kHigherOrder) && node->target == "wrap_with_autocast") return true;
    for (const Graph* inner : subgraphs(*node))
      if (has_autocast(*inner)) return true;
  }
  return false;
}

RunResult run(const ExportedProgram& program, const std::vector<Value>& inputs, const RunOptions& options) {
  check_inputs(program, inputs);
  if (!has_autocast(*program.graph)) return Run(program, options).run(inputs);
  const ExportedProgram plain = lower(program, aten_decompositions(program.build));
  return Run(plain, options).run(inputs);
}

}  // namespace rung::interp
