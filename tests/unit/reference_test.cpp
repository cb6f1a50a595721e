// The prims rung: what torch's own programs in the golden cases do not reach.
#include <doctest/doctest.h>

#include "ir/print.h"
#include "pass/lower.h"
#include "shape/shape_env.h"
#include "unit/build_graph.h"

namespace rung {
namespace {

ExportedProgram lower_to_prims(const ExportedProgram& program, bool like_torch) {
  ExportedProgram lowered = like_torch ? lower(program, torch_prims_decompositions(), {.like_torch = true})
                                       : lower(program, prims_decompositions());
  verify(*lowered.graph);
  return lowered;
}

// "mul add": the calls of a program, in order.
std::string calls(const ExportedProgram& program) {
  std::string out;
  for (const Node* node : *program.graph)
    if (node->is_call(Callee::kOp)) out += (out.empty() ? "" : " ") + std::string(schema_of(node->op).packet());
  return out;
}

const TensorMeta& result(const ExportedProgram& program) { return *program.outputs.at(0).value.node->tensor(); }

std::string sizes(const TensorMeta& meta) {
  std::string out;
  for (SymInt size : meta.sizes) out += (out.empty() ? "" : ", ") + size.str();
  return out;
}

}  // namespace

TEST_CASE("references keep sizes symbolic") {
  struct Case {
    std::string_view op;
    std::vector<Argument> rest;  // after x of sizes [s0, 4] and y of sizes [4]
    std::string_view expected;
    bool takes_y = true;
  };
  const Case cases[] = {
      {"aten::add.Tensor", {}, "s0, 4"},
      {"aten::floor_divide", {}, "s0, 4"},
      {"aten::copysign.Tensor", {}, "s0, 4"},
      {"aten::ldexp.Tensor", {}, "s0, 4"},
      {"aten::pow.Tensor_Tensor", {}, "s0, 4"},
      {"aten::clamp.Tensor", {}, "s0, 4"},
      {"aten::logical_xor", {}, "s0, 4"},
      {"aten::hypot", {}, "s0, 4"},
      {"aten::pairwise_distance", {}, "s0"},
      {"aten::normal.Tensor_Tensor", {}, "s0, 4"},
      {"aten::copy", {}, "s0, 4"},
      {"aten::sigmoid", {}, "s0, 4", false},
      {"aten::selu", {}, "s0, 4", false},
      {"aten::full_like", {arg(2.0)}, "s0, 4", false},
      {"aten::zeros_like", {}, "s0, 4", false},
      {"aten::cauchy", {}, "s0, 4", false},
      {"aten::uniform", {}, "s0, 4", false},
      {"aten::rand_like", {}, "s0, 4", false},
      {"aten::angle", {}, "s0, 4", false},
  };
  for (bool like_torch : {false, true}) {
    for (const Case& each : cases) {
      CAPTURE(each.op);
      ProgramBuilder builder;
      builder.program.hints["s0"] = 3;
      builder.program.range_constraints.push_back({"s0", 2, {}});
      SymInt rows(make_symbol("s0", "positive=True, integer=True"));
      Node* x = builder.input("x", {rows, 4});
      Node* y = builder.input("y", {4});
      std::vector<Argument> args = {arg(x)};
      if (each.takes_y) args.push_back(arg(y));
      args.insert(args.end(), each.rest.begin(), each.rest.end());
      builder.output({builder.call(each.op, args, "made")});
      ExportedProgram lowered = lower_to_prims(builder.program, like_torch);
      CHECK(sizes(result(lowered)) == each.expected);
      CHECK(range_constraints_text(lowered) == "{s0: VR[2, int_oo]}");
    }
  }
}

TEST_CASE("an exponent that is a size is not looked at") {
  ProgramBuilder builder;
  builder.program.hints["s0"] = 2;  // a power of 2 would be a product
  builder.program.range_constraints.push_back({"s0", 2, {}});
  SymInt rows(make_symbol("s0", "positive=True, integer=True"));
  Node* x = builder.input("x", {rows, 4});
  Node* size = builder.call("aten::sym_size.int", {arg(x), arg(0)}, "sym_size_int");
  size->meta.kind = ValueMeta::Kind::kSymInt;
  size->meta.number = rows;
  builder.output({builder.call("aten::pow.Tensor_Scalar", {arg(x), arg(size)}, "pow_1")});
  ExportedProgram lowered = lower_to_prims(builder.program, false);
  CHECK(calls(lowered) == "sym_size pow");
  CHECK(range_constraints_text(lowered) == "{s0: VR[2, int_oo]}");
}

TEST_CASE("a reference computes in a wider type, if it does so in torch") {
  auto lowered = [](std::string_view op) {
    ProgramBuilder builder;
    Node* x = builder.input("x", {3}, InputKind::kUserInput, DType::kBFloat16);
    Node* y = builder.input("y", {3}, InputKind::kUserInput, DType::kBFloat16);
    builder.output({builder.call(op, {arg(x), arg(y)}, "made")});
    return lower_to_prims(builder.program, true);
  };
  CHECK(calls(lowered("aten::hypot")) == "convert_element_type convert_element_type hypot convert_element_type");
  CHECK(calls(lowered("aten::nextafter")) == "nextafter");
  CHECK(calls(lowered("aten::maximum")) == "convert_element_type convert_element_type maximum convert_element_type");
}

TEST_CASE("torch's reference of nll_loss sums where nothing is to be reduced; rung's does not") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {3, 5});
  Node* target = builder.input("target", {3}, InputKind::kUserInput, DType::kInt64);
  builder.output({builder.call("aten::nll_loss", {arg(x), arg(target), Argument::none(), arg(0)}, "loss")});
  CHECK(sizes(result(lower_to_prims(builder.program, false))) == "3");
  CHECK(sizes(result(lower_to_prims(builder.program, true))) == "");
}

}  // namespace rung
