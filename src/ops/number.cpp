// Conversions as Python's bool(), int(), float() and complex() make them, and arithmetic on floats made of sizes.
#include "ops/number.h"

#include <cmath>

#include "ir/current_arena.h"
#include "ops/gen/aten.h"
#include "shape/expr.h"
#include "shape/rebuild.h"
#include "shape/shape_env.h"

namespace rung::ops {
namespace {

double apply_to_numbers(SymOp op, double a, double b) {
  switch (op) {
    case SymOp::kAdd: return a + b;
    case SymOp::kSub: return a - b;
    case SymOp::kMul: return a * b;
    case SymOp::kTrueDiv: return a / b;
    default: RUNG_CHECK(false, "no arithmetic on floats: operation ", static_cast<int>(op));
  }
  RUNG_UNREACHABLE();
}

bool is_nonzero(const Scalar& number) {
  if (number.is_symbolic()) return !number.equals(0);
  if (!number.is_complex()) return number.to_double() != 0;
  const ComplexNumber& value = *number.argument().complex;
  return value.real != 0 || value.imag != 0;
}

// complex() takes no number that is made of sizes: they become fixed, as in torch.
double fixed_value(const Scalar& number) {
  if (!number.is_symbolic()) return number.to_double();
  auto fixed = [](const Expr* size) { return make_integer(current_shape_env().specialize(size)); };
  const Expr* value = substitute(number.argument().sym().expr(), fixed);
  RUNG_CHECK(value->kind == ExprKind::kFloat || value->kind == ExprKind::kInteger, "no number: ", str(value));
  return value->kind == ExprKind::kFloat ? value->number : static_cast<double>(value->integer);
}

}  // namespace

SymFloat::SymFloat(SymInt size) : value_(0) {
  if (size.is_int())
    value_ = static_cast<double>(size.value());
  else
    *this = from(sym_apply(SymOp::kFloat, size));
}

SymFloat SymFloat::from(SymInt sym) {
  SymFloat result = 0;
  bool is_constant = sym.is_symbolic() && sym.expr()->kind == ExprKind::kFloat;
  if (is_constant) return sym.expr()->number;
  result.sym_ = sym;
  result.is_symbolic_ = true;
  return result;
}

SymInt SymFloat::sym() const { return is_symbolic_ ? sym_ : SymInt(make_float(value_)); }

SymFloat SymFloat::apply(SymOp op, SymFloat a, SymFloat b) {
  if (!a.is_symbolic_ && !b.is_symbolic_) return apply_to_numbers(op, a.value_, b.value_);
  return from(sym_apply(op, a.sym(), b.sym()));
}

SymFloat operator-(SymFloat a) {
  return a.is_symbolic_ ? SymFloat::from(sym_apply(SymOp::kNeg, a.sym_)) : SymFloat(-a.value_);
}

SymFloat pow(SymFloat a, double exponent) {
  return a.is_symbolic_ ? SymFloat::apply(SymOp::kPow, a, exponent) : SymFloat(std::pow(a.value_, exponent));
}

SymFloat sqrt(SymFloat a) { return a.is_symbolic_ ? pow(a, 0.5) : SymFloat(std::sqrt(a.value_)); }

bool operator<(SymFloat a, SymFloat b) {
  return a.is_symbolic_ || b.is_symbolic_ ? a.sym() < b.sym() : a.value_ < b.value_;
}

SymFloat true_div(SymInt a, SymInt b) {
  if (a.is_int() && b.is_int()) return static_cast<double>(a.value()) / static_cast<double>(b.value());
  return SymFloat::from(sym_apply(SymOp::kTrueDiv, a, b));
}

SymInt trunc(SymFloat a) {
  return a.is_symbolic_ ? sym_apply(SymOp::kTrunc, a.sym_) : SymInt(Scalar(a.value_).to_int());
}

SymInt ceil(SymFloat a) {
  return a.is_symbolic_ ? sym_apply(SymOp::kCeil, a.sym_) : SymInt(Scalar(std::ceil(a.value_)).to_int());
}

SymFloat to_float(const Scalar& number) {
  return number.is_symbolic() ? SymFloat(number.to_sym_int()) : SymFloat(number.to_double());
}

Scalar product(const Scalar& a, const Scalar& b) {
  if (a.is_complex() || b.is_complex()) {
    auto parts = [](const Scalar& x) {
      return x.is_complex() ? *x.argument().complex : ComplexNumber{x.to_double(), 0};
    };
    ComplexNumber x = parts(a), y = parts(b);
    ComplexNumber result = {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
    return Scalar(Argument::of(current_arena().make<ComplexNumber>(result)));
  }
  if (a.is_float() || b.is_float()) return to_float(a) * to_float(b);
  return a.to_sym_int() * b.to_sym_int();
}

Scalar convert(const Scalar& number, DType dtype) {
  switch (category(dtype)) {
    case Category::kBoolean: return Scalar(is_nonzero(number));
    case Category::kIntegral: return number.is_int() ? number : Scalar(number.to_int());
    case Category::kFloating:
      if (number.is_symbolic() && number.is_int()) return SymFloat(number.to_sym_int());
      return number.is_float() ? number : Scalar(number.to_double());
    case Category::kComplex: break;
  }
  if (number.is_complex()) return number;
  return Scalar(Argument::of(current_arena().make<ComplexNumber>(ComplexNumber{fixed_value(number), 0})));
}

Tensor convert(const Tensor& x, DType dtype) {
  if (!x.defined()) return x;
  if (x.is_number()) return convert(x.number(), dtype);
  return x.dtype() == dtype ? x : aten::_to_copy(x, dtype);
}

}  // namespace rung::ops
