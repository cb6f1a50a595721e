// By series, continued fractions and recurrences, and by Newton's method from a rough start.
#include "ops/special_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rung::ops::special {

// psi(x) = psi(x + 1) - 1/x up to where the asymptotic series is exact enough; psi(1 - x) = psi(x) + pi / tan(pi x)
double digamma(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    // the distance from the nearest pole is exact
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * (x - std::nearbyint(x)));
  }
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  double y = 1 / (x * x);
  double tail = 1.0 / 132 - y * (691.0 / 32760 - y / 12);
  double series = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * tail))));
  return shift + std::log(x) - 0.5 / x - series;
}

// Winitzki's approximation, then Newton steps on erfc(x) = 1 - y
double erf_inv(double y) {
  if (std::isnan(y) || std::fabs(y) > 1) return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(y) == 1) return std::copysign(std::numeric_limits<double>::infinity(), y);
  if (y < 0) return -erf_inv(-y);
  constexpr double kA = 0.147;
  double log = std::log1p(-y * y), half = 2 / (std::numbers::pi * kA) + log / 2;
  double x = std::sqrt(std::sqrt(half * half - log / kA) - half);
  for (int step = 0; step < 3; ++step)
    x += (std::erfc(x) - (1 - y)) * std::sqrt(std::numbers::pi) / 2 * std::exp(x * x);
  return x;
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// sum over k of (+-1)^k ((4 v^2 - 1)(4 v^2 - 9) ... ) / (k! (8 x)^k), up to its smallest term
double hankel_series(double order, double x, double sign) {
  double sum = 1, term = 1;
  for (int k = 1; k < 40; ++k) {
    double odd = 2 * k - 1, factor = sign * (4 * order * order - odd * odd) / (k * 8 * x);
    if (std::fabs(factor) >= 1) break;
    term *= factor;
    sum += term;
  }
  return sum;
}

// p_{k + 1} = next(k, p_k, p_{k - 1})
template <typename Next>
double recurrence(double first, double second, double n, Next&& next) {
  if (std::isnan(n)) return kNaN;
  auto degree = static_cast<long>(n);
  if (degree < 0) return 0;
  if (degree == 0) return first;
  for (long k = 1; k < degree; ++k) {
    double third = next(static_cast<double>(k), second, first);
    first = second;
    second = third;
  }
  return second;
}

}  // namespace

double erfcx(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  double y = 1 / (2 * x * x);
  return (1 - y * (1 - 3 * y * (1 - 5 * y))) / (x * std::sqrt(std::numbers::pi));
}

// A rational start in sqrt(-2 log p) for the lower half, then Newton steps with the density.
double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
  if (p > 0.5) return -ndtri(1 - p);
  double t = std::sqrt(-2 * std::log(p));
  double x = (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t) - t;
  for (int step = 0; step < 4; ++step) {
    double reached = std::erfc(-x / std::numbers::sqrt2) / 2;
    double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    x -= (reached - p) / density;
  }
  return x;
}

// Euler and Maclaurin: the first terms one by one, the rest by an integral and corrections with Bernoulli's numbers.
double zeta(double s, double q) {
  if (s == 1) return kInfinity;
  if (s < 1) return kNaN;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (s != std::floor(s)) return kNaN;
  }
  double sum = 0;
  int terms = q < 10 ? 12 + static_cast<int>(std::max(0.0, -q)) : 0;
  for (int k = 0; k < terms; ++k) sum += std::pow(q + k, -s);
  double a = q + terms, power = std::pow(a, -s);
  sum += power * a / (s - 1) + power / 2;
  constexpr double kBernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  double factor = s * power / a / 2;
  for (int k = 0; k < 7; ++k) {
    sum += kBernoulli[k] * factor;
    double m = 2 * k + 1;
    factor *= (s + m) * (s + m + 1) / ((m + 2) * (m + 3)) / (a * a);
  }
  return sum;
}

namespace {

// x^a e^-x / gamma(a)
double gamma_factor(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a)); }

double igamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < 10000 && std::fabs(term) > std::fabs(sum) * kEpsilon / 4; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * gamma_factor(a, x);
}

// Legendre's continued fraction, by Lentz's method.
double igammac_fraction(double a, double x) {
  double b = x + 1 - a, c = 1e300, d = 1 / b, product = d;
  for (int k = 1; k < 10000; ++k) {
    double numerator = -k * (k - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    product *= c * d;
    if (std::fabs(c * d - 1) < kEpsilon) break;
  }
  return product * gamma_factor(a, x);
}

}  // namespace

double igamma(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || x < 0 || a < 0) return kNaN;
  if (a == 0) return x > 0 ? 1 : kNaN;
  if (x == 0) return 0;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 0;
  if (std::isinf(x)) return 1;
  return x < a + 1 ? igamma_series(a, x) : 1 - igammac_fraction(a, x);
}

double igammac(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || x < 0 || a < 0) return kNaN;
  if (a == 0) return x > 0 ? 0 : kNaN;
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 1;
  if (std::isinf(x)) return 0;
  return x < a + 1 ? 1 - igamma_series(a, x) : igammac_fraction(a, x);
}

double scaled_bessel_i(double order, double x) {
  if (std::isnan(x)) return x;
  double size = std::fabs(x), sign = x < 0 && order == 1 ? -1 : 1;
  if (size < 50) return sign * std::cyl_bessel_i(order, size) * std::exp(-size);
  return sign * hankel_series(order, size, -1) / std::sqrt(2 * std::numbers::pi * size);
}
double bessel_i(double order, double x) {
  if (std::isnan(x)) return x;
  double size = std::fabs(x), sign = x < 0 && order == 1 ? -1 : 1;
  return size < 50 ? sign * std::cyl_bessel_i(order, size) : scaled_bessel_i(order, x) * std::exp(size);
}
double scaled_bessel_k(double order, double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return kInfinity;
  if (x < 50) return std::cyl_bessel_k(order, x) * std::exp(x);
  return hankel_series(order, x, 1) * std::sqrt(std::numbers::pi / (2 * x));
}
double bessel_k(double order, double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return kInfinity;
  return x < 50 ? std::cyl_bessel_k(order, x) : scaled_bessel_k(order, x) * std::exp(-x);
}

double spherical_bessel_j0(double x) {
  if (std::isinf(x)) return 0;
  if (std::fabs(x) >= 0.5) return std::sin(x) / x;
  double square = x * x, sum = 1, term = 1;
  for (int k = 1; k < 10; ++k) {
    term *= -square / (2 * k * (2 * k + 1));
    sum += term;
  }
  return sum;
}

// Bessel functions of order one third.
double airy_ai(double x) {
  if (std::isnan(x)) return x;
  if (x == 0) return 0.355028053887817239;
  double size = std::fabs(x), z = 2 * size * std::sqrt(size) / 3, third = 1.0 / 3;
  if (x > 0) return x > 100 ? 0 : std::sqrt(size / 3) * std::cyl_bessel_k(third, z) / std::numbers::pi;
  double positive = std::cyl_bessel_j(third, z);
  double negative = positive / 2 - std::cyl_neumann(third, z) * std::numbers::sqrt3 / 2;
  return std::sqrt(size) / 3 * (positive + negative);
}

double hermite_h(double x, double n) {
  return recurrence(1, 2 * x, n, [&](double k, double now, double before) { return 2 * x * now - 2 * k * before; });
}
double hermite_he(double x, double n) {
  return recurrence(1, x, n, [&](double k, double now, double before) { return x * now - k * before; });
}
double laguerre_l(double x, double n) {
  if (std::fabs(x) == 0 && n >= 0) return 1;
  return recurrence(
      1, 1 - x, n, [&](double k, double now, double before) { return ((2 * k + 1 - x) * now - k * before) / (k + 1); });
}
double legendre_p(double x, double n) {
  return recurrence(
      1, x, n, [&](double k, double now, double before) { return ((2 * k + 1) * x * now - k * before) / (k + 1); });
}

}  // namespace rung::ops::special
