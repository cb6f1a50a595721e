// rung: takes PyTorch programs down the ladder ATen -> core ATen -> prims.
#include <rung/version.h>

#include <cstdio>
#include <string>
#include <vector>

#include "commands.h"

namespace rung::tool {
namespace {

struct Subcommand {
  std::string_view name, summary;
  int (*run)(Arguments);
};

constexpr Subcommand kSubcommands[] = {
    {"show", "print a program as torch.fx prints it", run_show},
    {"lower", "take the operators of a program apart, down to a rung", run_lower},
    {"census", "count the operators of programs", run_census},
    {"explain", "tell what became of each operator on the way to a rung", run_explain},
    {"diff", "compare two programs, or one program on two rungs, op sets or torch versions", run_diff},
    {"plan", "tell which operators a back end lacks for models, and which to implement first", run_plan},
    {"opset", "check and list op sets of back ends", run_opset},
    {"run", "compute what a program computes", run_run},
    {"verify", "check that a lowering computes what the program does", run_verify},
    {"ops", "list operators and the tables that hold them", run_ops},
};

std::string help() {
  std::string text =
      "usage: rung COMMAND ...\n\nLowers programs that torch.export.save wrote, without Python and without "
      "libtorch.\n\n";
  for (const Subcommand& command : kSubcommands) {
    text += "  ";
    text += command.name;
    text.append(10 - command.name.size(), ' ');
    text += command.summary;
    text += '\n';
  }
  return text +
         "\n'rung COMMAND --help' tells more. Exit codes: 0 done, 1 wrong input, 2 no path to the rung, 64 "
         "usage, 70 a bug in rung.\n";
}

}  // namespace
}  // namespace rung::tool

int main(int argc, char** argv) {
  using namespace rung::tool;
  std::vector<std::string_view> args(argv + 1, argv + argc);
  std::string_view name = args.empty() ? "" : args[0];
  if (name == "--version") return std::printf("rung %s\n", rung::kVersion) < 0;
  for (const Subcommand& command : kSubcommands)
    if (command.name == name) return command.run(Arguments(args).subspan(1));
  bool asked = name == "--help" || name == "-h" || name == "help";
  if (!asked && !name.empty()) std::fprintf(stderr, "rung: unknown command '%s'\n", argv[1]);
  std::fputs(help().c_str(), asked ? stdout : stderr);
  return asked ? 0 : 64;
}
