// By series, and by Newton's method from a rough start.
#include "ops/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace rung::ops::special {

// psi(x) = psi(x + 1) - 1/x up to where the asymptotic series is exact enough; psi(1 - x) = psi(x) + pi / tan(pi x)
double digamma(double x) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    if (x == std::floor(x)) return kNaN;
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * (x - std::floor(x)));
  }
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  double y = 1 / (x * x);
  double series = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
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

}  // namespace rung::ops::special
