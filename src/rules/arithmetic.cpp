// Arithmetic by other arithmetic, exact but for rounding.
#include <limits>
#include <numbers>

#include "meta/promote.h"
#include "ops/number.h"
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

// Whether `x` is of the type that a sum of both is computed in: what is done to it first is then done in that type. A
// negative of uint8 is none in float32.
bool is_of_common_type(const Tensor& x, const Tensor& other) {
  return !x.is_number() && meta::result_type({x, other}) == x.dtype();
}

// a + alpha b, where the form has no factor
MaybeTensor add_scaled(Tensor self, Tensor other, Scalar alpha) {
  if (alpha.equals(1) || !is_of_common_type(other, self)) return std::nullopt;
  Tensor scaled = aten::mul_Tensor(other, Tensor(alpha));
  return aten::add_Tensor(self, scaled);
}

// a - b = a + -b; torch takes no bools from anything
MaybeTensor sub_by_add(Tensor self, Tensor other, Scalar alpha) {
  if (is_bool(self) || is_bool(other)) return std::nullopt;
  if (other.is_number()) return aten::add_Tensor(self, Tensor(ops::product(other.number(), ops::product(alpha, -1))));
  if (!is_of_common_type(other, self)) return std::nullopt;
  Tensor scaled = alpha.equals(1) ? other : aten::mul_Tensor(other, Tensor(alpha));
  return aten::add_Tensor(self, aten::neg(scaled));
}

MaybeTensor neg_by_mul(Tensor self) {
  if (is_complex(self.dtype())) return std::nullopt;  // a complex infinity times -1 has NaN in it
  return aten::mul_Tensor(self, -1);
}

MaybeTensor reciprocal_by_div(Tensor self) {
  if (!is_floating(self.dtype()) && !is_complex(self.dtype())) return std::nullopt;
  Tensor one = constant(1.0, self.dtype(), self.device());
  return aten::div_Tensor(one, self);
}
MaybeTensor reciprocal_by_pow(Tensor self) {
  if (!is_floating(self.dtype())) return std::nullopt;
  return aten::pow_Tensor_Scalar(self, -1);
}

MaybeTensor rsqrt_by_sqrt(Tensor self) {
  if (!is_floating(self.dtype())) return std::nullopt;
  return aten::reciprocal(aten::sqrt(self));
}

// x^2, x^3 by products; x^-1. Complex powers have other infinities.
MaybeTensor small_power(Tensor self, Scalar exponent) {
  if (exponent.is_symbolic() || exponent.is_complex() || is_bool(self) || is_complex(self.dtype())) return std::nullopt;
  if (exponent.is_float() && !is_floating(self.dtype())) return std::nullopt;
  if (exponent.equals(2)) return aten::mul_Tensor(self, self);
  if (exponent.equals(3)) return aten::mul_Tensor(aten::mul_Tensor(self, self), self);
  if (exponent.equals(-1) && is_floating(self.dtype())) return aten::reciprocal(self);
  return std::nullopt;
}

// NaN and the sign of zero as in the operator itself: the larger of x and -x
MaybeTensor abs_by_maximum(Tensor self) {
  if (!is_floating(self.dtype())) return std::nullopt;
  Tensor negative = aten::neg(self);
  return aten::maximum(self, negative);
}

MaybeTensor div_without_rounding(Tensor self, Tensor other, std::optional<std::string_view> rounding) {
  if (rounding) return std::nullopt;
  return aten::div_Tensor(self, other);
}
MaybeTensor floor_of_mode(Tensor self, Tensor other, std::optional<std::string_view> rounding) {
  if (rounding != "floor") return std::nullopt;
  return aten::floor_divide(self, other);
}
Tensor floor_divide_by_mode(Tensor self, Tensor other) { return aten::div_Tensor_mode(self, other, "floor"); }

MaybeTensor mode_of_number(Tensor self, Tensor other, std::optional<std::string_view> rounding) {
  if (!other.is_number()) return std::nullopt;
  return aten::div_Scalar_mode(self, other.number(), rounding);
}
// a quotient that is rounded takes no number for a tensor
MaybeTensor mode_of_constant(Tensor self, Tensor other, std::optional<std::string_view> rounding) {
  if (!rounding || !other.is_number() || !is_exact_beside(self, other.number())) return std::nullopt;
  return aten::div_Tensor_mode(self, constant_beside(self, other.number()), rounding);
}

