// float16 and bfloat16 as bits, rounded to nearest, ties to even.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace rung::ref {

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

inline float to_float(BFloat16 value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }
inline BFloat16 to_bfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {0x7fc0};
  uint32_t is_odd = (bits >> 16) & 1;
  return {static_cast<uint16_t>((bits + 0x7fff + is_odd) >> 16)};
}

inline float to_float(Half value) {
  uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  uint32_t exponent = (value.bits >> 10) & 0x1f, fraction = value.bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -magnitude : magnitude;
}
inline Half to_half(float value) {
  uint16_t sign = static_cast<uint16_t>((std::bit_cast<uint32_t>(value) >> 16) & 0x8000);
  float magnitude = std::fabs(value);
  auto signed_bits = [&](uint32_t bits) { return Half{static_cast<uint16_t>(sign | bits)}; };
  if (std::isnan(value)) return signed_bits(0x7e00);
  if (magnitude >= 65520.0f) return signed_bits(0x7c00);
  if (magnitude < 0x1p-14f) return signed_bits(static_cast<uint32_t>(std::nearbyint(magnitude * 0x1p24f)));
  uint32_t bits = std::bit_cast<uint32_t>(magnitude);
  uint32_t is_odd = (bits >> 13) & 1;
  return signed_bits((bits - (112u << 23) + 0xfff + is_odd) >> 13);
}

}  // namespace rung::ref
