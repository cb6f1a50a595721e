// Op sets: what files say, what calls they accept, and what is wrong with a file.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "export/load.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "pass/lower.h"
#include "shape/expr.h"
#include "unit/build_graph.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// A folder of set files that goes with the object.
struct Files {
  Files() : folder(std::filesystem::temp_directory_path() / cat("rung-opsets-", getpid())) {
    std::filesystem::create_directories(folder);
  }
  ~Files() { std::filesystem::remove_all(folder); }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  std::filesystem::path folder;
};

OpSet set_of(std::string_view text) {
  Files files;
  return read_op_set(files.write("set.json", text));
}

// Without the folder.
std::string file_error(std::string_view text) {
  Files files;
  const std::string path = files.write("set.json", text);
  try {
    read_op_set(path);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    std::string message = error.what();
    for (size_t at; (at = message.find(files.folder.string() + "/")) != message.npos;)
      message.erase(at, files.folder.string().size() + 1);
    return message;
  }
  return "no error";
}

OpId op(std::string_view name) { return find_op(name); }

// add on f32[2, 3], and its set's word on it
std::optional<std::string> refusal_of_add(std::string_view text, SymInt rows = 2, DType dtype = DType::kFloat32) {
  ProgramBuilder p;
  Node* x = p.input("x", {rows, 3}, InputKind::kUserInput, dtype);
  Node* add = p.call("aten::add.Tensor", {arg(x), arg(x)}, "add");
  return set_of(text).refusal(*add);
}

}  // namespace

TEST_CASE("opset: names, packets, wildcards and what is taken away") {
  const OpSet set =
      set_of(R"({"ops": ["aten.add.Tensor", "aten.mul", "aten.linalg_*"], "without": ["aten.linalg_inv"]})");
  CHECK(set.name == "set");
  CHECK(set.accepts(op("aten::add.Tensor")));
  CHECK(!set.accepts(op("aten::add.Scalar")));
  CHECK(set.accepts(op("aten::mul.Scalar")));
  CHECK(set.accepts(op("aten::linalg_det")));
  CHECK(!set.accepts(op("aten::linalg_inv")));
}

TEST_CASE("opset: sets extend rungs, shipped sets and files") {
  Files files;
  files.write("base.json", R"({"ops": ["aten.silu"]})");
  const OpSet set = read_op_set(files.write(
      "mine.json", R"({"extends": ["core", "base.json", "executorch_xnnpack"], "without": ["aten.sort"]})"));
  CHECK(set.accepts(op("aten::silu")));
  CHECK(set.accepts(op("aten::mm")));
  CHECK(!set.accepts(op("aten::sort")));
  CHECK(op_set_named("executorch_xnnpack").size() == 45);
  for (const ShippedSet& shipped : shipped_sets()) CHECK(op_set_named(shipped.name).size() > 10);
}

TEST_CASE("opset: conditions, with both values where they fail") {
  CHECK(!refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "dtype": ["float32"], "rank": [2], "static": true}]})"));
  CHECK(refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "dtype": ["float16", "bfloat16"]}]})") ==
        "an operand is of float32, the set takes float16, bfloat16");
  CHECK(refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "rank": [3, 4]}]})") ==
        "the first operand has rank 2, the set takes 3, 4");
  const SymInt s0(make_symbol("s0", "positive=True, integer=True"));
  CHECK(refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "static": true}]})", s0) ==
        "an operand has a dynamic size, the set takes static ones");
  CHECK(refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "where": {"alpha": 2}}]})") ==
        "'alpha' has another value than the set takes");
  CHECK(!refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "where": {"alpha": 1}}]})"));
  CHECK(refusal_of_add(R"({"ops": ["aten.mul"]})") == "the set 'set' has no aten::add.Tensor");
  // one of several will do
  CHECK(!refusal_of_add(R"({"ops": [{"op": "aten.add", "rank": [3]}, {"op": "aten.add.Tensor", "rank": [2]}]})"));
}

