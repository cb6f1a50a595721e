// Symbolic expressions: read from srepr, written back byte for byte, printed as torch 2.13 with sympy 1.14
// printed them.
#include "shape/expr.h"

#include <doctest/doctest.h>

#include <limits>
#include <thread>
#include <vector>

#include "base/error.h"
#include "shape/sym_int.h"

using namespace rung;

namespace {

// s0, s1 stand for positive integers, u0 for any integer, zuf0 for a float.
std::string spelt_out(std::string_view brief) {
  std::string out;
  for (size_t i = 0; i < brief.size(); ++i) {
    bool starts_word = i == 0 || brief[i - 1] == '(' || brief[i - 1] == ' ';
    size_t end = brief.find_first_of(",)", i);
    std::string_view word = brief.substr(i, end - i);
    bool is_size = word.size() >= 2 && word[0] == 's' && word[1] >= '0' && word[1] <= '9';
    if (!starts_word || (!is_size && word != "u0" && word != "zuf0")) {
      out += brief[i];
      continue;
    }
    out += cat("Symbol('", word, "'", is_size ? ", positive=True" : "", word == "zuf0" ? "" : ", integer=True", ")");
    i += word.size() - 1;
  }
  return out;
}

// Reads, writes back and prints.
void check(std::string_view brief, std::string_view printed) {
  std::string text = spelt_out(brief);
  CAPTURE(text);
  const Expr* expr = parse_srepr(text);
  CHECK(srepr(expr) == text);
  CHECK(str(expr) == printed);
}

}  // namespace

TEST_CASE("sums and products print in sympy's order") {
  check("s77", "s77");
  check("Add(s0, Integer(1))", "s0 + 1");
  check("Add(s0, Integer(-1))", "s0 - 1");
  check("Add(Integer(3), Mul(Integer(-1), s0))", "3 - s0");
  check("Add(Mul(Integer(-1), s0, s1), Integer(3))", "-s0*s1 + 3");
  check("Add(Mul(Integer(-1), s0), Mul(Integer(-1), s1))", "-s0 - s1");
  check("Mul(Integer(8), s27)", "8*s27");
  check("Mul(Integer(-1), Integer(2), s0)", "-2*s0");
  check("Add(Mul(Integer(-1), Integer(2), s0), s1)", "-2*s0 + s1");
  check("Mul(s0, Add(s1, Integer(1)))", "s0*(s1 + 1)");
  check("Add(Mul(Pow(s0, Integer(2)), s1), Mul(s0, s1), Integer(-3))", "s0**2*s1 + s0*s1 - 3");
  check("Mul(Add(s0, Integer(-1)), Add(s0, s1))", "(s0 - 1)*(s0 + s1)");
  check("Add(s10, s2)", "s10 + s2");
  check("Add(Mul(s0, Add(s1, Integer(1))), Mul(Integer(-1), u0))", "s0*(s1 + 1) - u0");
  check("Mul(Integer(-1), s0, Add(u0, Integer(1)))", "-s0*(u0 + 1)");
}

TEST_CASE("fractions and powers") {
  check("Mul(Rational(1, 2), s0)", "s0/2");
  check("Mul(Integer(-1), Rational(3, 2), s0, s1)", "-3*s0*s1/2");
  check("Pow(s0, Integer(2))", "s0**2");
  check("Pow(Add(s0, Integer(1)), Integer(2))", "(s0 + 1)**2");
  check("Pow(s0, Integer(-1))", "1/s0");
  check("Pow(s0, Rational(1, 2))", "sqrt(s0)");
  check("Pow(s0, Rational(-1, 2))", "1/sqrt(s0)");
  check("Pow(s0, Integer(-2))", "s0**(-2)");
  check("Mul(Integer(2), Pow(s0, Integer(-1)), s1)", "2*s1/s0");
  check("Mul(Pow(s0, Integer(-1)), Pow(s1, Integer(-2)))", "1/(s0*s1**2)");
  check("Pow(Integer(2), s0)", "2**s0");
}

