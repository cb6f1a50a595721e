// Casts become nodes only where the dtype changes.
#include "ops/cast.h"

#include "ir/current_arena.h"
#include "ops/gen/aten.h"

namespace rung::ops {

Tensor cast(const Tensor& x, DType dtype) {
  if (!x.defined() || x.is_number() || x.dtype() == dtype) return x;
  return aten::_to_copy(x, dtype);
}

Scalar convert(const Scalar& number, DType dtype) {
  switch (category(dtype)) {
    case Category::kBoolean: return Scalar(number.is_complex() || number.to_double() != 0);
    case Category::kIntegral: return number.is_int() ? number : Scalar(number.to_int());
    case Category::kFloating: return number.is_float() ? number : Scalar(number.to_double());
    case Category::kComplex: break;
  }
  if (number.is_complex()) return number;
  return Scalar(Argument::of(current_arena().make<ComplexNumber>(ComplexNumber{number.to_double(), 0})));
}

Tensor convert(const Tensor& x, DType dtype) {
  return x.is_number() ? Tensor(convert(x.number(), dtype)) : cast(x, dtype);
}

ComputeTypes compute_types(TensorList operands, meta::Promote rule) {
  DType common = meta::result_type(operands);
  if (rule == meta::Promote::kIntToFloat) common = meta::promoted(rule, common);
  return {meta::opmath_type(common), meta::promoted(rule, common)};
}

}  // namespace rung::ops
