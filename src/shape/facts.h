// What is known of an expression from the assumptions of its symbols alone, as sympy's assumption system finds it.
#pragma once
#include <optional>

#include "shape/expr.h"

namespace rung {

/// Which signs a real value may have.
constexpr uint8_t kNegative = 1, kZero = 2, kPositive = 4, kAnySign = 7;
enum class Parity : uint8_t { kUnknown, kEven, kOdd };

struct Facts {
  bool is_real = false;
  std::optional<bool> is_integer;
  uint8_t signs = kAnySign;
  Parity parity = Parity::kUnknown;
  std::optional<bool> is_prime, is_composite;
  /// The one symbol of the expression; nullptr for none or several (then `has_symbols` tells).
  const Expr* only_symbol = nullptr;
  bool has_symbols = false;

  bool known_integer() const { return is_integer == true; }
  bool is_zero() const { return is_real && signs == kZero; }
  bool is_nonzero() const { return is_real && (signs & kZero) == 0; }
  bool is_positive() const { return is_real && signs == kPositive; }
  bool is_negative() const { return is_real && signs == kNegative; }
  bool is_nonnegative() const { return is_real && (signs & kNegative) == 0; }
  bool is_nonpositive() const { return is_real && (signs & kPositive) == 0; }
};

/// Remembered for each expression, so a call costs what is new in it.
const Facts& facts_of(const Expr* expr);

/// Whether the value is a float in Python, as 2.0 is and 2 is not. Cheaper than the facts.
bool is_float_valued(const Expr* expr);

/// a >= b, as sympy decides it; nothing where it leaves the comparison as it is.
std::optional<bool> is_at_least(const Expr* a, const Expr* b);

}  // namespace rung
