// A reader of Python's integer expressions by recursive descent. What it does not know it gives up on.
#include "pass/guards.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace rung {
namespace {

constexpr int kMaxDepth = 200;

struct GiveUp {};

class GuardReader {
 public:
  GuardReader(std::string_view text, const SizeOf& size_of) : rest_(text), size_of_(size_of) {}

  bool read() {
    bool holds = condition();
    skip_spaces();
    if (!rest_.empty()) throw GiveUp();
    return holds;
  }

 private:
  // conditions joined by "and", each a chain of comparisons
  bool condition() {
    bool holds = comparison();
    while (take("and")) holds = comparison() && holds;
    return holds;
  }

  bool comparison() {
    int64_t left = sum();
    bool holds = true, any = false;
    for (;;) {
      std::string_view sign = comparison_sign();
      if (sign.empty()) break;
      int64_t right = sum();
      holds = holds && compare(sign, left, right);
      left = right;
      any = true;
    }
    if (!any) throw GiveUp();
    return holds;
  }

  std::string_view comparison_sign() {
    for (std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"})
      if (take(sign)) return sign;
    return "";
  }

  static bool compare(std::string_view sign, int64_t a, int64_t b) {
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    return sign == "<" ? a < b : a > b;
  }

  int64_t sum() {
    int64_t value = product();
    for (;;) {
      if (take("+"))
        value = checked(__builtin_add_overflow(value, product(), &result_));
      else if (take("-"))
        value = checked(__builtin_sub_overflow(value, product(), &result_));
      else
        return value;
    }
  }

  int64_t product() {
    int64_t value = factor();
    for (;;) {
      if (take("//"))
        value = floor_div(value, factor());
      else if (take("%")) {
        int64_t divisor = factor();
        value -= floor_div(value, divisor) * divisor;
      } else if (take("*"))
        value = checked(__builtin_mul_overflow(value, factor(), &result_));
      else
        return value;
    }
  }

  int64_t factor() {
    if (take("-")) return -factor();
    int64_t base = atom();
    if (!take("**")) return base;
    int64_t value = 1;
    for (int64_t left = factor(); left > 0; --left) value = checked(__builtin_mul_overflow(value, base, &result_));
    return value;
  }

  int64_t atom() {
    if (++depth_ > kMaxDepth) throw GiveUp();
    int64_t value = take("(") ? closed(sum()) : is_digit() ? number() : call_or_size();
    --depth_;
    return value;
  }

  int64_t closed(int64_t value) {
    if (!take(")")) throw GiveUp();
    return value;
  }

  // max(a, b), min(a, b), torch.sym_max(a, b), torch.sym_min(a, b), L['x'][0].size()[1]
  int64_t call_or_size() {
    for (std::string_view name : {"max(", "min(", "torch.sym_max(", "torch.sym_min("}) {
      if (!take(name)) continue;
      int64_t first = sum();
      if (!take(",")) throw GiveUp();
      int64_t second = closed(sum());
      return name.find("max") != name.npos ? std::max(first, second) : std::min(first, second);
    }
    if (!take("L")) throw GiveUp();
    std::string input;
    while (take("[")) {
      if (!input.empty()) input += '_';
      input += key();
      if (!take("]")) throw GiveUp();
    }
    if (!take(".size()[")) throw GiveUp();
    std::optional<int64_t> size = size_of_(input, static_cast<size_t>(number()));
    if (!size || !take("]")) throw GiveUp();
    return *size;
  }

  // As torch.export names a placeholder: lower case, what is no letter or digit becomes an underscore.
  std::string key() {
    if (is_digit()) return std::to_string(number());
    if (!take("'")) throw GiveUp();
    std::string name;
    while (!rest_.empty() && rest_[0] != '\'') {
      unsigned char c = static_cast<unsigned char>(rest_[0]);
      name += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
      rest_.remove_prefix(1);
    }
    if (!take("'")) throw GiveUp();
    return name;
  }

  int64_t number() {
    skip_spaces();
    int64_t value = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) throw GiveUp();
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  bool is_digit() {
    skip_spaces();
    return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9';
  }

  // "*" is not the beginning of "**", nor "/" of "//".
  bool take(std::string_view sign) {
    skip_spaces();
    if (!rest_.starts_with(sign)) return false;
    if (sign == "*" && rest_.starts_with("**")) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  void skip_spaces() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }

  int64_t checked(bool overflows) const {
    if (overflows) throw GiveUp();
    return result_;
  }

  static int64_t floor_div(int64_t a, int64_t b) {
    if (b == 0 || b == -1) throw GiveUp();
    int64_t quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  }

  std::string_view rest_;
  const SizeOf& size_of_;
  int64_t result_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<bool> guard_holds(std::string_view guard, const SizeOf& size_of) {
  try {
    return GuardReader(guard, size_of).read();
  } catch (const GiveUp&) {
    return std::nullopt;
  }
}

}  // namespace rung
