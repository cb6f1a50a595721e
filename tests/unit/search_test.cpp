// The search for the cheapest way into an op set, beside a slow one that looks at everything.
#include "opset/search.h"

#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "export/load.h"
#include "interp/distance.h"
#include "ir/bind.h"
#include "ir/print.h"
#include "ops/gen/aten.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "opset/signature.h"
#include "pass/lower.h"
#include "rules/rules.h"
#include "rules/traced_call.h"
#include "unit/build_graph.h"
#include "unit/chain.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// Without the order of the finer costs: calls that the set does not take, then all calls.
constexpr size_t kSamples = 2;
constexpr int kSets = 10;
struct Price {
  size_t outside = 0, calls = 0;
  friend auto operator<=>(const Price&, const Price&) = default;
};

// Every call that rules lead to from those of a program, each with its ways on: what a rule leaves in its place.
class EveryCall {
 public:
  explicit EveryCall(const ExportedProgram& program) {
    const ExportedProgram& whole = kept_program(program);
    whole.graph->count_uses();
    for (const Node* node : *whole.graph)
      if (is_priced(*node)) roots_.push_back(place_of(*node, true, only_result(*node)));
    for (size_t next = 0; next < calls_.size() && calls_.size() < kMost; ++next) explore(next);
  }

  static constexpr size_t kMost = 5000;
  size_t size() const { return calls_.size(); }

