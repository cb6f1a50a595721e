// Elementwise functions of one tensor.
#include <cmath>
#include <limits>

#include "meta/pointwise.h"
#include "meta/reference.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::pointwise;
using meta::Promote;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Meta kSameType = pointwise<Promote::kDefault>;
constexpr Meta kFloatType = pointwise<Promote::kIntToFloat>;
constexpr Meta kRealType = pointwise<Promote::kComplexToFloat>;
constexpr Meta kBoolType = pointwise<Promote::kBool>;

bool is_real_or_complex(const Tensor& x) { return !is_integral_or_bool(x.dtype()); }

// ---- metas

// A fraction of the input's type and an exponent.
std::vector<const TensorMeta*> meta_frexp(Tensor self) {
  return {meta::reference({self}, self.dtype(), self.dtype()), meta::reference({self}, self.dtype(), DType::kInt32)};
}

// ---- bodies

// frac(x) = x - trunc(x)
Tensor frac(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = convert(self, types.computation);
  Tensor whole = aten::trunc(x);
  return to_dtype(aten::sub_Tensor(x, whole), types.result);
}

Tensor deg2rad(Tensor self) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  if (is_complex(self.dtype())) fail_input("deg2rad is not supported for complex tensors");
  return to_dtype(aten::mul_Tensor(convert(self, types.computation), 0.017453292519943295), types.result);
}

Tensor rad2deg(Tensor self) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  if (is_complex(self.dtype())) fail_input("rad2deg is not supported for complex tensors");
  return to_dtype(aten::mul_Tensor(convert(self, types.computation), 57.29577951308232), types.result);
}

// sgn(x) = x / |x| for complex numbers
Tensor sgn(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = convert(self, types.computation);
  if (!is_complex(x.dtype())) return to_dtype(aten::sign(x), types.result);
  Tensor length = aten::abs(x);
  Tensor is_zero = aten::eq_Scalar(length, 0);
  Tensor direction = aten::div_Tensor(x, length);
  return to_dtype(aten::where_ScalarSelf(is_zero, 0, direction), types.result);
}

// sinc(x) = sin(pi x) / (pi x), 1 at 0
Tensor sinc(Tensor self) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor x = aten::mul_Tensor(convert(self, types.computation), M_PI);
  Tensor is_zero = aten::eq_Scalar(x, 0);
  Tensor sine = aten::sin(x);
  Tensor ratio = aten::div_Tensor(sine, x);
  return to_dtype(aten::where_ScalarSelf(is_zero, 1, ratio), types.result);
}

Tensor nan_to_num(Tensor self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf) {
  if (!is_real_or_complex(self)) return aten::clone(self);
  Tensor is_nan = aten::isnan(self);
  Tensor x = aten::where_ScalarSelf(is_nan, nan.value_or(0.0), self);
  Tensor is_lowest = aten::isneginf(self);
  x = aten::where_ScalarSelf(is_lowest, neginf.value_or(meta::lowest_value(self.dtype())), x);
  Tensor is_highest = aten::isposinf(self);
  return aten::where_ScalarSelf(is_highest, posinf.value_or(meta::highest_value(self.dtype())), x);
}

// A bool tensor of one value, laid out as `self`.
Tensor zeros_bool(Tensor self) { return aten::zeros_like(self, DType::kBool); }

Tensor infinite(const Tensor& self, double infinity, const char* name) {
  if (is_complex(self.dtype())) fail_input(name, " does not support complex tensors");
  Tensor x = convert(self, meta::opmath_type(self.dtype()));
  return is_real_or_complex(x) ? aten::eq_Scalar(x, infinity) : zeros_bool(x);
}
Tensor isposinf(Tensor self) { return infinite(self, kInfinity, "isposinf"); }
Tensor isneginf(Tensor self) { return infinite(self, -kInfinity, "isneginf"); }

// Finite is what equals itself and is not infinite.
Tensor isfinite(Tensor self) {
  if (!is_real_or_complex(self))
    return aten::ones_like(self, DType::kBool, std::nullopt, std::nullopt, std::nullopt, MemoryFormat::kPreserve);
  if (is_complex(self.dtype())) {
    Tensor real = aten::isfinite(aten::real(self));
    Tensor imaginary = aten::isfinite(aten::imag(self));
    return aten::and__Tensor(real, imaginary);
  }
  Tensor length = aten::abs(self);
  Tensor bounded = aten::ne_Scalar(length, kInfinity);
  Tensor is_number = aten::eq_Tensor(self, self);
  return aten::mul_Tensor(is_number, bounded);
}

Tensor isreal(Tensor self) {
  if (!is_complex(self.dtype()))
    return aten::ones_like(self, DType::kBool, std::nullopt, std::nullopt, std::nullopt, MemoryFormat::kPreserve);
  return aten::eq_Scalar(aten::imag(self), 0);
}

