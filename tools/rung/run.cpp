// rung run: what a program computes.
#include "base/error.h"
#include "commands.h"
#include "export/load.h"
#include "interp.h"
#include "interp/npz.h"
#include "ops/gen/aten.h"
#include "ref/data.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--inputs", "IN.npz", "arrays by the names of the inputs, or in0, in1, ...; without it, the file's sample inputs"},
    {"-o", "OUT.npz", "write out0, out1, ... and mutated.NAME; without it, they are printed"},
    {"--backend", "interp", "what computes: the reference kernels"},
    {"--seed", "N", "of random operators (default 0), as torch.manual_seed"},
    {"--steps", "N", "how often a loop of the program may go round (default 1000000)"},
};
constexpr Command kCommand = {
    .name = "run",
    .positionals = "FILE.pt2",
    .summary =
        "Computes a program with reference kernels, which are there to be right, not fast. The file stays as it is.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1,
};

// A number as a tensor without dimensions.
Tensor as_tensor(const interp::Value& value) {
  if (value.tensor.defined()) return value.tensor;
  const Scalar number(value.number);
  const DType dtype = number.is_bool() ? DType::kBool : number.is_float() ? DType::kFloat64 : DType::kInt64;
  return aten::full({}, number, dtype);
}

interp::NamedTensors named_results(const interp::RunResult& result) {
  interp::NamedTensors named;
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const interp::Value& value = result.outputs[i];
    if (value.tensor.defined() || value.number.is_number()) named.emplace_back(cat("out", i), as_tensor(value));
  }
  for (const auto& [name, tensor] : result.mutated) named.emplace_back(cat("mutated.", name), tensor);
  return named;
}

interp::NamedTensors compute(const ExportedProgram& program, const Options& options) {
  const auto inputs = inputs_of(program, options);
  if (!inputs) fail_input("the file has no sample inputs: give --inputs IN.npz");
  interp::RunOptions how;
  how.max_iterations = number_of(options, "--steps", how.max_iterations);
  manual_seed(static_cast<uint64_t>(number_of(options, "--seed", 0)));
  return named_results(interp::run(program, *inputs, how));
}

int run_file(const Options& options) {
  std::string file(options.positionals()[0]);
  const ExportedProgram program = load(file);
  interp::NamedTensors results;
  try {
    results = compute(program, options);
  } catch (const Error& error) {
    throw error.at(file);
  }
  if (std::optional<std::string_view> out = options.value("-o")) {
    interp::save_npz(results, std::string(*out));
    return 0;
  }
  std::string text;
  for (const auto& [name, tensor] : results) text += cat(name, ' ', tensor_text(tensor), '\n');
  print(text);
  return 0;
}

}  // namespace

int run_run(Arguments args) { return run_command(kCommand, args, run_file); }

}  // namespace rung::tool
