// The walk, and the signature of its result.
#include "pass/lower.h"

#include <algorithm>
#include <map>
#include <memory_resource>
#include <unordered_map>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/print.h"
#include "pass/dce.h"
#include "pass/interpret.h"
#include "pass/placeholder_names.h"
#include "pass/settle_sizes.h"
#include "schema/gen/op_ids.h"
#include "shape/shape_env.h"
#include "trace/tracer.h"

namespace rung {
namespace {

bool is_stored(InputKind kind) {
  return kind == InputKind::kParameter || kind == InputKind::kBuffer || kind == InputKind::kTensorConstant;
}

bool is_mutation(OutputKind kind) {
  return kind == OutputKind::kBufferMutation || kind == OutputKind::kParameterMutation ||
         kind == OutputKind::kUserInputMutation;
}

// torch re-traces the program as a module whose tree is made from the names of its tensors, in order; the inputs of
// the result are the parameters of that tree, its buffers and constants, then the rest. A module's own tensors come
// before those of its children.
class ModuleTree {
 public:
  explicit ModuleTree(size_t inputs) : next_input_(inputs, kNone), by_path_(&memory_) {}

  void add(std::string_view name, uint32_t input) {
    size_t dot = name.rfind('.');
    std::string_view path = dot == name.npos ? std::string_view() : name.substr(0, dot);
    if (path != last_path_) last_module_ = module(path);
    last_path_ = path;
    Module& owner = modules_[last_module_];
    (owner.first_input == kNone ? owner.first_input : next_input_[owner.last_input]) = input;
    owner.last_input = input;
  }

  std::vector<uint32_t> in_order() const {
    std::vector<uint32_t> order, stack = {0};
    while (!stack.empty()) {
      const Module& module = modules_[stack.back()];
      stack.pop_back();
      for (uint32_t i = module.first_input; i != kNone; i = next_input_[i]) order.push_back(i);
      if (module.next_sibling != kNone) stack.push_back(module.next_sibling);
      if (module.first_child != kNone) stack.push_back(module.first_child);
    }
    return order;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The inputs of a module and its children are lists, linked by number.
  struct Module {
    uint32_t first_input = kNone, last_input = kNone;
    uint32_t first_child = kNone, last_child = kNone, next_sibling = kNone;
  };

  // Its index; the modules above it are made first. Neighbours share most of their path.
  uint32_t module(std::string_view path) {
    while (!open_.empty() && !is_inside(path, open_.back().path)) open_.pop_back();
    uint32_t index = open_.empty() ? 0 : open_.back().index;
    for (size_t end = open_.empty() ? 0 : open_.back().path.size() + 1; end < path.size(); ++end) {
      end = std::min(path.find('.', end), path.size());
      auto [found, is_new] = by_path_.emplace(path.substr(0, end), modules_.size());
      if (is_new) add_child(index);
      index = found->second;
      open_.push_back({found->first, index});
    }
    return index;
  }

  void add_child(uint32_t parent) {
    uint32_t child = static_cast<uint32_t>(modules_.size());
    modules_.emplace_back();
    Module& owner = modules_[parent];
    (owner.first_child == kNone ? owner.first_child : modules_[owner.last_child].next_sibling) = child;
    owner.last_child = child;
  }

  static bool is_inside(std::string_view path, std::string_view module) {
    return path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
  }

  struct OpenModule {
    std::string_view path;
    uint32_t index;
  };
  std::vector<Module> modules_ = std::vector<Module>(1);
  std::vector<uint32_t> next_input_;
  std::pmr::monotonic_buffer_resource memory_;  // many small entries that die together
  std::pmr::unordered_map<std::string_view, uint32_t> by_path_;
  std::vector<OpenModule> open_;  // the last path, module by module
  std::string_view last_path_;
  uint32_t last_module_ = 0;
};

std::vector<uint32_t> input_order(const std::vector<InputSpec>& inputs) {
  ModuleTree tree(inputs.size());
  for (uint32_t i = 0; i < inputs.size(); ++i)
    if (is_stored(inputs[i].kind)) tree.add(inputs[i].target, i);
  std::vector<uint32_t> stored = tree.in_order();
  std::stable_partition(stored.begin(), stored.end(),
                        [&](uint32_t i) { return inputs[i].kind == InputKind::kParameter; });
  // within a module torch registers lifted constants after the buffers
  std::vector<uint32_t> order;
  order.reserve(inputs.size());
  for (uint32_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].kind == InputKind::kToken) order.push_back(i);
  order.insert(order.end(), stored.begin(), stored.end());
  for (uint32_t i = 0; i < inputs.size(); ++i)
    if (!is_stored(inputs[i].kind) && inputs[i].kind != InputKind::kToken) order.push_back(i);
  return order;
}

class Lowering {
 public:
  Lowering(const ExportedProgram& source, const DecompositionTable& table, const LowerOptions& options)
      : source_(source), table_(table), options_(options) {}

