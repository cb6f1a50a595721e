// Special functions, and windows of signals.
#include <cmath>
#include <numbers>

#include "ops/kernels.h"
#include "ops/special_functions.h"

namespace rung::ops {
namespace {

using namespace special;

template <double (*function)(double)>
constexpr Kernel kUnary = map_unary<[](std::same_as<double> auto x) { return function(x); }>;
template <double (*function)(double, double)>
constexpr Kernel kBinary = map_binary<[](std::same_as<double> auto a, double b) { return function(a, b); }>;
template <double (*function)(double, double), int order>
constexpr Kernel kOrder = map_unary<[](std::same_as<double> auto x) { return function(order, x); }>;

// ---- windows: value(place, last) for the places 0, 1, ..., last; a periodic one is one longer, without its end

template <typename Value>
Argument window(const Call& call, size_t periodic_at, Value&& value) {
  const TensorMeta& result = result_meta(call);
  int64_t length = result.sizes[0].value();
  bool periodic = periodic_at == 0 || unbox_bool(call.args[periodic_at]);
  if (length == 1) return ref::make(result, std::vector<double>{1}).argument();
  double last = static_cast<double>(periodic ? length : length - 1);
  std::vector<double> out;
  for (int64_t i = 0; i < length; ++i) out.push_back(value(static_cast<double>(i), last));
  return ref::make(result, out).argument();
}

double cosine(double place, double last) { return std::cos(2 * std::numbers::pi * place / last); }

// The overloads give periodic, alpha and beta one after the other.
template <size_t given>
Argument hamming(const Call& call) {
  double alpha = given > 1 ? unbox_float(call.args[2]) : 0.54, beta = given > 2 ? unbox_float(call.args[3]) : 0.46;
  return window(call, given > 0 ? 1 : 0, [&](double i, double n) { return alpha - beta * cosine(i, n); });
}
template <size_t given>
Argument blackman(const Call& call) {
  return window(call, given, [](double i, double n) { return 0.42 - 0.5 * cosine(i, n) + 0.08 * cosine(2 * i, n); });
}
template <size_t given>
Argument bartlett(const Call& call) {
  return window(call, given, [](double i, double n) { return 1 - std::fabs(2 * i / n - 1); });
}
template <size_t given>
Argument kaiser(const Call& call) {
  double beta = given > 1 ? unbox_float(call.args[2]) : 12.0;
  return window(call, given > 0 ? 1 : 0, [&](double i, double n) {
    double x = 2 * i / n - 1;
    return bessel_i(0, beta * std::sqrt(std::max(0.0, 1 - x * x))) / bessel_i(0, beta);
  });
}

constexpr KernelRow kRows[] = {
    {"prims::bessel_i0", kOrder<bessel_i, 0>},
    {"prims::bessel_i0e", kOrder<scaled_bessel_i, 0>},
    {"prims::bessel_i1", kOrder<bessel_i, 1>},
    {"prims::bessel_i1e", kOrder<scaled_bessel_i, 1>},
    {"prims::bessel_j0", kUnary<::j0>},
    {"prims::bessel_j1", kUnary<::j1>},
    {"prims::erfcx", kUnary<erfcx>},
    {"prims::igamma", kBinary<igamma>},
    {"prims::igammac", kBinary<igammac>},
    {"prims::ndtri", kUnary<ndtri>},
    {"prims::spherical_bessel_j0", kUnary<spherical_bessel_j0>},
    {"prims::zeta", kBinary<zeta>},
    {"aten::special_airy_ai", kUnary<airy_ai>},
    {"aten::special_bessel_y0", kUnary<::y0>},
    {"aten::special_bessel_y1", kUnary<::y1>},
    {"aten::special_modified_bessel_i0", kOrder<bessel_i, 0>},
    {"aten::special_modified_bessel_i1", kOrder<bessel_i, 1>},
    {"aten::special_modified_bessel_k0", kOrder<bessel_k, 0>},
    {"aten::special_modified_bessel_k1", kOrder<bessel_k, 1>},
    {"aten::special_scaled_modified_bessel_k0", kOrder<scaled_bessel_k, 0>},
    {"aten::special_scaled_modified_bessel_k1", kOrder<scaled_bessel_k, 1>},
    {"aten::special_hermite_polynomial_h", kBinary<hermite_h>},
    {"aten::special_hermite_polynomial_he", kBinary<hermite_he>},
    {"aten::special_laguerre_polynomial_l", kBinary<laguerre_l>},
    {"aten::special_legendre_polynomial_p", kBinary<legendre_p>},
    {"aten::hamming_window", hamming<0>},
    {"aten::hamming_window.periodic", hamming<1>},
    {"aten::hamming_window.periodic_alpha", hamming<2>},
    {"aten::hamming_window.periodic_alpha_beta", hamming<3>},
    {"aten::blackman_window", blackman<0>},
    {"aten::blackman_window.periodic", blackman<1>},
    {"aten::bartlett_window", bartlett<0>},
    {"aten::bartlett_window.periodic", bartlett<1>},
    {"aten::kaiser_window", kaiser<0>},
    {"aten::kaiser_window.periodic", kaiser<1>},
    {"aten::kaiser_window.beta", kaiser<2>},
};

}  // namespace

const std::span<const KernelRow> kSpecialKernels = kRows;

}  // namespace rung::ops
