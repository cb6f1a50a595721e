// Models lowered to the op sets that ship with rung: how many get there, and what holds of what comes out.
#include "opset/reach.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <thread>

#include "export/load.h"
#include "ir/print.h"
#include "opset/read_op_set.h"
#include "pass/lower.h"
#include "unit/golden_programs.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// How many models of tests/golden/models, of 48, are lowered to a set with nothing left outside: never fewer.
struct Reached {
  std::string_view set;
  size_t models;
};
constexpr Reached kReached[] = {
    {"coremltools_torch", 48},
    {"executorch_arm_tosa_pro_fp", 0},
    {"executorch_arm_tosa_pro_int", 0},
    {"executorch_edge_yaml", 48},
    {"executorch_mlx", 48},
    {"executorch_nxp_neutron", 0},
    {"executorch_portable_kernels", 48},
    {"executorch_qualcomm_qnn", 48},
    {"executorch_samsung_enn", 9},
    {"executorch_vulkan", 48},
    {"executorch_xnnpack", 5},
    {"litert_torch", 48},
    {"onnx_torchlib", 48},
    {"openvino_fx", 48},
    {"tinygrad_torch_backend", 48},
    {"torch_inductor_lowerings", 48},
    {"torch_mlir_registered", 48},
    {"torch_mlir_to_linalg", 48},
    {"torch_mlir_to_stablehlo", 45},
    {"torch_mlir_to_tosa", 48},
    {"torch_tensorrt_converters", 48},
    {"torch_xla_native", 48},
    {"torchax_jaten", 48},
    {"tvm_exported_program", 48},
};

// Ops that the set takes whatever their arguments are, and that were opened all the same.
std::set<std::string_view> opened_in_vain(const Graph& graph, const OpSet& set, const DecompositionTable& table) {
  std::set<std::string_view> ops;
  for (const Node* node : graph) {
    const Frame* frame = node->origin == nullptr ? nullptr : node->origin->chain;
    for (; frame != nullptr; frame = frame->outer) {
      // functionalization needs the parts of these
      const bool must_open = table.must_open(frame->op) || DecompositionTable::opens_above(frame->op);
      if (set.accepts_all(frame->op) && !must_open) ops.insert(schema_of(frame->op).name);
    }
  }
  return ops;
}

size_t asserts_in(const Graph& graph) {
  size_t count = 0;
  for (const Node* node : graph)
    count += node->is_call(Callee::kOp) && schema_of(node->op).packet() == "_assert_scalar";
  return count;
}

}  // namespace

TEST_CASE("reach: models come into the sets that ship, whole where the set takes them") {
  std::map<std::string_view, size_t> reached;
  for (const std::string& path : golden_programs("models")) {
    const ExportedProgram program = load(path);
    for (const ShippedSet& shipped : shipped_sets()) {
      const OpSet set = op_set_named(shipped.name);
      const DecompositionTable table = table_for(set);
      const ExportedProgram lowered = lower(program, table);
      CAPTURE(path);
      CAPTURE(shipped.name);
      verify(*lowered.graph);
      for (std::string_view op : opened_in_vain(*lowered.graph, set, table)) FAIL_CHECK(op, " was opened");
      reached[shipped.name] += violations(*lowered.graph, set).empty();
    }
  }
  REQUIRE(std::size(kReached) == shipped_sets().size());
  for (const Reached& least : kReached) {
    CAPTURE(least.set);
    CHECK(reached[least.set] >= least.models);
  }
}

TEST_CASE("reach: an op that a set takes and that was opened is found") {
  const ExportedProgram program = load(example_path("llama.pt2"));
  const OpSet set = op_set_named("openvino_fx");
  DecompositionTable table = table_for(set);
  CHECK(opened_in_vain(*lower(program, table).graph, set, table).empty());
  table.open(find_op("aten::silu"));
  CHECK(opened_in_vain(*lower(program, table).graph, set, table) == std::set<std::string_view>{"aten::silu"});
}

TEST_CASE("reach: what a table found for one program holds for the next") {
  std::vector<std::string> paths = golden_programs("models");
  for (const std::string& path : golden_programs("dynamic")) paths.push_back(path);
  paths.push_back(file_path("sizes.pt2"));
  for (std::string_view name : {"executorch_xnnpack", "torch_mlir_to_linalg", "tinygrad_torch_backend"}) {
    const OpSet set = op_set_named(name);
    const DecompositionTable kept = table_for(set);
    auto text = [](const ExportedProgram& program, const DecompositionTable& table) {
      return graph_text(*lower(program, table).graph);
    };
    for (const std::string& path : paths) {
      CAPTURE(path);
      CAPTURE(name);
      const ExportedProgram program = load(path);
      const std::string alone = text(program, table_for(set));
      CHECK(text(program, kept) == alone);
      CHECK(text(program, kept) == alone);
    }
  }
}

TEST_CASE("reach: threads lower by one table at once") {
  const OpSet set = op_set_named("torch_mlir_to_linalg");
  const DecompositionTable table = table_for(set);
  const ExportedProgram alone = lower(load(example_path("llama.pt2")), table_for(set));
  std::vector<std::string> texts(8);
  std::vector<std::thread> threads;
  for (std::string& text : texts)
    threads.emplace_back([&] {
      const ExportedProgram program = load(example_path("llama.pt2"));
      for (int i = 0; i < 20; ++i) text = graph_text(*lower(program, table).graph);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) CHECK(text == graph_text(*alone.graph));
}

TEST_CASE("reach: what is known of dynamic sizes is the same in every set") {
  std::vector<std::string> paths = golden_programs("dynamic");
  paths.push_back(file_path("sizes.pt2"));
  for (const std::string& path : paths) {
    const ExportedProgram program = load(path);
    const ExportedProgram core = lower(program, core_aten_decompositions());
    for (std::string_view name : {"coremltools_torch", "executorch_xnnpack", "torch_mlir_to_stablehlo"}) {
      const ExportedProgram lowered = lower(program, table_for(op_set_named(name)));
      CAPTURE(path);
      CAPTURE(name);
      verify(*lowered.graph);
      CHECK(range_constraints_text(lowered) == range_constraints_text(core));
      CHECK(asserts_in(*lowered.graph) == asserts_in(*core.graph));
    }
  }
}

}  // namespace rung