  ExportedProgram run() {
    ShapeEnv sizes = shape_env_of(source_);
    ShapeEnvScope sizes_scope(sizes);
    result_.graph = std::make_unique<Graph>(*result_.arena);
    share_tensors();
    Tracer tracer(*result_.graph, table_, options_.like_torch);
    TracerScope scope(tracer);
    auto is_token = [](const InputSpec& spec) { return spec.kind == InputKind::kToken; };
    if (std::ranges::none_of(source_.inputs, is_token)) tracer.order_effects();
    source_.graph->renumber();
    Interpreter interpreter(
        tracer, *source_.graph,
        {.like_torch = options_.like_torch, .sizes_were_bound = !options_.sizes.empty(), .made = options_.made});
    make_inputs(tracer, interpreter);
    interpreter.run();
    copy_recorded_mutations(tracer, interpreter);
    make_outputs(tracer, interpreter);
    finish(tracer);
    for (const auto& [symbol, range] : sizes.made())
      result_.range_constraints.push_back({std::string(symbol->name), range.min, range.max});
    return std::move(result_);
  }

 private:
  void share_tensors() {
    for (const RangeConstraint& range : source_.range_constraints)
      if (!options_.sizes.contains(range.symbol)) result_.range_constraints.push_back(range);
    for (const auto& hint : source_.hints)
      if (!options_.sizes.contains(hint.first)) result_.hints.insert(hint);
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
    result_.inputs.reserve(source_.inputs.size());
    for (size_t position = 0; position < order_.size(); ++position) {
      const InputSpec& spec = source_.inputs[order_[position]];
      ValueMeta meta =
          options_.sizes.empty() ? spec.node->meta : bound_meta(spec.node->meta, options_.sizes, *result_.arena);
      Node* node = tracer.add_placeholder(input_name(position, spec), meta);
      node->metadata = spec.node->metadata;
      node->origin = result_.arena->make<Origin>(Origin{spec.node, nullptr});
      result_.inputs.push_back(spec);
      result_.inputs.back().node = node;
      fix_bound_number(result_.inputs.back());
      bool is_constant = result_.inputs.back().kind == InputKind::kConstantInput;
      interpreter.set(spec.node, is_constant ? result_.inputs.back().constant : Argument::of(node));
    }
  }

  // A dynamic number that was given a value is fixed, as an export with that value would have it.
  static void fix_bound_number(InputSpec& input) {
    bool is_fixed = input.node->meta.kind == ValueMeta::Kind::kSymInt && input.node->meta.number.is_int();
    if (!is_fixed) return;
    input.kind = InputKind::kConstantInput;
    input.constant = Argument::of(input.node->meta.number);
    input.node->meta = {};
  }

  // torch 2.2 leaves the names that placeholders have while a program is traced.
  std::string_view input_name(size_t position, const InputSpec& spec) {
    if (table_.build() != Build::k2_2) return spec.node->name;
    return result_.arena->copy(std::string_view(cat("arg", position, "_1")));
  }

