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
        "tensor operand 1 is of float32, the set takes float16, bfloat16");
  CHECK(refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "rank": [3, 4]}]})") ==
        "tensor operand 1 has rank 2, the set takes 3, 4");
  const SymInt s0(make_symbol("s0", "positive=True, integer=True"));
  CHECK(refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "static": true}]})", s0) ==
        "an operand has the dynamic size s0, the set takes static ones");
  CHECK(refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "where": {"alpha": 2}}]})") ==
        "'alpha' is 1, the set takes 2");
  CHECK(!refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "where": {"alpha": 1}}]})"));
  CHECK(!refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "where": {"alpha": 1.0}}]})"));
  CHECK(refusal_of_add(R"({"ops": ["aten.mul"]})") == "the set 'set' has no aten.add.Tensor");
  // one of several will do, and where none does, all are told
  CHECK(!refusal_of_add(R"({"ops": [{"op": "aten.add", "rank": [3]}, {"op": "aten.add.Tensor", "rank": [2]}]})"));
  CHECK(
      refusal_of_add(R"({"ops": [{"op": "aten.add.Tensor", "rank": [3]}, {"op": "aten.add.Tensor", "static": true}]})",
                     s0) ==
      "tensor operand 1 has rank 2, the set takes 3; or an operand has the dynamic size s0, the set takes static ones");
}

TEST_CASE("opset: a format that fails is told with the one that stands there") {
  ProgramBuilder p;
  Node* x = p.input("x", {2, 3, 4, 5});
  Node* relu = p.call("aten::relu", {arg(x)}, "relu");
  const OpSet set = set_of(R"({"ops": [{"op": "aten.relu", "format": "channels_last"}]})");
  CHECK(set.refusal(*relu) == "tensor operand 1 is f32[2, 3, 4, 5] contiguous, the set takes channels_last");
  TensorMeta turned = *x->tensor();
  turned.strides = p.program.arena->copy(std::vector<SymInt>{1, 2, 6, 24});
  x->meta = ValueMeta::of(&turned);
  CHECK(set.refusal(*relu) ==
        "tensor operand 1 is f32[2, 3, 4, 5] with strides [1, 2, 6, 24], the set takes channels_last");
  turned.strides = p.program.arena->copy(std::vector<SymInt>{60, 1, 15, 3});
  CHECK(!set.refusal(*relu));
}

TEST_CASE("opset: a format holds for all values of a dynamic size, or fails") {
  ProgramBuilder p;
  const SymInt s0(make_symbol("s0", "positive=True, integer=True"));
  Node* x = p.input("x", {2, s0, 4});
  Node* relu = p.call("aten::relu", {arg(x)}, "relu");
  const OpSet set = set_of(R"({"ops": [{"op": "aten.relu", "format": "contiguous"}]})");
  CHECK(!set.refusal(*relu));
  TensorMeta turned = *x->tensor();
  x->meta = ValueMeta::of(&turned);
  turned.strides = p.program.arena->copy(std::vector<SymInt>{s0 * 4, 1, s0});
  CHECK(set.refusal(*relu) == "tensor operand 1 is f32[2, s0, 4] with strides [4*s0, 1, s0], the set takes contiguous");
}

TEST_CASE("opset: static is also asked of operands that are sizes themselves") {
  ProgramBuilder p;
  Node* x = p.input("x", {2});
  Node* size = p.call("aten::sym_size.int", {arg(x), arg(0)}, "size");
  size->meta.kind = ValueMeta::Kind::kSymInt;
  size->meta.number = SymInt(make_symbol("s0", "positive=True, integer=True"));
  const Argument sizes[] = {arg(size)};
  Node* full = p.call("aten::full", {Argument::list(p.program.arena->copy(Arguments(sizes))), arg(1)}, "full");
  CHECK(set_of(R"({"ops": [{"op": "aten.full", "static": true}]})").refusal(*full) ==
        "an operand has the dynamic size s0, the set takes static ones");
}

TEST_CASE("opset: lists without None") {
  ProgramBuilder p;
  Node* x = p.input("x", {4, 3}, InputKind::kUserInput);
  Node* i = p.input("i", {2}, InputKind::kUserInput, DType::kInt64);
  auto index = [&](std::vector<Argument> places, std::string_view name) {
    return p.call("aten::index.Tensor", {arg(x), Argument::list(p.program.arena->copy(places))}, name);
  };
  const OpSet set = set_of(R"({"ops": [{"op": "aten.index.Tensor", "no_none": ["indices"]}]})");
  CHECK(!set.refusal(*index({arg(i)}, "first")));
  CHECK(set.refusal(*index({Argument::none(), arg(i)}, "second")) ==
        "item 0 of 'indices' is None, the set takes lists without None");
}

TEST_CASE("opset: who computes an out or in-place form computes the functional one") {
  const OpSet set = set_of(R"({"ops": ["aten.add.out", "aten.mul_.Tensor", "aten.arange.start_out"]})");
  CHECK(set.accepts_all(op("aten::add.Tensor")));
  CHECK(set.accepts_all(op("aten::mul.Tensor")));
  CHECK(set.accepts_all(op("aten::arange.start_step")));
  CHECK(!set.accepts(op("aten::add.Scalar")));
}

