// One export, lowered to a set that keeps large operators whole and to one of small operators: docs/two-back-ends.md
#include <doctest/doctest.h>

#include <algorithm>

#include "export/load.h"
#include "interp/inputs.h"
#include "interp/verify.h"
#include "ops/gen/aten.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "opset/report.h"
#include "pass/census.h"
#include "pass/lower.h"
#include "schema/floor.h"
#include "unit/build_graph.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

constexpr std::string_view kAttention = "torch.ops.aten.scaled_dot_product_attention.default",
                           kNorm = "torch.ops.aten.layer_norm.default", kLinear = "torch.ops.aten.linear.default",
                           kConvolution = "torch.ops.aten.convolution.default",
                           kConv2d = "torch.ops.aten.conv2d.default";

OpSet set_of(const std::string& name) { return read_op_set(example_path(name + ".json")); }

ExportedProgram patches() { return load(example_path("patches.pt2")); }

ExportedProgram lowered_to(const ExportedProgram& program, const OpSet& set) { return lower(program, table_for(set)); }

size_t calls_of(std::string_view op, const ExportedProgram& program) {
  const Census census = census_of(*program.graph);
  const auto found = census.find(std::string(op));
  return found == census.end() ? 0 : found->second.calls;
}

std::vector<interp::Value> images(int64_t batch, DType dtype = DType::kFloat32) {
  return {aten::randn({batch, 3, 16, 16}, dtype)};
}

// A program of one call.
ExportedProgram attention_of(const std::vector<SymInt>& sizes, DType dtype) {
  ProgramBuilder p;
  std::vector<Argument> operands;
  for (std::string_view name : {"q", "k", "v"})
    operands.push_back(arg(p.input(name, sizes, InputKind::kUserInput, dtype)));
  p.output({p.call("aten::scaled_dot_product_attention", operands, "attention")});
  return lower(p.program, aten_decompositions());  // with metadata
}

}  // namespace

TEST_CASE("two back ends: either lowering is inside of its set, call by call") {
  const ExportedProgram program = patches();
  for (const std::string name : {"vendor-library", "fusing-compiler"}) {
    CAPTURE(name);
    const OpSet set = set_of(name);
    CHECK(!violations(*program.graph, set).empty());
    const ExportedProgram lowered = lowered_to(program, set);
    verify(*lowered.graph);
    CHECK(violations(*lowered.graph, set).empty());
  }
}

TEST_CASE("two back ends: the vendor's large operators are all there, and the compiler has none but the floor's") {
  const ExportedProgram program = patches();
  const ExportedProgram vendor = lowered_to(program, set_of("vendor-library"));
  const ExportedProgram fusing = lowered_to(program, set_of("fusing-compiler"));
  for (std::string_view op : {kAttention, kNorm, kLinear}) {
    CAPTURE(op);
    CHECK(calls_of(op, program) > 0);
    CHECK(calls_of(op, vendor) == calls_of(op, program));
    CHECK(calls_of(op, fusing) == 0);
  }
  // conv2d is the convolution of two dimensions; no primitive has windows, so the compiler has it too
  CHECK(calls_of(kConv2d, program) == 1);
  CHECK(calls_of(kConv2d, vendor) + calls_of(kConv2d, fusing) == 0);
  CHECK(calls_of(kConvolution, vendor) == 1);
  CHECK(calls_of(kConvolution, fusing) == 1);
}

TEST_CASE("two back ends: what the compiler gets is prims, the floor, and a dynamic size") {
  const ExportedProgram fusing = lowered_to(patches(), set_of("fusing-compiler"));
  size_t prims = 0, floor = 0, sizes = 0;
  for_each_operator(*fusing.graph, [&](const Node& call) {
    CAPTURE(call.name);
    if (call.callee == Callee::kPython) return void(++sizes);  // operator.mul
    REQUIRE(call.callee == Callee::kOp);
    if (schema_of(call.op).name == "aten::sym_size.int") return void(++sizes);
    if (schema_of(call.op).ns() == "prims") return void(++prims);
    CHECK(std::ranges::find(prims_floor(), call.op, &FloorOp::op) != prims_floor().end());
    ++floor;
  });
  CHECK(prims > 100);
  CHECK(floor == 11);  // products: five of linear layers and two of attention; three slices, and the convolution
  CHECK(sizes > 0);
}