  // A program that is already functional returns the new values of what it mutates: write them, as its module would.
  // What it returns of them besides is what was written.
  void copy_recorded_mutations(Tracer& tracer, Interpreter& interpreter) {
    std::map<InputName, Node*> inputs;
    std::unordered_map<const Node*, Argument> holders;  // of values that were written
    for (const OutputSpec& spec : source_.outputs) {
      if (!is_mutation(spec.kind)) continue;
      if (inputs.empty()) inputs = inputs_by_name();
      auto input = inputs.find({spec.kind != OutputKind::kUserInputMutation, spec.target});
      if (input == inputs.end())
        fail_input("output '", spec.target, "' is said to be mutated, but no input has this name");
      Argument target = interpreter.value(Argument::of(input->second));
      const Argument args[] = {target, interpreter.value(spec.value), Argument::of(false)};
      tracer.call(op::aten_copy_, args);
      holders[spec.value.node] = target;
    }
    for (const OutputSpec& spec : source_.outputs) {
      if (is_mutation(spec.kind)) continue;
      auto held = spec.value.kind == Argument::Kind::kNode ? holders.find(spec.value.node) : holders.end();
      user_outputs_.push_back(held == holders.end() ? interpreter.value(spec.value) : held->second);
    }
  }

  // Outputs name stored tensors by their target, user inputs by their node; the two may be called the same.
  using InputName = std::pair<bool, std::string_view>;
  std::map<InputName, Node*> inputs_by_name() const {
    std::map<InputName, Node*> inputs;
    for (const InputSpec& spec : source_.inputs) {
      bool stored = is_stored(spec.kind);
      inputs.emplace(InputName(stored, stored ? spec.target : spec.node->name), spec.node);
    }
    return inputs;
  }

  // The last token is the first output; then comes what was written to, in the order of the inputs, and what the
  // program returns.
  void make_outputs(Tracer& tracer, const Interpreter& interpreter) {
    std::vector<Argument> values;
    const Tracer::Tokens tokens = tracer.tokens();
    if (tokens.last != nullptr) {
      values.push_back(Argument::of(tokens.last));
      result_.outputs.push_back({OutputKind::kToken, values.back(), {}});
    }
    for (size_t position = 0; tracer.has_written() && position < order_.size(); ++position) {
      const Argument& tracked = interpreter.held(source_.inputs[order_[position]].node);
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
      if (is_mutation(spec.kind)) continue;
      values.push_back(tracer.with_size_nodes(tracer.plain(user_outputs_[next++])));
      result_.outputs.push_back({spec.kind, values.back(), spec.target});
    }
    if (tokens.first != nullptr) {
      InputSpec token;
      token.kind = InputKind::kToken;
      token.node = tokens.first;
      result_.inputs.insert(result_.inputs.begin(), token);
    }
    tracer.set_source(nullptr);
    Node* output = tracer.append(NodeKind::kOutput, Callee::kNotACall, "output");
    set_arguments(*output, result_.arena->copy(values));
  }

  // Symbols that the trace found to be equal become one, or a number.
  template <typename Which>
  void use_replacements(Which&& is_meant) {
    const ShapeEnv& env = current_shape_env();
    if (!env.has_replacements()) return;
    for (Node* node : *result_.graph)
      if (is_meant(*node))
        node->meta = replaced_meta(node->meta, [&](const Expr* size) { return env.replaced(size); }, *result_.arena);
    std::erase_if(result_.range_constraints,
                  [&](const RangeConstraint& range) { return env.is_replaced(range.symbol); });
  }

  // A mutation output that is only a copy over the old value is the copied value itself, wherever it is used.
  void drop_copies() {
    const Node& output = *result_.graph->output();
    std::vector<Node*> copies;
    for (size_t i = 0; i < output.args.size(); ++i) {
      OutputKind kind = result_.outputs[i].kind;
      bool stored = kind == OutputKind::kBufferMutation || kind == OutputKind::kParameterMutation;
      const Argument& returned = output.args[i];
      if (stored && returned.kind == Argument::Kind::kNode && returned.node->op == op::aten_copy)
        copies.push_back(returned.node);
    }
    if (!copies.empty()) replace_copies(copies);
    for (size_t i = 0; i < output.args.size(); ++i) result_.outputs[i].value = output.args[i];
  }

