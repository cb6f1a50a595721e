// What became of a program's operators: the trace, answers by name, the census, and where nodes were recorded.
#include "pass/explain.h"

#include <doctest/doctest.h>

#include "export/load.h"
#include "ir/recorded_at.h"
#include "pass/census.h"
#include "pass/lower.h"
#include "pass/offspring.h"
#include "unit/build_graph.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

std::string explained(const ExportedProgram& program, const DecompositionTable& table,
                      const ExplainOptions& options = {}) {
  return explain(program, lower(program, table), options);
}

std::string about(std::string_view op) {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  return explained(program, core_aten_decompositions(), {.op = {.op = find_op(op)}});
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// A node whose metadata is this text of JSON.
struct Recorded {
  explicit Recorded(std::string_view json) : document(json::Document::parse(json)) { node.metadata = document->root(); }
  std::shared_ptr<const json::Document> document;
  Node node;
};

}  // namespace

TEST_CASE("explain: an opened call is followed by its bodies, inside of one another, and what they made") {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  CHECK(
      explained(program, core_aten_decompositions()) ==
      "linear = aten.linear(x, p_fc_weight, p_fc_bias)               # f32[2, 4], opened (composite) into 2 operators\n"
      "  # fc (torch.nn.modules.linear.Linear), site-packageslinear.py:134 in forward: return F.linear(input, "
      "self.weight, self.bias)\n"
      "  aten.t                                                      # decomposition\n"
      "    aten.transpose.int                                        # decomposition\n"
      "      permute = aten.permute(p_fc_weight, [1, 0])             # f32[3, 4]\n"
      "  addmm = aten.addmm(p_fc_bias, x, permute)                   # f32[2, 4]\n"
      "silu = aten.silu(linear)                                      # f32[2, 4], opened (decomposition) into 2 "
      "operators\n"
      "  # lesson.py:48 in forward: return torch.nn.functional.silu(self.fc(x))\n"
      "  sigmoid = aten.sigmoid(addmm)                               # f32[2, 4]\n"
      "  mul = aten.mul.Tensor(addmm, sigmoid)                       # f32[2, 4]\n"
      "2 operators: 0 survived, 2 opened, 0 removed\n");
}

TEST_CASE("explain: what survives, what is removed and why, and what takes the place of a write") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {2, 3});
  builder.call("aten::exp", {arg(x)}, "unused");
  Node* alias = builder.call("aten::alias", {arg(x)}, "alias");
  Node* sum = builder.call("aten::add.Tensor", {arg(alias), arg(1)}, "add");
  builder.output({builder.call("aten::mul_.Tensor", {arg(sum), arg(2)}, "mul_")});
  const std::string text = explained(builder.program, aten_decompositions());
  CHECK(contains(text, "unused = aten.exp(x)                                          # removed: nothing uses it\n"));
  CHECK(contains(text, "add = aten.add.Tensor(alias, 1)                               # survived\n"));
  CHECK(contains(text,
                 "mul_ = aten.mul_.Tensor(add, 2)                               # replaced by 1 operator\n"
                 "  mul = aten.mul.Tensor(add, 2)                               # f32[2, 3]\n"));
  CHECK(contains(text, "4 operators: "));
}

TEST_CASE("explain: an operator is answered for by name") {
  CHECK(contains(about("aten::linear"),
                 "no aten.linear is in the result: 1 call in the program, 1 opened (composite)\n"));
  CHECK(contains(about("aten::linear"), "1 operator: 0 survived, 1 opened, 0 removed\n"));

  // only in the result: what it came from
  CHECK(about("aten::permute").starts_with("linear = aten.linear("));
  CHECK(contains(about("aten::permute"), "aten.permute: no call in the program, 1 in the result\n1 operator: "));

  // only on the way
  CHECK(about("aten::t").starts_with("linear = aten.linear("));
  CHECK(contains(about("aten::t"), "aten.t: no call in the program or in the result; bodies called it"));

  CHECK(about("aten::silu_") ==
        "no aten.silu_ is in the program or in the result, and no body called one; nearest in the program: aten.silu\n"
        "0 operators: 0 survived, 0 opened, 0 removed\n");
  CHECK(!contains(about("aten::convolution"), "nearest"));
}

