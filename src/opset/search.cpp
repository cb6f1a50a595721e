// Rules are tried in graphs that are thrown away; what they call is priced by the same search.
#include "opset/search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/error.h"
#include "meta/layout.h"
#include "opset/signature.h"
#include "rules/rules.h"
#include "shape/shape_env.h"
#include "trace/dispatch.h"
#include "trace/tracer.h"

namespace rung {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;     // outside of every set: a call that needs itself
constexpr size_t kDeepest = 24;                // rules inside rules: a way that is longer is none
constexpr size_t kMostKept = size_t{1} << 16;  // calls, from one program to the next: some 40 MB
constexpr std::string_view kDecomposition = "decomposition", kReference = "reference";

constexpr uint32_t bit(size_t depth) { return uint32_t{1} << depth; }

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

bool is_same_type(const ValueMeta& a, const ValueMeta& b) {
  const TensorMeta *x = a.as_tensor(), *y = b.as_tensor();
  if (x == nullptr || y == nullptr) return x == y;
  auto same = [](SymInt m, SymInt n) { return m.identical(n); };
  if (x->dtype != y->dtype || !std::ranges::equal(x->sizes, y->sizes, same)) return false;
  for (size_t i = 0; i < x->rank(); ++i)
    if (!x->sizes[i].identical(1) && !x->strides[i].identical(y->strides[i])) return false;
  return true;
}

bool is_of_type(const Argument& result, const ValueMeta& meta) {
  if (result.kind == Argument::Kind::kNode) return is_same_type(result.node->meta, meta);
  if (result.kind != Argument::Kind::kList) return result.is_none() && meta.kind == ValueMeta::Kind::kNone;
  return meta.kind == ValueMeta::Kind::kList && std::ranges::equal(result.list_items(), *meta.list, is_of_type);
}

// Whether one of the operands, in lists too, is of this type.
bool is_like_operand(const ValueMeta& meta, Arguments operands) {
  bool is_like = false;
  for (const Argument& argument : operands)
    for_each_node(argument, [&](const Node* operand) { is_like |= is_same_type(operand->meta, meta); });
  return is_like;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  outside += other.outside;
  calls += other.calls;
  bytes += other.bytes;
  rules += other.rules;
  return *this;
}

// A call as it stands, traced where its type is first asked for and is not known. Sizes that depend on data are new
// ones each time: they are called alike.
class Search::Whole {
 public:
  Whole(const DecompositionTable& table, const Asked& asked) : table_(table), asked_(asked), meta_(asked.meta) {}

  const ValueMeta& meta() {
    if (meta_ == nullptr) trace();
    return *meta_;
  }

 private:
  void trace() {
    ShapeEnv env = current_shape_env().fork();
    const ShapeEnvScope scope(env);
    StayWhole stay;
    const Tracer::TrialOptions options = {.chooser = &stay, .is_above = asked_.is_above, .has_names = false};
    Graph& graph = graph_.emplace(arena_.emplace());
    Tracer::trial(graph, table_, options, kAsItIs, {asked_.op, asked_.args});
    for (const Node* node : graph)
      if (node->is_call(Callee::kOp) && node->op == asked_.op) meta_ = &node->meta;
    RUNG_CHECK(meta_ != nullptr, schema_of(asked_.op).name, " does not stay whole");
  }

  const DecompositionTable& table_;
  const Asked& asked_;
  const ValueMeta* meta_;
  std::optional<Arena> arena_;
  std::optional<Graph> graph_;
};

// A rule that was tried: what its body calls stays as it is, and is noted.
class Search::Trial final : public RuleChooser {
 public:
  explicit Trial(Search& search) : search_(search) {}

  /// Whether the rule holds for the call.
  bool run(const Rule& rule, const Asked& asked, Whole& whole) {
    start(rule);
    {
      const ShapeEnvScope scope(env_);
      const Tracer::TrialOptions options = {.chooser = this, .is_above = asked.is_above, .has_names = false};
      result_ = Tracer::trial(graph_, search_.table_, options, rule.body, {asked.op, asked.args});
    }
    if (is_not_decomposed(result_)) return false;
    const bool is_lateral = rule.name != kDecomposition && rule.name != kReference;
    return !is_lateral || gives_type(whole.meta());
  }

  const Rule* choose(OpId op, Arguments args) override {
    asked_.push_back({op, arena_.copy(args), Tracer::current()->is_above()});
    return nullptr;
  }
  const Rule* choose_for(int, OpId op, Arguments args) override { return choose(op, args); }

  /// Sums up what the result needs: calls that are inside of the set as they are, and those that must be opened.
  void add_up() {
    const ShapeEnvScope scope(env_);
    mark_live();
    size_t next = 0;  // calls were asked for in the order in which they stand in the graph
    for (const Node* node : graph_) {
      if (!node->is_call(Callee::kOp) || reads_size(node->op)) continue;
      const bool was_asked = search_.table_.opens(node->op) || search_.table_.must_open(node->op);
      Asked* asked = was_asked ? &asked_.at(next++) : nullptr;
      if (!live_[node->index]) continue;
      // a size that depends on data is another one when the call is traced again
      if (was_asked && env_.made().empty()) asked->meta = &node->meta;
      const bool is_inside = asked == nullptr || search_.is_inside(asked->op, asked->args);
      if (is_inside) inside_ += {0, 1, bytes_moved(*node), 0};
      if (!is_inside) open_.push_back(asked);
      least_ += is_inside || !search_.may_vanish(*asked, node->meta);
    }
  }

