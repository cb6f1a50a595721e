// Operations on symbolic sizes, printed as torch 2.13 prints the SymInt that the same operation makes.
#include "shape/arithmetic.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

using namespace rung;

namespace {

// s0, s1, s2 are sizes, u0 is any integer.
struct Sym {
  const Expr* expr;
  Sym(const Expr* made) : expr(made) {}
  Sym(int value) : expr(make_integer(value)) {}
};

Sym of(SymOp op, Sym a) { return rung::apply(op, std::array{a.expr}); }
Sym of(SymOp op, Sym a, Sym b) { return rung::apply(op, std::array{a.expr, b.expr}); }
Sym operator+(Sym a, Sym b) { return of(SymOp::kAdd, a, b); }
Sym operator-(Sym a, Sym b) { return of(SymOp::kSub, a, b); }
Sym operator*(Sym a, Sym b) { return of(SymOp::kMul, a, b); }
Sym operator/(Sym a, Sym b) { return of(SymOp::kFloorDiv, a, b); }
Sym operator%(Sym a, Sym b) { return of(SymOp::kMod, a, b); }

Sym size(const char* name) { return make_symbol(name, "positive=True, integer=True"); }
const Sym s0 = size("s0"), s1 = size("s1"), s2 = size("s2"), u0 = Sym(make_symbol("u0", "integer=True"));

void check(Sym made, std::string_view printed) { CHECK(str(made.expr) == printed); }

}  // namespace

TEST_CASE("every operation is found by its name") {
  for (int i = 0; i <= static_cast<int>(SymOp::kCeil); ++i) {
    SymOp op = static_cast<SymOp>(i);
    CHECK(find_sym_op(target_of(op)) == op);
    CHECK((operand_count(op) == 1 || operand_count(op) == 2));
  }
  CHECK(target_of(SymOp::kMax) == "torch.sym_max");
  CHECK_FALSE(find_sym_op("_operator.getitem").has_value());
}

TEST_CASE("equal terms and factors are collected, products of sums are kept") {
  check(s0 + s0, "2*s0");
  check(s0 * s0, "s0**2");
  check(s0 * s0 * s0 * s1, "s0**3*s1");
  check(s0 + u0 - s0, "u0");
  check(s0 - s0, "0");
  check(2 * (s0 + 1), "2*s0 + 2");
  check((2 * s0 + 2) * 3, "6*s0 + 6");
  check((s0 + 1) * s1, "s1*(s0 + 1)");
  check((s0 + 1) * (s0 + 1), "(s0 + 1)**2");
  check((s0 + 1) * (s0 + s1) * 2, "2*(s0 + 1)*(s0 + s1)");
  check(of(SymOp::kNeg, s0 * (s1 + 1)), "-s0*(s1 + 1)");
  check(of(SymOp::kNeg, s0 + s1), "-s0 - s1");
  check(s0 - (s1 + 1), "s0 - s1 - 1");
  check(s0 * (s1 + 1) - s0 * s1 - s0, "-s0*s1 + s0*(s1 + 1) - s0");
  check(of(SymOp::kPow, 2 * s0, 3), "8*s0**3");
}

TEST_CASE("floor division takes out what divides") {
  check((4 * s0) / 2, "2*s0");
  check((s0 + 1) / 2, "((s0 + 1)//2)");
  check((4 * s0 + 2 * s1 + 1) / 2, "2*s0 + s1");
  check((s0 / 2) / 3, "(s0//6)");
  check((s0 * s1) / s0, "s1");
  check((2 * s0) / 4, "(s0//2)");
  check(s0 / 1, "s0");
  check(u0 / -1, "-u0");
  check((3 + s0 - s0) / 2, "1");
  check((s0 - s0) / s1, "0");
}

TEST_CASE("floor division cancels what both sides have in common") {
  check((2 * s0 * s1 + 2 * s0) / (2 * s2), "((s0*(s1 + 1))//s2)");
  check((s0 * s2 + s2) / (s0 * s2), "((s0 + 1)//s0)");
  check((s0 * s0 + 2 * s0 + 1) / (s0 + 1), "s0 + 1");
  check((s0 * s1 + s0) / (s1 + 1), "s0");
  check((s1 * (2 * s0 + 2)) / (s0 + 1), "2*s1");
  check((2 * s0 * (s1 + 1)) / (2 * s2 + 2), "((s0*(s1 + 1))//(s2 + 1))");
  check((2 * s1 - s1 * u0) / s1, "2 - u0");
  check((s0 * s1 + s0 + 1) / (s2 + 1), "((s0*s1 + s0 + 1)//(s2 + 1))");
}

TEST_CASE("remainders") {
  check((4 * s0) % 4, "0");
  check(s0 % 1, "0");
  check((2 * u0 + 1) % 2, "1");
  check((s0 + s1) % s0, "Mod(s0 + s1, s0)");
  check((u0 + 1) % 4, "PythonMod(u0 + 1, 4)");
  check((4 * s0 + 1) % 4, "Mod(4*s0 + 1, 4)");
  check(s0 % (s0 + 1), "s0");
}

