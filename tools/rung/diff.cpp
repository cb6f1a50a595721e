// rung diff: what two programs, or two lowerings of one, do not have in common.
#include "pass/diff.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "commands.h"
#include "export/load.h"
#include "ir/print.h"
#include "json_text.h"
#include "opset/reach.h"
#include "options.h"
#include "pass/lower.h"
#include "rungs.h"
#include "table.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--to", "aten|composite|core|prims|SET|SET.json", "lower one file to this rung or op set; once, or once a side"},
    {"--build", "2.2|2.13|2.14", "by the tables of this torch version (default 2.13); once, or once a side"},
    {"--json", "", "print JSON"},
};
constexpr Command kCommand = {
    .name = "diff",
    .positionals = "A.pt2 [B.pt2]",
    .summary = "Compares two programs, or what one becomes on two rungs, two op sets or by two torch versions.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 2,
};

constexpr std::string_view kSides[] = {"A", "B"};

struct Side {
  std::string title;  // "net.pt2 on core"
  ExportedProgram program;
  size_t outside = 0;  // calls outside of the op set
};

struct Comparison {
  std::array<Side, 2> sides;
  ProgramDiff programs;
  bool is_lowered = false;            // both sides come from one program
  std::vector<FateDifference> fates;  // then
};

// ---- what is compared

Side lowered_side(const std::string& file, const ExportedProgram& source, const Options& options, size_t index) {
  const auto targets = options.values("--to"), builds = options.values("--build");
  const std::string_view to = targets[targets.size() == 2 ? index : 0];
  const std::string_view build = builds.empty() ? "2.13" : builds[builds.size() == 2 ? index : 0];
  const Target target = target_of(to, build_from_name(build).value());
  if (target.set && builds.size() == 2)
    throw UsageError(cat("the op set '", to, "' names a build itself: two --build go with rungs"));
  const std::string title = cat(file, " on ", to, builds.size() == 2 ? cat(" of torch ", build) : "");
  try {
    Side side{title, lower(source, target.table)};
    if (!target.set) return side;
    side.outside = violations(*side.program.graph, *target.set).size();
    return side;
  } catch (const Error& error) {
    throw error.at(title);
  }
}

void check_sides(const Options& options) {
  const size_t files = options.positionals().size();
  const size_t targets = options.values("--to").size(), builds = options.values("--build").size();
  if (files == 2 && targets + builds > 0)
    throw UsageError("two files are compared as they are: --to and --build go with one file");
  if (files == 2) return;
  if (targets > 2 || builds > 2) throw UsageError("there are two sides: --to and --build stand once or twice");
  if (targets == 0 || (targets == 1 && builds != 2))
    throw UsageError("one file has nothing beside it: give another file, --to twice, or --to once and --build twice");
}

Comparison sides_of(const Options& options) {
  const auto files = options.positionals();
  const std::string first(files[0]);
  ExportedProgram source = load(first);
  if (files.size() == 2) {
    const std::string second(files[1]);
    return {{Side{first, std::move(source)}, Side{second, load(second)}}, {}, false, {}};
  }
  Comparison result{{lowered_side(first, source, options, 0), lowered_side(first, source, options, 1)}, {}, true, {}};
  result.fates = diff_fates(source, result.sides[0].program, result.sides[1].program);
  return result;
}

Comparison compare(const Options& options) {
  check_sides(options);
  Comparison result = sides_of(options);
  for (const Side& side : result.sides) side.program.graph->count_uses();
  result.programs = diff_programs(result.sides[0].program, result.sides[1].program);
  return result;
}

// ---- as text

std::string node_line(const Node* node) {
  if (node == nullptr) return "no more nodes";
  if (node->kind == NodeKind::kOutput) return "the results";
  const std::string type = type_text(node->meta);
  return cat(node_text(*node), type.empty() ? "" : cat("  # ", type));
}

std::string_view fate_word(Fate fate) {
  constexpr std::string_view kWords[] = {"whole", "opened", "removed"};
  return kWords[static_cast<size_t>(fate)];
}

