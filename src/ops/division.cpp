// Division: true, truncated, floored; and what is left over.
#include "meta/pointwise.h"
#include "meta/reference.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::pointwise;
using meta::Promote;

constexpr Meta kSameType = pointwise<Promote::kDefault>;
constexpr Meta kFloatType = pointwise<Promote::kIntToFloat>;

// ---- metas

// Floor division of floating point ends in where(b != 0, floored, a / b): there b's layout comes first.
ValueMeta meta_div_mode(const Call& call) {
  if (call.args[2].is_none()) return pointwise<Promote::kIntToFloat>(call);
  Tensor self(call.args[0]), other(call.args[1]);
  DType result = meta::result_type({self, other}), compute = meta::opmath_type(result);
  if (call.args[2].string_view() == "trunc" || !is_floating(result)) return pointwise<Promote::kDefault>(call);
  meta::Sizes shape = meta::broadcast_sizes(std::array<Tensor, 2>{self, other});
  const TensorMeta* number = meta::broadcast(meta::contiguous({}, compute, self.device()), shape);
  const TensorMeta* divisor = other.is_number() ? number : meta::prepared(other, compute, shape);
  const TensorMeta* quotient = meta::primitive({meta::prepared(self, compute, shape), divisor}, compute);
  const TensorMeta* nonzero = other.is_number() ? number : meta::primitive({divisor}, DType::kBool);
  const TensorMeta* floored = meta::primitive({quotient}, compute);
  return ValueMeta::of(meta::converted(*meta::primitive({nonzero, floored, quotient}, compute), result));
}

// ---- bodies

Tensor floor_divide(Tensor self, Tensor other) { return aten::div_Tensor_mode(self, other, "floor"); }

// ---- references

// trunc(a / b); integers divide so by themselves
Tensor truncated_quotient(const Tensor& a, const Tensor& b, DType type) {
  Tensor quotient = prims::div(a, b);
  return category(type) == Category::kIntegral ? quotient : aten::trunc(quotient);
}

// One less than the truncated quotient where the signs differ and something is left over.
Tensor floored_quotient_of_integers(const Tensor& a, const Tensor& b) {
  bool is_unsigned = meta::lowest_value(a.dtype()) == 0;
  if (is_unsigned) return prims::div(a, b);
  Tensor a_negative = aten::signbit(a);
  Tensor b_negative = aten::signbit(b);
  Tensor signs_differ = aten::ne_Tensor(a_negative, b_negative);
  Tensor rest = aten::fmod_Tensor(a, b);
  Tensor has_rest = aten::ne_Scalar(rest, 0);
  Tensor goes_down = aten::logical_and(signs_differ, has_rest);
  Tensor quotient = prims::div(a, b);
  Tensor step = reference::converted(goes_down, a.dtype());
  return aten::sub_Tensor(quotient, step);
}

// (a - fmod(a, b)) / b, brought down to the next integer: exact where floor(a / b) is not. A zero has the sign of
// a / b, and a / 0 is what true division gives.
Tensor floored_quotient_of_floats(const Tensor& a, const Tensor& b) {
  Tensor rest = aten::fmod_Tensor(a, b);
  Tensor multiple = aten::sub_Tensor(a, rest);
  Tensor quotient = aten::div_Tensor(multiple, b);
  Tensor a_negative = aten::lt_Scalar(a, 0);
  Tensor b_negative = aten::lt_Scalar(b, 0);
  Tensor signs_differ = aten::bitwise_xor_Tensor(a_negative, b_negative);
  Tensor has_rest = aten::ne_Scalar(rest, 0);
  Tensor goes_down = aten::bitwise_and_Tensor(has_rest, signs_differ);
  Tensor lower = aten::sub_Tensor(quotient, 1);
  quotient = aten::where_self(goes_down, lower, quotient);

  Tensor floored = aten::floor(quotient);
  Tensor fraction = aten::sub_Tensor(quotient, floored);
  Tensor is_near_next = aten::gt_Scalar(fraction, 0.5);
  Tensor next = aten::add_Tensor(floored, 1);
  floored = aten::where_self(is_near_next, next, floored);

  Tensor plain = aten::div_Tensor(a, b);
  Tensor zero = prims::scalar_tensor(0, plain.dtype(), plain.device());
  Tensor is_nonzero = aten::ne_Scalar(quotient, 0);
  Tensor signed_zero = aten::copysign_Tensor(zero, plain);
  floored = aten::where_self(is_nonzero, floored, signed_zero);
  Tensor is_finite = aten::ne_Scalar(b, 0);
  return aten::where_self(is_finite, floored, plain);
}