TEST_CASE("ranges tell a Mod from a PythonMod") {
  auto range_of = [](const Expr* symbol) { return ValueRange{symbol->name == "u0" ? 0 : 2, std::nullopt}; };
  auto mod = [&](Sym a, Sym b) { return Sym(rung::apply(SymOp::kMod, std::array{a.expr, b.expr}, range_of)); };
  check(mod(u0, 4), "Mod(u0, 4)");
  check(mod(s0 + s1 - 4, 3), "Mod(s0 + s1 - 4, 3)");
  check((s0 + s1 - 4) % 3, "PythonMod(s0 + s1 - 4, 3)");
}

TEST_CASE("extremes") {
  check(of(SymOp::kMax, s0, 1), "s0");
  check(of(SymOp::kMin, s0, 1), "1");
  check(of(SymOp::kMax, u0, 1), "Max(1, u0)");
  check(of(SymOp::kMax, of(SymOp::kMax, u0, 1), 3), "Max(3, u0)");
  check(of(SymOp::kMin, 2 * s0, 3 * s0), "2*s0");
  check(of(SymOp::kMax, s0, s0), "s0");
  check(of(SymOp::kMin, of(SymOp::kMax, s0, 6), s0), "s0");
  check(of(SymOp::kMax, of(SymOp::kMin, 3, u0), 3), "3");
  check(of(SymOp::kMin, 0, of(SymOp::kMax, 2, u0)), "0");
  check(of(SymOp::kMax, of(SymOp::kMin, s0, s1), of(SymOp::kMin, s0, u0)), "Min(s0, Max(s1, u0))");
}

TEST_CASE("comparisons are decided where the symbols' signs decide them") {
  check(of(SymOp::kEq, s0, s0), "True");
  check(of(SymOp::kNe, s0, 0), "True");
  check(of(SymOp::kGe, s0, 1), "True");
  check(of(SymOp::kLt, s0, s0 + s1), "True");
  check(of(SymOp::kGt, s0, s0 + 1), "False");
  check(of(SymOp::kEq, 2 * s0, 3), "False");
  check(of(SymOp::kLt, 2 * s0, 4), "2*s0 < 4");
  check(of(SymOp::kEq, 2 * s0, 2 * s1), "Eq(2*s0, 2*s1)");
  check(of(SymOp::kGe, u0, 0), "u0 >= 0");
  check(of(SymOp::kNot, of(SymOp::kLt, s0, s1)), "s0 >= s1");
  check(of(SymOp::kLt, 4, s0), "s0 > 4");
  check(of(SymOp::kNe, s0 * (s0 + 5), 1), "True");
  check(of(SymOp::kAnd, of(SymOp::kLt, s0, s1), of(SymOp::kGe, s0, s1)), "False");
  check(of(SymOp::kOr, of(SymOp::kLt, s0, s1), of(SymOp::kLe, s1, s0)), "True");
  check(of(SymOp::kAnd, of(SymOp::kLt, s0, s1), of(SymOp::kGt, s1, s0)), "s1 > s0");
}

TEST_CASE("floats") {
  check(of(SymOp::kTrueDiv, s0 + 1, 2), "IntTrueDiv(s0 + 1, 2)");
  check(of(SymOp::kFloat, s0), "ToFloat(s0)");
  check(of(SymOp::kTrunc, of(SymOp::kMul, make_float(0.5), s0)), "TruncToInt(0.5*ToFloat(s0))");
  check(of(SymOp::kTrunc, make_float(-2.5)), "-2");
  check(of(SymOp::kPow, s0, -1), "FloatPow(ToFloat(s0), -1.0)");
}

TEST_CASE("numbers that do not fit and divisions by zero are refused") {
  Sym largest = make_integer(std::numeric_limits<int64_t>::max());
  CHECK_THROWS_AS(largest + 1, Error);
  CHECK_THROWS_AS(largest * s0 * 2, Error);
  CHECK_THROWS_AS(s0 / 0, Error);
  CHECK_THROWS_AS(s0 % 0, Error);
  CHECK_THROWS_AS(of(SymOp::kTrueDiv, s0, 0), Error);
}

TEST_CASE("thousands of terms are added one by one") {
  Sym total = 0;
  for (int i = 0; i < 3000; ++i) total = total + size(cat("s", i).c_str());
  CHECK(total.expr->args.size() == 3000);
  for (int i = 1; i < 3000; ++i) total = total - size(cat("s", i).c_str());
  check(total, "s0");
}

TEST_CASE("shared parts are not walked again and again") {
  Sym value = s0;
  for (int i = 0; i < 100; ++i) value = (value * (value + 1)) / (s1 + 1);
  CHECK(value.expr->depth > 100);
  Sym largest = u0;
  for (int i = 0; i < 60; ++i) largest = of(SymOp::kMin, of(SymOp::kMax, largest, s0 + i), largest + 1);
  CHECK(largest.expr->depth > 60);
}
