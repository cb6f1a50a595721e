// Reading: graphs are node for node what torch prints after loading; signature, metadata and weights are as the file
// says.
#include <doctest/doctest.h>

#include <cstring>

#include "export/load.h"
#include "ir/print.h"
#include "pt2_files.h"
#include "shape/expr.h"

using namespace rung;

namespace {

// The root's text, then each sub-graph's under its name.
std::string all_text(const Graph& graph) {
  std::string text = graph_text(graph);
  for (Node* node : graph)
    if (node->kind == NodeKind::kGetAttr)
      for (Graph* inner : subgraphs(*node)) text += cat("\n-- ", node->target, "\n", all_text(*inner));
  return text;
}

const StoredTensor& tensor_named(const std::vector<StoredTensor>& tensors, std::string_view name) {
  for (const StoredTensor& tensor : tensors)
    if (tensor.name == name) return tensor;
  throw std::runtime_error("no such tensor");
}

Node* node_named(const ExportedProgram& program, std::string_view name) {
  for (Node* node : *program.graph)
    if (node->name == name) return node;
  throw std::runtime_error("no such node");
}

float float_at(const ExportedProgram& program, const StoredTensor& tensor, size_t index) {
  float value;
  std::memcpy(&value, program.payloads[tensor.payload].bytes.data() + index * sizeof value, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("reader: the lesson's net, in the layouts of 2.2, 2.13 and 2.14") {
  ExportedProgram net = load(example_path("net-2.13.pt2"));
  verify(*net.graph);
  CHECK(
      graph_text(*net.graph) ==
      "graph():\n"
      "    %p_fc_weight : [num_users=1] = placeholder[target=p_fc_weight]\n"
      "    %p_fc_bias : [num_users=1] = placeholder[target=p_fc_bias]\n"
      "    %x : [num_users=1] = placeholder[target=x]\n"
      "    %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, %p_fc_weight, "
      "%p_fc_bias), kwargs = {})\n"
      "    %silu : [num_users=1] = call_function[target=torch.ops.aten.silu.default](args = (%linear,), kwargs = {})\n"
      "    return (silu,)");
  REQUIRE(net.inputs.size() == 3);
  CHECK(net.inputs[0].kind == InputKind::kParameter);
  CHECK(net.inputs[0].target == "fc.weight");
  CHECK(net.inputs[2].kind == InputKind::kUserInput);
  REQUIRE(net.outputs.size() == 1);
  CHECK(net.outputs[0].value.node == node_named(net, "silu"));
  CHECK(net.verifier == "TRAINING");
  CHECK(net.torch_version.starts_with("2.13.0"));
  const TensorMeta& meta = *node_named(net, "linear")->tensor();
  CHECK(meta.dtype == DType::kFloat32);
  CHECK(meta.sizes[1].identical(4));
  CHECK(meta.strides[0].identical(4));
  const StoredTensor& weight = tensor_named(net.state, "fc.weight");
  CHECK(weight.is_parameter);
  CHECK(net.payloads[weight.payload].bytes.size() == 48);
  CHECK(node_named(net, "silu")->metadata.at("torch_fn").as_string() == "silu_1;function.silu");

  ExportedProgram newer = load(example_path("net-2.14.pt2"));
  CHECK(newer.build == Build::k2_14);
  CHECK(graph_text(*newer.graph) == graph_text(*net.graph));

  ExportedProgram older = load(example_path("net-2.2.pt2"));
  verify(*older.graph);
  CHECK(older.build == Build::k2_2);
  CHECK(older.verifier == "ATEN");
  CHECK(node_named(older, "addmm")->args.size() == 3);
  const StoredTensor& same = tensor_named(older.state, "fc.weight");
  CHECK(same.is_parameter);
  for (size_t i = 0; i < 12; ++i) CHECK(float_at(older, same, i) == float_at(net, weight, i));
}

TEST_CASE("reader: branches, loops, symbolic sizes, effects, constants, custom operators as torch prints them") {
  for (std::string name :
       {"branches", "loops", "constants", "sizes", "counted", "effects", "state", "results", "calls", "custom"}) {
    CAPTURE(name);
    ExportedProgram program = load(file_path(cat(name, ".pt2")));
    verify(*program.graph);
    CHECK(all_text(*program.graph) == read_text(file_path(cat(name, ".txt"))));
  }
}

TEST_CASE("reader: weights stay mapped, views and ties share a file") {
  ExportedProgram program = load(file_path("state.pt2"));
  const StoredTensor& turned = tensor_named(program.state, "turned");
  CHECK(turned.payload == tensor_named(program.state, "tied").payload);
  CHECK(turned.meta->strides[0].identical(1));
  CHECK(turned.meta->strides[1].identical(3));
  const StoredTensor& part = tensor_named(program.state, "part");
  CHECK(part.meta->storage_offset.identical(10));
  CHECK(program.payloads[part.payload].bytes.size() == 4000);
  CHECK(float_at(program, part, 10) == 10.0f);
  CHECK(program.payloads[part.payload].file->holds(program.payloads[part.payload].bytes));
  CHECK(program.payloads[tensor_named(program.state, "empty").payload].bytes.empty());
  CHECK(tensor_named(program.constants, "mask").meta->sizes[0].identical(3));
  bool found = false;
  for (const InputSpec& input : program.inputs)
    if (input.target == "mask") {
      found = true;
      CHECK(input.kind == InputKind::kBuffer);
      CHECK(!input.persistent);
    }
  CHECK(found);
}

TEST_CASE("reader: constants fixed at export, and what is returned beside tensors") {
  ExportedProgram program = load(file_path("constants.pt2"));
  REQUIRE(program.inputs.size() == 5);
  CHECK(program.inputs[1].kind == InputKind::kConstantInput);
  CHECK(program.inputs[1].constant.integer == 3);
  CHECK(program.inputs[2].constant.number == 2.5);
  CHECK(program.inputs[3].constant.boolean);
  CHECK(program.inputs[4].constant.string_view() == "mode");
  REQUIRE(program.outputs.size() == 5);
  CHECK(program.outputs[1].value.integer == 3);
  CHECK(program.outputs[2].value.is_none());
}

TEST_CASE("reader: symbols have ranges and hints") {
  ExportedProgram program = load(file_path("sizes.pt2"));
  CHECK(program.range_constraints.size() >= 3);
  std::vector<int64_t> hints;
  for (const auto& [symbol, hint] : program.hints) hints.push_back(hint);
  std::sort(hints.begin(), hints.end());
  CHECK(hints == std::vector<int64_t>{2, 6, 8});
  const TensorMeta& x = *program.inputs[0].node->tensor();
  CHECK(x.sizes[0].is_symbolic());
  CHECK(x.strides[0].identical(x.sizes[1]));
  CHECK(program.inputs[1].node->meta.kind == ValueMeta::Kind::kSymInt);
}

TEST_CASE("reader: a program without its weights") {
  TemporaryFolder folder;
  Pt2File file(example_path("net-2.13.pt2"));
  file.at("weight_0").clear();
  file.write(folder.file("fake.pt2"));
  ExportedProgram program = load(folder.path() + "/fake.pt2");
  CHECK(program.payloads[0].bytes.empty());
}

TEST_CASE("reader: archives that other programs have packed again") {
  TemporaryFolder folder;
  Pt2File file(example_path("net-2.13.pt2"));
  // Sorted, another root, without what nobody needs.
  std::sort(file.entries.begin(), file.entries.end());
  file.drop("byteorder");
  file.drop("serialization_id");
  for (auto& [name, content] : file.entries) name = cat("other root", name.substr(name.find('/')));
  file.write(folder.file("net.pt2"));
  CHECK(load(folder.path() + "/net.pt2").graph->size == 6);
}