size_t calls_of(const Outcome::Part& part, const Outcome& outcome) {
  for (const Outcome::Part& other : outcome.parts)
    if (other.op == part.op && other.by == part.by) return other.calls;
  return 0;
}

// What is there oftener than in the other outcome.
std::vector<Outcome::Part> surplus_of(const Outcome& outcome, const Outcome& other) {
  std::vector<Outcome::Part> surplus;
  for (Outcome::Part part : outcome.parts) {
    const size_t there = calls_of(part, other);
    if (part.calls <= there) continue;
    part.calls -= there;
    surplus.push_back(std::move(part));
  }
  return surplus;
}

std::string part_text(const Outcome::Part& part) { return cat(part.calls > 1 ? cat(part.calls, " ") : "", part.op); }

// The bodies that both came by: "aten.linear" of "aten.linear > aten.t" and "aten.linear > aten.addmm".
std::string shared_bodies(const std::string& a, const std::string& b) {
  constexpr std::string_view kArrow = " > ";
  const std::string left = cat(a, kArrow), right = cat(b, kArrow);
  const auto parting = std::ranges::mismatch(left, right).in1;
  const std::string same(left.begin(), parting);
  const size_t end = same.rfind(kArrow);
  return same.substr(0, end == same.npos ? 0 : end);
}

// An operator that became dozens is told in short, most calls first; `rung explain --op` has the body of each.
std::string parts_in_short(const std::vector<Outcome::Part>& parts) {
  std::vector<Outcome::Part> by_op;
  std::string bodies = parts[0].by;
  size_t calls = 0;
  for (const Outcome::Part& part : parts) {
    calls += part.calls;
    bodies = shared_bodies(bodies, part.by);
    auto found = std::ranges::find(by_op, part.op, &Outcome::Part::op);
    if (found == by_op.end())
      by_op.push_back({part.op, "", part.calls});
    else
      found->calls += part.calls;
  }
  std::ranges::stable_sort(by_op, std::greater(), &Outcome::Part::calls);
  std::vector<std::string> words;
  for (const Outcome::Part& part : by_op) words.push_back(part_text(part));
  return cat(joined(words), "; ", calls, " in all", bodies.empty() ? "" : cat(", by ", bodies));
}

std::string parts_text(const std::vector<Outcome::Part>& parts) {
  constexpr size_t kToldInFull = 6;
  if (parts.size() > kToldInFull) return parts_in_short(parts);
  std::vector<std::string> words;
  for (const Outcome::Part& part : parts)
    words.push_back(cat(part_text(part), part.by.empty() ? " in its place" : cat(" by ", part.by)));
  return joined(words);
}

std::string fate_text(const FateDifference& difference) {
  const auto& [a, b] = difference.outcomes;
  std::string text = cat(difference.op, ": ", fate_word(a.fate),
                         a.fate == b.fate ? " in both, differently" : cat(" in A, ", fate_word(b.fate), " in B"), " (",
                         difference.calls, difference.calls == 1 ? " call)\n" : " calls)\n");
  const size_t head = text.size();
  for (size_t side = 0; side < 2; ++side) {
    const std::vector<Outcome::Part> parts = surplus_of(difference.outcomes[side], difference.outcomes[1 - side]);
    if (!parts.empty()) text += cat("    ", kSides[side], "  ", wrapped(parts_text(parts), 7), '\n');
  }
  return text.size() > head ? text : text + "    the same operators in another order\n";
}

Table census_table(const Comparison& comparison) {
  Table table{{{"operator"}, {"A", true}, {"B", true}}, {}};
  size_t alike = comparison.programs.calls[0];
  for (const CensusDifference& row : comparison.programs.census) {
    table.rows.push_back({row.op, cat(row.calls[0]), cat(row.calls[1])});
    alike -= row.calls[0];
  }
  if (alike > 0) table.rows.push_back({"as often in both", cat(alike), cat(alike)});
  table.rows.push_back({"in all", cat(comparison.programs.calls[0]), cat(comparison.programs.calls[1])});
  return table;
}

