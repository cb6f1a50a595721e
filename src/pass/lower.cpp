// The walk, and the signature of its result.
#include "pass/lower.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "ir/bind.h"
#include "pass/dce.h"
#include "pass/interpret.h"
#include "pass/placeholder_names.h"
#include "schema/gen/op_ids.h"
#include "trace/tracer.h"

namespace rung {
namespace {

bool is_stored(InputKind kind) {
  return kind == InputKind::kParameter || kind == InputKind::kBuffer || kind == InputKind::kTensorConstant;
}

// torch re-traces the program as a module whose tree is made from the names of its tensors, in order; the inputs of
// the result are the parameters of that tree, its buffers and constants, then the rest. A module's own tensors come
// before those of its children.
class ModuleTree {
 public:
  void add(std::string_view name, size_t input) {
    size_t dot = name.rfind('.');
    std::string_view path = dot == name.npos ? std::string_view() : name.substr(0, dot);
    if (path != last_path_) last_module_ = module(path);
    last_path_ = path;
    modules_[last_module_].inputs.push_back(input);
  }

  std::vector<size_t> in_order() const {
    std::vector<size_t> order, stack = {0};
    while (!stack.empty()) {
      const Module& module = modules_[stack.back()];
      stack.pop_back();
      order.insert(order.end(), module.inputs.begin(), module.inputs.end());
      stack.insert(stack.end(), module.children.rbegin(), module.children.rend());
    }
    return order;
  }

 private:
  struct Module {
    std::vector<size_t> inputs, children;
  };

  // Its index; the modules above it are made first. Neighbours share most of their path.
  size_t module(std::string_view path) {
    while (!open_.empty() && !is_inside(path, open_.back().path)) open_.pop_back();
    size_t index = open_.empty() ? 0 : open_.back().index;
    for (size_t end = open_.empty() ? 0 : open_.back().path.size() + 1; end < path.size(); ++end) {
      end = std::min(path.find('.', end), path.size());
      auto [found, is_new] = by_path_.emplace(path.substr(0, end), modules_.size());
      if (is_new) {
        modules_[index].children.push_back(found->second);
        modules_.emplace_back();
      }
      index = found->second;
      open_.push_back({found->first, index});
    }
    return index;
  }

  static bool is_inside(std::string_view path, std::string_view module) {
    return path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
  }

  struct OpenModule {
    std::string_view path;
    size_t index;
  };
  std::vector<Module> modules_ = std::vector<Module>(1);
  std::unordered_map<std::string_view, size_t> by_path_;
  std::vector<OpenModule> open_;  // the last path, module by module
  std::string_view last_path_;
  size_t last_module_ = 0;
};

std::vector<size_t> input_order(const std::vector<InputSpec>& inputs) {
  ModuleTree tree;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (is_stored(inputs[i].kind)) tree.add(inputs[i].target, i);
  std::vector<size_t> stored = tree.in_order();
  std::stable_partition(stored.begin(), stored.end(),
                        [&](size_t i) { return inputs[i].kind == InputKind::kParameter; });
  // within a module torch registers lifted constants after the buffers
  std::vector<size_t> order;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].kind == InputKind::kToken) order.push_back(i);
  order.insert(order.end(), stored.begin(), stored.end());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!is_stored(inputs[i].kind) && inputs[i].kind != InputKind::kToken) order.push_back(i);
  return order;
}

void require_static(const ExportedProgram& program) {
  for (const InputSpec& spec : program.inputs) {
    if (spec.node->meta.kind == ValueMeta::Kind::kSymInt && spec.node->meta.number.is_symbolic())
      fail_unsupported("input '", spec.node->name, "' is the dynamic number ", spec.node->meta.number.str(),
                       ": programs with dynamic sizes are not lowered yet");
    const TensorMeta* meta = spec.node->tensor();
    for (size_t i = 0; meta != nullptr && i < meta->rank(); ++i)
      if (meta->sizes[i].is_symbolic())
        fail_unsupported("input '", spec.node->name, "' has the dynamic size ", meta->sizes[i].str(), " in dimension ",
                         i, ": programs with dynamic sizes are not lowered yet");
  }
}

class Lowering {
 public:
  Lowering(const ExportedProgram& source, const DecompositionTable& table, const LowerOptions& options)
      : source_(source), table_(table), options_(options) {}

