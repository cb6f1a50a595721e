// rung run: what a program computes.
#include <charconv>
#include <cstdio>

#include "base/error.h"
#include "commands.h"
#include "export/load.h"
#include "interp/inputs.h"
#include "interp/npz.h"
#include "ops/gen/aten.h"
#include "options.h"
#include "ref/data.h"
#include "ref/values.h"
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
        "Computes a program with reference kernels, which are written to be right, not fast. The file is not changed.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1,
};

int64_t number_of(const Options& options, std::string_view name, int64_t fallback) {
  std::optional<std::string_view> text = options.value(name);
  if (!text) return fallback;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < 0)
    throw UsageError(cat(name, " takes a number, not '", *text, "'"));
  return number;
}

std::vector<interp::Value> inputs_of(const ExportedProgram& program, const Options& options) {
  if (std::optional<std::string_view> path = options.value("--inputs"))
    return interp::named_inputs(program, interp::load_npz(std::string(*path)));
  if (interp::user_inputs(program).empty()) return {};
  std::optional<std::vector<interp::Value>> samples = interp::sample_inputs(program);
  if (!samples) fail_input("the file has no sample inputs: give --inputs IN.npz");
  return *samples;
}

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

// The first values, as Python would write them.
std::string values_text(const Tensor& tensor) {
  constexpr size_t kShown = 8;
  std::string text;
  ref::with_carrier(tensor.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    const auto all = ref::values<T>(tensor);
    for (size_t i = 0; i < std::min(all.size(), kShown); ++i) {
      text += i > 0 ? ", " : "";
      if constexpr (std::same_as<T, int64_t>) {
        text += tensor.dtype() == DType::kBool ? (all[i] != 0 ? "True" : "False") : cat(all[i]);
      } else if constexpr (std::same_as<T, double>) {
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%.6g", all[i]);
        text += buffer;
      } else {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "(%.6g%+.6gj)", all[i].real(), all[i].imag());
        text += buffer;
      }
    }
    if (all.size() > kShown) text += ", ...";
  });
  return text;
}

int run_file(const Options& options) {
  std::string file(options.positionals()[0]);
  interp::RunOptions how;
  how.max_iterations = number_of(options, "--steps", how.max_iterations);
  manual_seed(static_cast<uint64_t>(number_of(options, "--seed", 0)));
  const ExportedProgram program = load(file);
  interp::NamedTensors results;
  try {
    results = named_results(interp::run(program, inputs_of(program, options), how));
  } catch (const Error& error) {
    throw error.at(file);
  }
  if (std::optional<std::string_view> out = options.value("-o")) {
    interp::save_npz(results, std::string(*out));
    return 0;
  }
  std::string text;
  for (const auto& [name, tensor] : results)
    text += cat(name, ' ', info(tensor.dtype()).abbreviation, sizes_text(tensor), ": ", values_text(tensor), '\n');
  print(text);
  return 0;
}

}  // namespace

int run_run(Arguments args) { return run_command(kCommand, args, run_file); }

}  // namespace rung::tool
