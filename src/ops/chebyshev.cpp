// Chebyshev polynomials of the four kinds, by the angle whose cosine is x; beyond -1 and 1 by the hyperbolic one.
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Promote;

constexpr Meta kFloatType = meta::pointwise<Promote::kIntToFloat>;

// (-1)^n x
Tensor alternated(const Tensor& x, const Tensor& n) {
  Tensor is_odd = aten::ne_Scalar(aten::fmod_Scalar(n, 2), 0);
  return aten::where_self(is_odd, aten::neg(x), x);
}

// f(a y) / f(b y)
template <Tensor (*f)(const Tensor&)>
Tensor ratio(const Tensor& a, const Tensor& y, double b) {
  Tensor above = f(aten::mul_Tensor(a, y));
  return aten::div_Tensor(above, f(aten::mul_Tensor(y, b)));
}

// cos(n t)
Tensor t_polynomial(const Tensor& x, const Tensor& n) {
  Tensor size = aten::abs(x);
  Tensor inside = aten::cos(aten::mul_Tensor(n, aten::acos(x)));
  Tensor right = aten::cosh(aten::mul_Tensor(n, aten::acosh(size)));
  Tensor left = alternated(right, n);
  Tensor is_negative = aten::lt_Scalar(x, 0);
  Tensor outside = aten::where_self(is_negative, left, right);
  Tensor is_inside = aten::le_Scalar(size, 1);
  return aten::where_self(is_inside, inside, outside);
}

// sin((n + 1) t) / sin(t)
Tensor u_polynomial(const Tensor& x, const Tensor& n) {
  Tensor size = aten::abs(x), order = aten::add_Tensor(n, 1);
  Tensor inside = ratio<aten::sin>(order, aten::acos(x), 1);
  Tensor right = ratio<aten::sinh>(order, aten::acosh(size), 1);
  Tensor is_edge = aten::eq_Scalar(size, 1);
  right = aten::where_self(is_edge, order, right);
  Tensor left = alternated(right, n);
  Tensor is_negative = aten::lt_Scalar(x, 0);
  Tensor outside = aten::where_self(is_negative, left, right);
  Tensor is_inside = aten::lt_Scalar(size, 1);
  return aten::where_self(is_inside, inside, outside);
}

// cos((n + 1/2) t) / cos(t / 2)
Tensor v_polynomial(const Tensor& x, const Tensor& n) {
  Tensor size = aten::abs(x), order = aten::add_Tensor(n, 0.5);
  Tensor inside = ratio<aten::cos>(order, aten::acos(x), 0.5);
  Tensor angle = aten::acosh(size);
  Tensor right = ratio<aten::cosh>(order, angle, 0.5);
  Tensor left = ratio<aten::sinh>(order, angle, 0.5);
  Tensor is_edge = aten::eq_Scalar(size, 1);
  left = aten::where_self(is_edge, aten::mul_Tensor(order, 2), left);
  left = alternated(left, n);
  Tensor is_negative = aten::lt_Scalar(x, 0);
  Tensor outside = aten::where_self(is_negative, left, right);
  Tensor is_inside = aten::lt_Scalar(size, 1);
  return aten::where_self(is_inside, inside, outside);
}

// sin((n + 1/2) t) / sin(t / 2)
Tensor w_polynomial(const Tensor& x, const Tensor& n) { return alternated(v_polynomial(aten::neg(x), n), n); }

// Of a whole degree; 0 if it is negative. A shifted polynomial has its roots between 0 and 1.
template <Tensor (*polynomial)(const Tensor&, const Tensor&), bool shifted>
Tensor chebyshev(Tensor x, Tensor n) {
  reference::Types types = reference::types_of({x, n}, Promote::kIntToFloat);
  const Tensor& like = x.is_number() ? n : x;
  auto tensor = [&](const Tensor& operand) {
    Tensor value = reference::converted(operand, types.computation);
    return value.is_number() ? prims::scalar_tensor(value.number(), types.computation, like.device()) : value;
  };
  Tensor at = tensor(x);
  Tensor degree = aten::trunc(tensor(n));
  if (shifted) at = aten::sub_Tensor(aten::mul_Tensor(at, 2), 1);
  Tensor value = polynomial(at, degree);
  Tensor is_negative = aten::lt_Scalar(degree, 0);
  return reference::converted(aten::where_ScalarSelf(is_negative, 0, value), types.result);
}

constexpr OpDef kRows[] = {
    {.op = "aten::special_chebyshev_polynomial_t",
     .meta = kFloatType,
     .reference = box<chebyshev<t_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_t.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<t_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_t.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<t_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_u",
     .meta = kFloatType,
     .reference = box<chebyshev<u_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_u.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<u_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_u.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<u_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_v",
     .meta = kFloatType,
     .reference = box<chebyshev<v_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_v.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<v_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_v.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<v_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_w",
     .meta = kFloatType,
     .reference = box<chebyshev<w_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_w.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<w_polynomial, false>>},
    {.op = "aten::special_chebyshev_polynomial_w.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<w_polynomial, false>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_t",
     .meta = kFloatType,
     .reference = box<chebyshev<t_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_t.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<t_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_t.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<t_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_u",
     .meta = kFloatType,
     .reference = box<chebyshev<u_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_u.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<u_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_u.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<u_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_v",
     .meta = kFloatType,
     .reference = box<chebyshev<v_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_v.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<v_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_v.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<v_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_w",
     .meta = kFloatType,
     .reference = box<chebyshev<w_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_w.n_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<w_polynomial, true>>},
    {.op = "aten::special_shifted_chebyshev_polynomial_w.x_scalar",
     .meta = kFloatType,
     .reference = box<chebyshev<w_polynomial, true>>},
};

}  // namespace

const std::span<const OpDef> kChebyshevOps = kRows;

}  // namespace rung::ops
