// The one integer type of sizes, strides and integer arguments: a plain int64, or a symbolic expression.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace rung {

struct Expr;

/// A constant costs no more than an int64. Values below -2^62 are kept as interned constant expressions, because
/// their bit patterns stand for pointers. Arithmetic and order are defined on constants; on symbolic values rung
/// fails with kUnsupported and says which expression it was (equality of one and the same expression is known).
class SymInt {
 public:
  constexpr SymInt() : data_(0) {}
  constexpr SymInt(int64_t value) : data_(value) {  // implicit: a number is a SymInt
    if (value < kLowest) *this = from_extreme(value);
  }
  constexpr SymInt(int value) : data_(value) {}
  constexpr SymInt(size_t value) : data_(static_cast<int64_t>(value)) {}
  explicit SymInt(const Expr* expr);

  bool is_int() const { return data_ >= kLowest || is_extreme(); }
  bool is_symbolic() const { return !is_int(); }
  /// The constant; fails with kUnsupported for a symbolic value.
  int64_t value() const { return data_ >= kLowest ? data_ : slow_value(); }
  /// Only for symbolic values.
  const Expr* expr() const;
  /// "4", "s77", "s0*(s1 + 1)".
  std::string str() const;

  /// A result beyond 64 bits fails with kInput.
  friend SymInt operator+(SymInt a, SymInt b) {
    int64_t sum;
    if (__builtin_add_overflow(a.value(), b.value(), &sum)) fail_overflow(a, " + ", b);
    return sum;
  }
  friend SymInt operator-(SymInt a, SymInt b) {
    int64_t difference;
    if (__builtin_sub_overflow(a.value(), b.value(), &difference)) fail_overflow(a, " - ", b);
    return difference;
  }
  friend SymInt operator*(SymInt a, SymInt b) {
    int64_t product;
    if (__builtin_mul_overflow(a.value(), b.value(), &product)) fail_overflow(a, "*", b);
    return product;
  }
  /// Floor division and modulo, as Python's // and %; the divisor must not be zero.
  friend SymInt operator/(SymInt a, SymInt b) { return floor_div(a.value(), b.value()); }
  friend SymInt operator%(SymInt a, SymInt b) { return a.value() - floor_div(a.value(), b.value()) * b.value(); }
  friend SymInt operator-(SymInt a) { return SymInt(0) - a; }
  SymInt& operator+=(SymInt b) { return *this = *this + b; }
  SymInt& operator-=(SymInt b) { return *this = *this - b; }
  SymInt& operator*=(SymInt b) { return *this = *this * b; }

  friend bool operator==(SymInt a, SymInt b) { return a.data_ == b.data_ || (a.value() == b.value()); }
  friend std::strong_ordering operator<=>(SymInt a, SymInt b) { return a.value() <=> b.value(); }

  /// Same constant or same expression, without asking whether two different expressions are equal.
  bool identical(SymInt other) const { return data_ == other.data_; }

 private:
  static constexpr int64_t kLowest = -(int64_t{1} << 62);
  static SymInt from_extreme(int64_t value);
  static int64_t floor_div(int64_t a, int64_t b);
  [[noreturn]] static void fail_overflow(SymInt a, const char* sign, SymInt b);
  bool is_extreme() const;
  int64_t slow_value() const;

  int64_t data_;
};

inline SymInt max(SymInt a, SymInt b) { return a.value() < b.value() ? b : a; }
inline SymInt min(SymInt a, SymInt b) { return b.value() < a.value() ? b : a; }

}  // namespace rung
