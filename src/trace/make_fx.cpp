// Placeholders from inputs, one call of the function, the output from what it returns.
#include "trace/make_fx.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "ir/print.h"
#include "meta/layout.h"
#include "shape/expr.h"
#include "shape/shape_env.h"
#include "trace/tracer.h"

namespace rung::detail {
namespace {

class Trace {
 public:
  Trace(TracedModule& module, const DecompositionTable& table, const TraceOptions& options)
      : module_(module), options_(options), tracer_(module.graph, table, false) {
    tracer_.trace_as_called(options.refs);
  }

  void run(const std::function<Argument(Arguments)>& function,
           std::span<const std::shared_ptr<const InputTree>> inputs) {
    ShapeEnvScope sizes(env_);
    TracerScope scope(tracer_);
    std::vector<Argument> args;
    for (size_t i = 0; i < inputs.size(); ++i) args.push_back(add_input(*inputs[i], i));
    bool has_tree = std::ranges::any_of(inputs, [](const auto& input) { return !input->is_leaf(); });
    if (has_tree) module_.tree_parameters = parameters_;
    add_output(function(args), has_tree);
    drop_unused_sizes();
    module_.constants = tracer_.constants();
  }

 private:
  Arena& arena() { return module_.arena; }

  Argument add_input(const InputTree& input, size_t position) {
    std::string name = position < options_.names.size() ? options_.names[position] : input.name;
    parameters_.push_back(name.empty() ? cat("arg", position) : name);
    size_t leaves = 0;
    return add_leaves(input, parameters_.back(), leaves);
  }

  Argument add_leaves(const InputTree& input, const std::string& name, size_t& leaves) {
    if (input.kind == InputTree::Kind::kList) {
      std::span<Argument> items = arena().array<Argument>(input.items.size());
      for (size_t i = 0; i < items.size(); ++i) items[i] = add_leaves(*input.items[i].second, name, leaves);
      return Argument::list(items);
    }
    if (input.kind == InputTree::Kind::kDict) {
      std::span<NamedArgument> entries = arena().array<NamedArgument>(input.items.size());
      for (size_t i = 0; i < entries.size(); ++i) {
        const auto& [key, item] = input.items[i];
        entries[i] = {arena().copy(std::string_view(key)), add_leaves(*item, name, leaves)};
      }
      return Argument::dict(entries);
    }
    std::string_view target = arena().copy(std::string_view(cat(name, '_', ++leaves)));
    Node* node = tracer_.append(NodeKind::kPlaceholder, Callee::kNotACall, target);
    node->target = target;
    if (input.kind == InputTree::Kind::kValue) return input.value;
    node->meta = ValueMeta::of(meta_of(input));
    return tracer_.held(Argument::of(node));
  }

  const TensorMeta* meta_of(const InputTree& input) {
    meta::Sizes sizes, strides;
    for (int64_t size : input.sizes) sizes.push_back(options_.symbolic ? symbol_of(size) : SymInt(size));
    for (int64_t stride : input.strides) strides.push_back(stride);
    if (strides.empty()) strides = meta::contiguous_strides(sizes);
    Device device;
    size_t colon = input.device.find(':');
    device.type = arena().copy(std::string_view(input.device).substr(0, colon));
    if (colon != input.device.npos) device.index = std::stoi(input.device.substr(colon + 1));
    return meta::make(sizes, strides, input.dtype, device);
  }

  // Equal sizes are one symbol; 0 and 1 are no symbols, since they broadcast and vanish.
  SymInt symbol_of(int64_t size) {
    if (size < 2) return size;
    auto [symbol, is_new] = symbols_.try_emplace(size);
    if (is_new) {
      std::string name = cat('s', symbols_.size() - 1);
      symbol->second = make_symbol(name, "positive=True, integer=True");
      env_.add_symbol(name, ValueRange{2, std::nullopt}, size);
    }
    return SymInt(symbol->second);
  }

  Argument plain(const Argument& value) {
    if (value.kind == Argument::Kind::kDict) {
      std::span<NamedArgument> entries = arena().array<NamedArgument>(value.size);
      for (size_t i = 0; i < entries.size(); ++i) entries[i] = {value.entries[i].name, plain(value.entries[i].value)};
      return Argument::dict(entries);
    }
    if (value.kind == Argument::Kind::kList) {
      std::span<Argument> items = arena().array<Argument>(value.size);
      for (size_t i = 0; i < items.size(); ++i) items[i] = plain(value.items[i]);
      return Argument::list(items);
    }
    tracer_.check_held(value);
    return tracer_.with_size_nodes(tracer_.plain(value));
  }

  static void append_leaves(const Argument& value, std::vector<Argument>& leaves) {
    if (value.kind == Argument::Kind::kDict)
      for (const NamedArgument& entry : value.dict_entries()) append_leaves(entry.value, leaves);
    else if (value.kind == Argument::Kind::kList)
      for (const Argument& item : value.list_items()) append_leaves(item, leaves);
    else
      leaves.push_back(value);
  }

  void add_output(const Argument& result, bool has_tree) {
    Argument value = plain(result);
    std::vector<Argument> returned;
    if (has_tree) {
      append_leaves(value, returned);
      returned = {Argument::list(arena().copy(returned))};
    } else if (options_.returns_tuple) {
      returned.assign(value.list_items().begin(), value.list_items().end());
    } else {
      returned = {value};
    }
    Node* output = tracer_.append(NodeKind::kOutput, Callee::kNotACall, "output");
    module_.graph.is_single_tensor_return = has_tree || !options_.returns_tuple;
    set_arguments(*output, arena().copy(returned));
  }

  // Nothing else is dead code to make_fx.
  void drop_unused_sizes() {
    for (Node* node = module_.graph.last; node != nullptr;) {
      Node* previous = node->previous;
      bool is_size = node->kind == NodeKind::kCall && node->meta.kind != ValueMeta::Kind::kTensor &&
                     node->callee == Callee::kPython;
      if (is_size && node->uses == 0) {
        for_each_operand(*node, [](Node* operand) { --operand->uses; });
        module_.graph.erase(node);
      }
      node = previous;
    }
  }

  TracedModule& module_;
  const TraceOptions& options_;
  ShapeEnv env_;
  Tracer tracer_;
  std::vector<std::string> parameters_;
  std::map<int64_t, const Expr*> symbols_;
};

}  // namespace

std::string TracedModule::code() const {
  return code_text(graph, {.deletes_unused = build != Build::k2_2, .tree_parameters = tree_parameters});
}

std::unique_ptr<TracedModule> trace_function(const std::function<Argument(Arguments)>& function,
                                             std::span<const std::shared_ptr<const InputTree>> inputs,
                                             const DecompositionTable& table, const TraceOptions& options) {
  auto module = std::make_unique<TracedModule>();
  module->build = table.build();
  Trace(*module, table, options).run(function, inputs);
  return module;
}

}  // namespace rung::detail
