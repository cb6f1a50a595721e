// Special functions.
#include <cmath>
#include <limits>

#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Promote;

constexpr Meta kFloatType = meta::pointwise<Promote::kIntToFloat>;
constexpr double kSqrtHalf = 0.7071067811865476;

// entr(x) = -x log(x), 0 at 0, -inf below
Tensor entr(Tensor self) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor x = types.up(self);
  Tensor is_nan = aten::isnan(x);
  Tensor is_positive = aten::gt_Scalar(x, 0);
  Tensor negated = aten::neg(x);
  Tensor log = aten::log(x);
  Tensor entropy = aten::mul_Tensor(negated, log);
  Tensor is_zero = aten::eq_Scalar(x, 0);
  Tensor rest = aten::where_Scalar(is_zero, 0, -std::numeric_limits<double>::infinity());
  Tensor value = aten::where_self(is_positive, entropy, rest);
  return types.down(aten::where_self(is_nan, x, value));
}

// log of the normal distribution's integral: log(erfcx(-t) / 2) - t^2 below 1, else log1p(-erfc(t) / 2); t = x /
// sqrt(2)
Tensor log_ndtr(Tensor self) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor x = types.up(self);
  Tensor t = aten::mul_Tensor(x, kSqrtHalf);
  Tensor is_low = aten::lt_Scalar(x, 1.0);
  Tensor scaled = aten::special_erfcx(aten::neg(t));
  Tensor log = aten::log(aten::div_Tensor(scaled, 2));
  Tensor square = aten::mul_Tensor(t, t);
  Tensor low = aten::sub_Tensor(log, square);
  Tensor tail = aten::neg(aten::erfc(t));
  Tensor high = aten::log1p(aten::div_Tensor(tail, 2));
  return types.down(aten::where_self(is_low, low, high));
}

// (1 + erf(x / sqrt(2))) / 2
Tensor ndtr(Tensor self) {
  Tensor t = aten::mul_Scalar(self, kSqrtHalf);
  Tensor integral = aten::add_Scalar(aten::erf(t), 1);
  return aten::mul_Scalar(integral, 0.5);
}

// log of the multivariate gamma function: sum over i < p of lgamma(x - i / 2), and a constant
Tensor mvlgamma(Tensor self, int64_t p) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor x = types.up(self);
  double constant = 0.25 * static_cast<double>(p) * static_cast<double>(p - 1) * std::log(M_PI);
  Tensor steps = aten::arange_start_step(1 - p, 1, 1, x.dtype(), std::nullopt, x.device(), false);
  Tensor offsets = aten::mul_Tensor(steps, 0.5);
  Tensor column = aten::unsqueeze(x, -1);
  Tensor terms = aten::lgamma(aten::add_Tensor(column, offsets));
  Tensor sum = aten::sum_dim_IntList(terms, IntList({-1}));
  return types.down(aten::add_Tensor(sum, constant));
}

// ---- references

Tensor reference_ndtr(Tensor self) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor t = aten::mul_Tensor(types.up(self), kSqrtHalf);
  Tensor integral = aten::add_Tensor(aten::erf(t), 1);
  return types.down(aten::mul_Tensor(integral, 0.5));
}

// The n-th derivative of digamma: (-1)^(n + 1) n! zeta(n + 1, x)
Tensor reference_polygamma(int64_t n, Tensor self) {
  if (n < 0) fail_input("polygamma: n must not be negative, got ", n);
  if (n == 0) return aten::digamma(self);
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor x = types.up(self);
  double order = static_cast<double>(n), factorial = std::tgamma(order + 1);
  Tensor zeta = aten::special_zeta_self_scalar(order + 1, x);
  return types.down(aten::mul_Tensor(zeta, n % 2 == 0 ? -factorial : factorial));
}

// Where one operand is a number, it becomes a tensor.
template <Tensor (*polynomial)(const Tensor&, const Tensor&)>
Tensor of_tensors(Tensor x, Tensor n) {
  if (x.is_number()) return polynomial(prims::scalar_tensor(x.number(), std::nullopt, n.device()), n);
  return polynomial(x, prims::scalar_tensor(n.number(), std::nullopt, x.device()));
}