Tensor floored_quotient(Tensor a, Tensor b, DType type) {
  if (b.is_number()) b = prims::scalar_tensor(b.number(), a.dtype(), a.device());
  if (a.is_number()) a = prims::scalar_tensor(a.number(), b.dtype(), b.device());
  if (a.device() != b.device()) b = prims::device_put(b, a.device());
  if (is_floating(type)) return floored_quotient_of_floats(a, b);
  if (category(type) == Category::kIntegral) return floored_quotient_of_integers(a, b);
  fail_input("div with rounding_mode 'floor' is not defined for ", info(type).name);
}

Tensor div_mode(Tensor self, Tensor other, std::optional<std::string_view> mode) {
  if (!mode) return reference::binary<prims::div, Promote::kIntToFloat>(self, other);
  if (*mode != "trunc" && *mode != "floor")
    fail_input("div: rounding_mode must be None, 'trunc' or 'floor', got '", *mode, "'");
  reference::Types types = reference::types_of({self, other}, Promote::kDefault);
  Tensor a = reference::converted(self, types.computation);
  Tensor b = reference::converted(other, types.computation);
  auto [left, right] = reference::broadcast(a, b);
  Tensor quotient = *mode == "trunc" ? truncated_quotient(left, right, types.computation)
                                     : floored_quotient(left, right, types.computation);
  return reference::converted(quotient, types.result);
}

constexpr OpDef kRows[] = {
    {.op = "aten::div.Tensor",
     .meta = meta::binary<Promote::kIntToFloat>,
     .reference = box<reference::binary<prims::div, Promote::kIntToFloat>>},
    {.op = "aten::div.Scalar",
     .meta = kFloatType,
     .reference = box<reference::binary<prims::div, Promote::kIntToFloat>>},
    {.op = "aten::div.Tensor_mode", .meta = meta_div_mode, .reference = box<div_mode>},
    {.op = "aten::div.Scalar_mode", .meta = meta_div_mode, .reference = box<div_mode>},
    {.op = "aten::divide.Tensor", .body = box<aten::div_Tensor>},
    {.op = "aten::divide.Scalar", .body = box<aten::div_Scalar>},
    {.op = "aten::divide.Tensor_mode", .body = box<aten::div_Tensor_mode>},
    {.op = "aten::divide.Scalar_mode", .body = box<aten::div_Scalar_mode>},
    {.op = "aten::divide_.Tensor", .body = box<aten::div__Tensor>},
    {.op = "aten::divide_.Scalar", .body = box<aten::div__Scalar>},
    {.op = "aten::divide_.Tensor_mode", .body = box<aten::div__Tensor_mode>},
    {.op = "aten::divide_.Scalar_mode", .body = box<aten::div__Scalar_mode>},
    {.op = "aten::floor_divide", .body = box<floor_divide>},
    {.op = "aten::floor_divide.Scalar", .body = box<floor_divide>},
    {.op = "aten::fmod.Tensor", .meta = kSameType, .reference = box<reference::binary<prims::fmod>>},
    {.op = "aten::fmod.Scalar", .meta = kSameType, .reference = box<reference::binary<prims::fmod>>},
    {.op = "aten::remainder.Scalar", .meta = kSameType, .reference = box<reference::binary<prims::remainder>>},
    {.op = "aten::remainder.Scalar_Tensor", .meta = kSameType, .reference = box<reference::binary<prims::remainder>>},
    {.op = "aten::remainder.Tensor", .meta = kSameType, .reference = box<reference::binary<prims::remainder>>},
    {.op = "aten::true_divide.Tensor", .body = box<aten::div_Tensor>},
    {.op = "aten::true_divide.Scalar", .body = box<aten::div_Scalar>},
    {.op = "aten::true_divide_.Tensor", .body = box<aten::div__Tensor>},
    {.op = "aten::true_divide_.Scalar", .body = box<aten::div__Scalar>},
};

}  // namespace

const std::span<const OpDef> kDivisionOps = kRows;

}  // namespace rung::ops
