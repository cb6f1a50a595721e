// Lazy conjugates and negatives: an op that does not look at these marks gets its arguments resolved first, each by a
// clone of its own, as torch's dispatcher does it.
#include <algorithm>

#include "schema/gen/op_ids.h"
#include "trace/tracer.h"

namespace rung {
namespace {

// Ops besides views that take marked arguments as they are.
constexpr OpId kKeepBoth[] = {
    op::aten_clone,
    op::prims_clone,
    op::prims_copy_to,
    op::aten_copy_,
    op::aten_set_,
    op::aten_resolve_conj,
    op::aten_resolve_neg,
    op::aten__unsafe_view,
    op::aten_empty_like,
    op::aten_full_like,
    op::aten_repeat_interleave_self_int,
    op::aten_repeat_interleave_self_Tensor,
    op::aten_atleast_1d,
    op::aten_atleast_2d,
    op::aten_atleast_3d,
};
constexpr OpId kKeepConjugates[] = {
    op::aten__conj_physical,
    op::aten_conj_physical,
    op::aten_conj_physical_,
    op::aten_mm,
    op::aten_addmm,
    op::aten_addmm_,
    op::aten_bmm,
    op::aten_baddbmm,
    op::aten_baddbmm_,
    op::aten_dot,
    op::aten_vdot,
    op::aten_linalg_solve_triangular,
    op::aten_linalg_svd,
};

bool contains(std::span<const OpId> ops, OpId op) { return std::ranges::find(ops, op) != ops.end(); }

struct Kept {
  bool conjugates, negatives;
};
Kept kept_by(OpId op) {
  bool both = schema_of(op).is_view() || contains(kKeepBoth, op);
  return {both || contains(kKeepConjugates, op), both};
}

const TensorMeta* tensor_of(const Argument& argument) {
  if (argument.kind == Argument::Kind::kNode) return argument.node->tensor();
  return argument.kind == Argument::Kind::kFunctional ? argument.functional->meta : nullptr;
}

bool is_marked(const Argument& argument) {
  const TensorMeta* meta = tensor_of(argument);
  return meta != nullptr && (meta->conjugated || meta->negated);
}

bool holds_marked(const Argument& argument) {
  if (argument.kind != Argument::Kind::kList) return is_marked(argument);
  return std::ranges::any_of(argument.list_items(), holds_marked);
}

bool is_unresolved(const Argument& argument, Kept kept) {
  const TensorMeta* meta = tensor_of(argument);
  return meta != nullptr && ((meta->conjugated && !kept.conjugates) || (meta->negated && !kept.negatives));
}

}  // namespace

bool Tracer::has_lazy_arguments(OpId op, Arguments args) const {
  if (!std::ranges::any_of(args, holds_marked)) return false;
  Kept kept = kept_by(op);
  return !kept.conjugates || !kept.negatives;
}

// An op that writes to a marked argument writes to its clone, which is then copied back.
Argument Tracer::call_resolved(OpId op, Arguments args) {
  Kept kept = kept_by(op);
  auto resolve = [&](const Argument& argument) {
    if (!is_unresolved(argument, kept)) return argument;
    const Argument clone_args[] = {argument, Argument::none()};
    return call(op::aten_clone, clone_args);
  };
  std::vector<Argument> resolved(args.begin(), args.end());
  for (Argument& argument : resolved) {
    if (argument.kind != Argument::Kind::kList) {
      argument = resolve(argument);
      continue;
    }
    std::span<Argument> items = arena().array<Argument>(argument.size);
    std::transform(argument.items, argument.items + argument.size, items.begin(), resolve);
    argument = Argument::list(items);
  }
  Argument result = as_called_    ? call_as_called(op, resolved)
                    : functional_ ? call_functional(op, resolved)
                                  : call_plain(op, resolved);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!schema_of(op).args[i].write || !is_unresolved(args[i], kept)) continue;
    const Argument copy[] = {args[i], resolved[i], Argument::of(false)};
    result = call(op::aten_copy_, copy);
  }
  return result;
}

}  // namespace rung
