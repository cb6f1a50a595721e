// rung show: a program as it was read.
#include "commands.h"
#include "export/load.h"
#include "options.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--format", "graph|code|readable|signature|ranges|json", "how to print it (default graph)"},
    {"--build", "2.2|2.13|2.14", "print as this torch version does (default 2.13)"},
};
constexpr Command kCommand = {
    .name = "show",
    .positionals = "FILE.pt2",
    .summary = "Prints a program as torch prints it after torch.export.load.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1,
};

int show(const Options& options) {
  ExportedProgram program = load(std::string(options.positionals()[0]));
  print(program_text(program, options.value_or("--format", "graph")));
  return 0;
}

}  // namespace

int run_show(Arguments args) { return run_command(kCommand, args, show); }

}  // namespace rung::tool
