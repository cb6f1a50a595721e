// Python's repr of floats, complex numbers and strings, byte for byte.
#include "base/strings.h"

#include <cmath>

namespace rung {
namespace {

// One UTF-8 code point from the front of `text`; a stray byte comes back as length 1 and code 0xfffd.
struct CodePoint {
  uint32_t code;
  size_t length;
};

CodePoint next_code_point(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint32_t first = byte(0);
  size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 1) return {first, 1};
  if (first < 0xc0 || length > text.size()) return {0xfffd, 1};
  uint32_t code = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0xfffd, 1};
    code = (code << 6) | (byte(i) & 0x3f);
  }
  return {code, length};
}

void append_hex(std::string& out, uint32_t code) {
  static const char* digits = "0123456789abcdef";
  int width = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
  out += width == 2 ? "\\x" : width == 4 ? "\\u" : "\\U";
  for (int shift = 4 * (width - 1); shift >= 0; shift -= 4) out += digits[(code >> shift) & 15];
}

// Inside a complex number Python drops the ".0" of whole parts.
std::string complex_part(double value) {
  std::string text = python_float(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

std::string python_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  // text is [-]d[.ddd]e[+-]dd: take digits and exponent apart, then lay them out as repr does.
  std::string out = text[0] == '-' ? "-" : "";
  text.remove_prefix(out.size());
  size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  std::string digits(1, text[0]);
  if (mark > 2) digits += text.substr(2, mark - 2);
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1) out += cat('.', digits.substr(1));
    int magnitude = exponent < 0 ? -exponent : exponent;
    return cat(out, 'e', exponent < 0 ? '-' : '+', magnitude < 10 ? "0" : "", magnitude);
  }
  if (exponent < 0) return cat(out, "0.", std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  if (count <= exponent + 1) return cat(out, digits, std::string(static_cast<size_t>(exponent + 1 - count), '0'), ".0");
  return cat(out, digits.substr(0, static_cast<size_t>(exponent + 1)), '.',
             digits.substr(static_cast<size_t>(exponent + 1)));
}

std::string python_complex(double real, double imag) {
  std::string tail = complex_part(imag) + "j";
  if (real == 0 && !std::signbit(real)) return tail;
  bool signed_tail = tail[0] == '-';
  return cat('(', complex_part(real), signed_tail ? "" : "+", tail, ')');
}

std::string python_string(std::string_view text) {
  char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  while (!text.empty()) {
    auto [code, length] = next_code_point(text);
    if (code == '\n')
      out += "\\n";
    else if (code == '\r')
      out += "\\r";
    else if (code == '\t')
      out += "\\t";
    else if (code == '\\' || code == static_cast<uint32_t>(quote))
      out += cat('\\', static_cast<char>(code));
    else if (is_printable(code))
      out += text.substr(0, length);
    else
      append_hex(out, code);
    text.remove_prefix(length);
  }
  return out + quote;
}

}  // namespace rung