TEST_CASE("torch's functions print with the brackets that their precedences ask for") {
  check("FloorDiv(s0, Integer(2))", "(s0//2)");
  check("FloorDiv(Add(s0, Integer(1)), Integer(2))", "((s0 + 1)//2)");
  check("Add(FloorDiv(s0, Integer(2)), Integer(1))", "((s0//2)) + 1");
  check("Mul(Integer(2), FloorDiv(Mul(s0, s1), Integer(2)))", "2*(((s0*s1)//2))");
  check("Mul(Integer(-1), FloorDiv(s0, Integer(2)))", "-((s0//2))");
  check("Pow(FloorDiv(s0, Integer(2)), Integer(2))", "((s0//2))**2");
  check("FloorDiv(Add(FloorDiv(u0, s0), Integer(1)), Integer(-3))", "((((u0//s0)) + 1)//(-3))");
  check("CleanDiv(u0, s10)", "(u0//s10)");
  check("Mod(s0, Integer(4))", "Mod(s0, 4)");
  check("Mul(Integer(2), Mod(Add(s0, Integer(1)), s1))", "2*(Mod(s0 + 1, s1))");
  check("Add(PythonMod(u0, Integer(4)), Integer(1))", "(PythonMod(u0, 4)) + 1");
  check("Max(Integer(1), Add(s0, Integer(-2)))", "Max(1, s0 - 2)");
  check("Min(Integer(4), Mul(Integer(4), s0))", "Min(4, 4*s0)");
  check("IntTrueDiv(s0, s1)", "IntTrueDiv(s0, s1)");
  check("FloatTrueDiv(ToFloat(s0), Float('2.0', precision=53))", "FloatTrueDiv(ToFloat(s0), 2.0)");
  check("TruncToInt(Mul(Float('0.5', precision=53), ToFloat(s0)))", "TruncToInt(0.5*ToFloat(s0))");
  check("CeilToInt(IntTrueDiv(s0, Integer(3)))", "CeilToInt(IntTrueDiv(s0, 3))");
  check("Where(GreaterThan(u0, Integer(5)), s0, Integer(-1))", "Where(u0 >= 5, s0, -1)");
  check("Identity(Add(s0, Integer(1)))", "(s0 + 1)");
  check("ModularIndexing(s0, Integer(2), s1)", "ModularIndexing(s0, 2, s1)");
}

TEST_CASE("Max and Min are stored by size and printed by kind") {
  check("Max(s77, Add(s0, Integer(1)), FloorDiv(s1, Integer(2)))", "Max(s77, s0 + 1, (s1//2))");
  check("Max(u0, Mul(Integer(2), s0), Add(s0, s1, Integer(-1)))", "Max(2*s0, u0, s0 + s1 - 1)");
  check("Min(s0, Pow(s1, Integer(2)), Add(u0, Integer(4)))", "Min(s0, s1**2, u0 + 4)");
}

TEST_CASE("relations and logic") {
  check("Equality(s0, s1)", "Eq(s0, s1)");
  check("Unequality(s0, Integer(1))", "Ne(s0, 1)");
  check("StrictLessThan(s0, s1)", "s0 < s1");
  check("LessThan(FloorDiv(s0, Integer(2)), Integer(3))", "((s0//2)) <= 3");
  check("StrictGreaterThan(u0, Integer(0))", "u0 > 0");
  check("And(GreaterThan(s0, Integer(2)), StrictLessThan(s0, s1))", "(s0 >= 2) & (s0 < s1)");
  check("Or(GreaterThan(u0, Integer(2)), StrictLessThan(s0, s1))", "(u0 >= 2) | (s0 < s1)");
  check("And(Equality(s0, s1), Unequality(u0, Integer(1)))", "Eq(s0, s1) & Ne(u0, 1)");
  check("Not(u0)", "~u0");
  check("true", "True");
  check("false", "False");
}

TEST_CASE("numbers that stand alone") {
  check("Integer(-3)", "-3");
  check("Rational(1, 2)", "1/2");
  check("Float('0.33333333333333331', precision=53)", "0.333333333333333");
  check("Float('0.5', precision=53)", "0.500000000000000");
  check("Float('0.0', precision=53)", "0.0");
  check("Float('9.9999999999999995e-8', precision=53)", "1.00000000000000e-7");
  check("ToFloat(Float('-1.5', precision=53))", "ToFloat(-1.5)");
  check("int_oo", "int_oo");
  check("-int_oo", "-int_oo");
}

TEST_CASE("equal expressions are one object, however they were written") {
  const Expr* sum = parse_srepr(spelt_out("Add(s0, Integer(1))"));
  CHECK(sum == parse_srepr(spelt_out("Add(Integer(1), s0)")));
  CHECK(sum == make_add(std::vector{make_integer(1), make_symbol("s0", "positive=True, integer=True")}));
  CHECK(sum != parse_srepr("Add(Symbol('s0', integer=True), Integer(1))"));
  CHECK(parse_srepr("Mul(Integer(-1), Integer(2), Integer(3))") == make_integer(-6));
  CHECK(parse_srepr("Rational(2, -4)") == make_rational(-1, 2));
  CHECK(parse_srepr(spelt_out("Eq(s0, s1)")) == parse_srepr(spelt_out("Equality(s0, s1)")));
}

