// The float8 types as bits, rounded to nearest, ties to even, as torch 2.13 converts them: what is too large becomes
// infinity (e5m2), the largest number (e4m3fn), or NaN.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace rung::ref {

enum class Special : uint8_t {
  kIeee,      // the highest exponent: infinity and NaNs
  kFinite,    // no infinity; NaN is all ones ("fn")
  kUnsigned,  // no infinity and no -0, whose bits are the only NaN ("fnuz")
};

template <int mantissa_bits, int bias, Special special>
struct Float8 {
  uint8_t bits;
  static constexpr int kMantissa = mantissa_bits, kBias = bias;
  static constexpr Special kSpecial = special;
};
using Float8E4M3FN = Float8<3, 7, Special::kFinite>;
using Float8E5M2 = Float8<2, 15, Special::kIeee>;
using Float8E4M3FNUZ = Float8<3, 8, Special::kUnsigned>;
using Float8E5M2FNUZ = Float8<2, 16, Special::kUnsigned>;

/// A power of two: no sign, no mantissa; 255 is NaN.
struct Float8E8M0FNU {
  uint8_t bits;
};

template <int m, int b, Special s>
float to_float(Float8<m, b, s> value) {
  const int exponent = (value.bits & 0x7f) >> m, fraction = value.bits & ((1 << m) - 1);
  const bool is_negative = (value.bits & 0x80) != 0;
  constexpr int kHighest = 0x7f >> m;
  if (s == Special::kUnsigned && value.bits == 0x80) return NAN;
  if (s == Special::kFinite && (value.bits & 0x7f) == 0x7f) return NAN;
  if (s == Special::kIeee && exponent == kHighest) return fraction != 0 ? NAN : is_negative ? -INFINITY : INFINITY;
  const int mantissa = exponent == 0 ? fraction : fraction + (1 << m);
  const float magnitude = std::ldexp(static_cast<float>(mantissa), (exponent == 0 ? 1 : exponent) - b - m);
  return is_negative ? -magnitude : magnitude;
}

template <typename Bits>
Bits to_float8(float value) {
  constexpr int m = Bits::kMantissa;
  constexpr Special s = Bits::kSpecial;
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  constexpr uint8_t kNan = s == Special::kUnsigned ? 0x80 : 0x7f;
  if (std::isnan(value)) return {s == Special::kUnsigned ? kNan : static_cast<uint8_t>(sign | kNan)};
  // in units of the smallest step at this size
  int exponent = 0;
  std::frexp(value, &exponent);
  const int step = std::max(exponent - 1, 1 - Bits::kBias) - m;
  const float magnitude =
      std::isinf(value) ? value : std::ldexp(std::nearbyint(std::ldexp(std::fabs(value), -step)), step);
  constexpr uint8_t kLargest = s == Special::kFinite ? 0x7e : s == Special::kIeee ? 0x7b : 0x7f;
  if (!(std::fabs(magnitude) <= to_float(Bits{kLargest}))) {
    if (s == Special::kIeee) return {static_cast<uint8_t>(sign | 0x7c)};
    return {s == Special::kFinite ? static_cast<uint8_t>(sign | kLargest) : kNan};
  }
  if (magnitude == 0) return {s == Special::kUnsigned ? uint8_t{0} : sign};
  std::frexp(magnitude, &exponent);
  const int biased = std::max(exponent - 1 + Bits::kBias, 0);
  const auto mantissa = static_cast<int>(std::ldexp(magnitude, m + Bits::kBias - std::max(biased, 1)));
  return {static_cast<uint8_t>(sign | ((biased > 0 ? biased - 1 : 0) * (1 << m) + mantissa))};
}

inline float to_float(Float8E8M0FNU value) { return value.bits == 0xff ? NAN : std::ldexp(1.0f, value.bits - 127); }
inline Float8E8M0FNU to_float8_e8m0(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), exponent = (bits >> 23) & 0xff, fraction = bits & 0x7fffff;
  if (exponent == 0xff) return {0xff};
  const bool rounds_up = fraction > 0x400000 || (fraction == 0x400000 && exponent > 0);
  return {static_cast<uint8_t>(rounds_up && exponent < 0xfe ? exponent + 1 : exponent)};
}

}  // namespace rung::ref
