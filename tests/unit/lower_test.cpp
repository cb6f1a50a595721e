// Lowering of small programs: functionalization, tables, dead code, refusals.
#include "pass/lower.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "ir/print.h"
#include "unit/build_graph.h"

namespace rung {
namespace {

// The lines of the lowered graph after its placeholders, without "call_function" and kwargs.
std::string lowered_calls(const ExportedProgram& program, const DecompositionTable& table,
                          const LowerOptions& options = {}) {
  ExportedProgram lowered = lower(program, table, options);
  verify(*lowered.graph);
  std::string out;
  for (const Node* node : *lowered.graph) {
    if (node->kind != NodeKind::kCall) continue;
    out += cat(node->name, " = ",
               target_name(*node).substr(target_name(*node).find("aten.") == std::string::npos ? 0 : 15), '\n');
  }
  return out;
}

std::string message_of(const ExportedProgram& program, const DecompositionTable& table, const LowerOptions& options,
                       ErrorKind kind) {
  try {
    lower(program, table, options);
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("silu opens in core and stays whole in aten") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {2, 3});
  builder.output({builder.call("aten::silu", {arg(x)}, "silu")});
  CHECK(lowered_calls(builder.program, core_aten_decompositions()) == "sigmoid = sigmoid.default\nmul = mul.Tensor\n");
  CHECK(lowered_calls(builder.program, aten_decompositions()) == "silu = silu.default\n");
  DecompositionTable keeps = core_aten_decompositions();
  keeps.keep(find_op("aten::silu"));
  CHECK(lowered_calls(builder.program, keeps) == "silu = silu.default\n");
}

TEST_CASE("a write through a view of an input becomes a mutation of the input, and dead views leave gaps") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {2, 3});
  Node* view = builder.call("aten::slice.Tensor", {arg(x), arg(1), arg(0), arg(2)}, "slice_1");
  builder.call("aten::mul_.Tensor", {arg(view), arg(2)}, "mul_");
  builder.output({builder.call("aten::mul.Tensor", {arg(x), arg(3)}, "mul")});
  ExportedProgram lowered = lower(builder.program, aten_decompositions());
  verify(*lowered.graph);
  CHECK(lowered_calls(builder.program, aten_decompositions()) ==
        "slice_1 = slice.Tensor\nmul = mul.Tensor\nslice_scatter = slice_scatter.default\nmul_1 = mul.Tensor\n");
  REQUIRE(lowered.outputs.size() == 2);
  CHECK(lowered.outputs[0].kind == OutputKind::kUserInputMutation);
  CHECK(lowered.outputs[0].target == "x");
  CHECK(lowered.outputs[0].value.node->name == "slice_scatter");
  CHECK(lowered.outputs[1].kind == OutputKind::kUserOutput);
}

TEST_CASE("a buffer that is written to is the first output") {
  ProgramBuilder builder;
  Node* count = builder.input("b_count", {3}, InputKind::kBuffer);
  Node* x = builder.input("x", {3});
  builder.call("aten::mul_.Tensor", {arg(count), arg(2)}, "mul_");
  builder.output({builder.call("aten::mul.Tensor", {arg(x), arg(count)}, "mul")});
  ExportedProgram lowered = lower(builder.program, aten_decompositions());
  REQUIRE(lowered.outputs.size() == 2);
  CHECK(lowered.outputs[0].kind == OutputKind::kBufferMutation);
  CHECK(lowered.outputs[0].target == "b_count");
  CHECK(graph_text(*lowered.graph).ends_with("return (mul, mul_1)"));
}

TEST_CASE("a constant must not be written to") {
  ProgramBuilder builder;
  Node* constant = builder.input("c_table", {3}, InputKind::kTensorConstant);
  builder.call("aten::mul_.Tensor", {arg(constant), arg(2)}, "mul_");
  builder.output({constant});
  CHECK(contains(message_of(builder.program, aten_decompositions(), {}, ErrorKind::kUnsupported),
                 "'c_table' is mutated"));
}

TEST_CASE("unused calls go, asserts stay") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {3});
  builder.call("aten::mul.Tensor", {arg(x), arg(2)}, "mul");
  builder.call("aten::_assert_tensor_metadata", {arg(x)}, "_assert_tensor_metadata");
  builder.output({builder.call("aten::mul.Tensor", {arg(x), arg(3)}, "mul_1")});
  CHECK(lowered_calls(builder.program, aten_decompositions()) ==
        "_assert_tensor_metadata = _assert_tensor_metadata.default\nmul_1 = mul.Tensor\n");
}