TEST_CASE("a shift becomes what torch's loader makes of it") {
  CHECK(str(parse_srepr(spelt_out("LShift(s0, Integer(3))"))) == "8*s0");
  CHECK(str(parse_srepr(spelt_out("RShift(s0, s1)"))) == "(s0//(PowByNatural(2, s1)))");
}

TEST_CASE("what is no expression is refused with its place") {
  auto message = [](std::string_view text) {
    try {
      parse_srepr(text);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kInput);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message("__import__('os')") == "symbolic expression \"__import__('os')\": expected a name (at character 11)");
  CHECK(message("Foo(Integer(1))") ==
        "symbolic expression 'Foo(Integer(1))': unknown function 'Foo' (at character 15)");
  CHECK(message("Integer(1) + 2").ends_with("text is left over after the expression (at character 11)"));
  CHECK(message("s0").ends_with("unknown name 's0' (at character 2)"));
  CHECK(message("FloorDiv(Integer(1))").find("FloorDiv takes 2 arguments, not 1") != std::string::npos);
  CHECK(message("Integer(99999999999999999999)").find("a number is too large") != std::string::npos);
  CHECK(message("Symbol('s0', integer=1)").find("neither True nor False") != std::string::npos);
  CHECK(message("Symbol('s0").find("does not end") != std::string::npos);
  CHECK(message("Float('1.5', precision=100)").find("100 bits") != std::string::npos);
  CHECK(message("Rational(1, 0)").find("by zero") != std::string::npos);
  for (std::string_view text :
       {"", "Add(", "Add(Integer(1)", "Integer()", "Pow(Integer(1))", "Integer(1.5)", "Not()", "-"})
    CHECK(message(text) != "accepted");
}

TEST_CASE("deep nesting is refused before it fills the stack") {
  std::string deep, open = "ToFloat(";
  for (int i = 0; i < 100000; ++i) deep += open;
  CHECK_THROWS_AS(parse_srepr(deep), Error);
  std::string too_deep = "Symbol('s0')";
  for (int i = 0; i < 900; ++i) too_deep = cat("FloorDiv(Add(", too_deep, ", Integer(1)), Integer(2))");
  CHECK_THROWS_AS(parse_srepr(too_deep), Error);
  std::string nested = "Symbol('s0')";
  for (int i = 0; i < 450; ++i) nested = cat("FloorDiv(Add(", nested, ", Integer(1)), Integer(2))");
  CHECK(srepr(parse_srepr(nested)) == nested);
  CHECK(str(parse_srepr(nested)).size() > 450 * 5);
}

TEST_CASE("threads share one pool") {
  std::vector<const Expr*> found(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&found, t] {
      for (int i = 0; i < 300; ++i) found[t] = parse_srepr(cat("Add(Symbol('t'), Integer(", 1 + i, "))"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Expr* expr : found) CHECK(expr == found[0]);
}

TEST_CASE("sizes: constants of all magnitudes, and symbols") {
  CHECK(SymInt(4).str() == "4");
  SymInt lowest = std::numeric_limits<int64_t>::min();
  CHECK(lowest.is_int());
  CHECK(lowest.value() == std::numeric_limits<int64_t>::min());
  CHECK(lowest == SymInt(std::numeric_limits<int64_t>::min()));
  CHECK(SymInt(std::numeric_limits<int64_t>::max()).str() == "9223372036854775807");
  CHECK(SymInt(make_integer(7)).identical(7));

  SymInt symbol(parse_srepr(spelt_out("Add(s0, Integer(1))")));
  CHECK(symbol.is_symbolic());
  CHECK(symbol.str() == "s0 + 1");
  CHECK(symbol == symbol);
  CHECK(symbol.identical(SymInt(symbol.expr())));
  CHECK((symbol + 1).str() == "s0 + 2");
  CHECK((symbol * 2).identical(symbol + symbol));
  CHECK_THROWS_WITH(symbol.value(), "a number is needed here, and the symbolic size s0 + 1 has none");
  CHECK_THROWS_WITH(SymInt(std::numeric_limits<int64_t>::max()) + 1,
                    "a size of more than 64 bits: 9223372036854775807 + 1");
  CHECK_THROWS_AS(-lowest, Error);
  CHECK(SymInt(7) / SymInt(-2) == SymInt(-4));
  CHECK(SymInt(-7) % SymInt(3) == SymInt(2));
}