  std::vector<OpId> ops() const {
    std::vector<OpId> all;
    for (const EachCall& each : calls_) all.push_back(each.op);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// What it costs as it stands.
  Price whole(const OpSet& set) const {
    Price all;
    for (size_t root : roots_) all = {all.outside + !set.accepts_all(calls_[root].op), all.calls + 1};
    return all;
  }
  /// What the program costs in a set of whole ops. Prices fall until nothing falls any more.
  Price cheapest(const OpSet& set) const {
    std::vector<Price> prices;
    for (const EachCall& each : calls_) prices.push_back({set.accepts_all(each.op) ? 0u : 1u, 1});
    for (bool falls = true; falls;) {
      falls = false;
      for (size_t i = 0; i < calls_.size(); ++i)
        if (!set.accepts_all(calls_[i].op)) falls |= fall(prices, i);
    }
    return sum(prices, roots_);
  }

  static bool is_priced(const Node& node) { return node.is_call(Callee::kOp) && !reads_size(node.op); }

 private:
  using Ways = std::vector<std::vector<size_t>>;
  struct EachCall {
    OpId op;
    std::vector<Argument> args;
    bool is_above;  // functionalization
    int only_result;
    Ways ways;
  };

  // With types at all nodes.
  const ExportedProgram& kept_program(const ExportedProgram& program) {
    program_ = std::make_unique<ExportedProgram>(lower(program, aten_decompositions()));
    return *program_;
  }

  static Price sum(const std::vector<Price>& prices, const std::vector<size_t>& calls) {
    Price all;
    for (size_t call : calls) all = {all.outside + prices[call].outside, all.calls + prices[call].calls};
    return all;
  }
  // A way that leaves something outside of the set leads nowhere: the call itself does no worse.
  bool fall(std::vector<Price>& prices, size_t call) const {
    bool falls = false;
    for (const std::vector<size_t>& way : calls_[call].ways) {
      const Price price = sum(prices, way);
      if (price.outside > 0 || price >= prices[call]) continue;
      prices[call] = price;
      falls = true;
    }
    return falls;
  }

  static int only_result(const Node& node) {
    int only = -1;
    for (const Node* each = node.next; each != nullptr; each = each->next) {
      if (!each->is_call(Callee::kGetItem) || each->args[0].node != &node || each->uses == 0) continue;
      if (only >= 0) return -1;
      only = static_cast<int>(each->args[1].integer);
    }
    return only;
  }

  // CompositeImplicit ops are opened above functionalization where what calls them is.
  size_t place_of(const Node& node, bool is_above, int only_result = -1) {
    EachCall call = {node.op, {}, is_above && rule_test::is_above(node.op), only_result, {}};
    bind_arguments(schema_of(node.op), node.args, node.kwargs, *arenas_.emplace_back(std::make_unique<Arena>()),
                   call.args);
    Signature key;
    write_signature(key, call.op, call.args);
    key.push_back(static_cast<uint64_t>(only_result));
    key.push_back(call.is_above);
    auto [found, is_new] = places_.emplace(std::move(key), calls_.size());
    if (is_new) calls_.push_back(std::move(call));
    return found->second;
  }

  void explore(size_t at) {
    if (const OpDef* row = op_def(calls_[at].op)) {
      if (Body body = body_in(*row, Build::k2_13)) follow(at, {"decomposition", body}, false);
      if (row->reference != nullptr) follow(at, {"reference", row->reference}, false);
    }
    for (const Rule& rule : lateral_rules(calls_[at].op)) follow(at, rule, true);
  }

  void follow(size_t at, const Rule& rule, bool is_lateral) {
    if (rule.only_result >= 0 && rule.only_result != calls_[at].only_result) return;
    ShapeEnv env;
    ShapeEnvScope scope(env);
    Graph& graph = *graphs_.emplace_back(std::make_unique<Graph>(*arenas_.emplace_back(std::make_unique<Arena>())));
    const std::vector<Argument> args = calls_[at].args;
    const Call call = {calls_[at].op, args};
    const bool is_above = calls_[at].is_above;
    Argument result;
    try {
      result = rule_test::traced(graph, rule.body, call, is_above);
      if (is_not_decomposed(result)) return;
      if (is_lateral && !rule_test::has_type_of_call(result, call, is_above, rule.only_result)) return;
    } catch (const Error& error) {
      REQUIRE(error.kind() != ErrorKind::kInternal);
      return;
    }
    std::vector<size_t> way;
    for (const Node* node : used_nodes(graph, result)) way.push_back(place_of(*node, is_above));
    calls_[at].ways.push_back(std::move(way));
  }

  static std::vector<const Node*> used_nodes(const Graph& graph, const Argument& result) {
    std::unordered_set<const Node*> used;
    for_each_node(result, [&](const Node* node) { used.insert(node); });
    std::vector<const Node*> priced;
    for (const Node* node = graph.last; node != nullptr; node = node->previous) {
      if (!used.contains(node)) continue;
      for_each_operand(*node, [&](const Node* operand) { used.insert(operand); });
      if (is_priced(*node)) priced.push_back(node);
    }
    return priced;
  }

  std::unique_ptr<ExportedProgram> program_;
  std::vector<std::unique_ptr<Arena>> arenas_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<EachCall> calls_;
  std::vector<size_t> roots_;
  std::unordered_map<Signature, size_t, SignatureHash> places_;
};

Price price_of(const ExportedProgram& lowered, const OpSet& set) {
  Price price = {violations(*lowered.graph, set).size(), 0};
  for (const Node* node : *lowered.graph) price.calls += EveryCall::is_priced(*node);
  return price;
}

// Of some ops, without one.
OpSet random_set(const std::vector<OpId>& ops, OpId without, std::mt19937& random) {
  OpSet set;
  const uint32_t share = 1 + random() % 8;
  for (OpId op : ops)
    if (random() % 10 < share && op != without) set.accept(op);
  return set;
}
OpSet set_of(const std::vector<std::string_view>& ops) {
  OpSet set;
  for (std::string_view op : ops) set.accept(find_op(op));
  return set;
}

// ---- small programs

Node* item(ProgramBuilder& p, Node* call, int64_t index, std::string_view name) {
  Node* node = p.program.graph->append(NodeKind::kCall, name);
  node->callee = Callee::kGetItem;
  const Argument args[] = {arg(call), Argument::of(index)};
  node->args = p.program.arena->copy(Arguments(args));
  return node;
}
void any_of_rows(ProgramBuilder& p) {
  Node* any = p.call("aten::any.dim", {arg(p.input("x", {2, 3})), arg(1)}, "any_1");
  p.output({p.call("aten::logical_not", {arg(any)}, "logical_not")});
}
void choice(ProgramBuilder& p) {
  Node *x = p.input("x", {2, 3}), *y = p.input("y", {2, 3});
  Node* sub = p.call("aten::sub.Tensor", {arg(x), arg(y)}, "sub");
  Node* eq = p.call("aten::eq.Scalar", {arg(sub), arg(0.5)}, "eq");
  p.output({p.call("aten::where.self", {arg(eq), arg(x), arg(y)}, "where")});
}
void largest(ProgramBuilder& p) {
  Node* max = p.call("aten::max.dim", {arg(p.input("x", {2, 3})), arg(-1)}, "max_1");
  p.output({p.call("aten::neg", {arg(item(p, max, 0, "getitem"))}, "neg")});
}
void largest_and_place(ProgramBuilder& p) {
  Node* max = p.call("aten::max.dim", {arg(p.input("x", {2, 3})), arg(-1)}, "max_1");
  p.output({item(p, max, 0, "getitem"), item(p, max, 1, "getitem_1")});
}
void rows_by_place(ProgramBuilder& p) {
  Node* table = p.input("table", {5, 3});
  Node* places = p.input("places", {4}, InputKind::kUserInput, DType::kInt64);
  Node* rows = p.call("aten::embedding", {arg(table), arg(places)}, "embedding");
  p.output({p.call("aten::mm", {arg(rows), arg(p.input("weight", {3, 2}))}, "mm")});
}
void norm(ProgramBuilder& p) {
  Node* x = p.input("x", {2, 4});
  Node* norm = p.call("aten::native_layer_norm", {arg(x), p.ints({4}), Argument::none(), Argument::none(), arg(1e-5)},
                      "native_layer_norm");
  p.output({item(p, norm, 0, "getitem")});
}
void powers(ProgramBuilder& p) {
  Node* x = p.input("x", {2, 3});
  Node* pow = p.call("aten::pow.Tensor_Scalar", {arg(x), arg(2)}, "pow_1");
  Node* rsub = p.call("aten::rsub.Scalar", {arg(pow), arg(1.0)}, "rsub");
  p.output({p.call("aten::mean.dim", {arg(rsub), p.ints({1}), Argument::of(true)}, "mean")});
}
// ---- an op's samples

std::vector<Tensor> values_of(const ExportedProgram& program, const std::vector<interp::Value>& inputs) {
  std::vector<Tensor> values;
  for (const interp::Value& value : interp::run(program, inputs).outputs) values.push_back(value.tensor);
  return values;
}

// How many sets opened the call.
size_t try_sets(OpId op, Arguments args, const rule_test::Samples& samples, std::mt19937& random) {
  std::vector<Tensor> expected;
  rule_test::TracedCall call(op, args, samples);
  const ExportedProgram* program = nullptr;
  try {
    program = &call.finish(call.trace());
    expected = values_of(*program, call.inputs());
  } catch (const Error&) {
    return 0;  // the op does not take it
  }
  CAPTURE(node_text(*program->graph->last->previous));
  const EveryCall calls(*program);
  REQUIRE(calls.size() < EveryCall::kMost);
  size_t opened = 0;
  for (int i = 0; i < kSets; ++i) {
    const OpSet set = random_set(calls.ops(), op, random);
    const ExportedProgram lowered = lower(*program, table_for(set));
    const Price expected_price = calls.cheapest(set), price = price_of(lowered, set);
    CHECK(price.outside == expected_price.outside);
    CHECK(price.calls <= expected_price.calls);  // fewer where an operand turns out to be unused: fill(empty) by full
    if (price.outside > 0) continue;
    ++opened;
    const std::vector<Tensor> got = values_of(lowered, call.inputs());
    for (size_t k = 0; k < expected.size(); ++k) {
      CAPTURE(graph_text(*lowered.graph));
      CHECK(interp::distance(expected[k], got[k]) <= 64);
    }
  }
  return opened;
}

using MakeProgram = void (*)(ProgramBuilder&);
constexpr MakeProgram kPrograms[] = {any_of_rows, choice, largest, largest_and_place, rows_by_place, norm, powers};

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double fastest_lowering(const ExportedProgram& program, const DecompositionTable& table) {
  double fastest = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = cpu_seconds();
    lower(program, table);
    fastest = std::min(fastest, cpu_seconds() - start);
  }
  return fastest;
}

}  // namespace

