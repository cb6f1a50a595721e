// Arithmetic of elements, by carrier: integers wrap around, NaN is passed on.
#pragma once
#include <cmath>

#include "ref/values.h"

namespace rung::ops::elementwise {

using ref::Carrier;
using ref::Complex;

template <typename T>
concept Real = std::same_as<T, int64_t> || std::same_as<T, double>;
template <typename T>
concept Inexact = std::same_as<T, double> || std::same_as<T, Complex>;

// ---- integers wrap around

inline int64_t wrapping(uint64_t bits) { return static_cast<int64_t>(bits); }
inline uint64_t bits_of(int64_t value) { return static_cast<uint64_t>(value); }

template <Carrier T>
T add(T a, T b) {
  if constexpr (std::same_as<T, int64_t>)
    return wrapping(bits_of(a) + bits_of(b));
  else
    return a + b;
}
template <Carrier T>
T sub(T a, T b) {
  if constexpr (std::same_as<T, int64_t>)
    return wrapping(bits_of(a) - bits_of(b));
  else
    return a - b;
}
template <Carrier T>
T mul(T a, T b) {
  if constexpr (std::same_as<T, int64_t>)
    return wrapping(bits_of(a) * bits_of(b));
  else
    return a * b;
}
// Of integers towards zero.
template <Carrier T>
T div(T a, T b) {
  if constexpr (std::same_as<T, int64_t>) {
    if (b == 0) fail_input("an integer is divided by zero");
    return b == -1 ? wrapping(-bits_of(a)) : a / b;
  } else {
    return a / b;
  }
}
template <Real T>
T fmod(T a, T b) {
  if constexpr (std::same_as<T, int64_t>) {
    if (b == 0) fail_input("the remainder of an integer by zero");
    return b == -1 ? 0 : a % b;
  } else {
    return std::fmod(a, b);
  }
}
// The sign is that of the divisor.
template <Real T>
T remainder(T a, T b) {
  T rest = fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t power = 1, factor = bits_of(base);
  for (; exponent > 0; exponent >>= 1, factor *= factor)
    if (exponent & 1) power *= factor;
  return wrapping(power);
}
template <Carrier T>
T pow(T a, T b) {
  if constexpr (std::same_as<T, int64_t>)
    return integer_power(a, b);
  else if constexpr (std::same_as<T, Complex>)
    return b == Complex(0) ? Complex(1) : std::pow(a, b);
  else
    return std::pow(a, b);
}

// NaN wins in maximum and minimum, and loses in fmax and fmin.
template <Real T>
bool is_nan(T a) {
  return a != a;
}
template <Real T>
T maximum(T a, T b) {
  return is_nan(a) || a > b ? a : b;
}
template <Real T>
T minimum(T a, T b) {
  return is_nan(a) || a < b ? a : b;
}

template <Carrier T>
auto abs(T a) {
  if constexpr (std::same_as<T, int64_t>)
    return a < 0 ? sub(int64_t(0), a) : a;
  else
    return std::abs(a);
}
template <Carrier T>
T sign(T a) {
  if constexpr (std::same_as<T, Complex>)
    return a == Complex() ? a : a / std::abs(a);
  else
    return static_cast<T>((a > 0) - (a < 0));
}
template <Inexact T>
bool is_finite(T a) {
  if constexpr (std::same_as<T, Complex>)
    return std::isfinite(a.real()) && std::isfinite(a.imag());
  else
    return std::isfinite(a);
}
template <Carrier T>
T reciprocal(T a) {
  return T(1) / a;
}

template <Carrier T>
T neg(T a) {
  if constexpr (std::same_as<T, int64_t>)
    return sub(int64_t(0), a);
  else
    return -a;
}

// The quotient rounded down, as torch computes it of floats.
template <Real T>
T floor_div(T a, T b) {
  if constexpr (std::same_as<T, int64_t>) {
    T quotient = div(a, b);
    return fmod(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  } else {
    if (b == 0) return a / b;
    T rest = std::fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(0.0, a / b);
    T whole = std::floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
  }
}

constexpr auto kShiftLeft = [](std::same_as<int64_t> auto a, int64_t b) {
  return b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
};
constexpr auto kShiftRight = [](std::same_as<int64_t> auto a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); };

}  // namespace rung::ops::elementwise
