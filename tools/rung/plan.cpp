// rung plan: what models need that a back end lacks, and which of it to implement first.
#include "plan.h"

#include "base/error.h"
#include "base/output_file.h"
#include "commands.h"
#include "export/load.h"
#include "interp.h"
#include "options.h"
#include "rungs.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--to", "SET|SET.json", "the op set of the back end"},
    {"--limit", "N", "no more than N steps"},
    {"--json", "", "print JSON"},
    {"--html", "OUT.html", "write a page with the curve, too"},
};
constexpr Command kCommand = {
    .name = "plan",
    .positionals = "FILE.pt2...",
    .summary = "Tells which operators a back end lacks for these models, and in which order they unlock most of them.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1000000,
};

OpSet set_of(const Options& options) {
  const std::optional<std::string_view> to = options.value("--to");
  if (!to) throw UsageError("--to is missing: which op set?");
  std::optional<OpSet> set = target_of(*to, Build::k2_13).set;
  if (!set)
    throw UsageError(cat("--to takes an op set, not the rung '", *to, "': rung opset list names those there are"));
  return *std::move(set);
}

int plan(const Options& options) {
  const OpSet set = set_of(options);
  std::vector<NamedProgram> models;
  PlanReport report;
  report.set = set.name;
  for (std::string_view file : options.positionals()) {
    models.push_back({std::string(file), load(std::string(file))});
    report.models.emplace_back(file);
  }
  report.survey = survey(models, set);
  report.rounds = plan_rounds(models, set, report.survey);
  const auto limit = static_cast<size_t>(number_of(options, "--limit", static_cast<int64_t>(report.rounds.size())));
  report.rounds_left = report.rounds.size() - std::min(limit, report.rounds.size());
  report.rounds.resize(report.rounds.size() - report.rounds_left);
  if (const auto page = options.value("--html")) write_file(std::string(*page), plan_page(report));
  print(options.has("--json") ? plan_json(report) : plan_text(report));
  return 0;
}

}  // namespace

int run_plan(Arguments args) { return run_command(kCommand, args, plan); }

}  // namespace rung::tool