TEST_CASE("search: no combination of rules is cheaper, whatever the set is") {
  std::mt19937 random(5);
  size_t reached = 0, left = 0, opened = 0;
  for (MakeProgram make : kPrograms) {
    ProgramBuilder p;
    make(p);
    const EveryCall calls(p.program);
    REQUIRE(calls.size() < EveryCall::kMost);
    const std::vector<OpId> ops = calls.ops();
    for (int i = 0; i < 100; ++i) {
      const OpSet set = random_set(ops, kNoOp, random);
      const Price expected = calls.cheapest(set), got = price_of(lower(p.program, table_for(set)), set);
      CHECK(got.outside == expected.outside);
      CHECK(got.calls == expected.calls);
      (expected.outside == 0 ? reached : left) += 1;
      opened += expected != calls.whole(set);
    }
  }
  CHECK(reached > 100);
  CHECK(left > 100);
  CHECK(opened > 100);
}

TEST_CASE("search: of every op that has rules, no way is cheaper, and all compute the same") {
  std::mt19937 random(6);
  size_t opened = 0;
  for (OpId op = 0; op < all_ops().size(); ++op) {
    if (lateral_rules(op).empty()) continue;
    rule_test::Samples samples(op, DType::kFloat32);
    rule_test::add_samples(op, samples);
    for (size_t i = 0; i < std::min(samples.calls().size(), kSamples); ++i)
      opened += try_sets(op, samples.calls()[i], samples, random);
  }
  CHECK(opened > 1000);
}

