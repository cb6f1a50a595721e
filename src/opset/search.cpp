// Rules are tried in graphs that are thrown away; what they call is priced by the same search.
#include "opset/search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_set>

#include "base/error.h"
#include "meta/layout.h"
#include "opset/signature.h"
#include "rules/rules.h"
#include "shape/shape_env.h"
#include "trace/dispatch.h"
#include "trace/tracer.h"

namespace rung {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;  // outside of every set: a call that needs itself
constexpr size_t kDeepest = 24;             // rules inside rules: a way that is longer is none
constexpr std::string_view kDecomposition = "decomposition", kReference = "reference";

// The call itself, as it stands.
constexpr Body kAsItIs = [](const Call& call) { return dispatch(call.op, call.args); };

class StayWhole final : public RuleChooser {
 public:
  const Rule* choose(OpId, Arguments) override { return nullptr; }
  const Rule* choose_for(int, OpId, Arguments) override { return nullptr; }
};

int64_t bytes_of(const ValueMeta& meta) {
  if (meta.kind == ValueMeta::Kind::kList) {
    int64_t sum = 0;
    for (const ValueMeta& item : *meta.list) sum += bytes_of(item);
    return sum;
  }
  const TensorMeta* tensor = meta.as_tensor();
  if (tensor == nullptr) return 0;
  const SymInt count = meta::numel(*tensor);
  const int64_t elements = count.is_int() ? count.value() : current_shape_env().hint(count.expr()).value_or(1);
  return elements * static_cast<int64_t>(info(tensor->dtype).bytes);
}

int64_t bytes_moved(const Node& call) {
  if (schema_of(call.op).is_view()) return 0;
  int64_t sum = bytes_of(call.meta);
  for_each_operand(call, [&](const Node* operand) { sum += bytes_of(operand->meta); });
  return sum;
}

bool is_same_type(const Argument& a, const Argument& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Argument::Kind::kList) return std::ranges::equal(a.list_items(), b.list_items(), is_same_type);
  if (a.kind != Argument::Kind::kNode) return true;
  const TensorMeta *x = a.node->tensor(), *y = b.node->tensor();
  if (x == nullptr || y == nullptr) return x == y;
  auto same = [](SymInt m, SymInt n) { return m.identical(n); };
  if (x->dtype != y->dtype || !std::ranges::equal(x->sizes, y->sizes, same)) return false;
  for (size_t i = 0; i < x->rank(); ++i)
    if (!x->sizes[i].identical(1) && !x->strides[i].identical(y->strides[i])) return false;
  return true;
}

// The nodes that `result` needs.
std::unordered_set<const Node*> live_nodes(const Graph& graph, const Argument& result) {
  std::unordered_set<const Node*> live;
  auto mark = [&](const Node* node) { live.insert(node); };
  for_each_node(result, mark);
  for (const Node* node = graph.last; node != nullptr; node = node->previous)
    if (live.contains(node)) for_each_operand(*node, mark);
  return live;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  outside += other.outside;
  calls += other.calls;
  bytes += other.bytes;
  rules += other.rules;
  return *this;
}

// While a rule is tried: what its body calls stays as it is, and its price is noted.
class Search::Pricing final : public RuleChooser {
 public:
  explicit Pricing(Search& search) : search_(search) {}

  const Rule* choose(OpId op, Arguments args) override {
    choices_.push_back(search_.price({op, args}));
    return nullptr;
  }
  const Rule* choose_for(int, OpId op, Arguments args) override { return choose(op, args); }

  /// Of what `result` needs. Calls were asked for in the order in which they stand in the graph.
  Choice total(const Rule& rule, const Graph& graph, const Argument& result) const {
    const std::unordered_set<const Node*> live = live_nodes(graph, result);
    Choice sum = {{0, 0, 0, 1}, &rule};
    size_t asked = 0;
    for (const Node* node : graph) {
      if (!node->is_call(Callee::kOp) || reads_size(node->op)) continue;
      const Choice* choice = search_.table_.opens(node->op) ? &choices_.at(asked++) : nullptr;
      if (choice != nullptr) sum.left_out |= choice->left_out;
      if (live.contains(node)) add(sum, *node, choice);
    }
    std::ranges::sort(sum.outside);
    sum.outside.erase(std::ranges::unique(sum.outside).begin(), sum.outside.end());
    return sum;
  }

 private:
  static void add(Choice& sum, const Node& node, const Choice* choice) {
    const bool is_whole = choice == nullptr || choice->rule == nullptr;
    if (is_whole) sum.cost += {choice == nullptr ? 0 : choice->cost.outside, 1, bytes_moved(node), 0};
    if (!is_whole) sum.cost += choice->cost;
    if (choice != nullptr) sum.outside.insert(sum.outside.end(), choice->outside.begin(), choice->outside.end());
  }

  Search& search_;
  std::vector<Choice> choices_;
};

const Rule* Search::choose(OpId op, Arguments args) { return price({op, args}).rule; }

const Rule* Search::choose_for(int result, OpId op, Arguments args) { return price({op, args, result}).rule; }

