// Operators of Python on tensors and numbers.
#include "ops/functional.h"

#include "trace/without_reference.h"

namespace rung {

Tensor operator+(const Tensor& a, const Tensor& b) { return a.is_number() ? b.add(a) : a.add(b); }
Tensor operator-(const Tensor& a, const Tensor& b) {
  return a.is_number() ? aten::rsub_Scalar(b, a.number()) : a.sub(b);
}
Tensor operator*(const Tensor& a, const Tensor& b) { return a.is_number() ? b.mul(a) : a.mul(b); }
Tensor operator/(const Tensor& a, const Tensor& b) {
  if (!a.is_number()) return a.div(b);
  if (goes_to_references()) return aten::div_Tensor(a, b);
  Tensor inverse = b.reciprocal();
  return inverse.mul(a);
}
Tensor operator%(const Tensor& a, const Tensor& b) {
  return a.is_number() ? aten::remainder_Scalar_Tensor(a.number(), b) : a.remainder(b);
}
Tensor operator==(const Tensor& a, const Tensor& b) { return a.is_number() ? b.eq(a) : a.eq(b); }
Tensor operator!=(const Tensor& a, const Tensor& b) { return a.is_number() ? b.ne(a) : a.ne(b); }
Tensor operator<(const Tensor& a, const Tensor& b) { return a.is_number() ? b.gt(a) : a.lt(b); }
Tensor operator<=(const Tensor& a, const Tensor& b) { return a.is_number() ? b.ge(a) : a.le(b); }
Tensor operator>(const Tensor& a, const Tensor& b) { return a.is_number() ? b.lt(a) : a.gt(b); }
Tensor operator>=(const Tensor& a, const Tensor& b) { return a.is_number() ? b.le(a) : a.ge(b); }
Tensor operator&(const Tensor& a, const Tensor& b) { return a.is_number() ? b.bitwise_and(a) : a.bitwise_and(b); }
Tensor operator|(const Tensor& a, const Tensor& b) { return a.is_number() ? b.bitwise_or(a) : a.bitwise_or(b); }
Tensor operator^(const Tensor& a, const Tensor& b) { return a.is_number() ? b.bitwise_xor(a) : a.bitwise_xor(b); }
Tensor operator<<(const Tensor& a, const Tensor& b) {
  WithoutReference plain;
  return b.is_number() ? aten::lshift__Scalar(a, b.number()) : aten::lshift__Tensor(a, b);
}
Tensor operator>>(const Tensor& a, const Tensor& b) {
  WithoutReference plain;
  return b.is_number() ? aten::rshift__Scalar(a, b.number()) : aten::rshift__Tensor(a, b);
}
Tensor operator-(const Tensor& a) { return a.neg(); }
Tensor operator~(const Tensor& a) { return a.bitwise_not(); }

}  // namespace rung