TEST_CASE("two back ends: both compute what the program does, on its samples and on batches of other sizes") {
  const ExportedProgram program = patches();
  std::vector<std::vector<interp::Value>> inputs{*interp::sample_inputs(program), images(1), images(5)};
  for (const std::string name : {"vendor-library", "fusing-compiler"})
    for (const auto& given : inputs) {
      CAPTURE(name);
      const interp::Verification result = interp::verify(program, table_for(set_of(name)), given);
      CHECK(result.same);
      CHECK(result.outputs == 1);
      CHECK(result.distance <= (name == "vendor-library" ? 0 : 2));
    }
}

TEST_CASE("two back ends: without layer_norm there is no path; with a square root there is one, to the same values") {
  const ExportedProgram program = patches();
  OpSet set = set_of("vendor-library-1.0");
  const ExportedProgram stays = lowered_to(program, set);
  const std::vector<Violation> outside = violations(*stays.graph, set);
  REQUIRE(outside.size() == 2);
  for (const Violation& violation : outside)
    CHECK(violation.reason == "the set 'vendor-library-1.0' has no aten.layer_norm");
  CHECK_THROWS_AS(check_reached(stays, set), Error);

  set.accept(find_op("aten::rsqrt"));
  const ExportedProgram opened = lowered_to(program, set);
  check_reached(opened, set);
  CHECK(calls_of(kNorm, opened) == 0);
  CHECK(calls_of("torch.ops.aten.rsqrt.default", opened) == 2);
  CHECK(interp::verify(program, table_for(set), *interp::sample_inputs(program)).same);
}

TEST_CASE("two back ends: attention that meets no condition of the vendor's is opened where the parts are there") {
  const OpSet vendor = set_of("vendor-library");
  const auto halves = lowered_to(attention_of({2, 2, 16, 8}, DType::kFloat16), vendor);
  CHECK(calls_of(kAttention, halves) == 1);

  const ExportedProgram without_heads = lowered_to(attention_of({2, 16, 8}, DType::kFloat32), vendor);
  CHECK(violations(*without_heads.graph, vendor).empty());
  CHECK(calls_of(kAttention, without_heads) == 0);
  CHECK(calls_of("torch.ops.aten.bmm.default", without_heads) == 2);
  CHECK(calls_of("torch.ops.aten._softmax.default", without_heads) == 1);

  const ExportedProgram stays = lowered_to(attention_of({2, 2, 16, 8}, DType::kBFloat16), vendor);
  const std::vector<Violation> outside = violations(*stays.graph, vendor);
  REQUIRE(outside.size() == 1);
  CHECK(outside[0].reason == "tensor operand 1 is of bfloat16, the set takes float32, float16, bool");
}

TEST_CASE("two back ends: models of others, one export each") {
  const OpSet vendor_set = set_of("vendor-library"), fusing_set = set_of("fusing-compiler");
  for (const std::string name : {"vit", "deit", "dinov2", "swin", "convnext", "bert"}) {
    CAPTURE(name);
    const ExportedProgram program = load(test_folder() + "../golden/models/" + name + ".pt2");
    const ExportedProgram vendor = lowered_to(program, vendor_set), fusing = lowered_to(program, fusing_set);
    CHECK(violations(*vendor.graph, vendor_set).empty());
    CHECK(violations(*fusing.graph, fusing_set).empty());
    for (std::string_view op : {kAttention, kNorm, kLinear}) {
      CHECK(calls_of(op, vendor) == calls_of(op, program));
      CHECK(calls_of(op, fusing) == 0);
    }
    CHECK(calls_of(kLinear, program) > 0);
    CHECK(calls_of(kConvolution, vendor) == calls_of(kConv2d, program));
  }
}

}  // namespace rung
