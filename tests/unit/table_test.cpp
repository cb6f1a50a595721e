// Decomposition tables are values, and ops are opened and kept by what users call them.
#include "trace/table.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "trace/table_by_name.h"

using namespace rung;

namespace {

template <typename Change>
ErrorKind kind_of_refusal(Change&& change) {
  try {
    change();
  } catch (const Error& error) {
    return error.kind();
  }
  FAIL("not refused");
  return ErrorKind::kInternal;
}

}  // namespace

TEST_CASE("a packet stands for its overloads, a full name for one") {
  CHECK(ops_of_spelling("aten.silu").size() >= 2);  // default, out
  CHECK(ops_of_spelling("aten.silu.default") == std::vector<OpId>{find_op("aten::silu")});
  CHECK(ops_of_spelling("torch.ops.aten.add.Tensor") == std::vector<OpId>{find_op("aten::add.Tensor")});
  CHECK(ops_of_spelling("aten::add").size() == ops_of_spelling("aten.add").size());
  for (std::string_view wrong : {"aten.slu", "aten.silu.no_overload", "silu", "", "aten.", "."})
    CHECK(kind_of_refusal([&] { ops_of_spelling(wrong); }) == ErrorKind::kInput);
}

TEST_CASE("a table that is changed leaves its copies alone") {
  const OpId silu = find_op("aten::silu");
  const DecompositionTable core = core_aten_decompositions();
  DecompositionTable mine = core;
  keep_by_name(mine, "aten.silu");
  CHECK(core.opens(silu));
  CHECK(!mine.opens(silu));
  open_by_name(mine, "aten.silu");
  CHECK(mine.opens(silu));
}

TEST_CASE("what cannot be opened or kept is refused") {
  DecompositionTable table = core_aten_decompositions();
  CHECK(kind_of_refusal([&] { open_by_name(table, "aten.sigmoid.out"); }) == ErrorKind::kUnsupported);
  // reshape may return a view of its input: functionalization has to know, and opens it
  CHECK(kind_of_refusal([&] { keep_by_name(table, "aten.reshape"); }) == ErrorKind::kUnsupported);
}

TEST_CASE("the tables of torch are ordered: aten opens less than core") {
  const DecompositionTable aten = aten_decompositions(), core = core_aten_decompositions();
  size_t more = 0;
  for (OpId op = 0; op < all_ops().size(); ++op) {
    const bool in_both = !aten.opens(op) || core.opens(op);
    CHECK(in_both);
    more += core.opens(op) && !aten.opens(op);
  }
  CHECK(more > 0);
}
