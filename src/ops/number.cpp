// As Python's bool(), int(), float() and complex() convert.
#include "ops/number.h"

#include "ir/current_arena.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

bool is_nonzero(const Scalar& number) {
  if (!number.is_complex()) return number.to_double() != 0;
  const ComplexNumber& value = *number.argument().complex;
  return value.real != 0 || value.imag != 0;
}

}  // namespace

Scalar convert(const Scalar& number, DType dtype) {
  switch (category(dtype)) {
    case Category::kBoolean: return Scalar(is_nonzero(number));
    case Category::kIntegral: return number.is_int() ? number : Scalar(number.to_int());
    case Category::kFloating: return number.is_float() ? number : Scalar(number.to_double());
    case Category::kComplex: break;
  }
  if (number.is_complex()) return number;
  return Scalar(Argument::of(current_arena().make<ComplexNumber>(ComplexNumber{number.to_double(), 0})));
}

Tensor convert(const Tensor& x, DType dtype) {
  if (!x.defined()) return x;
  if (x.is_number()) return convert(x.number(), dtype);
  return x.dtype() == dtype ? x : aten::_to_copy(x, dtype);
}

}  // namespace rung::ops
