// Rules are tried in graphs that are thrown away; what they call is priced by the same search.
#include "opset/search.h"

#include <algorithm>
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
constexpr size_t kNone = std::numeric_limits<size_t>::max();

// The call itself, as it stands.
constexpr Body kAsItIs = [](const Call& call) { return dispatch(call.op, call.args); };

class StayWhole final : public RuleChooser {
 public:
  const Rule* choose(OpId, Arguments) override { return nullptr; }
  const Rule* choose_for(int, OpId, Arguments) override { return nullptr; }
};

// Of the call that is asked for.
bool is_above() { return Tracer::current()->is_above(); }

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
    choices_.push_back(search_.price({op, args, is_above()}));
    return nullptr;
  }
  const Rule* choose_for(int, OpId op, Arguments args) override { return choose(op, args); }

  /// Of what `result` needs. Calls were asked for in the order in which they stand in the graph.
  Choice total(const Rule& rule, const Graph& graph, const Argument& result) const {
    const std::unordered_set<const Node*> live = live_nodes(graph, result);
    Choice sum = {{0, 0, 0, 1}, &rule, kNone};
    size_t asked = 0;
    for (const Node* node : graph) {
      if (!node->is_call(Callee::kOp) || reads_size(node->op)) continue;
      const bool was_asked = search_.table_.opens(node->op) || search_.table_.must_open(node->op);
      const Choice* choice = was_asked ? &choices_.at(asked++) : nullptr;
      if (choice != nullptr) sum.lowest = std::min(sum.lowest, choice->lowest);
      if (live.contains(node)) add(sum, *node, choice);
    }
    std::ranges::sort(sum.outside);
    sum.outside.erase(std::unique(sum.outside.begin(), sum.outside.end()), sum.outside.end());
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

const Rule* Search::choose(OpId op, Arguments args) { return price({op, args, is_above()}).rule; }

const Rule* Search::choose_for(int result, OpId op, Arguments args) {
  return price({op, args, is_above(), result}).rule;
}

const Search::Choice& Search::price(const Asked& asked) {
  if (is_inside(asked.op, asked.args)) return passing_ = {{0, 1, 0, 0}, nullptr, kNone};
  std::string signature = signature_of(asked.op, asked.args);
  signature += static_cast<char>(asked.only_result);
  signature += static_cast<char>(asked.is_above);
  if (auto known = known_.find(signature); known != known_.end()) return known->second;
  const Choice unreachable = {{kFar, 1, 0, 0}, nullptr, kNone, {asked.op}};
  const size_t depth = under_way_.size();
  if (depth == kDeepest) return passing_ = unreachable;
  auto [place, is_new] = under_way_.emplace(signature, depth);
  passing_ = unreachable;
  passing_.lowest = place->second;
  if (!is_new) return passing_;
  Choice choice = cheapest(asked);
  under_way_.erase(signature);
  // what was left out of the account lies inside this call: no cheapest way goes through a call twice
  if (choice.lowest < depth) return passing_ = std::move(choice);
  choice.lowest = kNone;
  return known_[std::move(signature)] = std::move(choice);
}

// What leaves as much outside as the call itself does not open it.
Search::Choice Search::cheapest(const Asked& asked) {
  Choice best = {{1, 1, 0, 0}, nullptr, kNone, {asked.op}};
  size_t lowest = kNone;
  const Rules& rules = rules_of(asked.op);
  for (size_t i = 0; i < rules.all.size(); ++i) {
    std::optional<Choice> tried = try_rule(rules.all[i], i >= rules.lateral_from, asked);
    if (!tried) continue;
    lowest = std::min(lowest, tried->lowest);
    const bool leads_on = best.rule != nullptr || tried->cost.outside < best.cost.outside;
    if (leads_on && tried->cost < best.cost) best = std::move(*tried);
  }
  best.lowest = lowest;
  return best;
}

// Nothing where the rule does not hold for these arguments.
std::optional<Search::Choice> Search::try_rule(const Rule& rule, bool is_lateral, const Asked& asked) {
  if (rule.only_result >= 0 && rule.only_result != asked.only_result) return std::nullopt;
  ShapeEnv env = current_shape_env().fork();
  ShapeEnvScope env_scope(env);
  Arena arena;
  Graph graph(arena);
  Pricing pricing(*this);
  const Call call = {asked.op, asked.args};
  try {
    const Argument result = Tracer::trial(graph, table_, {&pricing, asked.is_above}, rule.body, call);
    if (is_not_decomposed(result)) return std::nullopt;
    if (is_lateral) {
      Graph whole_graph(arena);
      StayWhole stay;
      const Argument whole = Tracer::trial(whole_graph, table_, {&stay, asked.is_above}, kAsItIs, call);
      const auto only = static_cast<size_t>(rule.only_result);
      const bool fits = rule.only_result < 0 ? is_same_type(result, whole)
                                             : is_same_type(result.list_items()[only], whole.list_items()[only]);
      if (!fits) return std::nullopt;
    }
    return pricing.total(rule, graph, result);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInternal) throw;
    return std::nullopt;
  }
}

std::vector<Search::Attempt> Search::attempts(OpId op, Arguments args) {
  std::vector<Attempt> all;
  const Rules& rules = rules_of(op);
  const bool is_above = schema_of(op).has(kCompositeImplicit, table_.build());
  for (size_t i = 0; i < rules.all.size(); ++i)
    if (std::optional<Choice> tried = try_rule(rules.all[i], i >= rules.lateral_from, {op, args, is_above}))
      all.push_back({rules.all[i].name, std::move(tried->outside)});
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

const Search::Rules& Search::rules_of(OpId op) {
  auto [found, is_new] = rules_.try_emplace(op);
  Rules& rules = found->second;
  if (!is_new) return rules;
  if (const OpDef* row = op_def(op)) {
    if (Body body = body_in(*row, table_.build())) rules.all.push_back({"decomposition", body});
    if (row->reference != nullptr) rules.all.push_back({"reference", row->reference});
  }
  rules.lateral_from = rules.all.size();
  for (const Rule& rule : lateral_rules(op)) rules.all.push_back(rule);
  return rules;
}

}  // namespace rung
