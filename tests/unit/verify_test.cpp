// A body that computes something else is found, wherever it stands.
#include "interp/verify.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "export/load.h"
#include "interp/distance.h"
#include "interp/inputs.h"
#include "ir/op_def.h"
#include "ops/gen/aten.h"
#include "trace/tracer.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// Not what it was, whatever it was.
Argument altered(const Argument& value, double by) {
  Tensor right(value);
  if (right.dtype() == DType::kBool) return aten::logical_not(right).argument();
  if (!is_floating(right.dtype())) return aten::add_Scalar(right, 1).argument();
  Tensor scaled = aten::mul_Scalar(right, by);
  return aten::add_Scalar(scaled, by - 1).argument();
}

// The op's own body, whose first result is altered.
OwnBody wrong_body(OpId op, double by) {
  return [op, by](const Call& call) {
    Argument result = op_def(op)->body(call);
    if (result.kind != Argument::Kind::kList) return altered(result, by);
    std::span<Argument> items = current_arena().array<Argument>(result.size);
    std::copy_n(result.items, result.size, items.data());
    items[0] = altered(items[0], by);
    return Argument::list(items);
  };
}

// Nodes of `lowered` that came by the body of `op`, by their source.
std::set<const Node*> sources_through(const ExportedProgram& lowered, OpId op) {
  std::set<const Node*> sources;
  for (const Node* node : *lowered.graph)
    for (const Frame* frame = node->origin == nullptr ? nullptr : node->origin->chain; frame != nullptr;
         frame = frame->outer)
      if (frame->op == op) sources.insert(node->origin->source);
  return sources;
}

std::vector<OpId> plantable(const ExportedProgram& lowered) {
  std::set<OpId> ops;
  for (const Node* node : *lowered.graph)
    for (const Frame* frame = node->origin == nullptr ? nullptr : node->origin->chain; frame != nullptr;
         frame = frame->outer) {
      const OpSchema& schema = schema_of(frame->op);
      bool has_body = op_def(frame->op) != nullptr && op_def(frame->op)->body != nullptr;
      if (has_body && !schema.is_view() && !schema.has(kCompositeImplicit)) ops.insert(frame->op);
    }
  return {ops.begin(), ops.end()};
}

// Nodes of the program that came to use the op's body, the first of them.
const Node* first_through(const ExportedProgram& program, const ExportedProgram& lowered, OpId op) {
  const std::set<const Node*> sources = sources_through(lowered, op);
  for (const Node* node : *program.graph)
    if (sources.contains(node)) return node;
  return nullptr;
}

// Where only what nobody looks at is wrong, there is nothing to find.
bool has_effect(const ExportedProgram& program, const DecompositionTable& table,
                const std::vector<interp::Value>& inputs, const Tensor& right) {
  try {
    const Tensor got = interp::run(lower(program, table), inputs).outputs[0].tensor;
    return interp::distance(right, got) > interp::allowed_distance(*program.graph);
  } catch (const Error&) {
    return true;  // indices that are altered lie outside
  }
}

TEST_CASE("verify: a wrong body is named, with the first node that parts by it") {
  const ExportedProgram program = load(example_path("llama.pt2"));
  const auto inputs = *interp::sample_inputs(program);
  const Tensor right = interp::run(program, inputs).outputs[0].tensor;
  const std::vector<OpId> ops = plantable(lower(program, core_aten_decompositions()));
  REQUIRE(ops.size() > 5);
  std::mt19937 random(7);
  int planted = 0;
  for (int tries = 0; planted < 50 && tries < 200; ++tries) {
    const OpId op = ops[random() % ops.size()];
    const double by = 1 + 0.5 / (1 + static_cast<double>(random() % 8));
    DecompositionTable table = core_aten_decompositions();
    table.open_by(op, wrong_body(op, by));
    if (!has_effect(program, table, inputs, right)) continue;
    ++planted;
    CAPTURE(schema_of(op).name);
    CAPTURE(by);
    const interp::Verification result = interp::verify(program, table, inputs);
    CHECK(!result.same);
    REQUIRE(result.parting);
    REQUIRE(!result.parting->bodies.empty());
    CHECK(schema_of(result.parting->bodies.back()).name == schema_of(op).name);
    CHECK(result.parting->source->name == first_through(program, result.lowered, op)->name);
  }
  CHECK(planted == 50);
}

TEST_CASE("verify: the right lowering is found to be right") {
  const ExportedProgram program = load(example_path("llama.pt2"));
  const auto inputs = *interp::sample_inputs(program);
  for (const DecompositionTable& table :
       {aten_decompositions(), core_aten_decompositions(), prims_decompositions(Build::k2_13)}) {
    const interp::Verification result = interp::verify(program, table, inputs);
    CHECK(result.same);
    CHECK(result.outputs == 1);
    CHECK(result.distance < 8);
  }
}

}  // namespace
}  // namespace rung
