// rung explain: what survived, what was opened, and by which chain of bodies.
#include "pass/explain.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "commands.h"
#include "export/load.h"
#include "opset/reach.h"
#include "options.h"
#include "page/page.h"
#include "pass/lower.h"
#include "rungs.h"
#include "schema/nearest.h"
#include "text.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--to", "aten|composite|core|prims|SET|SET.json", "the rung"},
    {"--op", "OP", "only calls of this operator"},
    {"--node", "NAME", "only the node of this name"},
    {"--keep", "OP", "leave this op whole; may be repeated"},
    {"--open", "OP", "take this op apart; may be repeated"},
    {"--like", "torch", "explain torch's own result"},
    {"--html", "OUT.html", "write one page instead: the operators by module on every rung, with a search and a census"},
    {"--model-explorer", "OUT.json", "write graphs for Google's Model Explorer instead"},
    {"--build", "2.2|2.13|2.14", "by the tables of this torch version (default 2.13)"},
};
constexpr Command kCommand = {
    .name = "explain",
    .positionals = "FILE.pt2",
    .summary = "Tells of each operator whether it survived the way to a rung, and else what it became, and why.",
    .options = kOptions,
    .min_positionals = 1,
    .max_positionals = 1,
};

bool has_node(const Graph& graph, std::string_view name) {
  for (const Node* node : graph) {
    if (node->name == name) return true;
    for (const Graph* inner : subgraphs(*node))
      if (has_node(*inner, name)) return true;
  }
  return false;
}

// "aten.add" is every overload of add, "aten.add.Tensor" one of them.
OpChoice op_choice(std::string_view spelling, std::string& storage) {
  OpChoice choice{.op = find_op_spelling(spelling), .packet = {}};
  if (spelling.starts_with("torch.ops.")) spelling.remove_prefix(10);
  storage = spelling;
  if (size_t dot = storage.find('.'); storage.find("::") == storage.npos && dot != storage.npos)
    storage.replace(dot, 1, "::");
  if (storage.find('.') != storage.npos) {
    if (choice.op == kNoOp) op_of_spelling(spelling);
    return choice;
  }
  for (const OpSchema& schema : all_ops())
    if (schema.name == storage || schema.name.starts_with(storage + ".")) return {.op = kNoOp, .packet = storage};
  op_of_spelling(spelling);
  return choice;
}

// A rung that a program was lowered to, and what a set does not accept of it.
struct Lowered {
  std::string rung;
  std::optional<ExportedProgram> program;  // none where there is no path
  std::string error;
  std::unordered_map<const Node*, std::string> outside;

  PageRung for_page() const { return {rung, program ? &*program : nullptr, error, &outside}; }
};

Lowered lowered_to(const ExportedProgram& program, std::string_view rung, const Target& target,
                   const Options& options) {
  Lowered result;
  result.rung = target.set ? target.set->name : std::string(rung);
  result.program = lower(program, target.table, {.like_torch = options.has("--like")});
  if (!target.set) return result;
  for (const Violation& violation : violations(*result.program->graph, *target.set))
    result.outside[violation.node] = cat("outside of '", result.rung, "': ", violation.reason);
  return result;
}

Lowered lowered_as_asked(const ExportedProgram& program, const Options& options) {
  const std::string_view rung = *options.value("--to");
  Target target = target_of(rung, build_of(options), options.has("--like"));
  adjust(target, options);
  try {
    return lowered_to(program, rung, target, options);
  } catch (const Error& error) {
    throw error.at(options.positionals()[0]);
  }
}

// A rung that stands on the page for comparison: it need not be reached.
Lowered lowered_beside(const ExportedProgram& program, std::string_view rung, const Options& options) {
  try {
    return lowered_to(program, rung, target_of(rung, build_of(options), options.has("--like")), options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    return {std::string(rung), std::nullopt, error.what(), {}};
  }
}

// The page has core and prims, and what was asked for in its place among them or after them.
void write_page(const ExportedProgram& program, std::string_view title, const Lowered& asked, const Options& options) {
  std::vector<std::string_view> names = {"core", "prims"};
  if (std::ranges::find(names, asked.rung) == names.end()) names.push_back(asked.rung);
  std::vector<Lowered> beside(names.size());
  std::vector<PageRung> rungs;
  size_t place = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == asked.rung)
      place = i;
    else
      beside[i] = lowered_beside(program, names[i], options);
    rungs.push_back(names[i] == asked.rung ? asked.for_page() : beside[i].for_page());
  }
  write_file(std::string(*options.value("--html")), explain_page(program, title, rungs, place));
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The two files are written instead of the text.
bool write_files(const ExportedProgram& program, const Lowered& asked, const Options& options) {
  const std::string_view title = file_name(options.positionals()[0]);
  if (options.has("--html")) write_page(program, title, asked, options);
  if (options.has("--model-explorer"))
    write_file(std::string(*options.value("--model-explorer")), model_explorer_json(program, title, asked.for_page()));
  return options.has("--html") || options.has("--model-explorer");
}

int explain_file(const Options& options) {
  if (!options.has("--to")) throw UsageError("--to is missing: which rung?");
  const bool writes = options.has("--html") || options.has("--model-explorer");
  if (writes && (options.has("--op") || options.has("--node")))
    throw UsageError("--op and --node choose what is printed: a page holds the whole program, and has a search");
  const std::string file(options.positionals()[0]);
  std::string packet;
  ExplainOptions asked;
  if (auto op = options.value("--op")) asked.op = op_choice(*op, packet);
  asked.node = options.value_or("--node", "");
  const ExportedProgram program = load(file);
  if (!asked.node.empty() && !has_node(*program.graph, asked.node))
    fail_input(file, ": no node is named '", asked.node, "'");
  const Lowered lowered = lowered_as_asked(program, options);
  asked.remarks = &lowered.outside;
  if (!write_files(program, lowered, options)) print(explain(program, *lowered.program, asked));
  return 0;
}

}  // namespace

int run_explain(Arguments args) { return run_command(kCommand, args, explain_file); }

}  // namespace rung::tool
