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
  size_t calls = 0, files = 0;
  OpId op = kNoOp;
};

int census(const Options& options) {
  std::map<std::string, Entry> entries;
  for (std::string_view file : options.positionals())
    for (const auto& [name, count] : census_of(*load(std::string(file)).graph)) {
      Entry& entry = entries[name];
      entry.calls += count.calls;
      entry.op = count.op;
      ++entry.files;
    }
  std::optional<std::string_view> to = options.value("--to");
  const auto [table, set] = target_of(to.value_or("core"), build_of(options));
  std::vector<std::pair<std::string, Entry>> ranked(entries.begin(), entries.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.second.calls > b.second.calls; });
  bool many = options.positionals().size() > 1;
  std::string text;
  size_t nodes = 0, outside = 0, outside_nodes = 0;
  for (const auto& [name, entry] : ranked) {
    bool opens =
        to && entry.op != kNoOp && (set ? !set->accepts(entry.op) : table.opens(entry.op) || table.must_open(entry.op));
    std::string count = cat(entry.calls);
    text += cat(std::string(7 - std::min<size_t>(6, count.size()), ' '), count, "  ");
    if (many) text += cat(entry.files, entry.files == 1 ? " file   " : " files  ");
    text += name;
    if (opens) text += cat("  outside ", *to);
    text += '\n';
    nodes += entry.calls;
    outside += opens;
    outside_nodes += opens ? entry.calls : 0;
  }
  text += cat(ranked.size(), " operators in ", nodes, " nodes");
  if (to) text += cat("; ", outside, " operators in ", outside_nodes, " nodes are outside ", *to);
  print(text + "\n");
  return 0;
}

}  // namespace

int run_census(Arguments args) { return run_command(kCommand, args, census); }

}  // namespace rung::tool
