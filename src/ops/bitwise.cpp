// Bitwise operators and shifts, and the operators of Python that spell them.
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::pointwise;
using meta::Promote;

constexpr Meta kSameType = pointwise<Promote::kDefault>;

constexpr OpDef kRows[] = {
    {.op = "aten::bitwise_and.Scalar", .meta = kSameType, .reference = box<reference::binary<prims::bitwise_and>>},
    {.op = "aten::bitwise_and.Scalar_Tensor",
     .meta = kSameType,
     .reference = box<reference::binary<prims::bitwise_and>>},
    {.op = "aten::bitwise_and.Tensor", .meta = kSameType, .reference = box<reference::binary<prims::bitwise_and>>},
    {.op = "aten::bitwise_left_shift.Scalar_Tensor",
     .meta = kSameType,
     .reference = box<reference::binary<prims::shift_left>>},
    {.op = "aten::bitwise_left_shift.Tensor",
     .meta = kSameType,
     .reference = box<reference::binary<prims::shift_left>>},
    {.op = "aten::bitwise_left_shift.Tensor_Scalar",
     .meta = kSameType,
     .reference = box<reference::binary<prims::shift_left>>},
    {.op = "aten::bitwise_not", .meta = kSameType, .reference = box<reference::unary<prims::bitwise_not>>},
    {.op = "aten::bitwise_or.Scalar", .meta = kSameType, .reference = box<reference::binary<prims::bitwise_or>>},
    {.op = "aten::bitwise_or.Scalar_Tensor", .meta = kSameType, .reference = box<reference::binary<prims::bitwise_or>>},
    {.op = "aten::bitwise_or.Tensor", .meta = kSameType, .reference = box<reference::binary<prims::bitwise_or>>},
    {.op = "aten::bitwise_right_shift.Scalar_Tensor",
     .meta = kSameType,
     .reference = box<reference::binary<prims::shift_right_arithmetic>>},
    {.op = "aten::bitwise_right_shift.Tensor",
     .meta = kSameType,
     .reference = box<reference::binary<prims::shift_right_arithmetic>>},
    {.op = "aten::bitwise_right_shift.Tensor_Scalar",
     .meta = kSameType,
     .reference = box<reference::binary<prims::shift_right_arithmetic>>},
    {.op = "aten::bitwise_xor.Scalar", .meta = kSameType, .reference = box<reference::binary<prims::bitwise_xor>>},
    {.op = "aten::bitwise_xor.Scalar_Tensor",
     .meta = kSameType,
     .reference = box<reference::binary<prims::bitwise_xor>>},
    {.op = "aten::bitwise_xor.Tensor", .meta = kSameType, .reference = box<reference::binary<prims::bitwise_xor>>},
    {.op = "aten::__and__.Scalar", .body = box<aten::bitwise_and_Scalar>},
    {.op = "aten::__and__.Tensor", .body = box<aten::bitwise_and_Tensor>},
    {.op = "aten::__iand__.Scalar", .body = box<aten::bitwise_and__Scalar>},
    {.op = "aten::__iand__.Tensor", .body = box<aten::bitwise_and__Tensor>},
    {.op = "aten::__ior__.Scalar", .body = box<aten::bitwise_or__Scalar>},
    {.op = "aten::__ior__.Tensor", .body = box<aten::bitwise_or__Tensor>},
    {.op = "aten::__ixor__.Scalar", .body = box<aten::bitwise_xor__Scalar>},
    {.op = "aten::__ixor__.Tensor", .body = box<aten::bitwise_xor__Tensor>},
    {.op = "aten::__lshift__.Scalar", .meta = kSameType},
    {.op = "aten::__lshift__.Tensor", .meta = kSameType},
    {.op = "aten::__or__.Scalar", .body = box<aten::bitwise_or_Scalar>},
    {.op = "aten::__or__.Tensor", .body = box<aten::bitwise_or_Tensor>},
    {.op = "aten::__rshift__.Scalar", .meta = kSameType},
    {.op = "aten::__rshift__.Tensor", .meta = kSameType},
    {.op = "aten::__xor__.Scalar", .body = box<aten::bitwise_xor_Scalar>},
    {.op = "aten::__xor__.Tensor", .body = box<aten::bitwise_xor_Tensor>},
};

}  // namespace

const std::span<const OpDef> kBitwiseOps = kRows;

}  // namespace rung::ops
