// rung verify: whether a program and its lowering compute the same.
#include <cstdio>
#include <filesystem>
#include <random>

#include "base/error.h"
#include "commands.h"
#include "export/load.h"
#include "export/save.h"
#include "interp.h"
#include "interp/inputs.h"
#include "interp/npz.h"
#include "interp/repro.h"
#include "interp/verify.h"
#include "opset/report.h"
#include "rungs.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr int kDiffers = 70;  // a lowering that computes something else is a bug in rung

constexpr Option kOptions[] = {
    {"--to", "aten|composite|core|prims|SET|SET.json", "the rung, or an op set (default core)"},
    {"--keep", "OP", "leave this op whole; may be repeated"},
    {"--open", "OP", "take this op apart; may be repeated"},
    {"--build", "2.2|2.13|2.14", "by the tables of this torch version (default 2.13)"},
    {"--inputs", "IN.npz",
     "arrays by the names of the inputs, or in0, in1, ...; without it, the file's sample inputs, else drawn ones"},
    {"--seed", "N", "of drawn inputs and random operators; a drawn one is printed"},
    {"--steps", "N", "how often a loop of the program may go round (default 1000000)"},
    {"--repro", "DIR", "where they part, write a program of that one call and its inputs into this folder"},
};
constexpr Command kCommand = {
    .name = "verify",
    .positionals = "FILE.pt2",
    .summary = "Runs a program and its lowering on the same inputs, and names the first node that parts.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1,
};

std::string bodies_text(const std::vector<OpId>& bodies) {
  std::string text;
  for (OpId op : bodies) text += cat(text.empty() ? "" : " > ", schema_of(op).name);
  return text.empty() ? "none: it was copied" : text;
}

std::string units(double distance) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", distance);
  return text;
}

std::string write_repro(const interp::Verification& result, const Options& options) {
  const std::filesystem::path folder(*options.value("--repro"));
  std::filesystem::create_directories(folder);
  const std::string stem = (folder / result.parting->source->name).string();
  const interp::Repro repro = interp::one_call(*result.parting->source, result.operands, build_of(options));
  save(repro.program, stem + ".pt2");
  interp::save_npz(repro.inputs, stem + ".npz");
  return cat("repeat it: rung verify ", stem, ".pt2 --inputs ", stem, ".npz --to ", options.value_or("--to", "core"),
             '\n');
}

std::string difference_text(const std::string& file, const interp::Verification& result, const Options& options) {
  if (!result.parting && result.what.starts_with("the lowered")) return cat(file, ": ", result.what, '\n');
  if (!result.parting)
    return cat(file, ": ", result.what, " is ", units(result.distance),
               " units in the last place from the program's; no single node tells why\n");
  const interp::Parting& at = *result.parting;
  std::string text =
      cat(file, ": node '", at.source->name, "' (", target_name(*at.source), ") parts: ", units(at.distance),
          " units in the last place\n  bodies: ", bodies_text(at.bodies), "\n  program ", tensor_text(at.expected),
          "\n  lowered ", tensor_text(at.got), " ('", at.lowered->name, "')\n");
  if (options.has("--repro")) text += cat("  ", write_repro(result, options));
  return text;
}

int verify_file(const Options& options) {
  std::string file(options.positionals()[0]);
  const std::string_view rung = options.value_or("--to", "core");
  Target target = target_of(rung, build_of(options));
  adjust(target, options);
  const ExportedProgram program = load(file);
  try {
    auto inputs = inputs_of(program, options);
    const int64_t drawn = inputs ? 0 : static_cast<int64_t>(std::random_device()() % 1'000'000);
    const auto seed = static_cast<uint64_t>(number_of(options, "--seed", drawn));
    const bool draws = !inputs;
    if (draws) inputs = interp::random_inputs(program, seed);
    interp::RunOptions how;
    how.max_iterations = number_of(options, "--steps", how.max_iterations);
    const interp::Verification result = interp::verify(program, target.table, *inputs, how, seed);
    if (target.set) check_reached(result.lowered, *target.set);
    std::string text = draws ? cat("inputs drawn with --seed ", seed, '\n') : "";
    if (!result.same) {
      print(text + difference_text(file, result, options));
      return kDiffers;
    }
    print(cat(text, file, ": the same on '", rung, "': ", result.outputs, " outputs, ", result.mutated,
              " mutated tensors, at most ", units(result.distance), " units in the last place apart\n"));
    return 0;
  } catch (const Error& error) {
    throw error.at(file);
  }
}

}  // namespace

int run_verify(Arguments args) { return run_command(kCommand, args, verify_file); }

}  // namespace rung::tool