MaybeTensor square_by_mul(Tensor self) {
  if (is_bool(self) || is_complex(self.dtype())) return std::nullopt;  // it is a power, as above
  return aten::mul_Tensor(self, self);
}

// floor(x) = -ceil(-x)
MaybeTensor floor_by_ceil(Tensor self) {
  if (!is_floating(self.dtype())) return std::nullopt;
  return aten::neg(aten::ceil(aten::neg(self)));
}
// floor(x / 1), which is NaN for infinities
MaybeTensor floor_by_division(Tensor self) {
  if (!is_floating(self.dtype())) return std::nullopt;
  Tensor one = constant(1.0, self.dtype(), self.device());
  Tensor floor = aten::div_Tensor_mode(self, one, "floor");
  Tensor is_infinite = aten::eq_Scalar(aten::abs(self), std::numeric_limits<double>::infinity());
  return aten::where_self(is_infinite, self, floor);
}

// ---- exponentials and logarithms

bool is_single_or_double(const Tensor& x) { return x.dtype() == DType::kFloat32 || x.dtype() == DType::kFloat64; }

MaybeTensor exp_by_pow(Tensor self) {
  if (!is_single_or_double(self)) return std::nullopt;
  return aten::pow_Scalar(std::numbers::e, self);
}
MaybeTensor log_by_log2(Tensor self) {
  if (!is_single_or_double(self)) return std::nullopt;
  return aten::mul_Tensor(aten::log2(self), std::numbers::ln2);
}
MaybeTensor log_by_log10(Tensor self) {
  if (!is_single_or_double(self)) return std::nullopt;
  return aten::mul_Tensor(aten::log10(self), std::numbers::ln10);
}
// log(1 + x) of what 1 + x was rounded to, corrected by how far that is from 1 (Kahan, in HP-15C Advanced Functions
// Handbook, 1982); exact where x is lost beside 1, and where 1 + x is infinite.
MaybeTensor log1p_by_log(Tensor self) {
  if (!is_single_or_double(self)) return std::nullopt;
  Tensor sum = aten::add_Tensor(self, 1);
  Tensor log = aten::log(sum);
  Tensor rounded = aten::sub_Tensor(sum, 1);
  Tensor ratio = aten::div_Tensor(self, rounded);
  Tensor corrected = aten::mul_Tensor(log, ratio);
  Tensor is_lost = aten::eq_Scalar(rounded, 0);
  Tensor near = aten::where_self(is_lost, self, corrected);
  Tensor is_far = aten::eq_Scalar(self, std::numeric_limits<double>::infinity());
  return aten::where_self(is_far, log, near);
}

constexpr LateralRule kRows[] = {
    {"aten::add.Tensor", {"product with alpha", lateral<add_scaled>}},
    {"aten::sub.Tensor", {"sum with the negative", lateral<sub_by_add>}},
    {"aten::neg", {"product with -1", lateral<neg_by_mul>}},
    {"aten::reciprocal", {"quotient of 1", lateral<reciprocal_by_div>}},
    {"aten::reciprocal", {"power -1", lateral<reciprocal_by_pow>}},
    {"aten::rsqrt", {"reciprocal of the root", lateral<rsqrt_by_sqrt>}},
    {"aten::pow.Tensor_Scalar", {"products", lateral<small_power>}},
    {"aten::square", {"product", lateral<square_by_mul>}},
    {"aten::abs", {"larger of x and -x", lateral<abs_by_maximum>}},
    {"aten::div.Tensor_mode", {"quotient", lateral<div_without_rounding>}},
    {"aten::div.Tensor_mode", {"floor_divide", lateral<floor_of_mode>}},
    {"aten::div.Tensor_mode", {"tensor for number", lateral<mode_of_number>}},
    {"aten::div.Tensor_mode", {"number as constant", lateral<mode_of_constant>}},
    {"aten::floor_divide", {"quotient rounded down", lateral<floor_divide_by_mode>}},
    {"aten::exp", {"power of e", lateral<exp_by_pow>}},
    {"aten::log", {"log2 times ln 2", lateral<log_by_log2>}},
    {"aten::log", {"log10 times ln 10", lateral<log_by_log10>}},
    {"aten::log1p", {"log, corrected", lateral<log1p_by_log>}},
    {"aten::floor", {"ceil of the negative", lateral<floor_by_ceil>}},
    {"aten::floor", {"quotient rounded down", lateral<floor_by_division>}},
};

}  // namespace

const std::span<const LateralRule> kArithmeticRules = kRows;

}  // namespace rung::rules
