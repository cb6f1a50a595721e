// The op sets of real back ends are reached: by nearly all models, and by an attention block with the same values.
#include "opset/reach.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "export/load.h"
#include "interp/inputs.h"
#include "interp/verify.h"
#include "opset/read_op_set.h"
#include "pass/census.h"
#include "schema/nearest.h"
#include "unit/golden_programs.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// What torch's own tables were measured against; they miss 12 of these on the block.
constexpr std::string_view kStudied[] = {
    "core",
    "onnx_torchlib",
    "tvm_exported_program",
    "coremltools_torch",
    "openvino_fx",
    "torch_tensorrt_converters",
    "executorch_mlx",
    "torchax_jaten",
    "litert_torch",
    "executorch_portable_kernels",
    "executorch_vulkan",
    "torch_xla_native",
    "executorch_arm_tosa_pro_fp",
    "executorch_qualcomm_qnn",
    "tinygrad_torch_backend",
    "torch_mlir_to_stablehlo",
    "torch_mlir_to_tosa",
    "torch_mlir_to_linalg",
    "executorch_samsung_enn",
    "executorch_xnnpack",
    "executorch_nxp_neutron",
    "prims",
};

// They seed a partitioner: what they lack runs elsewhere.
constexpr std::string_view kDelegates[] = {"executorch_arm_tosa_pro_fp", "executorch_arm_tosa_pro_int",
                                           "executorch_nxp_neutron", "executorch_samsung_enn", "executorch_xnnpack"};

OpSet set_named(std::string_view name) {
  const bool is_rung = name == "core" || name == "prims";
  return is_rung ? read_op_set(cat(test_folder(), "../coverage/sets/", name, ".json")) : op_set_named(name);
}

std::vector<ExportedProgram> golden_models() {
  std::vector<ExportedProgram> models;
  for (const std::string& path : golden_programs("models")) models.push_back(load(path));
  return models;
}

// Elsewhere torch refuses a number for a tensor when the program runs.
constexpr std::string_view kTakeNumbers[] = {"add", "sub", "mul", "div", "floor_divide", "copy"};

// "aten.ge.Tensor: other; ": numbers in the place of tensors.
std::string numbers_for_tensors(const Graph& graph) {
  std::set<std::string> found;
  for_each_operator(graph, [&](const Node& call) {
    if (call.callee != Callee::kOp || schema_of(call.op).ns() != "aten") return;
    const OpSchema& schema = schema_of(call.op);
    if (std::ranges::find(kTakeNumbers, schema.packet()) != std::end(kTakeNumbers)) return;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const Argument::Kind kind = call.args[i].kind;
      const bool is_number = kind >= Argument::Kind::kBool && kind <= Argument::Kind::kComplex;
      if (is_number && schema.args[i].type == ArgType::kTensor)
        found.insert(cat(short_name(call.op), ": ", schema.args[i].name));
    }
  });
  std::string text;
  for (const std::string& each : found) text += cat(each, "; ");
  return text;
}

}  // namespace

TEST_CASE("studied sets: the attention block reaches at least 19 of the 22 sets of the study") {
  const ExportedProgram block = load(file_path("block.pt2"));
  int reached = 0;
  for (std::string_view name : kStudied) {
    const OpSet set = set_named(name);
    reached += violations(*lower(block, table_for(set)).graph, set).empty();
  }
  CHECK(std::size(kStudied) == 22);
  CHECK(reached >= 19);
}

TEST_CASE("studied sets: on every set the attention block computes what it did") {
  const ExportedProgram block = load(file_path("block.pt2"));
  std::vector<std::string_view> names = {"core", "prims"};
  for (const ShippedSet& set : shipped_sets()) names.push_back(set.name);
  for (uint64_t seed : {1, 2}) {
    const std::vector<interp::Value> inputs = interp::random_inputs(block, seed);
    for (std::string_view name : names) {
      CAPTURE(name);
      const interp::Verification result = interp::verify(block, table_for(set_named(name)), inputs);
      CHECK(result.same);
      CHECK(result.outputs == 1);
    }
  }
}

TEST_CASE("studied sets: at least 45 of the 49 models reach each set that is no partial delegate") {
  const std::vector<ExportedProgram> models = golden_models();
  REQUIRE(models.size() == 49);
  for (const ShippedSet& shipped : shipped_sets()) {
    if (std::ranges::find(kDelegates, shipped.name) != std::end(kDelegates)) continue;
    CAPTURE(shipped.name);
    const OpSet set = op_set_named(shipped.name);
    const DecompositionTable table = table_for(set);
    const auto reached = std::ranges::count_if(
        models, [&](const ExportedProgram& model) { return violations(*lower(model, table).graph, set).empty(); });
    CHECK(reached >= 45);
  }
}

TEST_CASE("studied sets: no operator of ATen is given a number for a tensor, but for those that take one") {
  for (const ExportedProgram& model : golden_models())
    for (const ShippedSet& shipped : shipped_sets()) {
      CAPTURE(shipped.name);
      CHECK(numbers_for_tensors(*lower(model, table_for(op_set_named(shipped.name))).graph) == "");
    }
}

}  // namespace rung
