// rung opset: op sets of back ends, checked and listed.
#include "base/error.h"
#include "commands.h"
#include "opset/read_op_set.h"
#include "options.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Command kCommand = {
    .name = "opset",
    .positionals = "check FILE.json|NAME, or list",
    .summary = "Checks a file that says which operators a back end accepts, or lists those that ship with rung.",
    .options = {},
    .min_positionals = 1,
    .max_positionals = 2,
};

std::string summary(const OpSet& set) {
  std::string text = cat(set.name, ": ", set.size(), " operators");
  if (set.conditional() > 0) text += cat(", ", set.conditional(), " of them under conditions");
  return text + (set.source.empty() ? "\n" : cat("; from ", set.source, "\n"));
}

int opset(const Options& options) {
  const auto words = options.positionals();
  if (words[0] == "list" && words.size() == 1) {
    std::string text;
    for (const ShippedSet& set : shipped_sets()) text += summary(op_set_named(set.name));
    print(text);
    return 0;
  }
  if (words[0] != "check" || words.size() != 2)
    throw UsageError(cat("opset takes 'check FILE.json' or 'list', not '", words[0], "'"));
  print(summary(op_set_named(words[1])));
  return 0;
}

}  // namespace

int run_opset(Arguments args) { return run_command(kCommand, args, opset); }

}  // namespace rung::tool
