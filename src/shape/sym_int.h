// The one integer type of sizes, strides and integer arguments: a plain int64, or a symbolic expression.
#pragma once
#include <cstdint>
#include <string>

#include "shape/sym_op.h"

namespace rung {

struct Expr;
struct SymNode;

/// A constant costs no more than an int64. Values below -2^62 are kept as interned constant expressions, because
/// their bit patterns stand for pointers. Arithmetic on symbolic values makes expressions (and, while a program is
/// traced, remembers how: SymNode); a comparison is decided by the current ShapeEnv.
class SymInt {
 public:
  constexpr SymInt() : data_(0) {}
  constexpr SymInt(int64_t value) : data_(value) {  // implicit: a number is a SymInt
    if (value < kLowest) *this = from_extreme(value);
  }
  constexpr SymInt(int value) : data_(value) {}
  constexpr SymInt(size_t value) : data_(static_cast<int64_t>(value)) {}
  /// An integer expression; a constant becomes a plain number. Truth values and floats that a program computes from
  /// its sizes travel in this type too, until they become nodes.
  explicit SymInt(const Expr* expr);
  explicit SymInt(const SymNode* node);

  bool is_int() const { return data_ >= kLowest || is_extreme(); }
  bool is_symbolic() const { return !is_int(); }
  /// The constant; fails with kUnsupported for a symbolic value.
  int64_t value() const { return data_ >= kLowest ? data_ : slow_value(); }
  /// Only for symbolic values.
  const Expr* expr() const;
  /// Also of a constant.
  const Expr* as_expr() const;
  /// The operation that made it while a program was traced; null for anything else.
  const SymNode* node() const;
  /// The same value, without the memory of how it was made.
  SymInt plain() const { return data_ >= kLowest ? *this : forget(); }
  /// "4", "s77", "s0*(s1 + 1)".
  std::string str() const;

  /// A result beyond 64 bits fails with kInput.
  friend SymInt operator+(SymInt a, SymInt b) {
    int64_t sum;
    if (!both_small(a, b) || __builtin_add_overflow(a.data_, b.data_, &sum)) return compute(SymOp::kAdd, a, b);
    return sum;
  }
  friend SymInt operator-(SymInt a, SymInt b) {
    int64_t difference;
    if (!both_small(a, b) || __builtin_sub_overflow(a.data_, b.data_, &difference)) return compute(SymOp::kSub, a, b);
    return difference;
  }
  friend SymInt operator*(SymInt a, SymInt b) {
    int64_t product;
    if (!both_small(a, b) || __builtin_mul_overflow(a.data_, b.data_, &product)) return compute(SymOp::kMul, a, b);
    return product;
  }
  /// Floor division and modulo, as Python's // and %; the divisor must not be zero.
  friend SymInt operator/(SymInt a, SymInt b) {
    return both_small(a, b) ? SymInt(floor_div(a.data_, b.data_)) : compute(SymOp::kFloorDiv, a, b);
  }
  friend SymInt operator%(SymInt a, SymInt b) {
    return both_small(a, b) ? SymInt(a.data_ - floor_div(a.data_, b.data_) * b.data_) : compute(SymOp::kMod, a, b);
  }
  friend SymInt operator-(SymInt a) { return both_small(a, a) ? SymInt(-a.data_) : negate(a); }
  friend SymInt max(SymInt a, SymInt b) {
    return both_small(a, b) ? (a.data_ < b.data_ ? b : a) : compute(SymOp::kMax, a, b);
  }
  friend SymInt min(SymInt a, SymInt b) {
    return both_small(a, b) ? (b.data_ < a.data_ ? b : a) : compute(SymOp::kMin, a, b);
  }
  SymInt& operator+=(SymInt b) { return *this = *this + b; }
  SymInt& operator-=(SymInt b) { return *this = *this - b; }
  SymInt& operator*=(SymInt b) { return *this = *this * b; }

  friend bool operator==(SymInt a, SymInt b) {
    return a.data_ == b.data_ || (!both_small(a, b) && decide(SymOp::kEq, a, b));
  }
  friend bool operator<(SymInt a, SymInt b) { return both_small(a, b) ? a.data_ < b.data_ : decide(SymOp::kLt, a, b); }
  friend bool operator<=(SymInt a, SymInt b) {
    return both_small(a, b) ? a.data_ <= b.data_ : decide(SymOp::kLe, a, b);
  }
  friend bool operator>(SymInt a, SymInt b) { return b < a; }
  friend bool operator>=(SymInt a, SymInt b) { return b <= a; }

  /// Same constant or same expression, without asking whether two different expressions are equal.
  bool identical(SymInt other) const { return data_ == other.data_ || plain().data_ == other.plain().data_; }

  /// As it lies in an Argument.
  int64_t bits() const { return data_; }
  static SymInt from_bits(int64_t bits) {
    SymInt value;
    value.data_ = bits;
    return value;
  }

 private:
  static constexpr int64_t kLowest = -(int64_t{1} << 62);
  static bool both_small(SymInt a, SymInt b) { return a.data_ >= kLowest && b.data_ >= kLowest; }
  static SymInt from_extreme(int64_t value);
  static int64_t floor_div(int64_t a, int64_t b);
  static SymInt compute(SymOp op, SymInt a, SymInt b);
  static SymInt negate(SymInt a);
  static bool decide(SymOp op, SymInt a, SymInt b);
  bool is_extreme() const;
  int64_t slow_value() const;
  SymInt forget() const;

  int64_t data_;
};

/// Any operation, of one operand (`b` is then left out) or two; what the operators above do for symbolic values.
SymInt sym_apply(SymOp op, SymInt a, SymInt b = 0);

}  // namespace rung