TEST_CASE("search: what a user keeps stays whole, and what he opens is opened") {
  ProgramBuilder p;
  p.output({p.call("aten::silu", {arg(p.input("x", {2, 3}))}, "silu")});
  auto packets = [&](const DecompositionTable& table) {
    const ExportedProgram lowered = lower(p.program, table);
    std::string text;
    for (const Node* node : *lowered.graph)
      if (node->is_call(Callee::kOp)) text += cat(text.empty() ? "" : " ", schema_of(node->op).packet());
    return text;
  };
  const OpSet parts = set_of({"aten::sigmoid", "aten::mul.Tensor"});
  const OpSet all = set_of({"aten::silu", "aten::sigmoid", "aten::mul.Tensor"});
  DecompositionTable keeps = table_for(parts), opens = table_for(all), opens_so = table_for(all);
  keeps.keep(find_op("aten::silu"));
  opens.open(find_op("aten::silu"));
  opens_so.open_by(find_op("aten::silu"), [](const Call& call) { return aten::abs(Tensor(call.args[0])).argument(); });
  CHECK(packets(table_for(parts)) == "sigmoid mul");
  CHECK(packets(keeps) == "silu");
  CHECK(packets(table_for(all)) == "silu");
  CHECK(packets(opens) == "sigmoid mul");
  CHECK(packets(opens_so) == "abs");

  DecompositionTable table = table_for(all);
  CHECK(packets(table) == "silu");  // from now on it knows the call
  table.open(find_op("aten::silu"));
  CHECK(packets(table) == "sigmoid mul");
  table.keep(find_op("aten::silu"));
  CHECK(packets(table) == "silu");
}

TEST_CASE("search: places that cannot be seen in one dimension are copied into one") {
  ProgramBuilder p;
  Node* weight = p.input("weight", {5, 4});
  Node* places = p.input("places", {3}, InputKind::kUserInput, DType::kInt64);
  Node* spread = p.call("aten::expand", {arg(places), p.ints({2, 3})}, "expand");
  p.output({p.call("aten::embedding", {arg(weight), arg(spread)}, "embedding")});
  const OpSet set = set_of({"aten::expand", "aten::clone", "aten::view", "aten::index_select"});
  const ExportedProgram lowered = lower(p.program, table_for(set));
  CHECK(violations(*lowered.graph, set).empty());
}

TEST_CASE("search: the same program comes out of it twice") {
  for (std::string_view name : {"executorch_xnnpack", "torch_mlir_to_stablehlo", "onnx_torchlib"}) {
    const ExportedProgram program = load(example_path("llama.pt2"));
    const DecompositionTable table = table_for(op_set_named(name));
    CHECK(graph_text(*lower(program, table).graph) == graph_text(*lower(program, table).graph));
  }
}

TEST_CASE("search: twice as many blocks take far less than four times as long") {
  const ExportedProgram small = chain_program(500), large = chain_program(1000);
  for (std::string_view name : {"executorch_xnnpack", "torch_mlir_to_stablehlo"}) {
    const DecompositionTable table = table_for(op_set_named(name));
    double ratio = 0;
    for (int attempt = 0; attempt < 10; ++attempt) {  // a busy machine may spoil one
      ratio = fastest_lowering(large, table) / fastest_lowering(small, table);
      if (ratio < 3.0) break;
    }
    CAPTURE(name);
    CHECK(ratio < 3.0);
  }
}

}  // namespace rung
