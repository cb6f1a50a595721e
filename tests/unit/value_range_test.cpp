// Bounds of expressions, what is known of conditions, and values.
#include "shape/value_range.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>

#include "base/error.h"
#include "shape/arithmetic.h"

using namespace rung;

namespace {

const Expr* s0() { return make_symbol("s0", "positive=True, integer=True"); }
const Expr* u0() { return make_symbol("u0", "integer=True"); }
const Expr* number(int64_t value) { return make_integer(value); }
const Expr* of(SymOp op, const Expr* a, const Expr* b) { return rung::apply(op, std::array{a, b}); }

// s0 in [2, inf), u0 in [-3, 5].
ValueRange range_of(const Expr* symbol) {
  return symbol->name == "s0" ? ValueRange{2, std::nullopt} : ValueRange{-3, 5};
}

std::string text(const Expr* expr) {
  ValueRange range = bounds(expr, range_of);
  return (range.min ? std::to_string(*range.min) : "-oo") + ".." + (range.max ? std::to_string(*range.max) : "oo");
}

}  // namespace

TEST_CASE("bounds of sums and products") {
  CHECK(text(of(SymOp::kAdd, s0(), number(1))) == "3..oo");
  CHECK(text(of(SymOp::kSub, u0(), s0())) == "-oo..3");
  CHECK(text(of(SymOp::kMul, s0(), s0())) == "4..oo");
  CHECK(text(of(SymOp::kMul, u0(), number(-2))) == "-10..6");
  CHECK(text(of(SymOp::kMul, u0(), s0())) == "-oo..oo");
  CHECK(text(of(SymOp::kPow, u0(), number(2))) == "0..25");
  CHECK(text(of(SymOp::kPow, u0(), number(3))) == "-27..125");
}

TEST_CASE("bounds of divisions, remainders and extremes") {
  CHECK(text(of(SymOp::kFloorDiv, u0(), number(2))) == "-2..2");
  CHECK(text(of(SymOp::kFloorDiv, s0(), number(3))) == "0..oo");
  CHECK(text(of(SymOp::kFloorDiv, u0(), s0())) == "-2..2");
  CHECK(text(of(SymOp::kMod, u0(), number(4))) == "0..3");
  CHECK(text(of(SymOp::kMod, u0(), number(-4))) == "-3..0");
  CHECK(text(of(SymOp::kMod, s0(), number(4))) == "0..3");
  CHECK(text(of(SymOp::kMax, u0(), number(1))) == "1..5");
  CHECK(text(of(SymOp::kMin, u0(), s0())) == "-3..5");
}

TEST_CASE("what lies beyond 64 bits is unbounded") {
  int64_t largest = std::numeric_limits<int64_t>::max();
  auto all = [&](const Expr*) { return ValueRange{-largest - 1, largest}; };
  ValueRange sum = bounds(make_add(std::array{u0(), number(1)}), all);
  CHECK(sum.min == -largest);
  CHECK_FALSE(sum.max.has_value());
  ValueRange quotient = bounds(make_function(find_function("FloorDiv"), std::array{u0(), number(-1)}), all);
  CHECK_FALSE(quotient.max.has_value());
}

TEST_CASE("conditions that the ranges decide") {
  CHECK(known(of(SymOp::kGe, s0(), number(2)), range_of) == true);
  CHECK(known(of(SymOp::kEq, s0(), number(1)), range_of) == false);
  CHECK(known(of(SymOp::kLt, u0(), number(6)), range_of) == true);
  CHECK_FALSE(known(of(SymOp::kLt, u0(), number(5)), range_of).has_value());
  CHECK(known(of(SymOp::kGt, u0(), number(5)), range_of) == false);
  CHECK(known(of(SymOp::kNe, u0(), number(7)), range_of) == true);
  const Expr* open = of(SymOp::kEq, u0(), number(0));
  const Expr* sure = of(SymOp::kLe, u0(), number(5));
  CHECK(known(of(SymOp::kOr, open, sure), range_of) == true);
  CHECK_FALSE(known(of(SymOp::kAnd, open, sure), range_of).has_value());
}

TEST_CASE("values") {
  auto value_of = [](const Expr* symbol) { return symbol->name == "s0" ? std::optional<int64_t>(7) : std::nullopt; };
  CHECK(evaluate(of(SymOp::kFloorDiv, s0(), number(2)), value_of) == 3);
  CHECK(evaluate(of(SymOp::kMod, s0(), number(4)), value_of) == 3);
  CHECK(evaluate(of(SymOp::kEq, s0(), number(7)), value_of) == 1);
  CHECK(evaluate(make_mul(std::array{make_rational(2, 7), s0()}), value_of) == 2);
  CHECK_FALSE(evaluate(u0(), value_of).has_value());
  CHECK_FALSE(evaluate(of(SymOp::kTrueDiv, s0(), number(2)), value_of).has_value());
  const Expr* by_itself = make_function(find_function("Mod"), std::array{s0(), make_add(std::array{s0(), number(-7)})});
  CHECK_THROWS_AS(evaluate(by_itself, value_of), Error);
  CHECK_THROWS_AS(evaluate(make_pow(s0(), number(100)), value_of), Error);
}