std::string module_text(const ModuleDifference& difference) {
  constexpr size_t kShown = 3;
  std::vector<std::string> modules, counts;
  for (const std::string& module : difference.modules)
    if (modules.size() < kShown) modules.push_back(module.empty() ? "the program itself" : module);
  if (difference.modules.size() > kShown) modules.push_back(cat(difference.modules.size() - kShown, " more"));
  for (const CensusDifference& row : difference.census)
    counts.push_back(cat(row.op, ' ', row.calls[0], '/', row.calls[1]));
  return cat("in ", joined(modules), ":\n    ", wrapped(joined(counts), 4), '\n');
}

std::string comparison_text(const Comparison& comparison) {
  const ProgramDiff& programs = comparison.programs;
  std::string text;
  for (size_t i = 0; i < 2; ++i) {
    const Side& side = comparison.sides[i];
    text += cat(kSides[i], ": ", side.title, ", ", programs.calls[i], " operators",
                side.outside > 0 ? cat(", ", side.outside, " of them outside of the set") : "", '\n');
  }
  if (!programs.same_signature) text += "inputs or outputs are of other kinds: see rung show --format signature\n";
  if (!programs.first) return text + "the same graph\n";
  for (size_t i = 0; i < 2; ++i)
    text += cat(i == 0 ? "first difference:\n  " : "  ", kSides[i], "  ", node_line(programs.first->nodes[i]), '\n');
  if (!comparison.fates.empty()) text += '\n';
  for (const FateDifference& difference : comparison.fates) text += fate_text(difference);
  text += programs.census.empty() ? cat("\nthe same operators, equally often\n")
                                  : cat('\n', table_text(census_table(comparison)));
  if (comparison.is_lowered || programs.modules.size() < 2) return text;
  text += "\nby module, calls in A and B\n";
  for (const ModuleDifference& difference : programs.modules) text += module_text(difference);
  return text;
}

// ---- as JSON

std::string census_json(const std::vector<CensusDifference>& census) {
  return json_list(census, [](const CensusDifference& row) {
    return json_object({{"operator", json_text(row.op)}, {"a", cat(row.calls[0])}, {"b", cat(row.calls[1])}});
  });
}

std::string outcome_json(const Outcome& outcome) {
  const auto part_json = [](const Outcome::Part& part) {
    return json_object({{"operator", json_text(part.op)}, {"by", json_text(part.by)}, {"calls", cat(part.calls)}});
  };
  return json_object({{"fate", json_text(fate_word(outcome.fate))}, {"parts", json_list(outcome.parts, part_json)}});
}

std::string fate_json(const FateDifference& difference) {
  return json_object({{"operator", json_text(difference.op)},
                      {"calls", cat(difference.calls)},
                      {"a", outcome_json(difference.outcomes[0])},
                      {"b", outcome_json(difference.outcomes[1])}});
}

std::string module_json(const ModuleDifference& difference) {
  return json_object(
      {{"modules", json_list(difference.modules, json_text)}, {"census", census_json(difference.census)}});
}

std::string side_json(const Comparison& comparison, size_t index) {
  const auto& first = comparison.programs.first;
  return json_object({{"title", json_text(comparison.sides[index].title)},
                      {"operators", cat(comparison.programs.calls[index])},
                      {"outside", cat(comparison.sides[index].outside)},
                      {"first_difference", first ? json_text(node_line(first->nodes[index])) : "null"}});
}

std::string comparison_json(const Comparison& comparison) {
  const ProgramDiff& programs = comparison.programs;
  return json_object({{"a", side_json(comparison, 0)},
                      {"b", side_json(comparison, 1)},
                      {"same_graph", cat(!programs.first)},
                      {"same_signature", cat(programs.same_signature)},
                      {"fates", json_list(comparison.fates, fate_json)},
                      {"census", census_json(programs.census)},
                      {"modules", json_list(programs.modules, module_json)}}) +
         "\n";
}

int diff(const Options& options) {
  const Comparison comparison = compare(options);
  print(options.has("--json") ? comparison_json(comparison) : comparison_text(comparison));
  return 0;
}

}  // namespace

int run_diff(Arguments args) { return run_command(kCommand, args, diff); }

}  // namespace rung::tool
