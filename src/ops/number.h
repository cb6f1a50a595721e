// Numbers in the place of tensors, and their kinds.
#pragma once
#include "ir/tensor.h"

namespace rung::ops {

/// A float that may be made of sizes: Python's float, or torch's SymFloat, whose arithmetic becomes nodes.
class SymFloat {
 public:
  SymFloat(double value) : value_(value) {}
  /// float(size)
  explicit SymFloat(SymInt size);

  operator Scalar() const { return is_symbolic_ ? Scalar(sym_) : Scalar(value_); }
  friend SymFloat operator+(SymFloat a, SymFloat b) { return apply(SymOp::kAdd, a, b); }
  friend SymFloat operator-(SymFloat a, SymFloat b) { return apply(SymOp::kSub, a, b); }
  friend SymFloat operator*(SymFloat a, SymFloat b) { return apply(SymOp::kMul, a, b); }
  friend SymFloat operator/(SymFloat a, SymFloat b) { return apply(SymOp::kTrueDiv, a, b); }
  friend SymFloat operator-(SymFloat a);
  friend SymFloat sqrt(SymFloat a);
  friend SymFloat pow(SymFloat a, double exponent);
  friend bool operator<(SymFloat a, SymFloat b);
  /// a / b of integers, which torch divides without making floats of them first.
  friend SymFloat true_div(SymInt a, SymInt b);
  /// int(a): towards zero
  friend SymInt trunc(SymFloat a);
  friend SymInt ceil(SymFloat a);

 private:
  static SymFloat from(SymInt sym);
  static SymFloat apply(SymOp op, SymFloat a, SymFloat b);
  SymInt sym() const;

  double value_;
  SymInt sym_;
  bool is_symbolic_ = false;
};

SymFloat true_div(SymInt a, SymInt b);
/// float(number)
SymFloat to_float(const Scalar& number);

/// a * b, as Python multiplies numbers.
Scalar product(const Scalar& a, const Scalar& b);

/// A number of the dtype's kind: 2 becomes 2.0 for float32, True for bool.
Scalar convert(const Scalar& number, DType dtype);
/// A number as above; a tensor as `x.to(dtype)`; nothing stays nothing.
Tensor convert(const Tensor& x, DType dtype);

}  // namespace rung::ops
