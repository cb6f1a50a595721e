// Placeholders for the tensors, the call, a getitem for each of several results.
#include "interp/repro.h"

#include <unordered_map>

#include "base/error.h"
#include "ir/bind.h"
#include "trace/dispatch.h"

namespace rung::interp {
namespace {

class OneCall {
 public:
  OneCall(const Node& node, const std::vector<std::pair<const Node*, Value>>& operands, Build build) : node_(node) {
    if (node.callee != Callee::kOp) fail_unsupported("'", node.name, "' calls no operator of ATen or prims");
    for (const auto& [operand, value] : operands) values_[operand] = value;
    program().build = build;
    program().verifier = schema_of(node.op).is_mutable() ? "TRAINING" : "ATEN";
    program().graph = std::make_unique<Graph>(arena());
  }

  Repro run() {
    std::vector<Argument> args;
    std::vector<NamedArgument> kwargs;
    for (const Argument& each : node_.args) args.push_back(argument(each));
    for (const NamedArgument& each : node_.kwargs) kwargs.push_back({arena().copy(each.name), argument(each.value)});
    Node* call = program().graph->append(NodeKind::kCall, arena().copy(node_.name));
    call->callee = Callee::kOp;
    call->op = node_.op;
    set_arguments(*call, arena().copy(args), arena().copy(std::span<const NamedArgument>(kwargs)));
    add_results(*call);
    return std::move(repro_);
  }

 private:
  ExportedProgram& program() { return repro_.program; }
  Arena& arena() { return *repro_.program.arena; }

  const TensorMeta* kept_meta(const Tensor& tensor) {
    TensorMeta* meta = arena().make<TensorMeta>(tensor.meta());
    meta->sizes = arena().copy(tensor.sizes());
    meta->strides = arena().copy(tensor.strides());
    meta->device.type = arena().copy(meta->device.type);
    meta->requires_grad = false;
    return meta;
  }

  Argument argument(const Argument& source) {
    if (source.kind == Argument::Kind::kNode) return operand(*source.node);
    if (source.kind == Argument::Kind::kString) return Argument::string(arena().copy(source.string_view()));
    if (source.kind == Argument::Kind::kDevice) {
      Device device = *source.device;
      device.type = arena().copy(device.type);
      return Argument::of(arena().make<Device>(device));
    }
    if (source.kind == Argument::Kind::kComplex) return Argument::of(arena().make<ComplexNumber>(*source.complex));
    if (source.kind != Argument::Kind::kList) return source;
    std::vector<Argument> items;
    for (const Argument& item : source.list_items()) items.push_back(argument(item));
    return Argument::list(arena().copy(items));
  }

  // A tensor that is named twice is one input.
  Argument operand(const Node& node) {
    auto [known, is_new] = inputs_.try_emplace(&node);
    if (!is_new) return known->second;
    const Value& value = values_[&node];
    if (!value.tensor.is_real()) return known->second = value.number;
    std::string_view name = arena().copy(std::string_view(cat("in", repro_.inputs.size())));
    Node* placeholder = program().graph->append(NodeKind::kPlaceholder, name);
    placeholder->target = name;
    placeholder->meta = ValueMeta::of(kept_meta(value.tensor));
    InputSpec spec;
    spec.node = placeholder;
    program().inputs.push_back(spec);
    repro_.inputs.emplace_back(name, value.tensor);
    return known->second = Argument::of(placeholder);
  }

  // What they look like is what the call gives now.
  void add_results(Node& call) {
    std::vector<Argument> positional, all;
    std::vector<NamedArgument> named;
    auto real = [&](const Argument& each) { return real_argument(each); };
    for (const Argument& each : call.args) positional.push_back(real(each));
    for (const NamedArgument& each : call.kwargs) named.push_back({each.name, real(each.value)});
    bind_arguments(schema_of(call.op), positional, named, current_arena(), all);
    const Value made(dispatch(call.op, all));
    std::vector<Argument> results;
    if (!made.is_list) {
      call.meta = meta_of(made);
      if (call.meta.kind == ValueMeta::Kind::kTensor) results.push_back(Argument::of(&call));
    } else {
      std::span<ValueMeta> metas = arena().array<ValueMeta>(made.items.size());
      for (size_t i = 0; i < metas.size(); ++i) metas[i] = meta_of(made.items[i]);
      call.meta.kind = ValueMeta::Kind::kList;
      call.meta.list = arena().make<ValueMetas>(metas);
      for (size_t i : used_results(metas.size())) results.push_back(Argument::of(get_item(call, i, metas[i])));
    }
    for (const Argument& result : results) program().outputs.push_back({OutputKind::kUserOutput, result, ""});
    Node* output = program().graph->append(NodeKind::kOutput, "output");
    set_arguments(*output, arena().copy(results));
  }

  // All, where nobody says.
  std::vector<size_t> used_results(size_t count) const {
    std::vector<bool> used(count);
    bool any = false;
    for (const Node* node = node_.next; node != nullptr; node = node->next) {
      if (!node->is_call(Callee::kGetItem) || node->args[0].node != &node_) continue;
      used[static_cast<size_t>(node->args[1].integer)] = true;
      any = true;
    }
    std::vector<size_t> indices;
    for (size_t i = 0; i < count; ++i)
      if (used[i] || !any) indices.push_back(i);
    return indices;
  }

  ValueMeta meta_of(const Value& value) {
    return value.tensor.is_real() ? ValueMeta::of(kept_meta(value.tensor)) : ValueMeta();
  }

  Node* get_item(Node& call, size_t index, const ValueMeta& meta) {
    std::string name = index == 0 ? "getitem" : cat("getitem_", index);
    Node* item = program().graph->append(NodeKind::kCall, arena().copy(std::string_view(name)));
    item->callee = Callee::kGetItem;
    const Argument args[] = {Argument::of(&call), Argument::of(static_cast<int64_t>(index))};
    set_arguments(*item, arena().copy(std::span<const Argument>(args)));
    item->meta = meta;
    return item;
  }

  Argument real_argument(const Argument& source) {
    if (source.kind == Argument::Kind::kNode) {
      for (const auto& [name, tensor] : repro_.inputs)
        if (name == source.node->name) return tensor.argument();
      RUNG_UNREACHABLE();
    }
    if (source.kind != Argument::Kind::kList) return source;
    std::span<Argument> items = current_arena().array<Argument>(source.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = real_argument(source.items[i]);
    return Argument::list(items);
  }

  const Node& node_;
  std::unordered_map<const Node*, Value> values_;
  std::unordered_map<const Node*, Argument> inputs_;
  Repro repro_;
};

}  // namespace

Repro one_call(const Node& node, const std::vector<std::pair<const Node*, Value>>& operands, Build build) {
  return OneCall(node, operands, build).run();
}

}  // namespace rung::interp
