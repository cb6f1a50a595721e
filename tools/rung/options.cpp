// Parses the options of a subcommand by its table.
#include "options.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/error.h"

namespace rung::tool {
namespace {

bool is_option(std::string_view arg) { return arg.size() > 1 && arg[0] == '-'; }

bool in_capitals(std::string_view word) {
  return std::ranges::any_of(word, [](unsigned char c) { return std::isupper(c); });
}

/// Whether `value` is one of the words of "core|all"; a word in capitals allows any.
bool is_allowed(std::string_view words, std::string_view value) {
  while (true) {
    const size_t bar = words.find('|');
    const std::string_view word = words.substr(0, bar);
    if (word == value || in_capitals(word)) return true;
    if (bar == words.npos) return false;
    words.remove_prefix(bar + 1);
  }
}

void check_positionals(const Command& command, std::span<const std::string_view> positionals) {
  if (positionals.size() < command.min_positionals) throw UsageError(cat("missing ", command.positionals));
  if (positionals.size() > command.max_positionals)
    throw UsageError(cat("unexpected argument '", positionals[command.max_positionals], "'"));
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInput: return 1;
    case ErrorKind::kUnsupported: return 2;
    case ErrorKind::kInternal: break;
  }
  return 70;
}

int fail(const Command& command, std::string_view message, int code) {
  std::fputs(cat("rung ", command.name, ": ", message, "\n").c_str(), stderr);
  return code;
}

}  // namespace

Options::Options(const Command& command, std::span<const std::string_view> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      positionals_.insert(positionals_.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      break;
    }
    if (!is_option(args[i])) {
      positionals_.push_back(args[i]);
      continue;
    }
    const size_t equals = args[i].find('=');
    const Option& option = row(command, args[i].substr(0, equals));
    std::string_view text;
    if (option.value.empty() && equals != args[i].npos)
      throw UsageError(cat("option ", option.name, " takes no value"));
    if (!option.value.empty()) {
      if (equals == args[i].npos && i + 1 == args.size())
        throw UsageError(cat("option ", option.name, " needs a value"));
      text = equals == args[i].npos ? args[++i] : args[i].substr(equals + 1);
      if (!is_allowed(option.value, text))
        throw UsageError(cat("option ", option.name, ": '", text, "' is not one of ", option.value));
    }
    given_.push_back({option.name, text});
  }
  check_positionals(command, positionals_);
}

const Option& Options::row(const Command& command, std::string_view name) const {
  for (const Option& option : command.options)
    if (option.name == name) return option;
  throw UsageError(cat("unknown option '", name, "'"));
}

std::optional<std::string_view> Options::value(std::string_view name) const {
  const std::vector<std::string_view> all = values(name);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

std::vector<std::string_view> Options::values(std::string_view name) const {
  std::vector<std::string_view> all;
  for (const Given& given : given_)
    if (given.name == name) all.push_back(given.value);
  return all;
}

std::string usage(const Command& command) {
  std::string text = cat("usage: rung ", command.name, " ", command.positionals, command.positionals.empty() ? "" : " ",
                         "[OPTION]...\n", command.summary, "\n");
  size_t width = std::string_view("--help").size();
  for (const Option& option : command.options) width = std::max(width, option.name.size() + 1 + option.value.size());
  const auto append_row = [&](std::string_view name, std::string_view value, std::string_view help) {
    std::string left = cat(name, value.empty() ? "" : " ", value);
    left.resize(width, ' ');
    text += cat("  ", left, "  ", help, "\n");
  };
  for (const Option& option : command.options) append_row(option.name, option.value, option.help);
  append_row("--help", "", "print this");
  return text;
}

int run_command(const Command& command, std::span<const std::string_view> args, int (*body)(const Options&)) {
  const auto end_of_options = std::ranges::find(args, "--");
  if (std::find(args.begin(), end_of_options, "--help") != end_of_options) {
    std::fputs(usage(command).c_str(), stdout);
    return 0;
  }
  try {
    return body(Options(command, args));
  } catch (const UsageError& error) {
    fail(command, error.what(), 64);
    std::fputs(usage(command).c_str(), stderr);
    return 64;
  } catch (const Error& error) {
    return fail(command, error.what(), exit_code(error.kind()));
  } catch (const std::exception& error) {
    return fail(command, cat("bug in rung: ", error.what()), 70);
  }
}

}  // namespace rung::tool
