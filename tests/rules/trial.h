// A call in a graph that is thrown away: as it is, or as one rule says it.
#pragma once
#include "trace/tracer.h"

namespace rung::rule_test {

/// The call itself, as it stands.
extern const Body kAsItIs;

/// What a body calls is left as it is.
class StayWhole final : public RuleChooser {
 public:
  const Rule* choose(OpId, Arguments) override { return nullptr; }
  const Rule* choose_for(int, OpId, Arguments) override { return nullptr; }
};

/// Whether a call of a program is opened above functionalization.
bool is_above(OpId op);

/// The result of `body` in `graph`. Fails as the body does.
Argument traced(Graph& graph, Body body, const Call& call, bool is_above);

/// Same dtype and sizes, and the same strides but for dimensions of length 1.
bool lies_alike(const TensorMeta& a, const TensorMeta& b);

/// Whether `result`, of a rule that gives all results or one, has the type of the call's own: what the search asks.
/// Fails as tracing the call does.
bool has_type_of_call(const Argument& result, const Call& call, bool is_above, int only_result);

}  // namespace rung::rule_test
