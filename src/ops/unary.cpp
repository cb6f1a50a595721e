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

const TensorMeta* meta_angle(Tensor self) {
  return meta::primitive({&self.meta()}, meta::real_type(meta::promoted(Promote::kIntToFloat, self.dtype())));
}

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

Tensor conj_physical(Tensor self) { return is_complex(self.dtype()) ? aten::_conj_physical(self) : self; }

constexpr OpDef kRows[] = {
    {.op = "aten::abs", .meta = kRealType},
    {.op = "aten::absolute", .body = box<aten::abs>},
    {.op = "aten::absolute_", .body = box<aten::abs_>},
    {.op = "aten::acos", .meta = kFloatType},
    {.op = "aten::arccos", .body = box<aten::acos>},
    {.op = "aten::arccos_", .body = box<aten::acos_>},
    {.op = "aten::acosh", .meta = kFloatType},
    {.op = "aten::arccosh", .body = box<aten::acosh>},
    {.op = "aten::arccosh_", .body = box<aten::acosh_>},
    {.op = "aten::angle", .meta = box_meta<meta_angle>},
    {.op = "aten::asin", .meta = kFloatType},
    {.op = "aten::arcsin", .body = box<aten::asin>},
    {.op = "aten::arcsin_", .body = box<aten::asin_>},
    {.op = "aten::asinh", .meta = kFloatType},
    {.op = "aten::arcsinh", .body = box<aten::asinh>},
    {.op = "aten::arcsinh_", .body = box<aten::asinh_>},
    {.op = "aten::atan", .meta = kFloatType},
    {.op = "aten::arctan", .body = box<aten::atan>},
    {.op = "aten::arctan_", .body = box<aten::atan_>},
    {.op = "aten::atanh", .meta = kFloatType},
    {.op = "aten::arctanh", .body = box<aten::atanh>},
    {.op = "aten::arctanh_", .body = box<aten::atanh_>},
    {.op = "aten::ceil", .meta = kSameType},
    {.op = "aten::_conj_physical", .meta = kSameType},
    {.op = "aten::conj_physical", .body = box<conj_physical>},
    {.op = "aten::cos", .meta = kFloatType},
    {.op = "aten::cosh", .meta = kFloatType},
    {.op = "aten::deg2rad", .hidden_rule = "_ref", .body = box<deg2rad>},
    {.op = "aten::digamma", .meta = kFloatType},
    {.op = "aten::erf", .meta = kFloatType},
    {.op = "aten::erfc", .meta = kFloatType},
    {.op = "aten::erfinv", .meta = kFloatType},
    {.op = "aten::exp", .meta = kFloatType},
    {.op = "aten::exp2", .meta = kFloatType},
    {.op = "aten::expm1", .meta = kFloatType},
    {.op = "aten::fix", .body = box<aten::trunc>},
    {.op = "aten::fix_", .body = box<aten::trunc_>},
    {.op = "aten::floor", .meta = kSameType},
    {.op = "aten::frac", .hidden_rule = "_ref", .body = box<frac>},
    {.op = "aten::frexp.Tensor", .meta = box_meta<meta_frexp>},
    {.op = "aten::i0", .meta = kFloatType},
    {.op = "aten::isfinite", .body = box<isfinite>},
    {.op = "aten::isinf", .meta = kBoolType},
    {.op = "aten::isnan", .meta = kBoolType},
    {.op = "aten::isneginf", .hidden_rule = "_ref", .body = box<isneginf>},
    {.op = "aten::isposinf", .hidden_rule = "_ref", .body = box<isposinf>},
    {.op = "aten::isreal", .body = box<isreal>},
    {.op = "aten::lgamma", .meta = kFloatType},
    {.op = "aten::log", .meta = kFloatType},
    {.op = "aten::log10", .meta = kFloatType},
    {.op = "aten::log1p", .meta = kFloatType},
    {.op = "aten::log2", .meta = kFloatType},
    {.op = "aten::nan_to_num", .meta = kSameType, .body = box<nan_to_num>},
    {.op = "aten::neg", .meta = kSameType},
    {.op = "aten::negative", .body = box<aten::neg>},
    {.op = "aten::negative_", .body = box<aten::neg_>},
    {.op = "aten::positive", .body = box<positive>},
    {.op = "aten::rad2deg", .hidden_rule = "_ref", .body = box<rad2deg>},
    {.op = "aten::reciprocal", .meta = kFloatType},
    {.op = "aten::round", .meta = kSameType},
    {.op = "aten::round.decimals", .meta = kSameType},
    {.op = "aten::rsqrt", .meta = kFloatType},
    {.op = "aten::sgn", .hidden_rule = "_ref", .body = box<sgn>},
    {.op = "aten::sign", .meta = kSameType},
    {.op = "aten::signbit", .meta = kBoolType},
    {.op = "aten::sin", .meta = kFloatType},
    {.op = "aten::sinc", .hidden_rule = "_ref", .body = box<sinc>},
    {.op = "aten::sinh", .meta = kFloatType},
    {.op = "aten::sqrt", .meta = kFloatType},
    {.op = "aten::square", .body = box<square>},
    {.op = "aten::square_", .body = box<square_>},
    {.op = "aten::tan", .meta = kFloatType},
    {.op = "aten::trunc", .meta = kSameType},
};

}  // namespace

const std::span<const OpDef> kUnaryOps = kRows;

}  // namespace rung::ops
