// rung explain: what survived, what was opened, and by which chain of bodies.
#include "pass/explain.h"

#include "base/error.h"
#include "commands.h"
#include "export/load.h"
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
  for (const Node* node : graph)
    if (node->name == name) return true;
  return false;
}

// "aten.add" is every overload of add, "aten.add.Tensor" one of them.
void select_op(ExplainFilter& filter, std::string_view spelling, std::string& storage) {
  filter.op = find_op_spelling(spelling);
  if (spelling.starts_with("torch.ops.")) spelling.remove_prefix(10);
  storage = spelling;
  if (size_t dot = storage.find('.'); storage.find("::") == storage.npos && dot != storage.npos)
    storage.replace(dot, 1, "::");
  bool names_overload = storage.find('.') != storage.npos;
  if (names_overload) {
    if (filter.op == kNoOp) op_of_spelling(spelling);
    return;
  }
  for (const OpSchema& schema : all_ops())
    if (schema.name == storage || schema.name.starts_with(storage + ".")) {
      filter.op = kNoOp;
      filter.packet = storage;
      return;
    }
  op_of_spelling(spelling);
}

int explain_file(const Options& options) {
  std::optional<std::string_view> to = options.value("--to");
  if (!to) throw UsageError("--to is missing: which rung?");
  std::string file(options.positionals()[0]), packet;
  DecompositionTable table = target_of(*to, build_of(options)).table;
  adjust(table, options);
  ExplainFilter filter;
  if (auto op = options.value("--op")) select_op(filter, *op, packet);
  filter.node = options.value_or("--node", "");
  ExportedProgram program = load(file);
  if (!filter.node.empty() && !has_node(*program.graph, filter.node))
    fail_input(file, ": no node is named '", filter.node, "'");
  ExportedProgram lowered = [&] {
    try {
      return lower(program, table, {.like_torch = options.has("--like")});
    } catch (const Error& error) {
      throw error.at(file);
    }
  }();
  print(explain(program, lowered, filter));
  return 0;
}

}  // namespace

int run_explain(Arguments args) { return run_command(kCommand, args, explain_file); }

}  // namespace rung::tool