Tensor square(Tensor self) { return aten::pow_Tensor_Scalar(self, 2); }
Tensor square_(Tensor self) { return aten::pow__Scalar(self, 2); }

Tensor positive(Tensor self) {
  if (self.dtype() == DType::kBool) fail_input("the + operator is not supported on a bool tensor");
  return self;
}

// ---- references

// In the type that an elementwise function of `x` computes in.
Tensor computed(const Tensor& x) { return convert(x, meta::opmath_type(x.dtype())); }

Tensor isinf(Tensor self) {
  Tensor x = computed(self);
  if (is_complex(x.dtype())) {
    Tensor real = isinf(aten::real(x));
    Tensor imaginary = isinf(aten::imag(x));
    return aten::logical_or(real, imaginary);
  }
  if (!is_real_or_complex(x)) return zeros_bool(x);
  return aten::eq_Scalar(aten::abs(x), kInfinity);
}

// Only NaN differs from itself.
Tensor isnan(Tensor self) {
  Tensor x = computed(self);
  return prims::ne(x, x);
}

// To so many decimals: round(x * 10^n) * 10^-n, in Python's numbers.
Tensor round_decimals(Tensor self, int64_t decimals) {
  auto power_of_ten = [](int64_t exponent) {
    double power = std::pow(10.0, static_cast<double>(exponent));
    return exponent >= 0 && exponent <= 18 ? Scalar(static_cast<int64_t>(power)) : Scalar(power);
  };
  Tensor x = computed(self);
  if (decimals == 0) return convert(prims::round(x), self.dtype());
  Tensor scaled = prims::mul(x, power_of_ten(decimals));
  Tensor whole = prims::round(scaled);
  return convert(prims::mul(whole, power_of_ten(-decimals)), self.dtype());
}
Tensor round(Tensor self) { return round_decimals(self, 0); }

