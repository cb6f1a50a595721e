// Which way an op is computed.
#include "trace/compute.h"

#include <algorithm>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/real_tensor.h"
#include "ref/pool.h"
#include "ref/values.h"
#include "schema/gen/op_ids.h"
#include "trace/argument_buffer.h"
#include "trace/dispatch.h"
#include "trace/functional.h"

namespace rung {
namespace {

void check_has_values(const OpSchema& schema, const Argument& argument) {
  using Kind = Argument::Kind;
  if (argument.kind == Kind::kNode || argument.kind == Kind::kFunctional)
    fail_input(schema.name, " was called on a tensor of a trace that is over: use it inside the traced function only");
  if (argument.kind == Kind::kList)
    for (const Argument& item : argument.list_items()) check_has_values(schema, item);
}

ValueMeta inferred(const Call& call) {
  const OpDef* row = op_def(call.op);
  if (row != nullptr && row->kernel_meta != nullptr) return row->kernel_meta(call);
  if (row != nullptr && row->meta != nullptr) return row->meta(call);
  fail_unsupported(schema_of(call.op).name, " cannot be computed: nothing says what its result looks like");
}

Argument view(const OpSchema& schema, const Call& call) {
  ValueMeta meta = inferred(call);
  Tensor base(call.args[aliased_argument(schema)]);
  if (meta.kind == ValueMeta::Kind::kTensor) return ref::make_view(base, *meta.tensor).argument();
  std::span<Argument> views = current_arena().array<Argument>(meta.list->size());
  for (size_t i = 0; i < views.size(); ++i) views[i] = ref::make_view(base, *(*meta.list)[i].tensor).argument();
  return Argument::list(views);
}

Argument written(const OpSchema& schema, OpId functional, const Call& call) {
  Argument result = dispatch(functional, call.args);
  Argument target;
  size_t next = 0;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    if (!schema.args[i].write) continue;
    target = call.args[i];
    const Argument& value = result.kind == Argument::Kind::kList ? result.items[next] : result;
    const Argument copied[] = {target, value, Argument::of(false)};
    dispatch(op::aten_copy_, copied);
    ++next;
  }
  return target;
}

Body body_of(const OpDef* row) {
  if (row == nullptr) return nullptr;
  return row->body != nullptr ? row->body : row->reference;
}

// A tensor with the strides that the op's meta says, whichever its body has made.
Argument laid_out(const Argument& result, const TensorMeta& meta) {
  Tensor made(result);
  if (std::ranges::equal(made.strides(), meta.strides) || !std::ranges::equal(made.sizes(), meta.sizes) ||
      made.dtype() != meta.dtype)
    return result;
  const Argument copied[] = {ref::make(meta).argument(), result, Argument::of(false)};
  return dispatch(op::aten_copy_, copied);
}

Argument laid_out(const Call& call, const Argument& result) {
  const OpDef* row = op_def(call.op);
  const OpSchema& schema = schema_of(call.op);
  bool has_own_layout = (row->meta != nullptr || row->kernel_meta != nullptr) && !schema.has(kCompositeImplicit) &&
                        schema.is_functional() && !schema.is_view();
  if (!has_own_layout) return result;
  ValueMeta meta = inferred(call);
  if (meta.kind == ValueMeta::Kind::kTensor && result.kind == Argument::Kind::kReal)
    return laid_out(result, *meta.tensor);
  if (meta.kind != ValueMeta::Kind::kList || result.kind != Argument::Kind::kList) return result;
  std::span<Argument> items = current_arena().array<Argument>(result.size);
  for (size_t i = 0; i < items.size(); ++i) {
    bool is_tensor = result.items[i].kind == Argument::Kind::kReal && (*meta.list)[i].tensor != nullptr;
    items[i] = is_tensor ? laid_out(result.items[i], *(*meta.list)[i].tensor) : result.items[i];
  }
  return Argument::list(items);
}

// The tensor itself takes the sizes and strides of the view: transpose_, squeeze_, ...
Argument reshaped(const Call& call, OpId view_op) {
  Tensor seen(dispatch(view_op, call.args));
  call.args[0].real->set_meta(seen.meta());
  return call.args[0];
}

// An op whose name ends in an underscore, with results as its twin without it.
bool is_in_place(const OpSchema& schema) {
  return schema.is_mutable() && schema.returns.size() == 1 && schema.returns[0].write;
}

Argument run(const Call& call) {
  const OpSchema& schema = schema_of(call.op);
  if (Kernel kernel = kernel_of(call.op)) return kernel(call);
  const OpDef* row = op_def(call.op);
  bool is_view = schema.is_view() || call.op == op::aten__unsafe_view;
  if (is_view && row != nullptr && row->meta != nullptr && !schema.has(kCompositeImplicit)) return view(schema, call);
  if (Body body = body_of(row)) {
    Argument result = body(call);
    if (!is_not_decomposed(result)) return laid_out(call, result);
  }
  if (row != nullptr && row->reference != nullptr && row->body != nullptr) {
    Argument result = row->reference(call);
    if (!is_not_decomposed(result)) return laid_out(call, result);
  }
  if (schema.has(kInplaceView) && view_variant(call.op) != kNoOp) return reshaped(call, view_variant(call.op));
  OpId functional = is_in_place(schema) ? functional_variant(call.op) : kNoOp;
  if (functional != kNoOp) return written(schema, functional, call);
  fail_unsupported(schema.name, " cannot be computed: it has no kernel and no decomposition");
}

}  // namespace

Argument compute(OpId op, Arguments args) {
  const OpSchema& schema = schema_of(op);
  RUNG_CHECK(args.size() == schema.args.size(), schema.name, " called with ", args.size(), " arguments");
  for (const Argument& argument : args) check_has_values(schema, argument);
  ref::PoolScope scope;
  Argument result = run({op, args});
  scope.keep(result);
  return result;
}

// Kernels hold a result as numbers of eight bytes before they store it.
static void require_room(const TensorMeta& meta) {
  auto elements = static_cast<size_t>(ref::count(ref::to_shape(meta.sizes)));
  require_memory(elements > SIZE_MAX / sizeof(double) ? SIZE_MAX : elements * sizeof(double));
}

const TensorMeta& result_meta(const Call& call) {
  ValueMeta meta = inferred(call);
  RUNG_CHECK(meta.kind == ValueMeta::Kind::kTensor, schema_of(call.op).name, " has more than one result");
  require_room(*meta.tensor);
  return *meta.tensor;
}

std::vector<const TensorMeta*> result_metas(const Call& call) {
  ValueMeta meta = inferred(call);
  RUNG_CHECK(meta.kind == ValueMeta::Kind::kList, schema_of(call.op).name, " has one result");
  std::vector<const TensorMeta*> metas;
  for (const ValueMeta& item : *meta.list) {
    if (item.tensor != nullptr) require_room(*item.tensor);
    metas.push_back(item.tensor);
  }
  return metas;
}

}  // namespace rung