  /// Whether the result may be one of the call's operands: a rule may find that nothing needs to be called.
  bool may_be_operand_of(Arguments args) const {
    return result_.kind != Argument::Kind::kNode || is_like_operand(result_.node->meta, args);
  }

  const Rule& rule() const { return *rule_; }
  const Cost& inside() const { return inside_; }
  std::span<const Asked* const> open() const { return open_; }
  /// No fewer calls come of it.
  int64_t least_calls() const { return least_; }
  ShapeEnv& env() { return env_; }

 private:
  // As new, but for the memory.
  void start(const Rule& rule) {
    rule_ = &rule;
    env_ = current_shape_env().fork();
    arena_.clear();
    graph_ = Graph(arena_);
    asked_.clear();
    inside_ = {0, 0, 0, 1};
    open_.clear();
    least_ = 0;
  }

  bool gives_type(const ValueMeta& whole) const {
    if (rule_->only_result < 0) return is_of_type(result_, whole);
    const auto only = static_cast<size_t>(rule_->only_result);
    return is_of_type(result_.list_items()[only], (*whole.list)[only]);
  }

  // By index, whether the result needs the node. Operands may be nodes of another graph.
  void mark_live() {
    nodes_.clear();
    for (const Node* node : graph_) nodes_.push_back(node);
    live_.assign(nodes_.size(), false);
    auto mark = [&](const Node* node) {
      if (node->index < nodes_.size() && nodes_[node->index] == node) live_[node->index] = true;
    };
    for_each_node(result_, mark);
    for (size_t i = nodes_.size(); i-- > 0;)
      if (live_[i]) for_each_operand(*nodes_[i], mark);
  }

