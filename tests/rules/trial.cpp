// Types of traced results.
#include "rules/trial.h"

#include <algorithm>

#include "trace/dispatch.h"

namespace rung::rule_test {
namespace {

bool is_same_type(const Argument& a, const Argument& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Argument::Kind::kList) return std::ranges::equal(a.list_items(), b.list_items(), is_same_type);
  return a.kind != Argument::Kind::kNode || lies_alike(*a.node->tensor(), *b.node->tensor());
}

}  // namespace

const Body kAsItIs = [](const Call& call) { return dispatch(call.op, call.args); };

bool is_above(OpId op) { return schema_of(op).has(kCompositeImplicit); }

Argument traced(Graph& graph, Body body, const Call& call, bool is_above) {
  DecompositionTable table;
  StayWhole stay;
  return Tracer::trial(graph, table, {&stay, is_above}, body, call);
}

bool lies_alike(const TensorMeta& a, const TensorMeta& b) {
  auto same = [](SymInt m, SymInt n) { return m.identical(n); };
  if (a.dtype != b.dtype || !std::ranges::equal(a.sizes, b.sizes, same)) return false;
  for (size_t i = 0; i < a.rank(); ++i)
    if (!a.sizes[i].identical(1) && !a.strides[i].identical(b.strides[i])) return false;
  return true;
}

bool has_type_of_call(const Argument& result, const Call& call, bool is_above, int only_result) {
  Arena arena;
  Graph graph(arena);
  const Argument whole = traced(graph, kAsItIs, call, is_above);
  if (only_result < 0) return is_same_type(whole, result);
  const auto only = static_cast<size_t>(only_result);
  return is_same_type(whole.list_items()[only], result.list_items()[only]);
}

}  // namespace rung::rule_test
