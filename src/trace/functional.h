// Views and writes made functional, by the rules of torch's functionalization: a write replaces the value of a tensor;
// its aliases are made anew from the base when they are next used.
#pragma once
#include <cstdint>

#include "ir/op_def.h"

namespace rung {

/// One view op between a tensor and its base. `args` in schema order; the viewed tensor itself is at `base_arg`.
struct ViewStep {
  OpId op = kNoOp;
  Arguments args;
  uint32_t base_arg = 0;
  uint32_t out_index = 0;  // which result, for split, unbind, ...
  bool has_list_result = false;
  const ViewStep* outer = nullptr;  // the step before; null for a view of the base itself
};

/// A write that the base does not have yet: `value` stands where the chain of views points.
struct PendingWrite {
  Node* value = nullptr;
  const ViewStep* chain = nullptr;
  PendingWrite* next = nullptr;
};

/// What aliases share.
struct FunctionalStorage {
  Node* base = nullptr;
  PendingWrite* first = nullptr;
  PendingWrite* last = nullptr;
  uint32_t generation = 0;
  bool written = false;
};

struct FunctionalTensor : FunctionalTensorBase {
  Node* value = nullptr;
  FunctionalStorage* storage = nullptr;  // made when the first view is taken or the first write done
  const ViewStep* chain = nullptr;       // innermost view; null for the base
  uint32_t generation = 0;               // of the storage, when `value` was made
};

/// The op without the write: aten::add_.Tensor -> aten::add.Tensor, aten::_native_batch_norm_legit ->
/// aten::_native_batch_norm_legit_functional. kNoOp if there is none.
OpId functional_variant(OpId op);

/// The view that an in-place view makes of its tensor: aten::t_ -> aten::t. kNoOp if there is none.
OpId view_variant(OpId op);

/// The argument that a view's result aliases.
uint32_t aliased_argument(const OpSchema& view);

}  // namespace rung
