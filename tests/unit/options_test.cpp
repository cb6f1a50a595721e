// The command line's option tables. The tool is no library, so that its parser is compiled in here.
#include "../../tools/rung/options.cpp"

#include <doctest/doctest.h>

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {{"--to", "core|FILE.json", "where to"},
                               {"--build", "2.2|2.13", "which torch"},
                               {"--keep", "OP", "what to keep"},
                               {"--count", "", "numbers"},
                               {"-o", "OUT", "output"}};
constexpr Command kCommand = {.name = "try",
                              .positionals = "FILE...",
                              .summary = "Tries.",
                              .options = kOptions,
                              .min_positionals = 1,
                              .max_positionals = 2};

Options parse(std::vector<std::string_view> args) { return Options(kCommand, args); }

std::string message_of(std::vector<std::string_view> args) {
  try {
    parse(std::move(args));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("options are parsed by their table") {
  const Options options = parse({"a.pt2", "--keep", "x", "-o", "-", "--keep=y=z", "--count", "-"});
  CHECK(options.positionals().size() == 2);
  CHECK(options.positionals()[1] == "-");
  CHECK(options.values("--keep") == std::vector<std::string_view>{"x", "y=z"});
  CHECK(options.value("--keep") == "y=z");
  CHECK(options.value("-o") == "-");
  CHECK(options.has("--count"));
  CHECK(!options.has("--to"));
  CHECK(options.value_or("--build", "2.13") == "2.13");
}

TEST_CASE("after two dashes everything is a positional") {
  const Options options = parse({"--count", "--", "--keep", "-o"});
  CHECK(options.positionals()[0] == "--keep");
  CHECK(options.positionals()[1] == "-o");
}

TEST_CASE("values are checked against the words of the table") {
  CHECK(message_of({"a", "--build", "3"}) == "option --build: '3' is not one of 2.2|2.13");
  CHECK(message_of({"a", "--to", "set.json"}).empty());
}

TEST_CASE("a wrong command line says what is wrong") {
  CHECK(message_of({}) == "missing FILE...");
  CHECK(message_of({"a", "b", "c"}) == "unexpected argument 'c'");
  CHECK(message_of({"a", "--nope"}) == "unknown option '--nope'");
  CHECK(message_of({"a", "--nope=1"}) == "unknown option '--nope'");
  CHECK(message_of({"a", "--keep"}) == "option --keep needs a value");
  CHECK(message_of({"a", "--count=1"}) == "option --count takes no value");
}

}  // namespace
}  // namespace rung::tool
