// A number where a back end wants a tensor, and a tensor where it wants a number.
#include "ops/number.h"
#include "meta/promote.h"
#include "rules/body.h"
#include "rules/constant_value.h"
#include "rules/families.h"
#include "trace/functional.h"

namespace rung::rules {

Tensor constant_beside(const Tensor& x, const Scalar& value) {
  const DType dtype = meta::result_type({x, Tensor(value)});
  return constant(ops::convert(value, dtype), dtype, x.device());
}

std::optional<Scalar> known_number(const Tensor& x) {
  const Argument& value = x.argument();
  if (x.is_number() && !x.number().is_symbolic()) return x.number();
  if (value.kind == Argument::Kind::kNode) return constant_value(*value.node);
  if (value.kind == Argument::Kind::kFunctional) return constant_value(*value.functional->value);
  return std::nullopt;
}

namespace {

// ---- torch takes a number as the other tensor of these five: mul.Scalar(x, 2) = mul.Tensor(x, 2)

template <Tensor (*tensor_form)(const Tensor&, const Tensor&)>
Tensor number_as_tensor(Tensor self, Scalar other) {
  return tensor_form(self, Tensor(other));
}
template <Tensor (*tensor_form)(const Tensor&, const Tensor&, const Scalar&)>
Tensor number_as_scaled_tensor(Tensor self, Scalar other, Scalar alpha) {
  return tensor_form(self, Tensor(other), alpha);
}

template <Tensor (*number_form)(const Tensor&, const Scalar&)>
MaybeTensor tensor_as_number(Tensor self, Tensor other) {
  if (!other.is_number()) return std::nullopt;
  return number_form(self, other.number());
}
template <Tensor (*number_form)(const Tensor&, const Scalar&, const Scalar&)>
MaybeTensor tensor_as_scaled_number(Tensor self, Tensor other, Scalar alpha) {
  if (!other.is_number()) return std::nullopt;
  return number_form(self, other.number(), alpha);
}

// ---- the others need a tensor without dimensions: eq.Scalar(x, 2) = eq.Tensor(x, full([], 2))

template <Tensor (*tensor_form)(const Tensor&, const Tensor&)>
MaybeTensor number_as_constant(Tensor self, Scalar other) {
  if (other.is_symbolic()) return std::nullopt;
  return tensor_form(self, constant_beside(self, other));
}

// ---- a tensor all of whose elements are one number: eq.Tensor(x, full([], 2)) = eq.Scalar(x, 2), if the sizes agree

// Whether the number promotes as the tensor does.
bool promotes_alike(const Tensor& x, const Tensor& known, const Scalar& value) {
  return !x.is_number() && meta::result_type({x, known}) == meta::result_type({x, Tensor(value)});
}
template <Tensor (*number_form)(const Tensor&, const Scalar&)>
MaybeTensor constant_as_number(Tensor self, Tensor other) {
  const std::optional<Scalar> value = known_number(other);
  if (!value || !promotes_alike(self, other, *value)) return std::nullopt;
  return number_form(self, *value);
}
MaybeTensor choice_of_constant(Tensor condition, Tensor self, Tensor other) {
  const std::optional<Scalar> value = known_number(self);
  if (!value || !promotes_alike(other, self, *value)) return std::nullopt;
  return aten::where_ScalarSelf(condition, *value, other);
}
MaybeTensor choice_or_constant(Tensor condition, Tensor self, Tensor other) {
  const std::optional<Scalar> value = known_number(other);
  if (!value || !promotes_alike(self, other, *value)) return std::nullopt;
  return aten::where_ScalarOther(condition, self, *value);
}

Tensor pow_of_number(Scalar self, Tensor exponent) {
  return aten::pow_Tensor_Tensor(constant_beside(exponent, self), exponent);
}

MaybeTensor where_other(Tensor condition, Tensor self, Scalar other) {
  if (other.is_symbolic()) return std::nullopt;
  return aten::where_self(condition, self, constant_beside(self, other));
}

MaybeTensor where_self(Tensor condition, Scalar self, Tensor other) {
  if (self.is_symbolic()) return std::nullopt;
  Tensor chosen = constant_beside(other, self);
  return aten::where_self(condition, chosen, other);
}

// rsub(x, y) = y - x
Tensor rsub_number(Tensor self, Scalar other, Scalar alpha) {
  Tensor scaled = alpha.equals(1) ? self : aten::mul_Tensor(self, Tensor(alpha));
  Tensor negative = aten::neg(scaled);
  return aten::add_Tensor(negative, Tensor(other));
}
Tensor rsub_tensor(Tensor self, Tensor other, Scalar alpha) { return aten::sub_Tensor(other, self, alpha); }

constexpr LateralRule kRows[] = {
    {"aten::add.Scalar", {"number for tensor", lateral<number_as_scaled_tensor<aten::add_Tensor>>}},
    {"aten::sub.Scalar", {"number for tensor", lateral<number_as_scaled_tensor<aten::sub_Tensor>>}},
    {"aten::mul.Scalar", {"number for tensor", lateral<number_as_tensor<aten::mul_Tensor>>}},
    {"aten::div.Scalar", {"number for tensor", lateral<number_as_tensor<aten::div_Tensor>>}},
    {"aten::add.Tensor", {"tensor for number", lateral<tensor_as_scaled_number<aten::add_Scalar>>}},
    {"aten::sub.Tensor", {"tensor for number", lateral<tensor_as_scaled_number<aten::sub_Scalar>>}},
    {"aten::mul.Tensor", {"tensor for number", lateral<tensor_as_number<aten::mul_Scalar>>}},
    {"aten::div.Tensor", {"tensor for number", lateral<tensor_as_number<aten::div_Scalar>>}},
    {"aten::eq.Scalar", {"number as constant", lateral<number_as_constant<aten::eq_Tensor>>}},
    {"aten::ne.Scalar", {"number as constant", lateral<number_as_constant<aten::ne_Tensor>>}},
    {"aten::lt.Scalar", {"number as constant", lateral<number_as_constant<aten::lt_Tensor>>}},
    {"aten::le.Scalar", {"number as constant", lateral<number_as_constant<aten::le_Tensor>>}},
    {"aten::gt.Scalar", {"number as constant", lateral<number_as_constant<aten::gt_Tensor>>}},
    {"aten::ge.Scalar", {"number as constant", lateral<number_as_constant<aten::ge_Tensor>>}},
    {"aten::pow.Tensor_Scalar", {"number as constant", lateral<number_as_constant<aten::pow_Tensor_Tensor>>}},
    {"aten::pow.Scalar", {"number as constant", lateral<pow_of_number>}},
    {"aten::bitwise_and.Scalar", {"number as constant", lateral<number_as_constant<aten::bitwise_and_Tensor>>}},
    {"aten::bitwise_or.Scalar", {"number as constant", lateral<number_as_constant<aten::bitwise_or_Tensor>>}},
    {"aten::bitwise_xor.Scalar", {"number as constant", lateral<number_as_constant<aten::bitwise_xor_Tensor>>}},
    {"aten::remainder.Scalar", {"number as constant", lateral<number_as_constant<aten::remainder_Tensor>>}},
    {"aten::fmod.Scalar", {"number as constant", lateral<number_as_constant<aten::fmod_Tensor>>}},
    {"aten::where.ScalarOther", {"number as constant", lateral<where_other>}},
    {"aten::where.ScalarSelf", {"number as constant", lateral<where_self>}},
    {"aten::mul.Tensor", {"constant as number", lateral<constant_as_number<aten::mul_Scalar>>}},
    {"aten::div.Tensor", {"constant as number", lateral<constant_as_number<aten::div_Scalar>>}},
    {"aten::eq.Tensor", {"constant as number", lateral<constant_as_number<aten::eq_Scalar>>}},
    {"aten::ne.Tensor", {"constant as number", lateral<constant_as_number<aten::ne_Scalar>>}},
    {"aten::lt.Tensor", {"constant as number", lateral<constant_as_number<aten::lt_Scalar>>}},
    {"aten::le.Tensor", {"constant as number", lateral<constant_as_number<aten::le_Scalar>>}},
    {"aten::gt.Tensor", {"constant as number", lateral<constant_as_number<aten::gt_Scalar>>}},
    {"aten::ge.Tensor", {"constant as number", lateral<constant_as_number<aten::ge_Scalar>>}},
    {"aten::pow.Tensor_Tensor", {"constant as number", lateral<constant_as_number<aten::pow_Tensor_Scalar>>}},
    {"aten::where.self", {"constant as number", lateral<choice_of_constant>}},
    {"aten::where.self", {"constant as number", lateral<choice_or_constant>}},
    {"aten::rsub.Scalar", {"sum with the negative", lateral<rsub_number>}},
    {"aten::rsub.Tensor", {"difference", lateral<rsub_tensor>}},
};

}  // namespace

const std::span<const LateralRule> kNumberRules = kRows;

}  // namespace rung::rules
