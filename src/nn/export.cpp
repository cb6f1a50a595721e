// Placeholders for a module's tensors, the call, and the signature.
#include "nn/export.h"

#include <map>

#include "base/error.h"
#include "ir/real_tensor.h"
#include "pass/dce.h"
#include "pass/placeholder_names.h"
#include "ref/data.h"
#include "shape/shape_env.h"
#include "trace/tracer.h"

namespace rung::nn {
namespace {

// While the object lives, the module's tensors are values of the trace.
class Substitution {
 public:
  ~Substitution() {
    for (auto& [entry, value] : saved_) entry->value = value;
  }
  void put(StateEntry& entry, const Argument& value) {
    saved_.emplace_back(&entry, entry.value);
    entry.value = Tensor(value);
  }

 private:
  std::vector<std::pair<StateEntry*, Tensor>> saved_;
};

// A letter for the kind, then the path as an identifier: p_fc_weight.
std::string placeholder_name(const StateEntry& entry, const std::string& path) {
  std::string name = (entry.is_parameter ? "p_" : "b_") + path;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class Export {
 public:
  Export(Module& module, TensorList inputs, const ExportSettings& settings)
      : module_(module),
        inputs_(inputs),
        settings_(settings),
        table_(aten_decompositions(settings.build)),
        tracer_(graph(), table_, false) {
    program_.build = settings.build;
    program_.verifier = is_functional() ? "ATEN" : "TRAINING";
    if (!is_functional()) tracer_.trace_as_exported();
    env_.keep_minima();
    for (const Tensor& input : inputs)
      if (!input.is_real()) fail_input("export_program: an input must be a tensor with values");
    if (!settings.names.empty() && settings.names.size() != inputs.size())
      fail_input("export_program: ", settings.names.size(), " names for ", inputs.size(), " inputs");
  }

  ExportedProgram run(const std::function<Argument(Arguments)>& forward) {
    ShapeEnvScope sizes(env_);
    TracerScope scope(tracer_);
    Substitution substitution;
    add_state(true, substitution);
    add_state(false, substitution);
    std::vector<Argument> args;
    for (size_t i = 0; i < inputs_.size(); ++i) args.push_back(add_user_input(i));
    add_outputs(forward(args));
    eliminate_dead_code(*program_.graph);
    if (!is_functional()) rename_calls(*program_.graph, tracer_.names());
    return std::move(program_);
  }

 private:
  bool is_functional() const { return settings_.build == Build::k2_2; }
  Arena& arena() { return *program_.arena; }
  Graph& graph() {
    program_.graph = std::make_unique<Graph>(arena());
    return *program_.graph;
  }

  const TensorMeta* kept_meta(const Tensor& tensor, bool requires_grad) {
    TensorMeta* meta = arena().make<TensorMeta>(tensor.meta());
    meta->sizes = arena().copy(tensor.sizes());
    meta->strides = arena().copy(tensor.strides());
    meta->requires_grad = requires_grad;
    return meta;
  }

  Argument placeholder(const std::string& name, const TensorMeta* meta, InputSpec spec) {
    std::string numbered = cat("arg", program_.inputs.size(), "_1");
    bool is_numbered = is_functional() && spec.kind != InputKind::kUserInput;
    std::string_view kept = arena().copy(std::string_view(is_numbered ? numbered : name));
    spec.node = tracer_.add_placeholder(kept, ValueMeta::of(meta));
    program_.inputs.push_back(spec);
    return is_functional() ? tracer_.track(spec.node) : tracer_.held(Argument::of(spec.node));
  }

  // Parameters come before buffers. A tensor that is there under two names is one input.
  void add_state(bool parameters, Substitution& substitution) {
    module_.for_each_entry([&](const std::string& path, StateEntry& entry) {
      if (entry.is_parameter != parameters || !entry.value.is_real()) return;
      Tensor tensor = entry.value;
      const TensorMeta* meta = kept_meta(tensor, parameters && tensor.meta().requires_grad);
      std::string_view target = arena().copy(std::string_view(path));
      auto [value, is_new] = state_.try_emplace(tensor.argument().real);
      if (is_new) {
        InputSpec spec;
        spec.kind = parameters ? InputKind::kParameter : InputKind::kBuffer;
        spec.target = target;
        spec.persistent = entry.persistent;
        value->second = placeholder(placeholder_name(entry, path), meta, spec);
        if (!parameters) buffers_.emplace_back(spec, value->second);
      }
      substitution.put(entry, value->second);
      store(path, tensor, meta, parameters, entry.persistent);
    });
  }

  void store(const std::string& path, const Tensor& tensor, const TensorMeta* meta, bool is_parameter,
             bool persistent) {
    const std::shared_ptr<Storage>& storage = tensor.argument().real->storage();
    auto [payload, is_new] = payloads_.try_emplace(storage.get(), static_cast<uint32_t>(program_.payloads.size()));
    if (is_new) {
      const char* bytes = reinterpret_cast<const char*>(storage->bytes);
      program_.payloads.push_back({.bytes = {bytes, storage->size}});
      program_.keep_alive.push_back(storage);
    }
    StoredTensor stored;
    stored.name = path;
    stored.meta = meta;
    stored.is_parameter = is_parameter;
    stored.payload = payload->second;
    (persistent ? program_.state : program_.constants).push_back(std::move(stored));
  }

  Argument add_user_input(size_t position) {
    std::string name = inputs_.size() == 1 ? "x" : cat("input_", position);
    if (!settings_.names.empty()) name = settings_.names[position];
    if (is_functional()) name = cat("l_", name, "_");
    return placeholder(name, kept_meta(inputs_[position], false), {});
  }

  void append_leaves(const Argument& value, std::vector<Argument>& leaves) {
    if (value.kind == Argument::Kind::kList) {
      for (const Argument& item : value.list_items()) append_leaves(item, leaves);
      return;
    }
    if (value.kind == Argument::Kind::kReal) fail_unsupported("export_program: forward returns a constant tensor");
    leaves.push_back(tracer_.plain(value));
  }

  // A functional program returns the new values of the buffers that it writes to, first.
  void add_outputs(const Argument& result) {
    std::vector<Argument> returned;
    for (const auto& [spec, value] : buffers_) {
      if (!is_functional() || !tracer_.was_written(value)) continue;
      returned.push_back(tracer_.plain(value));
      program_.outputs.push_back({OutputKind::kBufferMutation, returned.back(), spec.target});
    }
    size_t mutations = returned.size();
    append_leaves(result, returned);
    for (size_t i = mutations; i < returned.size(); ++i)
      program_.outputs.push_back({OutputKind::kUserOutput, returned[i], ""});
    Node* output = tracer_.append(NodeKind::kOutput, Callee::kNotACall, "output");
    set_arguments(*output, arena().copy(returned));
  }

  Module& module_;
  TensorList inputs_;
  const ExportSettings& settings_;
  ExportedProgram program_;
  DecompositionTable table_;
  ShapeEnv env_;
  Tracer tracer_;
  std::map<const RealTensor*, Argument> state_;
  std::vector<std::pair<InputSpec, Argument>> buffers_;
  std::map<const Storage*, uint32_t> payloads_;
};

}  // namespace

ExportedProgram export_module(Module& module, const std::function<Argument(Arguments)>& forward, TensorList inputs,
                              const ExportSettings& settings) {
  return Export(module, inputs, settings).run(forward);
}

}  // namespace rung::nn