  ExportedProgram run() {
    require_static(source_);
    result_.graph = std::make_unique<Graph>(*result_.arena);
    share_tensors();
    Tracer tracer(*result_.graph, table_, options_.like_torch);
    TracerScope scope(tracer);
    source_.graph->renumber();
    Interpreter interpreter(tracer, *source_.graph, {.like_torch = options_.like_torch});
    make_inputs(tracer, interpreter);
    interpreter.run();
    copy_recorded_mutations(tracer, interpreter);
    make_outputs(tracer, interpreter);
    finish();
    return std::move(result_);
  }

 private:
  void share_tensors() {
    result_.range_constraints = source_.range_constraints;
    result_.hints = source_.hints;
    result_.state = source_.state;
    result_.constants = source_.constants;
    result_.payloads = source_.payloads;
    result_.build = source_.build;
    result_.torch_version = source_.torch_version;
    result_.verifier = "ATEN";
    result_.file_name = source_.file_name;
    result_.document = source_.document;
    result_.other_files = source_.other_files;
    result_.keep_alive = source_.keep_alive;
    result_.keep_alive.push_back(source_.arena);  // metadata, texts and origins point into it
  }

  void make_inputs(Tracer& tracer, Interpreter& interpreter) {
    order_ = input_order(source_.inputs);
    tracked_.resize(source_.inputs.size());
    for (size_t position = 0; position < order_.size(); ++position) {
      const InputSpec& spec = source_.inputs[order_[position]];
      Node* node = tracer.add_placeholder(cat("arg", position, "_1"), spec.node->meta);
      node->metadata = spec.node->metadata;
      node->origin = result_.arena->make<Origin>(Origin{spec.node, nullptr});
      result_.inputs.push_back(spec);
      result_.inputs.back().node = node;
      bool is_tensor = spec.node->meta.kind == ValueMeta::Kind::kTensor;
      tracked_[order_[position]] = is_tensor ? tracer.track(node) : Argument::of(node);
      interpreter.set(spec.node, spec.kind == InputKind::kConstantInput ? spec.constant : tracked_[order_[position]]);
    }
  }

  // A program that is already functional returns the new values of what it mutates: write them, as its module would.
  void copy_recorded_mutations(Tracer& tracer, Interpreter& interpreter) {
    for (const OutputSpec& spec : source_.outputs) {
      bool mutation = spec.kind == OutputKind::kBufferMutation || spec.kind == OutputKind::kUserInputMutation ||
                      spec.kind == OutputKind::kParameterMutation;
      if (!mutation) {
        user_outputs_.push_back(interpreter.value(spec.value));
        continue;
      }
      Argument target = mutated_input(spec);
      const Argument args[] = {target, interpreter.value(spec.value), Argument::of(false)};
      tracer.call(op::aten_copy_, args);
      copied_.push_back({spec.value.node, target});
    }
    size_t next = 0;
    for (const OutputSpec& spec : source_.outputs) {
      if (spec.kind == OutputKind::kBufferMutation || spec.kind == OutputKind::kUserInputMutation ||
          spec.kind == OutputKind::kParameterMutation)
        continue;
      for (const auto& [node, target] : copied_)
        if (spec.value.kind == Argument::Kind::kNode && spec.value.node == node) user_outputs_[next] = target;
      ++next;
    }
  }

  Argument mutated_input(const OutputSpec& output) const {
    for (size_t i = 0; i < source_.inputs.size(); ++i) {
      const InputSpec& spec = source_.inputs[i];
      std::string_view name = output.kind == OutputKind::kUserInputMutation ? spec.node->name : spec.target;
      if (!name.empty() && name == output.target) return tracked_[i];
    }
    fail_input("output '", output.target, "' is said to be mutated, but no input has this name");
  }

