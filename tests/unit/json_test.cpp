// JSON: numbers kept exactly, text in and out as Python has it, and the place of what is wrong.
#include "base/json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "pt2_files.h"

using namespace rung;
using json::Document;
using json::Kind;

namespace {

std::string written_again(std::string_view text) {
  std::string out;
  json::append_value(out, Document::parse(text)->root());
  return out;
}

std::string problem(std::string_view text) {
  return message_of([&] { Document::parse(text); });
}

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

}  // namespace

TEST_CASE("json: values are what they are") {
  auto document = Document::parse(R"({"a": [1, -2.5, true, null, "x\né"], "b": {}, "c": 18446744073709551615})");
  json::Value root = document->root(), a = root.at("a");
  CHECK(root.size() == 3);
  CHECK(a.size() == 5);
  std::vector<Kind> kinds;
  a.for_each_item([&](json::Value item) { kinds.push_back(item.kind()); });
  CHECK(kinds == std::vector<Kind>{Kind::kInt, Kind::kFloat, Kind::kBool, Kind::kNull, Kind::kString});
  CHECK(root.at("b").is_object());
  CHECK(root.at("b").size() == 0);
  CHECK(root.at("c").kind() == Kind::kUInt);
  CHECK(root.find("d").kind() == Kind::kMissing);
  std::string keys;
  root.for_each_member([&](std::string_view key, json::Value) { keys += key; });
  CHECK(keys == "abc");
  CHECK(message_of([&] { root.at("d"); }) == "the key 'd' is missing");
  CHECK(message_of([&] { root.at("c").as_int(); }) == "18446744073709551615 is too large for a 64-bit integer");
  CHECK(message_of([&] { a.as_string(); }) == "expected a string, found a list");
  CHECK(message_of([&] { root.as_bool(); }) == "expected a bool, found an object");
  CHECK(message_of([&] { root.at("b").for_each_item([](json::Value) {}); }) == "expected a list, found an object");
}

TEST_CASE("json: numbers are kept exactly") {
  for (std::string_view text :
       {"9223372036854775807", "-9223372036854775808", "18446744073709551615", "0.1", "1e-05", "5e-324",
        "1.7976931348623157e+308", "-0.0", "1e+16", "100000.0", "0.3333333333333333", "2.0"})
    CHECK(written_again(text) == text);
  CHECK(std::signbit(Document::parse("-0.0")->root().as_float()));
  CHECK(message_of([&] { Document::parse("1.0")->root().as_int(); }) == "expected an integer, found a float");
}

TEST_CASE("json: infinities as old torches and new ones write them") {
  auto document = Document::parse(R"({"x": [Infinity, -Infinity, NaN], "s": "NaN, Infinity \" NaN"})");
  CHECK(written_again(R"([NaN, -Infinity])") == R"(["NaN", "-Infinity"])");
  CHECK(document->root().at("s").as_string() == "NaN, Infinity \" NaN");
  std::string out;
  for (double value :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), std::nan("")}) {
    json::append_float(out, value);
    out += ' ';
  }
  CHECK(out == R"("Infinity" "-Infinity" "NaN" )");
}

TEST_CASE("json: strings as json.dumps quotes them") {
  CHECK(quoted("") == R"("")");
  CHECK(quoted("plain text, longer than a word") == R"("plain text, longer than a word")");
  CHECK(quoted("File \"a.py\", line 1\n\t\\x") == R"("File \"a.py\", line 1\n\t\\x")");
  CHECK(quoted("\x01\x7f\b\f\r") == R"("\u0001\u007f\b\f\r")");
  CHECK(quoted("ünï €  𝄞") == R"("\u00fcn\u00ef \u20ac  \ud834\udd1e")");
  // Each special character at each place of a word.
  for (char special : {'"', '\\', '\n', '\x7f', '\x1f'})
    for (size_t place = 0; place < 20; ++place) {
      std::string text(20, 'a');
      text[place] = special;
      CHECK(Document::parse(quoted(text))->root().as_string() == text);
    }
  std::string text = R"({"a": [1, {"b": []}, "\u00e9"], "c": null, "d": [[], {}]})";
  CHECK(written_again(text) == text);
}

TEST_CASE("json: what is wrong, and where") {
  CHECK(problem("") == "not JSON: the text ends too early at byte 0");
  CHECK(problem("[1, 2") == "not JSON: the text ends too early at byte 5");
  CHECK(problem("[1 2]") == "not JSON: expected ',' at byte 3");
  CHECK(problem("{\"a\" 1}") == "not JSON: expected ':' at byte 5");
  CHECK(problem("{a: 1}") == "not JSON: expected a key at byte 1");
  CHECK(problem("[tru]") == "not JSON: expected a value at byte 1");
  CHECK(problem("[\"abc") == "not JSON: a string without end at byte 1");
  CHECK(problem("[\"a\nb\"]") == "not JSON: a control character in a string at byte 3");
  CHECK(problem("[01]") == "not JSON: a wrong number at byte 1");
  CHECK(problem("[1e999]") == "not JSON: a wrong number at byte 1");
  CHECK(problem("[1] 2") == "not JSON: text after the end at byte 4");
  CHECK(problem("[\"\xff\"]") == "not JSON: the text is not UTF-8");
}

TEST_CASE("json: a million nested lists are refused") {
  CHECK(problem(std::string(1000000, '[')) == "not JSON: lists and objects are nested too deeply at byte 1024");
  std::string closed = std::string(1000000, '[') + std::string(1000000, ']');
  CHECK(problem(closed) == "not JSON: lists and objects are nested too deeply at byte 1024");
  std::string fine = std::string(1000, '[') + std::string(1000, ']');
  CHECK(written_again(fine) == fine);
}