  void replace_copies(const std::vector<Node*>& copies) {
    result_.graph->renumber();
    std::vector<Node*> dropped(result_.graph->size);  // by index
    for (Node* copy : copies) dropped[copy->index] = copy;
    auto copied = [&](Node* node) {
      while (dropped[node->index] != nullptr) node = node->args[1].node;
      return node;
    };
    for (Node* node : *result_.graph) replace_operands(*node, *result_.arena, copied);
    for (Node* node : dropped)
      if (node != nullptr) result_.graph->erase(node);  // once, though two outputs may return it
  }

  // While torch traces, the third input is called arg2_1.
  void name_as_traced(std::string& text, const Node& input) const {
    if (input.kind != NodeKind::kPlaceholder) return;
    size_t place = 0;
    for (const Node* node = result_.graph->first; node != &input; node = node->next) ++place;
    const std::string name = cat('%', input.name);
    size_t at = text.find(name);
    if (at != text.npos) text.replace(at, name.size(), cat("%arg", place, "_1"));
  }

  // torch's references may write to what they made themselves, and torch then refuses the graph, naming the last write.
  void refuse_writes() const {
    const Node* writer = nullptr;
    for (const Node* node : *result_.graph)
      if (node->is_call(Callee::kOp) && schema_of(node->op).is_mutable()) writer = node;
    if (writer == nullptr) return;
    std::string text = node_text(*writer);
    for_each_operand(*writer, [&](const Node* operand) { name_as_traced(text, *operand); });
    fail_unsupported("no path to 'prims': aot_autograd expected to have an entirely functional graph, but found ",
                     text);
  }

  void finish(Tracer& tracer) {
    eliminate_dead_code(*result_.graph);
    if (options_.like_torch && table_.leads_to_prims()) refuse_writes();
    bool has_symbols = current_shape_env().has_symbols();
    if (has_symbols) use_replacements([](const Node& node) { return node.kind != NodeKind::kPlaceholder; });
    if (has_symbols) settle_sizes(*result_.graph, tracer.names());  // reads the inputs' symbols as they were
    if (has_symbols) use_replacements([](const Node& node) { return node.kind == NodeKind::kPlaceholder; });
    if (table_.build() != Build::k2_2) {
      rename_calls(*result_.graph, tracer.names());
      if (tracer.has_subgraphs()) name_subgraphs(*result_.graph);
    }
    for (auto [index, node] : mutated_users_) result_.outputs[index].target = node->name;
    drop_copies();
  }

  const ExportedProgram& source_;
  const DecompositionTable& table_;
  LowerOptions options_;
  ExportedProgram result_;
  std::vector<uint32_t> order_;  // of the result's inputs: index into the source's
  std::vector<Argument> user_outputs_;
  std::vector<std::pair<size_t, Node*>> mutated_users_;
};

}  // namespace

ShapeEnv shape_env_of(const ExportedProgram& program) {
  ShapeEnv env;
  std::map<std::string_view, ValueRange> ranges;
  for (const RangeConstraint& constraint : program.range_constraints)
    ranges[constraint.symbol] = {constraint.min, constraint.max};
  for (const auto& [symbol, hint] : program.hints) env.add_symbol(symbol, ranges[symbol], hint);
  for (const auto& [symbol, range] : ranges)
    if (!program.hints.contains(symbol)) env.add_symbol(symbol, range, std::nullopt);
  return env;
}

ExportedProgram lower(const ExportedProgram& program, const DecompositionTable& table, const LowerOptions& options) {
  return Lowering(program, table, options).run();
}

}  // namespace rung