constexpr OpDef kRows[] = {
    {.op = "aten::mvlgamma", .hidden_rule = "multigammaln", .body = box<mvlgamma>},
    {.op = "aten::polygamma", .meta = kFloatType, .reference = box<reference_polygamma>},
    {.op = "aten::special_airy_ai", .meta = kFloatType},
    {.op = "aten::special_bessel_j0",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::bessel_j0, Promote::kIntToFloat>>},
    {.op = "aten::special_bessel_j1",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::bessel_j1, Promote::kIntToFloat>>},
    {.op = "aten::special_bessel_y0", .meta = kFloatType},
    {.op = "aten::special_bessel_y1", .meta = kFloatType},
    {.op = "aten::special_digamma", .body = box<aten::digamma>},
    {.op = "aten::special_entr", .hidden_rule = "entr", .body = box<entr>},
    {.op = "aten::special_erf", .body = box<aten::erf>},
    {.op = "aten::special_erfc", .body = box<aten::erfc>},
    {.op = "aten::special_erfcx",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::erfcx, Promote::kIntToFloat>>},
    {.op = "aten::special_erfinv", .body = box<aten::erfinv>},
    {.op = "aten::special_exp2", .body = box<aten::exp2>},
    {.op = "aten::special_expit", .body = box<aten::sigmoid>},
    {.op = "aten::special_expm1", .body = box<aten::expm1>},
    {.op = "aten::special_gammainc", .body = box<aten::igamma>},
    {.op = "aten::special_gammaincc", .body = box<aten::igammac>},
    {.op = "aten::special_gammaln", .body = box<aten::lgamma>},
    {.op = "aten::special_hermite_polynomial_h", .meta = kFloatType},
    {.op = "aten::special_hermite_polynomial_h.n_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_hermite_polynomial_h>>},
    {.op = "aten::special_hermite_polynomial_h.x_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_hermite_polynomial_h>>},
    {.op = "aten::special_hermite_polynomial_he", .meta = kFloatType},
    {.op = "aten::special_hermite_polynomial_he.n_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_hermite_polynomial_he>>},
    {.op = "aten::special_hermite_polynomial_he.x_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_hermite_polynomial_he>>},
    {.op = "aten::special_i0", .body = box<aten::i0>},
    {.op = "aten::special_i0e",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::bessel_i0e, Promote::kIntToFloat>>},
    {.op = "aten::special_i1",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::bessel_i1, Promote::kIntToFloat>>},
    {.op = "aten::special_i1e",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::bessel_i1e, Promote::kIntToFloat>>},
    {.op = "aten::special_laguerre_polynomial_l", .meta = kFloatType},
    {.op = "aten::special_laguerre_polynomial_l.n_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_laguerre_polynomial_l>>},
    {.op = "aten::special_laguerre_polynomial_l.x_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_laguerre_polynomial_l>>},
    {.op = "aten::special_legendre_polynomial_p", .meta = kFloatType},
    {.op = "aten::special_legendre_polynomial_p.n_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_legendre_polynomial_p>>},
    {.op = "aten::special_legendre_polynomial_p.x_scalar",
     .meta = kFloatType,
     .reference = box<of_tensors<aten::special_legendre_polynomial_p>>},
    {.op = "aten::special_log1p", .body = box<aten::log1p>},
    {.op = "aten::special_log_ndtr", .hidden_rule = "log_ndtr", .body = box<log_ndtr>},
    {.op = "aten::special_logit", .body = box<aten::logit>},
    {.op = "aten::special_modified_bessel_i0",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::bessel_i0, Promote::kIntToFloat>>},
    {.op = "aten::special_modified_bessel_i1",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::bessel_i1, Promote::kIntToFloat>>},
    {.op = "aten::special_modified_bessel_k0", .meta = kFloatType},
    {.op = "aten::special_modified_bessel_k1", .meta = kFloatType},
    {.op = "aten::special_multigammaln", .body = box<aten::mvlgamma>},
    {.op = "aten::special_ndtr", .body = box<ndtr>, .reference = box<reference_ndtr>},
    {.op = "aten::special_ndtri",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::ndtri, Promote::kIntToFloat>>},
    {.op = "aten::special_polygamma", .body = box<aten::polygamma>},
    {.op = "aten::special_psi", .body = box<aten::digamma>},
    {.op = "aten::special_round", .body = box<aten::round_decimals>},
    {.op = "aten::special_scaled_modified_bessel_k0", .meta = kFloatType},
    {.op = "aten::special_scaled_modified_bessel_k1", .meta = kFloatType},
    {.op = "aten::special_sinc", .body = box<aten::sinc>},
    {.op = "aten::special_spherical_bessel_j0",
     .meta = kFloatType,
     .reference = box<reference::unary<prims::spherical_bessel_j0, Promote::kIntToFloat>>},
    {.op = "aten::special_xlogy", .body = box<aten::xlogy_Tensor>},
    {.op = "aten::special_xlogy.other_scalar", .body = box<aten::xlogy_Scalar_Other>},
    {.op = "aten::special_xlogy.self_scalar", .body = box<aten::xlogy_Scalar_Self>},
    {.op = "aten::special_zeta",
     .meta = kFloatType,
     .reference = box<reference::binary<prims::zeta, Promote::kIntToFloat>>},
    {.op = "aten::special_zeta.other_scalar",
     .meta = kFloatType,
     .reference = box<reference::binary<prims::zeta, Promote::kIntToFloat>>},
    {.op = "aten::special_zeta.self_scalar",
     .meta = kFloatType,
     .reference = box<reference::binary<prims::zeta, Promote::kIntToFloat>>},
};

}  // namespace

const std::span<const OpDef> kSpecialOps = kRows;

}  // namespace rung::ops
