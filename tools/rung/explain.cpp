// rung explain: what survived, what was opened, and by which chain of bodies.
#include "pass/explain.h"

#include <unordered_map>

#include "base/error.h"
#include "commands.h"
#include "export/load.h"
#include "opset/reach.h"
#include "options.h"
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

// A result, and what a set does not accept of it.
struct Lowered {
  ExportedProgram program;
  std::unordered_map<const Node*, std::string> outside;
};

Lowered lowered_to(const ExportedProgram& program, const Target& target, const Options& options) {
  Lowered result{lower(program, target.table, {.like_torch = options.has("--like")}), {}};
  if (!target.set) return result;
  drop_metadata_asserts(*result.program.graph, *target.set);
  for (const Violation& violation : violations(*result.program.graph, *target.set))
    result.outside[violation.node] = cat("outside of '", target.set->name, "': ", violation.reason);
  return result;
}

int explain_file(const Options& options) {
  std::optional<std::string_view> to = options.value("--to");
  if (!to) throw UsageError("--to is missing: which rung?");
  std::string file(options.positionals()[0]), packet;
  Target target = target_of(*to, build_of(options), options.has("--like"));
  adjust(target.table, options);
  ExplainOptions asked;
  if (auto op = options.value("--op")) asked.op = op_choice(*op, packet);
  asked.node = options.value_or("--node", "");
  ExportedProgram program = load(file);
  if (!asked.node.empty() && !has_node(*program.graph, asked.node))
    fail_input(file, ": no node is named '", asked.node, "'");
  const Lowered lowered = [&] {
    try {
      return lowered_to(program, target, options);
    } catch (const Error& error) {
      throw error.at(file);
    }
  }();
  asked.remarks = &lowered.outside;
  print(explain(program, lowered.program, asked));
  return 0;
}

}  // namespace

int run_explain(Arguments args) { return run_command(kCommand, args, explain_file); }

}  // namespace rung::tool
