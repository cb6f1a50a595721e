// Placeholders first, then the constants.
#include "rules/traced_call.h"

#include "base/error.h"
#include "ir/real_tensor.h"

namespace rung::rule_test {

TracedCall::TracedCall(OpId op, Arguments args, const Samples& samples) : op_(op), samples_(samples) {
  for (const Argument& each : args) add_inputs(each, false);
  for (const Argument& each : args) add_inputs(each, true);
  for (const Argument& each : args) args_.push_back(operand(each));
}

const ExportedProgram& TracedCall::finish(const Argument& result, int only_result) {
  std::vector<Node*> nodes;
  if (result.kind == Argument::Kind::kNode) nodes.push_back(result.node);
  for (size_t i = 0; result.kind == Argument::Kind::kList && i < result.size; ++i)
    if (only_result < 0 || static_cast<size_t>(only_result) == i) nodes.push_back(result.items[i].node);
  builder_.output(nodes);
  builder_.program.graph->count_uses();
  verify(*builder_.program.graph);
  return builder_.program;
}

void TracedCall::add_inputs(const Argument& value, bool constants) {
  if (value.kind == Argument::Kind::kList)
    for (const Argument& item : value.list_items()) add_inputs(item, constants);
  if (value.kind != Argument::Kind::kReal || samples_.is_constant(value) != constants) return;
  Node*& node = nodes_[value.real];
  if (node != nullptr) return;
  const std::string_view name = arena().copy(std::string_view(cat("operand_", nodes_.size())));
  node = constants ? made(value, name) : builder_.input(name, {});
  TensorMeta* meta = arena().make<TensorMeta>(value.real->meta());
  meta->sizes = arena().copy(meta->sizes);
  meta->strides = arena().copy(meta->strides);
  node->meta = ValueMeta::of(meta);
  if (!constants) inputs_.emplace_back(Tensor(value));
}

// full([2, 3], 2)
Node* TracedCall::made(const Argument& constant, std::string_view name) {
  const Tensor tensor(constant);
  const bool is_bool = tensor.dtype() == DType::kBool;
  const ref::Complex value = ref::values<ref::Complex>(tensor)[0];
  const Argument number = is_complex(tensor.dtype())
                              ? Argument::of(arena().make<ComplexNumber>(value.real(), value.imag()))
                          : is_floating(tensor.dtype()) ? Argument::of(value.real())
                          : is_bool                     ? Argument::of(value.real() != 0)
                                                        : Argument::of(ref::values<int64_t>(tensor)[0]);
  std::vector<Argument> sizes;
  for (SymInt size : tensor.sizes()) sizes.push_back(Argument::of(size));
  Node* node = builder_.call("aten::full", {Argument::list(arena().copy(sizes)), number}, name);
  const NamedArgument dtype[] = {{"dtype", Argument::of(tensor.dtype())}};
  node->kwargs = arena().copy(std::span<const NamedArgument>(dtype));
  return node;
}

Argument TracedCall::operand(const Argument& value) {
  if (value.kind == Argument::Kind::kReal) return Argument::of(nodes_.at(value.real));
  if (value.kind != Argument::Kind::kList) return value;
  std::vector<Argument> items;
  for (const Argument& item : value.list_items()) items.push_back(operand(item));
  return Argument::list(arena().copy(items));
}

}  // namespace rung::rule_test
