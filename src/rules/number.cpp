// A number where a back end wants a tensor, and a tensor where it wants a number.
#include <cmath>

#include "meta/promote.h"
#include "ops/number.h"
#include "rules/body.h"
#include "rules/constant_value.h"
#include "rules/families.h"
#include "trace/functional.h"

namespace rung::rules {

Tensor constant_beside(const Tensor& x, const Scalar& value) {
  const DType dtype = meta::result_type({x, Tensor(value)});
  return constant(ops::convert(value, dtype), dtype, x.device());
}

// Of the significand, in bits.
static int digits_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return 11;
    case DType::kBFloat16: return 8;
    case DType::kFloat32: return 24;
    default: return 53;
  }
}

bool is_exact_beside(const Tensor& x, const Scalar& value) {
  const DType dtype = meta::result_type({x, Tensor(value)});
  if (value.is_symbolic() || value.is_complex() || is_complex(dtype)) return false;
  if (!is_floating(dtype)) return true;  // torch wraps what is too large, too
  const double number = value.to_double();
  if (!std::isfinite(number) || number == 0) return true;
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(number, &exponent), digits_of(dtype));
  return std::abs(number) <= meta::highest_value(dtype) && std::trunc(digits) == digits;
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

template <Tensor (*tensor_form)(const Tensor&, const Tensor&)>
MaybeTensor divisor_as_constant(Tensor self, Scalar other) {
  if (!is_exact_beside(self, other)) return std::nullopt;
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

// the angle of a large complex power hangs on the last digit of its exponent
MaybeTensor pow_by_constant(Tensor self, Scalar exponent) {
  if (is_complex(self.dtype())) return std::nullopt;
  return number_as_constant<aten::pow_Tensor_Tensor>(self, exponent);
}
MaybeTensor pow_of_number(Scalar self, Tensor exponent) {
  const DType dtype = meta::result_type({exponent, Tensor(self)});
  const bool is_too_large = is_floating(dtype) && !self.is_complex() && !self.is_symbolic() &&
                            std::abs(self.to_double()) > meta::highest_value(dtype);
  if (is_too_large) return std::nullopt;
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

// rsub(x, y) = y - x; torch takes no bools from anything
MaybeTensor rsub_number(Tensor self, Scalar other, Scalar alpha) {
  if (is_bool(self) || meta::result_type({self, Tensor(other)}) != self.dtype()) return std::nullopt;
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
    {"aten::pow.Tensor_Scalar", {"number as constant", lateral<pow_by_constant>}},
    {"aten::pow.Scalar", {"number as constant", lateral<pow_of_number>}},
    {"aten::bitwise_and.Scalar", {"number as constant", lateral<number_as_constant<aten::bitwise_and_Tensor>>}},
    {"aten::bitwise_or.Scalar", {"number as constant", lateral<number_as_constant<aten::bitwise_or_Tensor>>}},
    {"aten::bitwise_xor.Scalar", {"number as constant", lateral<number_as_constant<aten::bitwise_xor_Tensor>>}},
    {"aten::remainder.Scalar", {"number as constant", lateral<divisor_as_constant<aten::remainder_Tensor>>}},
    {"aten::fmod.Scalar", {"number as constant", lateral<divisor_as_constant<aten::fmod_Tensor>>}},
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
    {"aten::where.self", {"number for the first constant", lateral<choice_of_constant>}},
    {"aten::where.self", {"number for the second constant", lateral<choice_or_constant>}},
    {"aten::rsub.Scalar", {"sum with the negative", lateral<rsub_number>}},
    {"aten::rsub.Tensor", {"difference", lateral<rsub_tensor>}},
};

}  // namespace

const std::span<const LateralRule> kNumberRules = kRows;

}  // namespace rung::rules
