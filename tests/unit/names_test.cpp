// Names of nodes and of placeholders.
#include <doctest/doctest.h>

#include "ir/names.h"
#include "pass/placeholder_names.h"
#include "unit/build_graph.h"

namespace rung {

TEST_CASE("names count up from their base, and a number once given is not given again") {
  Arena arena;
  Names names(arena);
  CHECK(names.create("add") == "add");
  CHECK(names.create("add") == "add_1");
  CHECK(names.create("add_7") == "add_7");
  CHECK(names.create("add") == "add_8");
  CHECK(names.create("add_7") == "add_9");
  CHECK(names.create("log1p") == "log1p");
  CHECK(names.create("arg0_1") == "arg0_1");
  CHECK(names.create("arg0_1") == "arg0_2");
}

TEST_CASE("a name that shadows Python gets a number at once") {
  Arena arena;
  Names names(arena);
  CHECK(names.create("sum") == "sum_1");
  CHECK(names.create("sum") == "sum_2");
  CHECK(names.create("and") == "and_1");
  CHECK(names.create("slice") == "slice_1");
}

TEST_CASE("characters that Python does not allow become underscores") {
  Arena arena;
  Names names(arena);
  CHECK(names.create("a.b::c") == "a_b_c");
  CHECK(names.create("3d") == "_3d");
  CHECK(names.create("") == "_unnamed");
}

TEST_CASE("the base name of an op is its packet in snake case") {
  CHECK(op_base_name(find_op("aten::__and__.Tensor")) == "and");
  CHECK(op_base_name(find_op("aten::numpy_T")) == "numpy_t");
  CHECK(op_base_name(find_op("aten::add_.Tensor")) == "add_");
  CHECK(op_base_name(find_op("aten::_assert_tensor_metadata")) == "_assert_tensor_metadata");
}

TEST_CASE("placeholders win over calls that have their name") {
  ProgramBuilder builder;
  Node* x = builder.input("mul_1", {2});
  Node* first = builder.call("aten::mul.Tensor", {arg(x), arg(2)}, "mul");
  Node* second = builder.call("aten::mul.Tensor", {arg(first), arg(2)}, "mul_1");
  Node* third = builder.call("aten::mul.Tensor", {arg(second), arg(2)}, "mul_2");
  builder.output({third});
  Names given(*builder.program.arena);
  for (Node* node : {first, second, third}) given.create(node->name);
  rename_calls(*builder.program.graph, given);
  CHECK(x->name == "mul_1");
  CHECK(first->name == "mul");
  CHECK(second->name == "mul_2");
  CHECK(third->name == "mul_3");
}

}  // namespace rung
