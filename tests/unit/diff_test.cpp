// What two programs, and two lowerings of one, do not have in common.
#include <doctest/doctest.h>

#include <map>

#include "export/load.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "pass/diff.h"
#include "pass/lower.h"
#include "unit/build_graph.h"
#include "unit/golden_programs.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// relu(x) * 2 + x, with other names or values where asked for.
struct Written {
  std::string_view relu = "relu", op = "aten::relu";
  int factor = 2;
  DType dtype = DType::kFloat32;
  bool is_longer = false;
};
ExportedProgram written(const Written& how = {}) {
  ProgramBuilder p;
  Node* x = p.input("x", {2, 3}, InputKind::kUserInput, how.dtype);
  Node* relu = p.call(how.op, {arg(x)}, how.relu);
  Node* mul = p.call("aten::mul.Tensor", {arg(relu), arg(how.factor)}, "mul");
  Node* add = p.call("aten::add.Tensor", {arg(mul), arg(x)}, "add");
  if (how.is_longer) add = p.call("aten::neg", {arg(add)}, "neg");
  p.output({add});
  return std::move(p.program);
}

std::string first_names(const ExportedProgram& a, const ExportedProgram& b) {
  const ProgramDiff diff = diff_programs(a, b);
  if (!diff.first) return "";
  const auto name = [](const Node* node) { return node == nullptr ? std::string("-") : std::string(node->name); };
  return cat(name(diff.first->nodes[0]), ' ', name(diff.first->nodes[1]));
}

ExportedProgram lowered_to(const ExportedProgram& program, const OpSet& set) { return lower(program, table_for(set)); }

Node* call_named(Graph& graph, std::string_view name) {
  for (Node* node : graph)
    if (node->name == name) return node;
  return nullptr;
}

// By operator: how many more there are in B, as far as calls of the source lead to them.
std::map<std::string, int> surplus_of(const std::vector<FateDifference>& fates) {
  std::map<std::string, int> surplus;
  for (const FateDifference& difference : fates)
    for (int side : {0, 1}) {
      const Outcome& outcome = difference.outcomes[static_cast<size_t>(side)];
      const int sign = side == 0 ? -1 : 1, times = static_cast<int>(difference.calls);
      if (outcome.fate == Fate::kSurvived && outcome.parts.empty()) surplus[difference.op] += sign * times;
      for (const Outcome::Part& part : outcome.parts) surplus[part.op] += sign * times * static_cast<int>(part.calls);
    }
  std::erase_if(surplus, [](const auto& entry) { return entry.second == 0; });
  return surplus;
}

}  // namespace

TEST_CASE("diff: the same graph, whatever its nodes are called") {
  const ProgramDiff diff = diff_programs(written(), written({.relu = "rectified"}));
  CHECK(!diff.first);
  CHECK(diff.same_signature);
  CHECK(diff.census.empty());
  CHECK(diff.modules.empty());
  CHECK(diff.calls == std::array<size_t, 2>{3, 3});
}

TEST_CASE("diff: the first node that has another callee, argument, type, or no partner") {
  const ExportedProgram a = written();
  CHECK(first_names(a, written({.relu = "sigmoid", .op = "aten::sigmoid"})) == "relu sigmoid");
  CHECK(first_names(a, written({.factor = 3})) == "mul mul");
  CHECK(first_names(a, written({.dtype = DType::kFloat16})) == "x x");
  CHECK(first_names(a, written({.is_longer = true})) == "output neg");
  ExportedProgram b = written();
  call_named(*b.graph, "add")->args =
      b.arena->copy(std::vector{arg(call_named(*b.graph, "mul")), arg(call_named(*b.graph, "relu"))});
  CHECK(first_names(a, b) == "add add");
}

TEST_CASE("diff: kinds of inputs are compared, and operators counted") {
  ExportedProgram b = written({.op = "aten::sigmoid", .is_longer = true});
  b.inputs[0].kind = InputKind::kBuffer;
  const ProgramDiff diff = diff_programs(written(), b);
  CHECK(!diff.same_signature);
  const std::vector<CensusDifference> expected{{"aten.neg", {0, 1}}, {"aten.relu", {1, 0}}, {"aten.sigmoid", {0, 1}}};
  CHECK(diff.census == expected);
}

TEST_CASE("diff: a difference inside of a sub-graph is told as the sub-graph's node") {
  const ExportedProgram a = load(file_path("branches.pt2")), b = load(file_path("branches.pt2"));
  CHECK(first_names(a, b).empty());
  Node* changed = nullptr;
  for (const Node* node : *b.graph)
    for (const Graph* inner : subgraphs(*node))
      for (Node* call : *inner)
        if (changed == nullptr && call->is_call(Callee::kOp)) changed = call;
  REQUIRE(changed != nullptr);
  changed->op = find_op("aten::frac");
  CHECK(first_names(a, b) == cat(changed->name, ' ', changed->name));
}

TEST_CASE("diff: differences stand by module, where modules were recorded") {
  const ExportedProgram a = load(example_path("net-2.13.pt2"));
  const ExportedProgram b = lower(a, core_aten_decompositions());
  const ProgramDiff diff = diff_programs(a, b);
  REQUIRE(diff.modules.size() == 2);
  CHECK(diff.modules[0].modules == std::vector<std::string>{""});
  CHECK(diff.modules[1].modules == std::vector<std::string>{"fc"});
  const std::vector<CensusDifference> fc{{"aten.addmm", {0, 1}}, {"aten.linear", {1, 0}}, {"aten.permute", {0, 1}}};
  CHECK(diff.modules[1].census == fc);
}

TEST_CASE("diff: what is whole here and open there, into what and by which bodies") {
  const ExportedProgram source = load(example_path("net-2.13.pt2"));
  const auto fates =
      diff_fates(source, lower(source, aten_decompositions()), lower(source, core_aten_decompositions()));
  REQUIRE(fates.size() == 2);
  CHECK(fates[0].op == "aten.linear");
  CHECK(fates[0].calls == 1);
  CHECK(fates[0].outcomes[0] == Outcome{Fate::kSurvived, {}});
  const Outcome opened{
      Fate::kOpened,
      {{"aten.permute", "aten.linear > aten.t > aten.transpose.int", 1}, {"aten.addmm", "aten.linear", 1}}};
  CHECK(fates[0].outcomes[1] == opened);
}

TEST_CASE(
    "diff: on every model, the fates account for the difference in operators, and a set differs not from itself") {
  const OpSet a_set = op_set_named("executorch_xnnpack"), b_set = op_set_named("executorch_vulkan");
  size_t models = 0, differ = 0;
  for (const std::string& path : golden_programs("models")) {
    CAPTURE(path);
    const ExportedProgram source = load(path);
    const ExportedProgram a = lowered_to(source, a_set), b = lowered_to(source, b_set),
                          again = lowered_to(source, a_set);
    std::map<std::string, int> census;
    const ProgramDiff diff = diff_programs(a, b);
    for (const CensusDifference& row : diff.census)
      census[row.op] = static_cast<int>(row.calls[1]) - static_cast<int>(row.calls[0]);
    CHECK(surplus_of(diff_fates(source, a, b)) == census);
    CHECK(!diff_programs(a, again).first);
    CHECK(diff_fates(source, a, again).empty());
    ++models;
    differ += !census.empty();
  }
  CHECK(models == 49);
  CHECK(differ > 20);
}

}  // namespace rung