TEST_CASE("a view that no longer fits is copied first, or refused as torch refuses it") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {2, 3});
  Node* turned = builder.call("aten::t", {arg(x)}, "t");
  builder.output({builder.call("aten::view", {arg(turned), builder.ints({6})}, "view")});
  CHECK(lowered_calls(builder.program, aten_decompositions()) ==
        "t = t.default\nclone = clone.default\nview = view.default\n");
  std::string refusal =
      message_of(builder.program, aten_decompositions(), {.like_torch = true}, ErrorKind::kUnsupported);
  CHECK(contains(refusal, "node 2 'view'"));
  CHECK(contains(refusal, "cannot view a tensor with shape [3, 2] and strides [1, 3] as a tensor with shape [6]"));
}

TEST_CASE("a shape error names the node and both shapes") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {2, 3});
  Node* y = builder.input("y", {2, 4});
  builder.output({builder.call("aten::mul.Tensor", {arg(x), arg(y)}, "mul")});
  std::string message = message_of(builder.program, aten_decompositions(), {}, ErrorKind::kInput);
  CHECK(contains(message, "node 2 'mul' (torch.ops.aten.mul.Tensor): shapes [2, 3] and [2, 4]"));
}

TEST_CASE("lowering twice changes nothing more") {
  ProgramBuilder builder;
  Node* count = builder.input("b_count", {3}, InputKind::kBuffer);
  Node* x = builder.input("x", {3});
  builder.call("aten::mul_.Tensor", {arg(count), arg(2)}, "mul_");
  Node* silu = builder.call("aten::silu", {arg(x)}, "silu");
  builder.output({builder.call("aten::mul.Tensor", {arg(silu), arg(count)}, "mul")});
  ExportedProgram once = lower(builder.program, core_aten_decompositions());
  ExportedProgram twice = lower(once, core_aten_decompositions());
  CHECK(graph_text(*once.graph) == graph_text(*twice.graph));
  CHECK(twice.outputs[0].kind == OutputKind::kBufferMutation);
}

TEST_CASE("lowering a written input again copies into it, as torch does") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {2, 3});
  builder.call("aten::mul_.Tensor", {arg(x), arg(2)}, "mul_");
  builder.output({builder.call("aten::relu", {arg(x)}, "relu")});
  ExportedProgram once = lower(builder.program, core_aten_decompositions());
  CHECK(lowered_calls(once, core_aten_decompositions()) ==
        "mul = mul.Tensor\nrelu = relu.default\ncopy = copy.default\n");
}

TEST_CASE("checks of factorizations keep their order by a token, the first input and the first output") {
  ProgramBuilder builder;
  Node* x = builder.input("token", {3, 3});
  Node* inverse = builder.call("aten::linalg_inv", {arg(x)}, "linalg_inv");
  builder.output({builder.call("aten::linalg_cholesky", {arg(inverse)}, "linalg_cholesky")});
  ExportedProgram lowered = lower(builder.program, core_aten_decompositions());
  verify(*lowered.graph);
  CHECK(signature_text(lowered) ==
        "\n# inputs\ntoken_1: TOKEN\ntoken: USER_INPUT\n\n# outputs\ngetitem_6: TOKEN\ngetitem_4: USER_OUTPUT\n");
  const std::string text = graph_text(*lowered.graph);
  CHECK(contains(text,
                 "with_effects](args = (%token_1, aten._linalg_check_errors.default, %getitem_1, linalg.inv), "
                 "kwargs = {is_matrix: True})"));
  CHECK(contains(text,
                 "with_effects](args = (%getitem_2, aten._linalg_check_errors.default, %getitem_5, "
                 "linalg.cholesky), kwargs = {is_matrix: True})"));
  CHECK(graph_text(*lower(lowered, core_aten_decompositions()).graph) == text);
  CHECK(lower(builder.program, aten_decompositions()).inputs.size() == 1);
}

TEST_CASE("every lowered node knows where it came from") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {2, 3});
  Node* silu = builder.call("aten::silu", {arg(x)}, "silu");
  builder.output({silu});
  ExportedProgram lowered = lower(builder.program, core_aten_decompositions());
  for (const Node* node : *lowered.graph) {
    if (node->kind != NodeKind::kCall) continue;
    REQUIRE(node->origin != nullptr);
    CHECK(node->origin->source == silu);
    CHECK(node->origin->chain->op == find_op("aten::silu"));
  }
}

}  // namespace rung
