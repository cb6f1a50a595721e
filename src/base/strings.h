// Text put together from parts (GCC 12 has no std::format), and text as Python writes it.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace rung {

/// The shortest text that reads back as `value`, spelt as Python's repr spells it: 1e-05, 100000.0, 1e+16, inf, nan.
std::string python_float(double value);

/// `text` as Python's repr quotes it: single quotes unless it holds a single quote and no double one.
/// Bytes are taken as UTF-8; what Python finds unprintable is escaped.
std::string python_string(std::string_view text);

/// Whether Python's repr shows a code point as it is.
bool is_printable(uint32_t code_point);

/// A complex number as Python's repr writes it: (1+2j), 2j, (-0-1j), (nan+0j).
std::string python_complex(double real, double imag);

inline void append_part(std::string& out, std::string_view part) { out += part; }
inline void append_part(std::string& out, char part) { out += part; }
inline void append_part(std::string& out, double part) { out += python_float(part); }
/// A template, so that a text literal is never taken for a bool.
template <typename Bool>
  requires std::is_same_v<Bool, bool>
void append_part(std::string& out, Bool part) {
  out += part ? "true" : "false";
}
template <typename Int>
  requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
void append_part(std::string& out, Int part) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
  out.append(digits, static_cast<size_t>(end - digits));
}

/// The parts one after the other: cat("rank ", 3, " against ", 4).
template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (append_part(out, parts), ...);
  return out;
}

}  // namespace rung