  Search& search_;
  const Rule* rule_ = nullptr;
  ShapeEnv env_;
  Arena arena_;
  Graph graph_{arena_};
  Argument result_;
  std::vector<Asked> asked_;
  Cost inside_;
  std::vector<const Asked*> open_;
  int64_t least_ = 0;
  std::vector<const Node*> nodes_;
  std::vector<bool> live_;
};

Search::Search(const OpSet& set, const DecompositionTable& table) : set_(set), table_(table) {}
Search::~Search() = default;

void Search::GiveBack::operator()(Trial* trial) const { search->spare_.emplace_back(trial); }

Search::TrialLoan Search::lend_trial() {
  std::unique_ptr<Trial> trial;
  if (spare_.empty()) {
    trial = std::make_unique<Trial>(*this);
  } else {
    trial = std::move(spare_.back());
    spare_.pop_back();
  }
  return {trial.release(), {this}};
}

const Rule* Search::choose(OpId op, Arguments args) { return price({op, args, is_above()}).rule; }

const Rule* Search::choose_for(int result, OpId op, Arguments args) {
  return price({op, args, is_above(), result}).rule;
}

const Search::Choice& Search::price(const Asked& asked) {
  if (is_inside(asked.op, asked.args)) return passing_ = {{0, 1, 0, 0}, nullptr};
  const bool has_symbols = write_signature(asked_for_, asked.op, asked.args);
  asked_for_.push_back(static_cast<uint64_t>(asked.only_result) << 1 | uint64_t{asked.is_above});
  Known& known = known_[asked_for_];
  if (known.state == Known::State::kChoice) return known.choice;
  if (depth_ == kDeepest || known.state == Known::State::kUnderWay) {
    was_cut_ |= depth_ == kDeepest;
    const uint32_t left_out = depth_ == kDeepest ? 0 : bit(known.depth);
    return passing_ = {{kFar, 1, 0, 0}, nullptr, left_out, {asked.op}};
  }
  known.state = Known::State::kUnderWay;
  known.has_symbols = has_symbols;
  has_symbols_ |= has_symbols;
  known.depth = depth_++;
  known.choice = cheapest(asked);
  known.state = Known::State::kChoice;
  --depth_;
  known.choice.left_out &= ~bit(known.depth);
  settle(known.depth, known.choice);
  keep_until_done(known);
  return known.choice;
}

bool Search::forget_program() {
  if (depth_ > 0 || was_cut_ || known_.size() > kMostKept) return false;
  if (has_symbols_) std::erase_if(known_, [](const auto& entry) { return entry.second.has_symbols; });
  has_symbols_ = false;
  return true;
}

// What holds as long as the calls that were left out are under way.
void Search::keep_until_done(Known& known) {
  if (known.choice.left_out == 0) return;
  const auto deepest = static_cast<size_t>(std::bit_width(known.choice.left_out)) - 1;
  if (until_done_.size() <= deepest) until_done_.resize(deepest + 1);
  until_done_[deepest].push_back(&known);
}

// The call at `depth` is done. What left it out is looked at: a way through it costs more than the call itself, so
// where it is stuck, or dearer than what was found without it, that holds.
void Search::settle(size_t depth, const Choice& done) {
  if (depth >= until_done_.size()) return;
  for (Known* known : std::exchange(until_done_[depth], {})) {
    if (known->state != Known::State::kChoice) continue;
    Choice& choice = known->choice;
    if (done.cost.outside == 0 && done.cost < choice.cost) {
      known->state = Known::State::kNothing;
      continue;
    }
    choice.left_out = (choice.left_out & ~bit(depth)) | done.left_out;
    keep_until_done(*known);
  }
}

// Rules whose bodies call nothing but what is inside are known at once; the others are followed only as far as they may
// still be cheaper. What does not end inside the set stays whole. Where torch's own affairs stay whole, what they are
// made of is told to be missing: nobody implements them.
Search::Choice Search::cheapest(const Asked& asked) {
  Choice best;
  best.cost.outside = std::numeric_limits<int64_t>::max();
  std::vector<TrialLoan> open;
  Whole whole(table_, asked);
  for (const Rule& rule : rules_of(asked.op)) {
    TrialLoan trial = try_rule(rule, asked, whole);
    if (trial == nullptr) continue;
    if (trial->open().empty() && trial->inside() < best.cost) best = {trial->inside(), &rule};
    const int64_t least = trial->may_be_operand_of(asked.args) ? 0 : 1;
    if (best.cost.outside == 0 && best.cost.calls <= least) break;
    if (!trial->open().empty()) open.push_back(std::move(trial));
  }
  const bool is_internal = schema_of(asked.op).packet().starts_with('_');
  uint32_t left_out = 0;
  for (const TrialLoan& trial : open) {
    const bool is_one_rule = best.cost.rules == 1;  // else as many calls by fewer rules are better
    if (best.cost.outside == 0 && trial->least_calls() + is_one_rule > best.cost.calls) continue;
    Choice choice = follow(*trial, best.cost, is_internal);
    left_out |= choice.left_out;
    if (choice.cost < best.cost) best = std::move(choice);
  }
  if (best.cost.outside > 0) {
    if (!is_internal || best.rule == nullptr) best.outside = {asked.op};
    best.cost = {1, 1, 0, 0};
    best.rule = nullptr;
  }
  best.left_out = left_out;
  return best;
}

// The price of a rule, or a part of it that is more than `best`. Where not all of what is missing is asked for, one
// call that is stuck is enough.
Search::Choice Search::follow(Trial& trial, const Cost& best, bool needs_all) {
  const ShapeEnvScope scope(trial.env());
  Choice sum = {trial.inside(), &trial.rule()};
  for (const Asked* call : trial.open()) {
    const Choice& choice = price(*call);
    sum.left_out |= choice.left_out;
    sum.cost += choice.cost;
    sum.outside.insert(sum.outside.end(), choice.outside.begin(), choice.outside.end());
    if (best.outside == 0 && sum.cost > best) break;
    if (!needs_all && sum.cost.outside > 0) break;
  }
  std::ranges::sort(sum.outside);
  sum.outside.erase(std::unique(sum.outside.begin(), sum.outside.end()), sum.outside.end());
  return sum;
}

// Null where the rule does not hold for these arguments.
Search::TrialLoan Search::try_rule(const Rule& rule, const Asked& asked, Whole& whole) {
  TrialLoan none(nullptr, {this});
  if (rule.only_result >= 0 && rule.only_result != asked.only_result) return none;
  TrialLoan trial = lend_trial();
  try {
    if (!trial->run(rule, asked, whole)) return none;
    trial->add_up();
    return trial;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInternal) throw;
    return none;
  }
}

std::vector<Search::Attempt> Search::attempts(OpId op, Arguments args) {
  std::vector<Attempt> all;
  constexpr Cost kAny = {std::numeric_limits<int64_t>::max(), 0, 0, 0};
  const bool is_above = schema_of(op).has(kCompositeImplicit, table_.build());
  const Asked asked = {op, args, is_above};
  Whole whole(table_, asked);
  for (const Rule& rule : rules_of(op))
    if (const TrialLoan trial = try_rule(rule, asked, whole))
      all.push_back({rule.name, follow(*trial, kAny, true).outside});
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

// Whether a call may turn out to need none: only where it gives what one of its operands is.
bool Search::may_vanish(const Asked& call, const ValueMeta& meta) {
  if (schema_of(call.op).has(kPointwise) && std::ranges::none_of(rules_of(call.op), &Rule::may_give_operand))
    return false;
  return meta.kind != ValueMeta::Kind::kTensor || is_like_operand(meta, call.args);
}

std::span<const Rule> Search::rules_of(OpId op) {
  auto [found, is_new] = rules_.try_emplace(op);
  std::vector<Rule>& rules = found->second;
  if (!is_new) return rules;
  rules = lateral_rules(op);
  if (const OpDef* row = op_def(op)) {
    if (Body body = body_in(*row, table_.build())) rules.push_back({kDecomposition, body});
    if (row->reference != nullptr) rules.push_back({kReference, row->reference});
  }
  return rules;
}

}  // namespace rung
