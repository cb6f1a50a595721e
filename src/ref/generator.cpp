// Words to numbers, as torch does it.
#include "ref/generator.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

namespace rung::ref {

void Generator::manual_seed(uint64_t seed) {
  seed_ = seed;
  engine_.seed(static_cast<uint32_t>(seed));
  next_normal_.reset();
}

uint64_t Generator::random64() {
  uint64_t high = random();
  return high << 32 | random();
}

float Generator::uniform_float() { return static_cast<float>(random() & 0xffffff) * 0x1p-24f; }
double Generator::uniform_double() { return static_cast<double>(random64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53; }

double Generator::normal(double mean, double std) {
  if (next_normal_) {
    double waiting = *next_normal_;
    next_normal_.reset();
    return std::fma(waiting, std, mean);
  }
  double u1 = uniform_double(), u2 = uniform_double();
  double radius = std::sqrt(-2.0 * std::log1p(-u2)), theta = 2.0 * std::numbers::pi * u1;
  next_normal_ = radius * std::sin(theta);
  return std::fma(radius * std::cos(theta), std, mean);
}

int64_t Generator::integer(int64_t low, uint64_t range) {
  uint64_t word = range >= uint64_t{1} << 28 ? random64() : random();
  return static_cast<int64_t>(word % range + static_cast<uint64_t>(low));
}

// x = m 2^e with m in [sqrt(1/2), sqrt(2)); log x = e log 2 + log m, log 2 in two parts
float vector_log(float x) {
  constexpr float kSqrtHalf = 0.707106781186547524f, kLog2Low = -2.12194440e-4f, kLog2High = 0.693359375f;
  constexpr float kPolynomial[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                   -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                   2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  int exponent;
  float m = std::frexp(std::fmax(x, std::numeric_limits<float>::min()), &exponent);
  float e = static_cast<float>(exponent);
  if (m < kSqrtHalf) {
    e -= 1;
    m = (m - 1) + m;
  } else {
    m -= 1;
  }
  float square = m * m, y = kPolynomial[0];
  for (size_t i = 1; i < std::size(kPolynomial); ++i) y = std::fmaf(y, m, kPolynomial[i]);
  y = std::fmaf(y * m, square, e * kLog2Low);
  y = std::fmaf(-square, 0.5f, y);
  return std::fmaf(e, kLog2High, m + y);
}

// The octant j of x >= 0 is taken off in three parts of pi / 4; what is left goes through one polynomial for each.
SinCos vector_sincos(float x) {
  constexpr float kFourOverPi = 1.27323954473516f;
  constexpr float kParts[] = {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f};
  int j = (static_cast<int>(x * kFourOverPi) + 1) & ~1;
  for (float part : kParts) x = std::fmaf(static_cast<float>(j), part, x);
  float z = x * x;
  float cos = std::fmaf(std::fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f);
  cos = std::fmaf(cos * z, z, -(z * 0.5f)) + 1;
  float sin = std::fmaf(std::fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f);
  sin = std::fmaf(sin * z, x, x);
  if ((j & 2) != 0) std::swap(sin, cos);
  bool sin_is_negative = (j & 4) != 0, cos_is_negative = ((j - 2) & 4) == 0;
  return {sin_is_negative ? -sin : sin, cos_is_negative ? -cos : cos};
}

Generator& default_generator() {
  thread_local Generator generator;
  return generator;
}

}  // namespace rung::ref