TEST_CASE("opset: what is wrong with a file is said with its place") {
  CHECK(file_error(R"({"ops": ["aten.slu"]})")
            .starts_with("set.json: ops: [0]: unknown op 'aten.slu': did you mean aten.silu"));
  CHECK(file_error(R"({"ops": ["aten.frobnicate_*"]})") == "set.json: ops: [0]: no op begins with 'aten.frobnicate_'");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "rang": [1]}]})") ==
        "set.json: ops: [0]: rang: unknown condition: use dtype, rank, static, format, where");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "rank": []}]})") ==
        "set.json: ops: [0]: rank: no rank is accepted: leave the op out");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "dtype": ["floaty"]}]})") ==
        "set.json: ops: [0]: dtype: [0]: unknown dtype 'floaty'");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "where": {"gamma": 1}}]})").find("has no argument of this name") !=
        std::string::npos);
  CHECK(file_error(R"({"ops": ["aten.add"], "without": ["aten.add.Tensor"]})") ==
        "set.json: without: aten::add.Tensor stands in 'ops' too");
  CHECK(file_error(R"({"ops": 3})") == "set.json: ops: a list is expected");
  CHECK(file_error(R"({"operators": []})") ==
        "set.json: operators: unknown field: use name, source, build, extends, without, ops");
  CHECK(file_error(R"({"name": "x"})") == "set.json: the set has neither 'ops' nor 'extends'");
  CHECK(file_error(R"({"extends": "set.json"})") == "set.json: extends: sets include each other: set.json -> set.json");
  CHECK(file_error(R"({"build": "3.1", "ops": []})") == "set.json: build: unknown build '3.1': use 2.2, 2.13 or 2.14");
  CHECK(file_error("{").starts_with("set.json: "));
}

TEST_CASE("opset: a set of its own keeps attention and opens the rest") {
  const ExportedProgram program = load(example_path("llama.pt2"));
  const OpSet set = set_of(R"({"extends": "core", "ops": ["aten.scaled_dot_product_attention", "aten.linear"]})");
  const ExportedProgram lowered = lower(program, table_for(set));
  drop_metadata_asserts(*lowered.graph, set);
  CHECK(violations(*lowered.graph, set).empty());
  size_t whole = 0;
  for (const Node* node : *lowered.graph)
    whole += node->is_call(Callee::kOp) && schema_of(node->op).packet() == "scaled_dot_product_attention";
  CHECK(whole > 0);
}

TEST_CASE("opset: every planted op outside of the set is found") {
  const ExportedProgram program = load(example_path("llama.pt2"));
  const OpSet set = op_set_named("coremltools_torch");
  const ExportedProgram lowered = lower(program, table_for(set));
  drop_metadata_asserts(*lowered.graph, set);
  REQUIRE(violations(*lowered.graph, set).empty());
  std::vector<Node*> calls;
  for (Node* node : *lowered.graph)
    if (node->is_call(Callee::kOp)) calls.push_back(node);
  std::vector<OpId> outside;
  for (OpId each = 0; each < all_ops().size(); ++each)
    if (!set.accepts(each)) outside.push_back(each);
  std::mt19937 random(11);
  for (int plant = 0; plant < 200; ++plant) {
    Node* node = calls[random() % calls.size()];
    const OpId right = node->op;
    node->op = outside[random() % outside.size()];
    const std::vector<Violation> found = violations(*lowered.graph, set);
    REQUIRE(found.size() == 1);
    CHECK(found[0].node == node);
    node->op = right;
  }
}

TEST_CASE("opset: a call in a sub-graph is told once") {
  const ExportedProgram program = load(file_path("branches.pt2"));
  const OpSet set = set_of(R"({"ops": ["aten.add"]})");
  const ExportedProgram lowered = lower(program, table_for(set));
  std::set<const Node*> told;
  for (const Violation& violation : violations(*lowered.graph, set)) CHECK(told.insert(violation.node).second);
  const auto is_sin = [](const Node* node) { return node->op == find_op("aten::sin"); };
  CHECK(std::ranges::count_if(told, is_sin) == 1);
}

TEST_CASE("opset: all violations are told at once, with the source and what is near") {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  const OpSet set = set_of(R"({"ops": ["aten.permute", "aten.mm", "aten.mul.Scalar"]})");
  const ExportedProgram lowered = lower(program, table_for(set));
  const std::string text = violations_text(violations(*lowered.graph, set), set);
  CHECK(text.find("'sigmoid' (torch.ops.aten.sigmoid.default): the set 'set' has no aten::sigmoid\n    from 'silu' "
                  "(torch.ops.aten.silu.default) by aten::silu") != std::string::npos);
  CHECK(text.find("the set accepts aten.mul.Scalar") != std::string::npos);
  CHECK(text.find("addmm") != std::string::npos);
}

}  // namespace rung