const Search::Choice& Search::price(const Asked& asked) {
  if (is_inside(asked.op, asked.args)) return passing_ = {{0, 1, 0, 0}, nullptr};
  std::string signature = signature_of(asked.op, asked.args);
  signature += static_cast<char>(asked.only_result);
  if (auto known = known_.find(signature); known != known_.end()) return known->second;
  const size_t depth = under_way_.size();
  if (depth == kDeepest) return passing_ = {{kFar, 1, 0, 0}, nullptr, 0, {asked.op}};
  const auto [place, is_new] = under_way_.emplace(signature, depth);
  if (!is_new) return passing_ = {{kFar, 1, 0, 0}, nullptr, uint32_t{1} << place->second, {asked.op}};
  Choice choice = cheapest(asked);
  under_way_.erase(signature);
  choice.left_out &= ~(uint32_t{1} << depth);
  if (depth < until_done_.size()) {
    for (const std::string& each : until_done_[depth]) known_.erase(each);
    until_done_[depth].clear();
  }
  if (choice.left_out != 0) {
    const auto deepest = static_cast<size_t>(std::bit_width(choice.left_out)) - 1;
    if (until_done_.size() <= deepest) until_done_.resize(deepest + 1);
    until_done_[deepest].push_back(signature);
  }
  return known_[std::move(signature)] = std::move(choice);
}

// What does not end inside the set stays whole. Where torch's own affairs stay whole, what they are made of is told to
// be missing: nobody implements them.
Search::Choice Search::cheapest(const Asked& asked) {
  Choice best;
  best.cost.outside = std::numeric_limits<int64_t>::max();
  uint32_t left_out = 0;
  for (const Rule& rule : rules_of(asked.op)) {
    std::optional<Choice> tried = try_rule(rule, asked);
    if (!tried) continue;
    left_out |= tried->left_out;
    if (tried->cost < best.cost) best = std::move(*tried);
    const bool is_one_call = best.cost.outside == 0 && best.cost.calls <= 1 && best.cost.rules == 1;
    if (is_one_call) break;  // of another rule's one call, nothing would be better
  }
  if (best.cost.outside > 0) {
    const bool is_internal = schema_of(asked.op).packet().starts_with('_') && best.rule != nullptr;
    if (!is_internal) best.outside = {asked.op};
    best.cost = {1, 1, 0, 0};
    best.rule = nullptr;
  }
  best.left_out = left_out;
  return best;
}

// Whether a rule gives what the call itself gives. Sizes that depend on data are new ones each time: `env` has not
// given out any yet.
static bool gives_same_type(const Rule& rule, const Argument& result, Graph& graph, const DecompositionTable& table,
                            const Call& call, ShapeEnv env) {
  ShapeEnvScope scope(env);
  StayWhole stay;
  const Argument whole = Tracer::trial(graph, table, &stay, false, kAsItIs, call);
  if (rule.only_result < 0) return is_same_type(result, whole);
  const auto only = static_cast<size_t>(rule.only_result);
  return is_same_type(result.list_items()[only], whole.list_items()[only]);
}

// Nothing where the rule does not hold for these arguments.
std::optional<Search::Choice> Search::try_rule(const Rule& rule, const Asked& asked) {
  if (rule.only_result >= 0 && rule.only_result != asked.only_result) return std::nullopt;
  const ShapeEnv& outer = current_shape_env();
  ShapeEnv env = outer.fork();
  ShapeEnvScope env_scope(env);
  Arena arena;
  Graph graph(arena), whole(arena);
  Pricing pricing(*this);
  const Call call = {asked.op, asked.args};
  try {
    const Argument result = Tracer::trial(graph, table_, &pricing, false, rule.body, call);
    if (is_not_decomposed(result)) return std::nullopt;
    const bool is_lateral = rule.name != kDecomposition && rule.name != kReference;
    if (is_lateral && !gives_same_type(rule, result, whole, table_, call, outer.fork())) return std::nullopt;
    return pricing.total(rule, graph, result);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInternal) throw;
    return std::nullopt;
  }
}

std::vector<Search::Attempt> Search::attempts(OpId op, Arguments args) {
  std::vector<Attempt> all;
  for (const Rule& rule : rules_of(op))
    if (std::optional<Choice> tried = try_rule(rule, {op, args})) all.push_back({rule.name, std::move(tried->outside)});
  return all;
}

bool Search::is_inside(OpId op, Arguments args) const {
  if (!table_.opens(op)) return true;
  if (!set_.accepts(op) || set_.accepts_all(op)) return false;  // the latter: a user opens it
  Node call;
  call.kind = NodeKind::kCall;
  call.callee = Callee::kOp;
  call.op = op;
  call.args = args;
  return !set_.refusal(call);
}

std::span<const Rule> Search::rules_of(OpId op) {
  auto [found, is_new] = rules_.try_emplace(op);
  std::vector<Rule>& rules = found->second;
  if (!is_new) return rules;
  const std::span<const Rule> lateral = lateral_rules(op);
  rules.assign(lateral.begin(), lateral.end());
  if (const OpDef* row = op_def(op)) {
    if (Body body = body_in(*row, table_.build())) rules.push_back({kDecomposition, body});
    if (row->reference != nullptr) rules.push_back({kReference, row->reference});
  }
  return rules;
}

}  // namespace rung