  // What was written to becomes an output, in the order of the inputs; then what the program returns.
  void make_outputs(Tracer& tracer, Interpreter&) {
    std::vector<Argument> values;
    for (size_t position = 0; position < order_.size(); ++position) {
      const Argument& tracked = tracked_[order_[position]];
      if (!tracer.was_written(tracked)) continue;
      const InputSpec& input = result_.inputs[position];
      if (input.kind == InputKind::kTensorConstant)
        fail_unsupported("constant '", input.target, "' is mutated: register it as a buffer");
      OutputKind kind = input.kind == InputKind::kBuffer      ? OutputKind::kBufferMutation
                        : input.kind == InputKind::kParameter ? OutputKind::kParameterMutation
                                                              : OutputKind::kUserInputMutation;
      values.push_back(tracer.plain(tracked));
      result_.outputs.push_back({kind, values.back(), input.target});
      if (kind == OutputKind::kUserInputMutation) mutated_users_.push_back({result_.outputs.size() - 1, input.node});
    }
    size_t next = 0;
    for (const OutputSpec& spec : source_.outputs) {
      if (spec.kind == OutputKind::kBufferMutation || spec.kind == OutputKind::kUserInputMutation ||
          spec.kind == OutputKind::kParameterMutation)
        continue;
      values.push_back(tracer.plain(user_outputs_[next++]));
      result_.outputs.push_back({spec.kind, values.back(), spec.target});
    }
    tracer.set_source(nullptr);
    Node* output = tracer.append(NodeKind::kOutput, Callee::kNotACall, "output");
    output->args = result_.arena->copy(values);
  }

  // A mutation output that is only a copy over the old value is the copied value itself, wherever it is used.
  void drop_copies() {
    Graph& graph = *result_.graph;
    graph.renumber();
    std::vector<Node*> dropped(graph.size);
    bool any = false;
    const std::span<const Argument> returned = graph.output()->args;
    for (size_t i = 0; i < returned.size(); ++i) {
      OutputKind kind = result_.outputs[i].kind;
      bool stored = kind == OutputKind::kBufferMutation || kind == OutputKind::kParameterMutation;
      if (!stored || returned[i].kind != Argument::Kind::kNode || returned[i].node->op != op::aten_copy) continue;
      dropped[returned[i].node->index] = returned[i].node;
      any = true;
    }
    if (any) replace_copies(dropped);
    for (size_t i = 0; i < returned.size(); ++i) result_.outputs[i].value = graph.output()->args[i];
  }

  void replace_copies(const std::vector<Node*>& dropped) {
    for (Node* node : *result_.graph) {
      std::span<Argument> args = result_.arena->copy(node->args);
      for (Argument& argument : args) argument = without_copies(argument, dropped);
      node->args = args;
      std::span<NamedArgument> kwargs = result_.arena->copy(node->kwargs);
      for (NamedArgument& argument : kwargs) argument.value = without_copies(argument.value, dropped);
      node->kwargs = kwargs;
    }
    for (Node* node : dropped)
      if (node != nullptr) result_.graph->erase(node);
  }

  Argument without_copies(Argument argument, const std::vector<Node*>& dropped) {
    while (argument.kind == Argument::Kind::kNode && dropped[argument.node->index] != nullptr)
      argument = argument.node->args[1];
    if (argument.kind != Argument::Kind::kList) return argument;
    std::span<Argument> items = result_.arena->array<Argument>(argument.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = without_copies(argument.items[i], dropped);
    return Argument::list(items);
  }

  void finish() {
    eliminate_dead_code(*result_.graph);
    std::vector<std::string_view> names;
    for (size_t i : order_) names.push_back(source_.inputs[i].node->name);
    if (table_.build() == Build::k2_2) {
      for (InputSpec& spec : result_.inputs)
        spec.node->target = spec.node->name;  // torch 2.2 leaves arg0_1, arg1_1, ...
    } else {
      rename_placeholders(result_, names);
    }
    for (auto [index, node] : mutated_users_) result_.outputs[index].target = node->name;
    drop_copies();
    result_.graph->renumber();
    result_.graph->count_users();
  }

  const ExportedProgram& source_;
  const DecompositionTable& table_;
  LowerOptions options_;
  ExportedProgram result_;
  std::vector<size_t> order_;      // of the result's inputs: index into the source's
  std::vector<Argument> tracked_;  // by the source's inputs
  std::vector<Argument> user_outputs_;
  std::vector<std::pair<Node*, Argument>> copied_;
  std::vector<std::pair<size_t, Node*>> mutated_users_;
};

}  // namespace

ExportedProgram lower(const ExportedProgram& program, const DecompositionTable& table, const LowerOptions& options) {
  return Lowering(program, table, options).run();
}

}  // namespace rung
