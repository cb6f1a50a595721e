// Powers.
#include "meta/reference.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Promote;

// Powers of bools are int64.
ValueMeta meta_pow(const Call& call) {
  Tensor base(call.args[0]), exponent(call.args[1]);
  DType result = meta::result_type({base, exponent});
  if (result == DType::kBool) result = DType::kInt64;
  return ValueMeta::of(meta::reference({base, exponent}, meta::opmath_type(result), result));
}

// ---- pow as primitives

bool is_known_to_be(const Scalar& number, double value) {
  if (number.is_symbolic()) return false;
  if (!number.is_complex()) return number.equals(value);
  const ComplexNumber& complex = *number.argument().complex;
  return complex.real == value && complex.imag == 0;
}

// Some powers are better said otherwise; undefined if this one is not.
Tensor simple_power(const Tensor& base, const Tensor& exponent) {
  if (exponent.is_number()) {
    if (is_known_to_be(exponent.number(), 1)) return aten::clone(base);
    if (is_known_to_be(exponent.number(), 2)) return aten::mul_Tensor(base, base);
    if (is_known_to_be(exponent.number(), 0.5)) return aten::sqrt(base);
  } else if (base.is_number()) {
    if (is_known_to_be(base.number(), 1)) return aten::fill_Scalar(exponent, Scalar(true));
    bool is_real_or_complex = !is_integral_or_bool(exponent.dtype());
    if (is_real_or_complex && is_known_to_be(base.number(), 2)) return aten::exp2(exponent);
  }
  return {};
}

Tensor pow(Tensor self, Tensor exponent) {
  reference::Types types = reference::types_of({self, exponent}, Promote::kDefault);
  if (types.result == DType::kBool) types = {DType::kInt64, DType::kInt64};
  Tensor base = reference::converted(self, types.computation);
  Tensor power = reference::converted(exponent, types.computation);
  Tensor result = simple_power(base, power);
  if (!result) {
    auto [left, right] = reference::broadcast(base, power);
    result = prims::pow(left, right);
  }
  return reference::converted(result, types.result);
}

// ---- float_power: in float64, or complex128

DType float_power_type(bool with_complex) { return with_complex ? DType::kComplex128 : DType::kFloat64; }
bool has_complex(const Tensor& x) { return x.is_number() ? x.number().is_complex() : is_complex(x.dtype()); }

Tensor float_power_tensor_tensor(Tensor self, Tensor exponent) {
  DType dtype = float_power_type(has_complex(self) || has_complex(exponent));
  Tensor power = aten::to_dtype(exponent, dtype);
  Tensor base = aten::to_dtype(self, dtype);
  return aten::pow_Tensor_Tensor(base, power);
}
Tensor float_power_scalar(Scalar self, Tensor exponent) {
  DType dtype = float_power_type(self.is_complex() || has_complex(exponent));
  return aten::pow_Scalar(convert(self, dtype), aten::to_dtype(exponent, dtype));
}
Tensor float_power_tensor_scalar(Tensor self, Scalar exponent) {
  DType dtype = float_power_type(has_complex(self) || exponent.is_complex());
  return aten::pow_Tensor_Scalar(aten::to_dtype(self, dtype), convert(exponent, dtype));
}

DType float_power_inplace_type(const Tensor& self, bool with_complex) {
  DType dtype = float_power_type(with_complex || has_complex(self));
  if (self.dtype() != dtype)
    fail_input("float_power_ computes in ", info(dtype).name, " and cannot write to a ", info(self.dtype()).name,
               " tensor");
  return dtype;
}
Tensor float_power_inplace_tensor(Tensor self, Tensor exponent) {
  DType dtype = float_power_inplace_type(self, has_complex(exponent));
  return aten::pow__Tensor(self, aten::to_dtype(exponent, dtype));
}
Tensor float_power_inplace_scalar(Tensor self, Scalar exponent) {
  DType dtype = float_power_inplace_type(self, exponent.is_complex());
  return aten::pow__Scalar(self, convert(exponent, dtype));
}

constexpr OpDef kRows[] = {
    {.op = "aten::float_power.Tensor_Tensor", .body = box<float_power_tensor_tensor>},
    {.op = "aten::float_power.Scalar", .body = box<float_power_scalar>},
    {.op = "aten::float_power.Tensor_Scalar", .body = box<float_power_tensor_scalar>},
    {.op = "aten::float_power_.Tensor", .body = box<float_power_inplace_tensor>},
    {.op = "aten::float_power_.Scalar", .body = box<float_power_inplace_scalar>},
    {.op = "aten::pow.Scalar", .meta = meta_pow, .reference = box<pow>},
    {.op = "aten::pow.Tensor_Scalar", .meta = meta_pow, .reference = box<pow>},
    {.op = "aten::pow.Tensor_Tensor", .meta = meta_pow, .reference = box<pow>},
};

}  // namespace

const std::span<const OpDef> kPowerOps = kRows;

}  // namespace rung::ops
