// rung census: which operators programs are made of, and which of them a rung takes apart.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "commands.h"
#include "export/load.h"
#include "options.h"
#include "pass/census.h"
#include "rungs.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--to", "aten|composite|core|prims|SET|SET.json", "mark the operators outside of this rung or op set"},
    {"--build", "2.2|2.13|2.14", "by the tables of this torch version (default 2.13)"},
};
constexpr Command kCommand = {
    .name = "census",
    .positionals = "FILE.pt2...",
    .summary = "Counts the operators of programs, sub-graphs included.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1000000,
};

struct Entry {
  size_t calls = 0, files = 0, outside = 0;
  std::map<std::string, size_t> failed;  // conditions of the set, and how many calls each of them turns away
};
using Entries = std::map<std::string, Entry>;

void count_calls(const Graph& graph, const std::optional<Target>& target, Entries& census) {
  for (const auto& [name, count] : census_of(graph)) {
    Entry& entry = census[name];
    entry.calls += count.calls;
    ++entry.files;
    if (!target || target->set || count.op == kNoOp) continue;
    const bool opens = target->table.opens(count.op) || target->table.must_open(count.op);
    entry.outside += opens ? count.calls : 0;
  }
}

// What the proof of a lowering would say of each call.
void count_violations(const Graph& graph, const OpSet& set, Entries& census) {
  for (const Violation& violation : violations(graph, set)) {
    Entry& entry = census[target_name(*violation.node)];
    ++entry.outside;
    const bool has_condition = violation.node->is_call(Callee::kOp) && set.accepts(violation.node->op);
    if (has_condition) ++entry.failed[violation.reason];
  }
}

std::string aligned(size_t count) {
  const std::string digits = cat(count);
  return std::string(7 - std::min<size_t>(6, digits.size()), ' ') + digits;
}

std::string outside_text(const Entry& entry, std::string_view to) {
  if (entry.outside == 0) return "";
  std::string text = cat("  ", entry.outside < entry.calls ? cat(entry.outside, " calls ") : "", "outside ", to);
  for (const auto& [reason, count] : entry.failed) text += cat("\n         ", aligned(count), "  ", reason);
  return text;
}

int census(const Options& options) {
  const std::optional<std::string_view> to = options.value("--to");
  std::optional<Target> target;
  if (to) target = target_of(*to, build_of(options));
  Entries entries;
  for (std::string_view file : options.positionals()) {
    const ExportedProgram program = load(std::string(file));
    count_calls(*program.graph, target, entries);
    if (target && target->set) count_violations(*program.graph, *target->set, entries);
  }
  std::vector<std::pair<std::string, Entry>> ranked(entries.begin(), entries.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.second.calls > b.second.calls; });
  const bool many = options.positionals().size() > 1;
  std::string text;
  size_t nodes = 0, outside = 0, outside_nodes = 0;
  for (const auto& [name, entry] : ranked) {
    text += cat(aligned(entry.calls), "  ");
    if (many) text += cat(entry.files, entry.files == 1 ? " file   " : " files  ");
    text += cat(name, to ? outside_text(entry, *to) : "", '\n');
    nodes += entry.calls;
    outside += entry.outside > 0;
    outside_nodes += entry.outside;
  }
  text += cat(ranked.size(), " operators in ", nodes, " nodes");
  if (to) text += cat("; ", outside, " operators in ", outside_nodes, " nodes are outside ", *to);
  print(text + "\n");
  return 0;
}

}  // namespace

int run_census(Arguments args) { return run_command(kCommand, args, census); }

}  // namespace rung::tool
