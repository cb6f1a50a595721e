// The core rung beyond torch's table.
#include "opset/core.h"

#include <doctest/doctest.h>

#include "export/load.h"
#include "ir/print.h"
#include "pass/lower.h"
#include "unit/build_graph.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// f(x) = op(x), and the ops that it is lowered to.
std::vector<std::string> lowered_ops(std::string_view op, std::vector<Argument> rest = {},
                                     const DecompositionTable& table = closed_core_decompositions()) {
  ProgramBuilder p;
  std::vector<Argument> args = {arg(p.input("x", {2, 3}, InputKind::kUserInput))};
  args.insert(args.end(), rest.begin(), rest.end());
  p.output({p.call(op, args, "y")});
  const ExportedProgram lowered = lower(p.program, table);
  std::vector<std::string> ops;
  for (const Node* node : *lowered.graph)
    if (node->is_call(Callee::kOp)) ops.emplace_back(schema_of(node->op).name);
  return ops;
}

using Ops = std::vector<std::string>;

}  // namespace

TEST_CASE("core: what torch's table leaves outside is opened, what it opens is opened as torch does") {
  CHECK(lowered_ops("aten::exp2") == Ops{"aten::pow.Scalar"});
  CHECK(lowered_ops("aten::silu") == Ops{"aten::sigmoid", "aten::mul.Tensor"});
  CHECK(lowered_ops("aten::max") == Ops{"aten::amax"});
  CHECK(lowered_ops("aten::exp2", {}, core_aten_decompositions()) == Ops{"aten::exp2"});
}

TEST_CASE("core: what has no way there stays, and so does what is core") {
  CHECK(lowered_ops("aten::special_bessel_j0") == Ops{"aten::special_bessel_j0"});
  CHECK(lowered_ops("aten::sigmoid") == Ops{"aten::sigmoid"});
}

TEST_CASE("core: a table can still be changed") {
  DecompositionTable table = closed_core_decompositions();
  table.keep(find_op("aten::exp2"));
  table.keep(find_op("aten::silu"));
  table.open(find_op("aten::hardtanh"));
  CHECK(lowered_ops("aten::exp2", {}, table) == Ops{"aten::exp2"});
  CHECK(lowered_ops("aten::silu", {}, table) == Ops{"aten::silu"});
  CHECK(lowered_ops("aten::hardtanh", {arg(-1.0), arg(1.0)}, table) == Ops{"aten::clamp"});
}

TEST_CASE("core: where torch reaches it, the graph is torch's") {
  const ExportedProgram program = load(example_path("llama.pt2"));
  const ExportedProgram torchs = lower(program, core_aten_decompositions());
  const ExportedProgram ours = lower(program, closed_core_decompositions());
  CHECK(graph_text(*ours.graph) == graph_text(*torchs.graph));
}

}  // namespace rung
