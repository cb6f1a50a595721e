// Options of the subcommands: a table of rows that is parsed by, and printed as the help of, a command.
#pragma once
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rung::tool {

struct Option {
  std::string_view name;  // "--build", "-o"
  /// Empty: a flag. "core|all": one of these words. A word in capitals stands for any text: "FILE",
  /// "core|OPSET.json".
  std::string_view value;
  std::string_view help;
};

struct Command {
  std::string_view name;         // "ops"
  std::string_view positionals;  // as the usage line shows them: "[OP]"
  std::string_view summary;
  std::span<const Option> options;
  size_t min_positionals = 0;
  size_t max_positionals = 0;
};

/// The command line is wrong: its usage is printed and rung exits with 64.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What was given. An option may stand before or after positionals, as "--name value" or "--name=value", and
/// be repeated; after "--" everything is a positional, and a lone "-" is one.
class Options {
 public:
  /// Throws UsageError for an option that the command lacks, a missing or wrong value, and too few or many
  /// positionals.
  Options(const Command& command, std::span<const std::string_view> args);

  bool has(std::string_view name) const { return value(name).has_value(); }
  /// The last one given; empty text for a flag.
  std::optional<std::string_view> value(std::string_view name) const;
  std::string_view value_or(std::string_view name, std::string_view fallback) const {
    return value(name).value_or(fallback);
  }
  /// All that were given, in order.
  std::vector<std::string_view> values(std::string_view name) const;
  std::span<const std::string_view> positionals() const { return positionals_; }

 private:
  struct Given {
    std::string_view name, value;
  };
  const Option& row(const Command& command, std::string_view name) const;

  std::vector<Given> given_;
  std::vector<std::string_view> positionals_;
};

/// "usage: rung ops ..." and a line an option.
std::string usage(const Command& command);

/// Runs `body` with the parsed options and turns what it throws into a message on stderr and an exit code:
/// 1 the input is wrong, 2 no path to the rung, 64 usage, 70 a bug in rung. --help prints the usage on
/// stdout.
int run_command(const Command& command, std::span<const std::string_view> args, int (*body)(const Options&));

}  // namespace rung::tool
