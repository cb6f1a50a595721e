// The functional level of the tracer.
#include "trace/functional.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "meta/layout.h"
#include "schema/gen/op_ids.h"
#include "trace/argument_buffer.h"
#include "trace/tracer.h"

namespace rung {
namespace {

// Ops whose functional twin is not found by its name.
OpId renamed_variant(OpId op) {
  switch (op) {
    case op::aten_normal_: return op::aten_normal_functional;
    case op::aten_bernoulli__float: return op::aten_bernoulli_p;
    case op::aten_rrelu_with_noise_: return op::aten_rrelu_with_noise_functional;
    case op::aten_floor_divide__Tensor: return op::aten_floor_divide;
    case op::aten_ldexp_: return op::aten_ldexp_Tensor;
    case op::aten_pow__Scalar: return op::aten_pow_Tensor_Scalar;
    case op::aten_pow__Tensor: return op::aten_pow_Tensor_Tensor;
    default: return kNoOp;
  }
}

// add.out -> add.Tensor: the overload of the packet with the same arguments but those that are written to.
OpId variant_without_out(const OpSchema& schema) {
  std::vector<const ArgDef*> read;
  for (const ArgDef& arg : schema.args)
    if (!arg.write) read.push_back(&arg);
  // overloads of a packet stand side by side
  std::span<const OpSchema> ops = all_ops();
  auto is_sibling = [&](size_t i) { return ops[i].ns() == schema.ns() && ops[i].packet() == schema.packet(); };
  size_t first = static_cast<size_t>(&schema - ops.data());
  while (first > 0 && is_sibling(first - 1)) --first;
  for (size_t i = first; i < ops.size() && is_sibling(i); ++i) {
    const OpSchema& other = ops[i];
    if (!other.is_functional() || other.args.size() != read.size()) continue;
    bool same = true;
    for (size_t a = 0; same && a < read.size(); ++a)
      same = read[a]->name == other.args[a].name && read[a]->type == other.args[a].type &&
             read[a]->list == other.args[a].list;
    if (same) return static_cast<OpId>(i);
  }
  return kNoOp;
}

OpId find_functional_variant(OpId op) {
  if (OpId renamed = renamed_variant(op); renamed != kNoOp) return renamed;
  const OpSchema& schema = schema_of(op);
  if (!schema.args.empty() && schema.args.back().write && schema.args.back().keyword_only)
    return variant_without_out(schema);
  std::string packet(schema.packet());
  bool in_place = packet.ends_with('_') && !packet.ends_with("__");
  std::string base = in_place ? packet.substr(0, packet.size() - 1) : packet + "_functional";
  std::string overload = schema.overload() == "default" ? "" : cat('.', schema.overload());
  OpId found = find_op(cat(schema.ns(), "::", base, overload));
  return found != kNoOp && schema_of(found).is_functional() ? found : kNoOp;
}

// transpose_ -> transpose.int; kNoOp if that is no view.
OpId view_named_without_underscore(const OpSchema& schema) {
  std::string name = cat(schema.ns(), "::", schema.packet().substr(0, schema.packet().size() - 1));
  std::string overload = schema.overload() == "default" ? "" : cat('.', schema.overload());
  for (std::string_view tried : {std::string_view(overload), std::string_view(".int")}) {
    OpId view = find_op(cat(name, tried));
    if (view != kNoOp && schema_of(view).is_view()) return view;
  }
  return kNoOp;
}

}  // namespace

OpId functional_variant(OpId op) { return find_functional_variant(op); }
OpId view_variant(OpId op) { return view_named_without_underscore(schema_of(op)); }

uint32_t aliased_argument(const OpSchema& view) {
  for (uint32_t i = 0; i < view.args.size(); ++i)
    if (view.args[i].alias != 0) return i;
  return 0;  // _unsafe_view, whose schema does not say so
}

// A batch norm that does not train is a function of its inputs, though its schema leaves that open.
static bool writes_nothing(OpId op, Arguments args) {
  constexpr size_t kTraining = 5;
  const bool is_norm = op == op::aten_batch_norm && args[kTraining].kind == Argument::Kind::kBool;
  return is_norm && !args[kTraining].boolean;
}

// Above: CompositeImplicit ops are opened here, so that their views and writes are followed; all else loses its
// wrappers, runs below, and gets new ones.
Argument Tracer::call_functional(OpId op, Arguments args) {
  const OpSchema& schema = schema_of(op);
  Build build = table_.build();
  bool opened_here = table_.must_open(op) || DecompositionTable::opens_above(op) ||
                     (schema.has(kCompositeImplicit, build) && table_.opens(op));
  if (const OwnBody* own = opened_here ? table_.own_body(op) : nullptr) return run_own_body(*own, op, args);
  const bool must_open = table_.must_open(op) && !writes_nothing(op, args);
  const bool may_choose = chooser_ != nullptr && !must_open && !DecompositionTable::opens_above(op);
  if (opened_here && may_choose) return call_chosen_composite(op, args);
  if (opened_here) {
    Body body = table_.must_open(op) ? composite_body_of(op) : body_of(op);
    if (body == nullptr) fail_stuck(op, "has no decomposition");
    Argument result = run_body(body, op, args, "composite");
    if (!is_not_decomposed(result)) return result;
  }
  if (like_torch_ && schema.is_view() && schema.ns() == "prims")
    fail_unsupported(
        "Found a custom (non-ATen) operator whose output has alias annotations: ",
        schema.text[static_cast<size_t>(build)],
        ". We only support functionalizing operators whose outputs do not have alias annotations (e.g. "
        "'Tensor(a)' is a "
        "Tensor with an alias annotation whereas 'Tensor' is a Tensor without. The '(a)' is the alias annotation)");
  if (schema.has(kInplaceView, build)) return call_inplace_view(op, args);

  ArgumentBuffer values(args.size());
  for (size_t i = 0; i < args.size(); ++i) values[i] = plain(args[i]);
  if (schema.is_mutable()) return call_mutating(schema, op, args, values);
  if (op == op::aten_view_dtype) {
    // a view of another type has no gradient: torch detaches it
    const Argument viewed[] = {call_view(schema, op, args, values)};
    return call(op::aten_detach, viewed);
  }
  if (op == op::aten_lift_fresh_copy || op == op::aten_lift_fresh) {
    // functionalization sees a copy of a constant; what it reaches the graph as is a clone
    const Argument clone_args[] = {values[0], Argument::none()};
    functional_ = false;
    Argument copied = call_plain(op::aten_clone, clone_args);
    functional_ = true;
    return wrap(copied);
  }
  if (schema.is_view() || op == op::aten__unsafe_view) return call_view(schema, op, args, values);
  functional_ = false;
  Argument result = call_plain(op, values);
  functional_ = true;
  return wrap(result);
}

Argument Tracer::call_chosen_composite(OpId op, Arguments args) {
  ArgumentBuffer values(args.size());
  for (size_t i = 0; i < args.size(); ++i) values[i] = plain(args[i]);
  if (const Rule* rule = chosen_rule(op, values)) {
    if (rule->body == nullptr) fail_stuck(op, "has no decomposition");
    const bool is_own_body = rule->body == composite_body_of(op);
    const Argument result = run_body(rule->body, op, args, is_own_body ? "composite" : rule->name);
    if (!is_not_decomposed(result)) return result;
  }
  functional_ = false;
  Argument result = emit(op, values);
  functional_ = true;
  return wrap(result);
}

// torch works out the -1 of a view by arithmetic that is traced: of this the sizes that it reads are left.
static void read_sizes_of(const TensorMeta& base, Arguments shape) {
  auto is_open = [](const Argument& size) { return size.kind == Argument::Kind::kInt && size.integer == -1; };
  if (std::ranges::any_of(shape, is_open)) meta::numel(base.sizes);
}

Argument Tracer::call_view(const OpSchema& schema, OpId op, Arguments args, Arguments values) {
  uint32_t base_arg = aliased_argument(schema);
  RUNG_CHECK(args[base_arg].kind == Argument::Kind::kFunctional, schema.name, " of a tensor that is not followed");
  FunctionalTensor& base = *args[base_arg].functional;
  if (op == op::aten_view) read_sizes_of(*base.meta, values[1].list_items());
  functional_ = false;
  Argument result = call_plain(op, values);
  functional_ = true;
  auto view_of = [&](const Argument& value, uint32_t index, bool has_list_result) {
    ViewStep* step =
        arena().make<ViewStep>(ViewStep{op, arena().copy(values), base_arg, index, has_list_result, base.chain});
    read_sizes(*value.node->tensor());
    FunctionalTensor* tensor = wrap_node(value.node);
    tensor->storage = &storage_of(base);
    tensor->chain = step;
    tensor->generation = 0;  // as in torch: a view of what was written to before is made anew on its first use
    return Argument::of(tensor);
  };
  if (result.kind != Argument::Kind::kList) return view_of(result, 0, false);
  std::span<Argument> views = arena().array<Argument>(result.size);
  for (uint32_t i = 0; i < result.size; ++i) views[i] = view_of(result.items[i], i, true);
  return Argument::list(views);
}

// t_, unsqueeze_, detach_: the tensor itself becomes a view.
Argument Tracer::call_inplace_view(OpId op, Arguments args) {
  const OpSchema& schema = schema_of(op);
  if (op == op::aten_detach_) return args[0];
  OpId view = op == op::aten_resize_ ? kNoOp : view_named_without_underscore(schema);
  FunctionalTensor& self = *args[0].functional;
  ArgumentBuffer values(args.size());
  for (size_t i = 0; i < args.size(); ++i) values[i] = plain(args[i]);
  if (op == op::aten_resize_) return call_resize(args, values);
  if (view == kNoOp) return call_mutating(schema, op, args, values);  // resize_as_
  // as in torch: the tensor stays as current as it was; its new view is not made anew on first use
  uint32_t generation = self.generation;
  Argument viewed = call_view(schema_of(view), view, args, values);
  self = *viewed.functional;
  self.generation = generation;
  return args[0];
}

// A tensor that gets smaller is a view of what it was; one that grows gets new memory.
Argument Tracer::call_resize(Arguments args, Arguments values) {
  std::span<SymInt> size = arena().array<SymInt>(values[1].size);
  for (size_t i = 0; i < size.size(); ++i) size[i] = values[1].items[i].integer;
  FunctionalTensor& tensor = *args[0].functional;
  const TensorMeta& base = *storage_of(tensor).base->tensor();
  if (meta::numel(size) > meta::numel(base.sizes)) {
    functional_ = false;
    Node* grown = call_plain(op::aten_resize, values).node;
    functional_ = true;
    tensor = *wrap_node(grown);
    return args[0];
  }
  std::span<Argument> strides = arena().array<Argument>(size.size());
  meta::Sizes dense = meta::contiguous_strides(size);
  for (size_t i = 0; i < strides.size(); ++i) strides[i] = Argument::of(dense[i]);
  const Argument cut[] = {values[0], values[1], Argument::list(strides), Argument::none()};
  const Argument followed[] = {args[0], cut[1], cut[2], cut[3]};
  Argument viewed = call_view(schema_of(op::aten_as_strided), op::aten_as_strided, followed, cut);
  tensor = *viewed.functional;
  return args[0];
}

Argument Tracer::call_mutating(const OpSchema& schema, OpId op, Arguments args, Arguments values) {
  OpId variant = functional_variant(op);
  if (variant == kNoOp) fail_unsupported(schema.name, ": functionalization of this op is not supported");
  std::vector<Argument> given;
  bool drops_written = schema_of(variant).args.size() < values.size();
  for (size_t i = 0; i < values.size(); ++i)
    if (!drops_written || !schema.args[i].write) given.push_back(values[i]);
  bool scans_into = op == op::aten_cumsum_out || op == op::aten_cumprod_out;
  if (scans_into && given[2].is_none()) given[2] = Argument::of(Tensor(args[3]).dtype());  // torch says it outright
  functional_ = false;
  Argument result = call(variant, given);
  functional_ = true;
  // The functional twin returns the op's own results, then the new values of what it wrote to. In-place ops return
  // their first argument: there the only result is the new value.
  std::array<Argument, 8> written = {};
  size_t writes = 0;
  for (size_t i = 0; i < schema.args.size(); ++i)
    if (schema.args[i].write) written[writes++] = args[i];
  if (result.kind != Argument::Kind::kList) {
    RUNG_CHECK(writes == 1, schema.name, " writes to ", writes, " arguments");
    write(*written[0].functional, result);
    return written[0];
  }
  size_t own = result.size - writes;
  for (size_t i = 0; i < writes; ++i)
    if (written[i].kind == Argument::Kind::kFunctional) write(*written[i].functional, result.items[own + i]);
  if (own == 0) return written[0];
  bool has_one = schema.returns.size() == 1 && !schema.returns[0].list;
  return wrap(has_one ? result.items[0] : Argument::list(result.list_items().first(own)));
}

void Tracer::write(FunctionalTensor& tensor, const Argument& value) {
  Node* node = value.node;
  if (node->tensor()->dtype != tensor.meta->dtype) {
    // an in-place op keeps the dtype of what it writes to
    const Argument cast[] = {value,
                             Argument::of(tensor.meta->dtype),
                             Argument::of(Layout::kStrided),
                             Argument::none(),
                             Argument::none(),
                             Argument::of(false),
                             Argument::none()};
    functional_ = false;
    node = call_plain(op::aten__to_copy, cast).node;
    functional_ = true;
  }
  FunctionalStorage& storage = storage_of(tensor);
  tensor.value = node;
  see(tensor, node);
  PendingWrite* pending = arena().make<PendingWrite>(PendingWrite{node, tensor.chain, nullptr});
  (storage.last != nullptr ? storage.last->next : storage.first) = pending;
  storage.last = pending;
  ++storage.generation;
  storage.written = has_written_ = true;
  sync(tensor);
}

// Makes a tensor anew from its base if an alias was written to since.
void Tracer::sync(FunctionalTensor& tensor) {
  if (tensor.storage == nullptr) return;
  FunctionalStorage& storage = *tensor.storage;
  if (tensor.generation == storage.generation) return;
  bool outer = functional_;
  functional_ = false;
  while (storage.first != nullptr) {
    storage.base = apply_write(*storage.first, storage.base);
    storage.first = storage.first->next;
  }
  storage.last = nullptr;
  std::vector<const ViewStep*> steps;
  for (const ViewStep* step = tensor.chain; step != nullptr; step = step->outer) steps.push_back(step);
  Node* value = storage.base;
  for (size_t i = steps.size(); i-- > 0;) value = replay(*steps[i], value);
  functional_ = outer;
  tensor.value = value;
  see(tensor, value);
  tensor.generation = storage.generation;
}

// What bodies see of a tensor. In torch they go on seeing the strides that it had when it was made.
void Tracer::see(FunctionalTensor& tensor, const Node* value) const {
  if (!like_torch_) tensor.meta = value->tensor();
}

Node* Tracer::replay(const ViewStep& step, Node* base) {
  std::vector<Argument> args(step.args.begin(), step.args.end());
  args[step.base_arg] = Argument::of(base);
  Argument result = call_plain(step.op, args);
  return step.has_list_result ? result.items[step.out_index].node : result.node;
}

// The new base: views replayed down to the last but one, then undone one by one around the written value.
Node* Tracer::apply_write(const PendingWrite& pending, Node* base) {
  std::vector<const ViewStep*> steps;
  for (const ViewStep* step = pending.chain; step != nullptr; step = step->outer) steps.push_back(step);
  std::ranges::reverse(steps);
  if (steps.empty()) return pending.value;
  std::vector<Node*> bases = {base};
  for (size_t i = 0; i + 1 < steps.size(); ++i) bases.push_back(replay(*steps[i], bases.back()));
  Tensor value(pending.value);
  for (size_t i = steps.size(); i-- > 0;) {
    const OpDef* def = op_def(steps[i]->op);
    if (def == nullptr || def->inverse == nullptr)
      fail_unsupported("writing through ", schema_of(steps[i]->op).name, " is not supported");
    value = def->inverse(Tensor(bases[i]), value, {steps[i]->op, steps[i]->args}, steps[i]->out_index);
  }
  return value.argument().node;
}

static bool holds_followed(const Argument& list) {
  return std::ranges::any_of(list.list_items(), [](const Argument& item) {
    return item.kind == Argument::Kind::kFunctional || (item.kind == Argument::Kind::kList && holds_followed(item));
  });
}

Argument Tracer::plain(const Argument& argument) {
  if (argument.kind == Argument::Kind::kFunctional) {
    sync(*argument.functional);
    return Argument::of(argument.functional->value);
  }
  if (argument.kind != Argument::Kind::kList || !holds_followed(argument)) return argument;
  std::span<Argument> items = arena().array<Argument>(argument.size);
  for (size_t i = 0; i < items.size(); ++i) items[i] = plain(argument.items[i]);
  return Argument::list(items);
}

FunctionalTensor* Tracer::wrap_node(Node* node) {
  FunctionalTensor* tensor = arena().make<FunctionalTensor>();
  tensor->value = node;
  tensor->meta = node->tensor();
  return tensor;
}

FunctionalStorage& Tracer::storage_of(FunctionalTensor& tensor) {
  if (tensor.storage == nullptr)
    tensor.storage = arena().make<FunctionalStorage>(FunctionalStorage{.base = tensor.value});
  return *tensor.storage;
}

Argument Tracer::wrap(const Argument& value) {
  if (value.kind == Argument::Kind::kNode) {
    if (value.node->tensor() == nullptr) return value;
    read_sizes(*value.node->tensor());
    return Argument::of(wrap_node(value.node));
  }
  if (value.kind != Argument::Kind::kList) return value;
  std::span<Argument> items = arena().array<Argument>(value.size);
  for (size_t i = 0; i < items.size(); ++i) items[i] = wrap(value.items[i]);
  return Argument::list(items);
}

// The sizes of inputs are read when something asks for them.
Argument Tracer::track(Node* placeholder) {
  return placeholder->tensor() == nullptr ? Argument::of(placeholder) : Argument::of(wrap_node(placeholder));
}

bool Tracer::was_written(const Argument& tracked) const {
  return tracked.kind == Argument::Kind::kFunctional && tracked.functional->storage != nullptr &&
         tracked.functional->storage->written;
}

}  // namespace rung
