// Calls as make_fx traces them: each becomes a node when it comes, a write as a write and a view as a view. A tensor
// is a handle whose node changes with each write, as torch's tensors change their proxies.
#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "meta/layout.h"
#include "schema/gen/op_ids.h"
#include "trace/argument_buffer.h"
#include "trace/functional.h"
#include "trace/mode_stack.h"
#include "trace/tracer.h"

namespace rung {
namespace {

uint32_t next_serial() {
  static std::atomic<uint32_t> last = 0;
  uint32_t serial = ++last;
  return serial == 0 ? ++last : serial;  // 0 says that nothing is traced
}

// What c10 allows an in-place op to make of its result.
bool can_cast(DType from, DType to) {
  if (category(to) == Category::kBoolean) return category(from) == Category::kBoolean;
  if (is_integral_or_bool(to)) return is_integral_or_bool(from);
  return is_complex(to) || !is_complex(from);
}

std::string shape_text(SymInts sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += cat(i == 0 ? "" : ", ", sizes[i].str());
  return text + ']';
}

// Python registers a decomposition of these with the dispatcher, which export uses; make_fx runs the kernel.
bool has_kernel_besides(OpId op) {
  constexpr OpId kOps[] = {op::aten__upsample_nearest_exact1d, op::aten__upsample_nearest_exact2d,
                           op::aten__upsample_nearest_exact3d, op::aten_native_batch_norm,
                           op::aten_upsample_nearest1d,        op::aten_upsample_nearest2d,
                           op::aten_upsample_nearest3d};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

bool is_out(const OpSchema& schema) {
  return !schema.args.empty() && schema.args.back().write && schema.args.back().keyword_only;
}

void check_in_place(const OpSchema& schema, const TensorMeta& made, const TensorMeta& target) {
  if (!can_cast(made.dtype, target.dtype))
    fail_input(schema.name, ": result type ", info(made.dtype).name, " can't be cast to the desired output type ",
               info(target.dtype).name);
  if (!std::ranges::equal(made.sizes, target.sizes))
    fail_input(schema.name, ": output with shape ", shape_text(target.sizes), " doesn't match the broadcast shape ",
               shape_text(made.sizes));
}

}  // namespace

void Tracer::trace_as_called(bool refs) {
  as_called_ = true;
  functional_ = false;
  serial_ = next_serial();
  if (!refs) return;
  routes_ = prims_decompositions(table_.build());
  refs_ = &*routes_;
}

void Tracer::trace_as_exported() {
  trace_as_called(false);
  keeps_composites_ = true;
}

void Tracer::check_held(const Argument& argument) const {
  if (argument.kind == Argument::Kind::kList)
    for (const Argument& item : argument.list_items()) check_held(item);
  if (argument.kind == Argument::Kind::kFunctional && argument.size != serial_)
    fail_input(
        "a tensor of another trace was used: a traced tensor lives as long as the call of make_fx that made it; "
        "return it from the function, or pass it in as an input");
}

// First what torch's references make of a call, then the kernels that are made of other ops, then modes.
Argument Tracer::call_as_called(OpId op, Arguments args) {
  if (std::optional<Argument> result = open_by_reference(op, args)) return *result;
  UnroutedScope unrouted(this);
  if (std::optional<Argument> result = open_as_called(op, args)) return *result;
  if (innermost_mode() != nullptr) return call_mode(op, args);
  return call_below_modes(op, args);
}

std::optional<Argument> Tracer::open_by_reference(OpId op, Arguments args) {
  if (refs_ == nullptr) return std::nullopt;
  const OpDef* def = op_def(op);
  Body body = torch_function_reference(op);
  if (body == nullptr && def != nullptr) body = def->reference;
  if (body == nullptr && refs_->opens(op)) body = body_of(op);
  if (body == nullptr) return std::nullopt;
  Argument result = run_body(body, op, args, "reference");
  return is_not_decomposed(result) ? std::nullopt : std::optional(result);
}

std::optional<Argument> Tracer::open_as_called(OpId op, Arguments args) {
  bool is_composite = schema_of(op).has(kCompositeImplicit, table_.build());
  if (!is_composite || keeps_composites_ || has_kernel_besides(op)) return std::nullopt;
  Body body = body_of(op);
  if (body == nullptr) fail_stuck(op, "has no decomposition");
  Argument result = run_body(body, op, args, "composite");
  return is_not_decomposed(result) ? std::nullopt : std::optional(result);
}

Argument Tracer::call_below_modes(OpId op, Arguments args) {
  if (table_.opens(op) || table_.hides(op)) {
    const OwnBody* own = table_.own_body(op);
    if (own != nullptr) return run_own_body(*own, op, args);
    Body body = body_of(op);
    Argument result = body == nullptr ? not_decomposed() : run_body(body, op, args, "decomposition");
    if (!is_not_decomposed(result)) return result;
  }
  const OpSchema& schema = schema_of(op);
  if (schema.has(kDataDependentOutput))
    fail_input(schema.name, " asks for the value of a tensor that is being traced: its value is not known; keep the ",
               "choice in the graph (where), or decide it before make_fx is called");
  ArgumentBuffer values(args.size());
  for (size_t i = 0; i < args.size(); ++i) values[i] = plain(with_constants(args[i]));
  return follow(op, args, emit(op, values));
}

Argument Tracer::run_own_body(const OwnBody& body, OpId op, Arguments args) {
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->outer)
    if (frame->op == op && frame->rule == "own")
      fail_input("the decomposition of ", schema_of(op).name, " calls ", schema_of(op).name,
                 " itself: write it with other ops");
  FrameScope scope(*this, op, "own");
  BodyScope theirs(false);
  return body({op, args});
}

// What was written to goes on under the node of the write.
Argument Tracer::follow(OpId op, Arguments args, const Argument& result) {
  const OpSchema& schema = schema_of(op);
  bool is_one = schema.returns.size() == 1;
  if (result.kind == Argument::Kind::kList) {
    std::span<Argument> items = arena().array<Argument>(result.size);
    for (size_t i = 0; i < items.size(); ++i)
      items[i] = is_one ? held(result.items[i]) : follow_one(schema, i, args, result.items[i]);
    return Argument::list(items);
  }
  return is_one ? follow_one(schema, 0, args, result) : held(result);
}

Argument Tracer::follow_one(const OpSchema& schema, size_t i, Arguments args, const Argument& result) {
  if (!schema.returns[i].write) return held(result);
  for (size_t a = 0; a < args.size(); ++a) {
    if (!schema.args[a].write || schema.args[a].alias != schema.returns[i].alias) continue;
    if (args[a].kind == Argument::Kind::kReal) known_constants_[args[a].real].written = result.node;
    if (args[a].kind != Argument::Kind::kFunctional) break;
    args[a].functional->value = result.node;
    args[a].functional->meta = result.node->tensor();
    return args[a];
  }
  return held(result);
}

Argument Tracer::held(const Argument& value) {
  if (value.kind == Argument::Kind::kList) {
    std::span<Argument> items = arena().array<Argument>(value.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = held(value.items[i]);
    return Argument::list(items);
  }
  if (value.kind != Argument::Kind::kNode || value.node->tensor() == nullptr) return value;
  Argument handle = Argument::of(wrap_node(value.node));
  handle.size = serial_;
  return handle;
}

// The result of a write looks as its target does, once what it writes has been found to fit.
ValueMeta Tracer::infer_write(const Node& node, OpId op, Arguments args) {
  const OpSchema& schema = schema_of(op);
  if (schema.has(kInplaceView, table_.build()) && view_variant(op) != kNoOp) return infer(node, view_variant(op), args);
  OpId variant = op == op::aten_resize_ ? op::aten_resize : functional_variant(op);
  auto target_of = [&](const ReturnDef& result) -> const TensorMeta* {
    for (size_t i = 0; i < args.size(); ++i)
      if (schema.args[i].write && schema.args[i].alias == result.alias && args[i].is_tensor())
        return &Tensor(args[i]).meta();
    return nullptr;
  };
  std::vector<ValueMeta> made;
  if (variant != kNoOp) {
    std::vector<Argument> given;
    bool drops_written = schema_of(variant).args.size() < args.size();
    for (size_t i = 0; i < args.size(); ++i)
      if (!drops_written || !schema.args[i].write) given.push_back(args[i]);
    ValueMeta result = infer(node, variant, given);
    if (result.kind == ValueMeta::Kind::kList)
      made.assign(result.list->begin(), result.list->end());
    else
      made.push_back(result);
  }
  std::span<ValueMeta> results = arena().array<ValueMeta>(schema.returns.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorMeta* target = schema.returns[i].write ? target_of(schema.returns[i]) : nullptr;
    const TensorMeta* value = i < made.size() ? made[i].as_tensor() : nullptr;
    RUNG_CHECK(target != nullptr || i < made.size(), schema.name, " has no meta");
    bool is_replaced = target == nullptr || (value != nullptr && op == op::aten_resize_) ||
                       (value != nullptr && is_out(schema) && !std::ranges::equal(value->sizes, target->sizes));
    if (!is_replaced && value != nullptr && !is_out(schema)) check_in_place(schema, *value, *target);
    results[i] = is_replaced ? made[i] : ValueMeta::of(target);
  }
  if (results.size() == 1) return results[0];
  ValueMeta list;
  list.kind = ValueMeta::Kind::kList;
  list.list = arena().make<ValueMetas>(results);
  return list;
}

// A tensor with values becomes a constant of the graph.
Argument Tracer::with_constants(const Argument& argument) {
  if (argument.kind == Argument::Kind::kReal) return constant(Tensor(argument));
  if (argument.kind != Argument::Kind::kList) return argument;
  std::span<Argument> items = arena().array<Argument>(argument.size);
  for (size_t i = 0; i < items.size(); ++i) items[i] = with_constants(argument.items[i]);
  return Argument::list(items);
}

// Read anew at each use, until it is written to.
Argument Tracer::constant(const Tensor& tensor) {
  auto [known, is_new] = known_constants_.try_emplace(tensor.argument().real);
  if (is_new) {
    constants_.emplace_back(cat("_tensor_constant", constants_.size()), tensor);
    known->second.attribute = arena().copy(std::string_view(constants_.back().first));
  }
  if (known->second.written != nullptr) return held(Argument::of(known->second.written));
  Node* node = append(NodeKind::kGetAttr, Callee::kNotACall, known->second.attribute);
  node->target = known->second.attribute;
  const TensorMeta& meta = tensor.meta();
  TensorMeta* kept = arena().make<TensorMeta>(meta);
  kept->sizes = arena().copy(meta.sizes);
  kept->strides = arena().copy(meta.strides);
  kept->device.type = arena().copy(meta.device.type);
  node->meta = ValueMeta::of(kept);
  return held(Argument::of(node));
}

}  // namespace rung