TEST_CASE("opset: what is wrong with a file is said with its place") {
  CHECK(file_error(R"({"ops": ["aten.slu"]})")
            .starts_with("set.json: ops: [0]: unknown op 'aten.slu': did you mean aten.silu"));
  CHECK(file_error(R"({"ops": ["aten.frobnicate_*"]})") == "set.json: ops: [0]: no op begins with 'aten.frobnicate_'");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "rang": [1]}]})") ==
        "set.json: ops: [0]: rang: unknown condition: use dtype, rank, static, format, where, no_none");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "rank": []}]})") ==
        "set.json: ops: [0]: rank: nothing is accepted: leave the op out");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "dtype": ["floaty"]}]})") ==
        "set.json: ops: [0]: dtype: [0]: unknown dtype 'floaty'");
  CHECK(file_error(R"({"ops": [{"op": "aten.add", "where": {"gamma": 1}}]})").find("has no argument of this name") !=
        std::string::npos);
  CHECK(
      file_error(R"({"ops": [{"op": "aten.index.Tensor", "no_none": ["self"]}]})") ==
      "set.json: ops: [0]: no_none: [0]: the argument of aten.index.Tensor is a tensor, a list of tensors is expected");
  CHECK(file_error(R"({"ops": [{"op": "aten.index.Tensor", "no_none": ["places"]}]})") ==
        "set.json: ops: [0]: no_none: [0]: aten.index.Tensor has no argument 'places'");
  CHECK(file_error(R"({"ops": ["aten.add"], "without": ["aten.add.Tensor"]})") ==
        "set.json: without: [0]: aten.add.Tensor stands in 'ops' too, at [0]");
  CHECK(file_error(R"({"operators": []})") ==
        "set.json: operators: unknown field: use name, source, build, extends, without, ops");
  CHECK(file_error(R"({"name": "x"})") == "set.json: the set has neither 'ops' nor 'extends'");
  CHECK(file_error(R"({"extends": "set.json"})") == "set.json: extends: sets include each other: set.json -> set.json");
  CHECK(file_error(R"({"build": "3.1", "ops": []})") == "set.json: build: unknown build '3.1': use 2.2, 2.13 or 2.14");
  CHECK(file_error("{").starts_with("set.json: "));
}

TEST_CASE("opset: wrong types in a file, with what is expected and what stands there") {
  CHECK(file_error(R"([])") == "set.json: an op set is an object, {\"name\": ..., \"ops\": [...]}, found a list");
  CHECK(file_error(R"({"name": 3, "ops": []})") == "set.json: name: expected a string, found an integer");
  CHECK(file_error(R"({"source": [], "ops": []})") == "set.json: source: expected a string, found a list");
  CHECK(file_error(R"({"build": true, "ops": []})") == "set.json: build: expected a string, found a bool");
  CHECK(file_error(R"({"ops": 3})") == "set.json: ops: expected a list, found an integer");
  CHECK(file_error(R"({"ops": {"op": "aten.add"}})") == "set.json: ops: expected a list, found an object");
  CHECK(file_error(R"({"ops": ["aten.add", 1.5]})") ==
        "set.json: ops: [1]: an op is a name, or an object with 'op' and conditions, found a float");
  CHECK(file_error(R"({"ops": [{"rank": [1]}]})") == "set.json: ops: [0]: the key 'op' is missing");
  CHECK(file_error(R"({"ops": [{"op": ["aten.add"]}]})") == "set.json: ops: [0]: expected a string, found a list");
  CHECK(file_error(R"({"extends": 7})") == "set.json: extends: expected a list, found an integer");
  CHECK(file_error(R"({"extends": [null]})") == "set.json: extends: [0]: expected a string, found null");
  CHECK(file_error(R"({"ops": [], "without": "aten.add"})") == "set.json: without: expected a list, found a string");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "dtype": "float32"}]})") ==
        "set.json: ops: [0]: dtype: expected a list, found a string");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "rank": ["4"]}]})") ==
        "set.json: ops: [0]: rank: [0]: expected an integer, found a string");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "rank": [1, -1]}]})") ==
        "set.json: ops: [0]: rank: [1]: a rank is not negative, got -1");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "static": 1}]})") ==
        "set.json: ops: [0]: static: expected a bool, found an integer");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "format": 1}]})") ==
        "set.json: ops: [0]: format: expected a string, found an integer");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "format": "nhwc"}]})") ==
        "set.json: ops: [0]: format: unknown format 'nhwc': use contiguous, channels_last or channels_last_3d");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "where": []}]})") ==
        "set.json: ops: [0]: where: expected an object, found a list");
}

