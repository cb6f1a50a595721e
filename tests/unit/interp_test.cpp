// Programs at work: their inputs, what they write, loops, arrays of numpy, and what cannot be computed.
#include <doctest/doctest.h>

#include <filesystem>

#include "export/load.h"
#include "export/save.h"
#include "interp/distance.h"
#include "interp/inputs.h"
#include "interp/npz.h"
#include "interp/repro.h"
#include "nn/safetensors.h"
#include "ops/gen/aten.h"
#include "ref/data.h"
#include "shape/expr.h"
#include "unit/build_graph.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

using Floats = std::vector<float>;
using interp::NamedTensors;
using interp::Value;

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const Tensor& find(const NamedTensors& tensors, std::string_view name) {
  for (const auto& [each, tensor] : tensors)
    if (each == name) return tensor;
  throw std::runtime_error("no such tensor");
}

// x + x.sum(0) on f32[rows, 3]
ProgramBuilder sum_program(SymInt rows) {
  ProgramBuilder p;
  Node* x = p.input("x", {rows, 3});
  Node* sum = p.call("aten::sum.dim_IntList", {arg(x), p.ints({0})}, "sum_1");
  p.output({p.call("aten::add.Tensor", {arg(x), arg(sum)}, "add")});
  return p;
}

}  // namespace

TEST_CASE("interp: arrays of numpy are read as numpy wrote them") {
  const NamedTensors arrays = interp::load_npz(file_path("arrays.npz"));
  CHECK(arrays.size() == 7);
  CHECK(to_vector<float>(find(arrays, "grid")) == Floats{0, 1, 2, 3, 4, 5});
  const Tensor& fortran = find(arrays, "fortran");
  CHECK(to_vector<float>(fortran) == Floats{0, 1, 2, 3, 4, 5});
  CHECK(fortran.stride(0) == 1);
  CHECK(item_int(find(arrays, "number")) == -7);
  CHECK(sizes_text(find(arrays, "empty")) == "[0, 2]");
  CHECK(to_vector<bool>(find(arrays, "truth")) == std::vector<bool>{true, false});
  CHECK(to_vector<std::complex<float>>(find(arrays, "wave"))[0] == std::complex<float>(1, 2));
  CHECK(find(arrays, "half").dtype() == DType::kFloat16);
}