constexpr OpDef kRows[] = {
    {.op = "aten::abs", .meta = kRealType, .reference = box<reference::unary<prims::abs, Promote::kComplexToFloat>>},
    {.op = "aten::absolute", .body = box<aten::abs>},
    {.op = "aten::absolute_", .body = box<aten::abs_>},
    {.op = "aten::acos", .meta = kFloatType, .reference = box<reference::unary<prims::acos, Promote::kIntToFloat>>},
    {.op = "aten::arccos", .body = box<aten::acos>},
    {.op = "aten::arccos_", .body = box<aten::acos_>},
    {.op = "aten::acosh", .meta = kFloatType, .reference = box<reference::unary<prims::acosh, Promote::kIntToFloat>>},
    {.op = "aten::arccosh", .body = box<aten::acosh>},
    {.op = "aten::arccosh_", .body = box<aten::acosh_>},
    {.op = "aten::asin", .meta = kFloatType, .reference = box<reference::unary<prims::asin, Promote::kIntToFloat>>},
    {.op = "aten::arcsin", .body = box<aten::asin>},
    {.op = "aten::arcsin_", .body = box<aten::asin_>},
    {.op = "aten::asinh", .meta = kFloatType, .reference = box<reference::unary<prims::asinh, Promote::kIntToFloat>>},
    {.op = "aten::arcsinh", .body = box<aten::asinh>},
    {.op = "aten::arcsinh_", .body = box<aten::asinh_>},
    {.op = "aten::atan", .meta = kFloatType, .reference = box<reference::unary<prims::atan, Promote::kIntToFloat>>},
    {.op = "aten::arctan", .body = box<aten::atan>},
    {.op = "aten::arctan_", .body = box<aten::atan_>},
    {.op = "aten::atanh", .meta = kFloatType, .reference = box<reference::unary<prims::atanh, Promote::kIntToFloat>>},
    {.op = "aten::arctanh", .body = box<aten::atanh>},
    {.op = "aten::arctanh_", .body = box<aten::atanh_>},
    {.op = "aten::ceil", .meta = kSameType, .reference = box<reference::unary<prims::ceil>>},
    {.op = "aten::cos", .meta = kFloatType, .reference = box<reference::unary<prims::cos, Promote::kIntToFloat>>},
    {.op = "aten::cosh", .meta = kFloatType, .reference = box<reference::unary<prims::cosh, Promote::kIntToFloat>>},
    {.op = "aten::deg2rad", .hidden_rule = "_ref", .body = box<deg2rad>},
    {.op = "aten::digamma",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::digamma, Promote::kIntToFloat>>},
    {.op = "aten::erf", .meta = kFloatType, .reference = box<reference::unary<prims::erf, Promote::kIntToFloat>>},
    {.op = "aten::erfc", .meta = kFloatType, .reference = box<reference::unary<prims::erfc, Promote::kIntToFloat>>},
    {.op = "aten::erfinv",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::erf_inv, Promote::kIntToFloat>>},
    {.op = "aten::exp", .meta = kFloatType, .reference = box<reference::unary<prims::exp, Promote::kIntToFloat>>},
    {.op = "aten::exp2", .meta = kFloatType, .reference = box<reference::unary<prims::exp2, Promote::kIntToFloat>>},
    {.op = "aten::expm1", .meta = kFloatType, .reference = box<reference::unary<prims::expm1, Promote::kIntToFloat>>},
    {.op = "aten::fix", .body = box<aten::trunc>},
    {.op = "aten::fix_", .body = box<aten::trunc_>},
    {.op = "aten::floor", .meta = kSameType, .reference = box<reference::unary<prims::floor>>},
    {.op = "aten::frac", .hidden_rule = "_ref", .body = box<frac>},
    {.op = "aten::frexp.Tensor", .meta = box_meta<meta_frexp>, .reference = box<prims::frexp>},
    {.op = "aten::i0", .meta = kFloatType, .reference = box<reference::unary<prims::bessel_i0, Promote::kIntToFloat>>},
    {.op = "aten::isfinite", .body = box<isfinite>},
    {.op = "aten::isinf", .meta = kBoolType, .reference = box<isinf>},
    {.op = "aten::isnan", .meta = kBoolType, .reference = box<isnan>},
    {.op = "aten::isneginf", .hidden_rule = "_ref", .body = box<isneginf>},
    {.op = "aten::isposinf", .hidden_rule = "_ref", .body = box<isposinf>},
    {.op = "aten::isreal", .body = box<isreal>},
    {.op = "aten::lgamma", .meta = kFloatType, .reference = box<reference::unary<prims::lgamma, Promote::kIntToFloat>>},
    {.op = "aten::log", .meta = kFloatType, .reference = box<reference::unary<prims::log, Promote::kIntToFloat>>},
    {.op = "aten::log10", .meta = kFloatType, .reference = box<reference::unary<prims::log10, Promote::kIntToFloat>>},
    {.op = "aten::log1p", .meta = kFloatType, .reference = box<reference::unary<prims::log1p, Promote::kIntToFloat>>},
    {.op = "aten::log2", .meta = kFloatType, .reference = box<reference::unary<prims::log2, Promote::kIntToFloat>>},
    {.op = "aten::nan_to_num", .meta = kSameType, .body = box<nan_to_num>},
    {.op = "aten::neg", .meta = kSameType, .reference = box<reference::unary<prims::neg>>},
    {.op = "aten::negative", .body = box<aten::neg>},
    {.op = "aten::negative_", .body = box<aten::neg_>},
    {.op = "aten::positive", .body = box<positive>},
    {.op = "aten::rad2deg", .hidden_rule = "_ref", .body = box<rad2deg>},
    {.op = "aten::reciprocal",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::reciprocal, Promote::kIntToFloat>>},
    {.op = "aten::round", .meta = kSameType, .reference = box<round>},
    {.op = "aten::round.decimals", .meta = kSameType, .reference = box<round_decimals>},
    {.op = "aten::rsqrt", .meta = kFloatType, .reference = box<reference::unary<prims::rsqrt, Promote::kIntToFloat>>},
    {.op = "aten::sgn", .hidden_rule = "_ref", .body = box<sgn>},
    {.op = "aten::sign", .meta = kSameType, .reference = box<reference::unary<prims::sign>>},
    {.op = "aten::signbit", .meta = kBoolType, .reference = box<reference::unary<prims::signbit, Promote::kBool>>},
    {.op = "aten::sin", .meta = kFloatType, .reference = box<reference::unary<prims::sin, Promote::kIntToFloat>>},
    {.op = "aten::sinc", .hidden_rule = "_ref", .body = box<sinc>},
    {.op = "aten::sinh", .meta = kFloatType, .reference = box<reference::unary<prims::sinh, Promote::kIntToFloat>>},
    {.op = "aten::sqrt", .meta = kFloatType, .reference = box<reference::unary<prims::sqrt, Promote::kIntToFloat>>},
    {.op = "aten::square", .body = box<square>},
    {.op = "aten::square_", .body = box<square_>},
    {.op = "aten::tan", .meta = kFloatType, .reference = box<reference::unary<prims::tan, Promote::kIntToFloat>>},
    {.op = "aten::trunc", .meta = kSameType, .reference = box<reference::unary<prims::trunc>>},
};

}  // namespace

const std::span<const OpDef> kUnaryOps = kRows;

}  // namespace rung::ops
