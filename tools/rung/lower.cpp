// rung lower: a program on a lower rung.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>

#include "base/error.h"
#include "commands.h"
#include "export/load.h"
#include "export/save.h"
#include "opset/core.h"
#include "opset/reach.h"
#include "opset/report.h"
#include "options.h"
#include "pass/lower.h"
#include "pass/offspring.h"
#include "rungs.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--to", "aten|composite|core|prims|SET|SET.json", "the rung, or the op set of a back end"},
    {"--keep", "OP", "leave this op whole; may be repeated"},
    {"--open", "OP", "take this op apart; may be repeated"},
    {"--like", "torch", "give torch's own result, its refusals included"},
    {"--build", "2.2|2.13|2.14", "by the tables of this torch version (default 2.13)"},
    {"--bind", "SYMBOL=SIZE", "make a dynamic size static: s77=8, or dimension 0 of an input, x.0=8; may be repeated"},
    {"-o", "OUT.pt2", "write the lowered program; without it, it is printed"},
    {"--format", "graph|code|readable|ranges|none", "how to print it (default graph, with -o none)"},
    {"--time", "", "tell on stderr how long the lowering took"},
};
constexpr Command kCommand = {
    .name = "lower",
    .positionals = "FILE.pt2",
    .summary =
        "Lowers a program: every operator that the rung's table holds is replaced by what its decomposition calls.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1,
};

std::vector<SizeBinding> bindings_of(const Options& options) {
  std::vector<SizeBinding> bindings;
  for (std::string_view text : options.values("--bind")) {
    size_t equals = text.rfind('=');
    std::string_view digits = text.substr(equals == text.npos ? text.size() : equals + 1);
    int64_t size = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (equals == text.npos || equals == 0 || error != std::errc() || end != digits.data() + digits.size())
      throw UsageError(cat("--bind takes SYMBOL=SIZE or INPUT.DIM=SIZE, not '", text, "'"));
    bindings.push_back({std::string(text.substr(0, equals)), size});
  }
  return bindings;
}

// What torch leaves outside of core, and no body of rung's leads on from.
void tell_outside_core(const std::string& file, const ExportedProgram& lowered, Build build) {
  std::map<std::string, size_t> calls;
  for (const Violation& violation : violations(*lowered.graph, core_ops(build))) {
    const Node& node = *violation.node;
    const bool only_states = node.is_call(Callee::kOp) && node.meta.kind == ValueMeta::Kind::kNone;
    if (!only_states) ++calls[callee_text(node)];
  }
  std::string text;
  for (const auto& [op, count] : calls)
    text += cat(text.empty() ? "" : ", ", op, " (", count, count == 1 ? " call)" : " calls)");
  if (!text.empty())
    std::fprintf(stderr, "rung lower: %s: outside of core, for no body leads there: %s\n", file.c_str(), text.c_str());
}

int lower_file(const Options& options) {
  std::optional<std::string_view> to = options.value("--to");
  if (!to) throw UsageError("--to is missing: which rung?");
  std::string file(options.positionals()[0]);
  Target target = target_of(*to, build_of(options), options.has("--like"));
  adjust(target, options);
  ExportedProgram program = load(file);
  auto start = std::chrono::steady_clock::now();
  ExportedProgram lowered = [&] {
    try {
      SymbolValues sizes = resolve_bindings(program, bindings_of(options));
      ExportedProgram result =
          lower(program, target.table, {.like_torch = options.has("--like"), .sizes = std::move(sizes)});
      if (target.set) check_reached(result, *target.set);
      return result;
    } catch (const Error& error) {
      throw error.at(file);
    }
  }();
  if (*to == "core" && !options.has("--like")) tell_outside_core(file, lowered, build_of(options));
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  if (options.has("--time"))
    std::fprintf(stderr, "lowered %zu nodes to %zu in %.3f ms\n", program.graph->size, lowered.graph->size,
                 took.count());
  std::optional<std::string_view> out = options.value("-o");
  if (out) save(lowered, std::string(*out));
  std::string_view format = options.value_or("--format", out ? "none" : "graph");
  if (format != "none") print(program_text(lowered, format));
  return 0;
}

}  // namespace

int run_lower(Arguments args) { return run_command(kCommand, args, lower_file); }

}  // namespace rung::tool
