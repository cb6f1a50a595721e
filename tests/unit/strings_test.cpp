// Numbers and texts as Python's repr writes them; the expectations were printed by Python 3.11.
#include "base/strings.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace rung;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("floats are the shortest text that reads back, laid out as repr lays them out") {
  CHECK(python_float(0.0) == "0.0");
  CHECK(python_float(-0.0) == "-0.0");
  CHECK(python_float(2.0) == "2.0");
  CHECK(python_float(0.1) == "0.1");
  CHECK(python_float(1.0 / 3) == "0.3333333333333333");
  CHECK(python_float(0.0001) == "0.0001");
  CHECK(python_float(1e-5) == "1e-05");
  CHECK(python_float(1.25e-7) == "1.25e-07");
  CHECK(python_float(100000.0) == "100000.0");
  CHECK(python_float(1e15) == "1000000000000000.0");
  CHECK(python_float(9999999999999998.0) == "9999999999999998.0");
  CHECK(python_float(1e16) == "1e+16");
  CHECK(python_float(1.2345678901234568e17) == "1.2345678901234568e+17");
  CHECK(python_float(1e100) == "1e+100");
  CHECK(python_float(5e-324) == "5e-324");
  CHECK(python_float(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(python_float(3.4028234663852886e38) == "3.4028234663852886e+38");
  CHECK(python_float(-12.5) == "-12.5");
  CHECK(python_float(kInfinity) == "inf");
  CHECK(python_float(-kInfinity) == "-inf");
  CHECK(python_float(kNan) == "nan");
}

TEST_CASE("complex numbers drop the zero of whole parts, and a real part of +0") {
  CHECK(python_complex(1, 2) == "(1+2j)");
  CHECK(python_complex(0, 2) == "2j");
  CHECK(python_complex(0, 0) == "0j");
  CHECK(python_complex(0, -0.0) == "-0j");
  CHECK(python_complex(-0.0, -1) == "(-0-1j)");
  CHECK(python_complex(-0.0, 0) == "(-0+0j)");
  CHECK(python_complex(1.5, -0.0) == "(1.5-0j)");
  CHECK(python_complex(kNan, 0) == "(nan+0j)");
  CHECK(python_complex(0, kNan) == "nanj");
  CHECK(python_complex(kInfinity, -kInfinity) == "(inf-infj)");
  CHECK(python_complex(1e16, 1e-7) == "(1e+16+1e-07j)");
}

TEST_CASE("texts are in single quotes unless they hold one and no double quote") {
  CHECK(python_string("") == "''");
  CHECK(python_string("abc") == "'abc'");
  CHECK(python_string("it's") == "\"it's\"");
  CHECK(python_string("say \"x\"") == "'say \"x\"'");
  CHECK(python_string("it's \"x\"") == "'it\\'s \"x\"'");
  CHECK(python_string("a\\b\n\r\t") == "'a\\\\b\\n\\r\\t'");
  CHECK(python_string(std::string_view("\0\x1f\x7f", 3)) == "'\\x00\\x1f\\x7f'");
}

TEST_CASE("what Python cannot print is escaped, letters of all scripts are not") {
  CHECK(python_string("\u00fcn\u00ef") == "'\u00fcn\u00ef'");
  CHECK(python_string("\u00a0\u00ad") == "'\\xa0\\xad'");
  CHECK(python_string("\u200b\u2028\u3000\ufeff") == "'\\u200b\\u2028\\u3000\\ufeff'");
  CHECK(python_string("\u0378") == "'\\u0378'");         // not assigned
  CHECK(python_string("\U0001f600") == "'\U0001f600'");  // an emoji
  CHECK(python_string("\U000e0001") == "'\\U000e0001'");
}

TEST_CASE("bytes that are no UTF-8 pass through and hide no quote") {
  CHECK(python_string("\xff") == "'\xff'");
  CHECK(python_string("\xe2'") == "\"\xe2'\"");
  CHECK(python_string("\xe2") == "'\xe2'");
}

TEST_CASE("cat puts parts of all kinds together") {
  CHECK(cat("rank ", 3, " of ", int64_t{-4}, ", ", 2.0, ' ', true, ' ', std::string("end")) ==
        "rank 3 of -4, 2.0 true end");
  const char* literal = "text";
  CHECK(cat(literal, "!", size_t{7}) == "text!7");
}