TEST_CASE("explain: a packet is all of its overloads") {
  const OpChoice add{.op = kNoOp, .packet = "aten::add"};
  CHECK(add.holds(find_op("aten::add.Tensor")));
  CHECK(add.holds(find_op("aten::add.Scalar")));
  CHECK(!add.holds(find_op("aten::addmm")));
  CHECK(!add.holds(find_op("aten::add_.Tensor")));
  CHECK(!add.holds(kNoOp));
}

TEST_CASE("explain: remarks stand beside the nodes they are about") {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  const ExportedProgram lowered = lower(program, core_aten_decompositions());
  std::unordered_map<const Node*, std::string> remarks;
  for (const Node* node : *lowered.graph)
    if (node->name == "sigmoid") remarks[node] = "outside of 'mine': why";
  CHECK(contains(explain(program, lowered, {.remarks = &remarks}),
                 "  sigmoid = aten.sigmoid(addmm)                               # f32[2, 4]\n"
                 "    # outside of 'mine': why\n"
                 "  mul = "));
}

TEST_CASE("explain: every operator of the result stands in one expansion, once") {
  for (const std::string& path : {example_path("llama.pt2"), file_path("loops.pt2"), file_path("branches.pt2")}) {
    CAPTURE(path);
    const ExportedProgram program = load(path);
    for (const DecompositionTable& table :
         {aten_decompositions(), core_aten_decompositions(), prims_decompositions()}) {
      const ExportedProgram lowered = lower(program, table);
      const Offspring offspring(*lowered.graph);
      size_t explained = 0, made = 0;
      for_each_operator(*program.graph, [&](const Node& node) {
        for (const Step& step : expansion(node, offspring.of(node))) explained += step.node != nullptr;
      });
      for (const auto& [name, count] : census_of(*lowered.graph)) made += count.calls;
      CHECK(explained == made);
    }
  }
}

TEST_CASE("census: a call inside of a sub-graph counts once") {
  const Census census = census_of(*load(file_path("loops.pt2")).graph);
  CHECK(census.at("torch.ops.aten.sum.default").calls == 1);
  CHECK(census.at("torch.ops.higher_order.while_loop").calls == 1);
  CHECK(!census.contains("operator.getitem"));
}

TEST_CASE("the line that recorded a node is the innermost outside of torch") {
  const Recorded fc(
      R"j({"stack_trace": "  File \"m.py\", line 3, in forward\n    self.fc(x)\n)j"
      R"j(  File \"/usr/lib/python3/site-packages/torch/nn/modules/linear.py\", line 9, in forward\n    F.linear(x)\n"})j");
  REQUIRE(source_line(fc.node));
  CHECK(source_line(fc.node)->place() == "m.py:3 in forward");
  CHECK(source_line(fc.node)->code == "self.fc(x)");

  const Recorded inside(R"j({"stack_trace": "File \"/x-packages/torch/a.py\", line 1, in f\n    g()"})j");
  REQUIRE(source_line(inside.node));
  CHECK(source_line(inside.node)->place() == "/x-packages/torch/a.py:1 in f");

  const Recorded other(R"j({"stack_trace": "no frame"})j"), nothing("{}");
  CHECK(!source_line(other.node));
  CHECK(!source_line(nothing.node));
  CHECK(!source_line(Node()));
}

TEST_CASE("modules are read from nn_module_stack, outermost first") {
  const Recorded fc(R"j({"nn_module_stack": "L__self__,,Net;L__self___fc,blocks.0.fc,torch.nn.Linear"})j");
  const std::vector<ModuleCall> stack = module_stack(fc.node);
  REQUIRE(stack.size() == 2);
  CHECK(stack[0].path == "");
  CHECK(stack[1].path == "blocks.0.fc");
  CHECK(stack[1].type == "torch.nn.Linear");
  CHECK(place_text(fc.node) == "blocks.0.fc (torch.nn.Linear)");

  const Recorded odd(R"j({"nn_module_stack": "k,getattr(L['self'], 'a, b'),N;without commas;"})j");
  REQUIRE(module_stack(odd.node).size() == 1);
  CHECK(module_stack(odd.node)[0].path == "getattr(L['self'], 'a, b')");
  CHECK(module_stack(Node()).empty());
}

}  // namespace rung