TEST_CASE("interp: what is written as arrays is read again") {
  const std::string path = (std::filesystem::temp_directory_path() / cat("rung-interp-", getpid(), ".npz")).string();
  const Tensor turned = aten::t(tensor<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  const Tensor brain = aten::to_dtype(tensor({1.5f, -2.0f}), DType::kBFloat16);
  interp::save_npz({{"turned", turned}, {"brain", brain}, {"one", tensor(int64_t{4})}}, path);
  const NamedTensors read = interp::load_npz(path);
  std::filesystem::remove(path);
  CHECK(to_vector<float>(find(read, "turned")) == Floats{1, 4, 2, 5, 3, 6});
  CHECK(find(read, "brain").dtype() == DType::kUInt16);
  CHECK(interp::distance(brain, interp::bits_as(find(read, "brain"), DType::kBFloat16)) == 0);
  CHECK(item_int(find(read, "one")) == 4);
}

TEST_CASE("interp: damaged arrays are refused") {
  auto read = [](std::string_view bytes) {
    return message_of([&] { interp::read_npz({bytes.data(), bytes.size()}); });
  };
  CHECK(contains(read("not an archive"), "the archive's directory is missing or damaged"));
  CHECK(contains(message_of([] { interp::load_npz("missing.npz"); }), "missing.npz"));
}

TEST_CASE("interp: inputs go by name or by position") {
  ProgramBuilder p = sum_program(2);
  const Tensor x = tensor<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  for (const char* name : {"x", "in0"}) {
    const auto inputs = interp::named_inputs(p.program, {{name, x}, {"out0", x}});
    CHECK(to_vector<float>(interp::run(p.program, inputs).outputs[0].tensor) == Floats{6, 9, 12, 9, 12, 15});
  }
  auto named = [&](const NamedTensors& given) { return message_of([&] { interp::named_inputs(p.program, given); }); };
  CHECK(named({}) == "input 'x' (or in0) is missing: the program takes x f32[2, 3]");
  CHECK(named({{"x", x}, {"y", x}}) == "there is no input 'y': the program takes x f32[2, 3]");
  CHECK(named({{"x", x}, {"in0", x}}) == "an input is given twice, by name and by position");
}

TEST_CASE("interp: an array lies as the program's input does, whatever its sizes") {
  const SymInt rows = SymInt(make_symbol("s0", "positive=True, integer=True"));
  ProgramBuilder p = sum_program(rows);
  TensorMeta turned = *p.program.inputs[0].node->tensor();
  const SymInt strides[] = {1, rows};
  turned.strides = strides;
  p.program.inputs[0].node->meta = ValueMeta::of(&turned);
  const Tensor x = tensor<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor given = interp::named_inputs(p.program, {{"x", x}})[0].tensor;
  CHECK(given.stride(0).value() == 1);
  CHECK(given.stride(1).value() == 2);
  CHECK(to_vector<float>(given) == Floats{1, 2, 3, 4, 5, 6});
  // of another rank, it is left as it is, and refused later
  CHECK(interp::named_inputs(p.program, {{"x", tensor<float>({1, 2}, {2})}})[0].tensor.stride(0).value() == 1);
}

TEST_CASE("interp: inputs that do not fit are refused with both values") {
  ProgramBuilder p = sum_program(2);
  auto given = [&](std::vector<Value> inputs) { return message_of([&] { interp::run(p.program, inputs); }); };
  CHECK(given({}) == "got 0 inputs, and takes 1: the program takes x f32[2, 3]");
  CHECK(given({tensor<double>({1, 2, 3, 4, 5, 6}, {2, 3})}) == "input 'x': the program takes float32, got float64");
  CHECK(given({tensor<float>({1, 2, 3}, {3})}) == "input 'x': the program takes f32[2, 3], got f32[3]");
  CHECK(given({tensor<float>({1, 2, 3}, {1, 3})}) ==
        "input 'x': the program takes f32[2, 3], got f32[1, 3]: size 0 must be 2");
}

TEST_CASE("interp: dynamic sizes hold to their ranges, and to one value each") {
  const SymInt s0(make_symbol("s0", "positive=True, integer=True"));
  ProgramBuilder p = sum_program(s0);
  Node* y = p.program.graph->insert_before(p.program.graph->first->next, NodeKind::kPlaceholder, "y");
  y->target = "y";
  y->meta = p.program.graph->first->meta;
  InputSpec spec;
  spec.node = y;
  p.program.inputs.push_back(spec);
  p.program.range_constraints.push_back({"s0", 2, 8});
  auto rows = [](int64_t count) { return aten::ones({count, 3}); };
  CHECK(sizes_text(interp::run(p.program, {rows(4), rows(4)}).outputs[0].tensor) == "[4, 3]");
  auto given = [&](int64_t x, int64_t other) {
    return message_of([&] { interp::run(p.program, {rows(x), rows(other)}); });
  };
  CHECK(given(9, 9) == "input 'x', size 0: cannot bind s0 to 9: its range is [2, 8]");
  CHECK(given(3, 4) == "s0 is bound to 3 and to 4");
}

TEST_CASE("interp: a program writes to copies, and says what it wrote to") {
  const ExportedProgram program = load(file_path("state.pt2"));
  const auto inputs = *interp::sample_inputs(program);
  for (int time = 0; time < 2; ++time) {
    const interp::RunResult result = interp::run(program, inputs);
    CHECK(to_vector<float>(result.outputs[0].tensor) == Floats{32, 33, 34});
    REQUIRE(result.mutated.size() == 2);
    CHECK(to_vector<float>(find(result.mutated, "sum")) == Floats{1, 1, 1});
    CHECK(to_vector<float>(find(result.mutated, "x")) == Floats{2, 2, 2});
    CHECK(to_vector<float>(inputs[0].tensor) == Floats{1, 1, 1});
  }
}

TEST_CASE("interp: branches and loops") {
  const ExportedProgram branches = load(file_path("branches.pt2"));
  CHECK(interp::run(branches, *interp::sample_inputs(branches)).outputs.size() == 1);
  const ExportedProgram loops = load(file_path("loops.pt2"));
  const auto inputs = *interp::sample_inputs(loops);
  CHECK(to_vector<float>(interp::run(loops, inputs).outputs[0].tensor) == Floats{5});
  CHECK(contains(message_of([&] { interp::run(loops, inputs, {.max_iterations = 3}); }),
                 "a loop goes on after 3 iterations"));
}

TEST_CASE("interp: sizes and strides that no memory has are refused") {
  auto run = [](ProgramBuilder& p) { return message_of([&] { interp::run(p.program, {aten::ones({2, 3})}); }); };
  {
    ProgramBuilder p;
    Node* x = p.input("x", {2, 3});
    Node* far = p.call("aten::as_strided", {arg(x), p.ints({4}), p.ints({1000}), Argument::none()}, "far");
    p.output({p.call("aten::add.Tensor", {arg(far), arg(1)}, "add")});
    CHECK(contains(run(p), "node 'far' (torch.ops.aten.as_strided.default): "));
  }
  {
    ProgramBuilder p;
    Node* x = p.input("x", {2, 3});
    Node* flat =
        p.call("aten::as_strided",
               {arg(x), p.ints({int64_t{1} << 40, int64_t{1} << 40}), p.ints({0, 0}), Argument::none()}, "flat");
    p.output({p.call("aten::add.Tensor", {arg(flat), arg(1)}, "add")});
    CHECK(contains(run(p), "node 'add'"));
  }
  {
    ProgramBuilder p;
    p.input("x", {2, 3});
    p.output({p.call("aten::full", {p.ints({int64_t{1} << 50}), arg(1.0)}, "full")});
    CHECK(contains(run(p), "bytes, and the machine has"));
  }
}

TEST_CASE("interp: weights that are not what the graph says are refused") {
  ProgramBuilder p;
  Node* w = p.input("w", {3}, InputKind::kParameter);
  p.output({p.call("aten::add.Tensor", {arg(w), arg(1)}, "add")});
  const std::array<double, 3> numbers = {1, 2, 3};
  StoredTensor stored;
  stored.name = "w";
  TensorMeta meta = *w->tensor();
  meta.dtype = DType::kFloat64;
  stored.meta = &meta;
  p.program.payloads.push_back({.bytes = {reinterpret_cast<const char*>(numbers.data()), sizeof numbers}});
  p.program.state.push_back(stored);
  CHECK(message_of([&] { interp::run(p.program, {}); }) ==
        "'w' is f64[3] among the file's tensors, and f32[3] in its graph");
  p.program.payloads[0].bytes = p.program.payloads[0].bytes.first(8);
  CHECK(contains(message_of([&] { interp::run(p.program, {}); }), "exported without its weights: 'w' has no values"));
}

TEST_CASE("interp: one call of a program is a program") {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  const auto inputs = *interp::sample_inputs(program);
  std::vector<std::pair<const Node*, Value>> values;
  const Node* linear = nullptr;
  interp::RunOptions options;
  options.observe = [&](const Node& node, const Value& value) {
    values.emplace_back(&node, value);
    if (node.name == "linear") linear = &node;
  };
  interp::run(program, inputs, options);
  REQUIRE(linear != nullptr);
  const interp::Repro repro = interp::one_call(*linear, values, Build::k2_13);
  const std::string path = (std::filesystem::temp_directory_path() / cat("rung-one-call-", getpid(), ".pt2")).string();
  save(repro.program, path);
  const Tensor again = interp::run(load(path), interp::named_inputs(repro.program, repro.inputs)).outputs[0].tensor;
  std::filesystem::remove(path);
  for (const auto& [node, value] : values)
    if (node == linear) CHECK(interp::distance(value.tensor, again) == 0);
}

}  // namespace rung