TEST_CASE("opset: values that an argument cannot hold") {
  auto where = [](std::string_view op, std::string_view condition) {
    return file_error(cat(R"({"ops": [{"op": ")", op, R"(", "where": {)", condition, "}}]}"));
  };
  CHECK(where("aten.convolution", R"("transposed": "no")") ==
        "set.json: ops: [0]: where: transposed: the argument of aten.convolution is a bool, found a string");
  CHECK(where("aten.convolution", R"("transposed": 1)") ==
        "set.json: ops: [0]: where: transposed: the argument of aten.convolution is a bool, found an integer");
  CHECK(where("aten.convolution", R"("groups": 1.5)") ==
        "set.json: ops: [0]: where: groups: the argument of aten.convolution is an integer, found a float");
  CHECK(where("aten.convolution", R"("groups": null)") ==
        "set.json: ops: [0]: where: groups: the argument of aten.convolution is an integer, found null");
  CHECK(where("aten.convolution", R"("stride": 1)") ==
        "set.json: ops: [0]: where: stride: the argument of aten.convolution is a list of integers, and cannot be held "
        "against a value");
  CHECK(where("aten.convolution", R"("input": 1)") ==
        "set.json: ops: [0]: where: input: the argument of aten.convolution is a tensor, and cannot be held against a "
        "value");
  CHECK(where("aten.convolution", R"("bias": 1)") ==
        "set.json: ops: [0]: where: bias: the argument of aten.convolution is a tensor or None, and can only be held "
        "against null");
  CHECK(where("aten.convolution", R"("bias": null, "transposed": false, "groups": 1)") == "no error");
  CHECK(where("aten.add.Tensor", R"("alpha": {"a": 1})") ==
        "set.json: ops: [0]: where: alpha: the argument of aten.add.Tensor is a number, found an object");
  CHECK(where("aten.layer_norm", R"("eps": 1)") == "no error");
}

TEST_CASE("opset: conditions that contradict each other") {
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "format": "channels_last", "rank": [4, 3]}]})") ==
        "set.json: ops: [0]: format: channels_last is of tensors of rank 4, and 'rank' takes 3");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "rank": [4], "format": "channels_last_3d"}]})") ==
        "set.json: ops: [0]: format: channels_last_3d is of tensors of rank 5, and 'rank' takes 4");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "rank": [5], "format": "channels_last_3d"}]})") == "no error");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "rank": [1], "format": "contiguous"}]})") == "no error");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "dtype": ["float32", "float32"]}]})") ==
        "set.json: ops: [0]: dtype: [1]: it stands twice in the list");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "rank": [1, 2, 1]}]})") ==
        "set.json: ops: [0]: rank: [2]: it stands twice in the list");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "dtype": ["float32"], "dtype": ["float16"]}]})") ==
        "set.json: ops: [0]: dtype: the key stands twice");
  CHECK(file_error(R"({"ops": [], "ops": ["aten.add"]})") == "set.json: ops: the key stands twice");
  CHECK(file_error(R"({"ops": [{"op": "aten.add.Tensor", "where": {"alpha": 1, "alpha": 2}}]})") ==
        "set.json: ops: [0]: where: alpha: the key stands twice");
  CHECK(
      file_error(R"({"ops": ["aten.mul", "aten.relu", {"op": "aten.relu", "rank": [2]}]})") ==
      "set.json: ops: [2]: aten.relu stands at [1] too, without conditions: those of this entry would have no effect");
  CHECK(file_error(R"({"ops": [{"op": "aten.relu", "rank": [2]}, "aten.rel*"]})") ==
        "set.json: ops: [1]: aten.relu stands at [0] too, with conditions: those of that entry would have no effect");
  CHECK(file_error(R"({"ops": [{"op": "aten.arange.start", "rank": [2]}]})") ==
        "set.json: ops: [0]: rank: aten.arange.start takes no tensor");
  CHECK(file_error(R"({"ops": [{"op": "aten.arange.start", "dtype": ["float32"]}]})") ==
        "set.json: ops: [0]: dtype: aten.arange.start takes no tensor");
  CHECK(file_error(R"({"ops": [{"op": "aten.cat", "rank": [2]}]})") == "no error");
}

TEST_CASE("opset: a file's own entry stands for what it inherits, whatever the order of the fields") {
  const OpSet set = set_of(R"({"ops": [{"op": "aten.relu.default", "rank": [4]}, "aten.silu"], "without": ["aten.mm"],
                               "extends": "core", "build": "2.14"})");
  CHECK(set.conditional() == 1);
  CHECK(set.build == Build::k2_14);
  CHECK(set.accepts(op("aten::silu")));
  CHECK(!set.accepts(op("aten::mm")));
  ProgramBuilder p;
  CHECK(set.refusal(*p.call("aten::relu", {arg(p.input("x", {2, 3}))}, "relu")) ==
        "tensor operand 1 has rank 2, the set takes 4");
}

TEST_CASE("opset: a set of its own keeps attention and opens the rest") {
  const ExportedProgram program = load(example_path("llama.pt2"));
  const OpSet set = set_of(R"({"extends": "core", "ops": ["aten.scaled_dot_product_attention", "aten.linear"]})");
  const ExportedProgram lowered = lower(program, table_for(set));
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

}  // namespace rung
