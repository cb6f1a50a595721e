// The search for the cheapest way from a call into an op set.
#pragma once
#include <compare>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "opset/op_set.h"
#include "opset/signature.h"
#include "trace/table.h"

namespace rung {

/// What a call costs once it is inside the set. Fewer calls outside of it come first, then fewer calls, then fewer
/// bytes read and written (a view moves none), then fewer rules.
struct Cost {
  int64_t outside = 0, calls = 0, bytes = 0, rules = 0;

  friend auto operator<=>(const Cost&, const Cost&) = default;
  Cost& operator+=(const Cost& other);
};

/// Chooses among an op's rules (the lateral ones, its decomposition, its reference into prims) the one whose result
/// costs least, the first of several; none where the set takes the call as it is, or no rule ends inside the set. A
/// rule is tried once for each op and signature, in a graph that is thrown away, and what its body calls is priced by
/// the same search. A lateral rule holds only where its result has the dtype, sizes and strides of the call's own.
class Search final : public RuleChooser {
 public:
  /// Both outlive the object. `table` says what is open: what it keeps counts as inside the set.
  Search(const OpSet& set, const DecompositionTable& table);
  ~Search() override;

  const Rule* choose(OpId op, Arguments args) override;
  const Rule* choose_for(int result, OpId op, Arguments args) override;

  /// Forgets what depends on the symbols of the program: in the next one they are others. False where nothing may be
  /// kept: the search was interrupted, knows too much, or did not look into what lies too deep below the call at hand.
  bool forget_program();

  /// A rule of a call, and what its cheapest result leaves outside of the set.
  struct Attempt {
    std::string_view rule;
    std::vector<OpId> outside;  // sorted
  };
  /// Every rule that holds for the call.
  std::vector<Attempt> attempts(OpId op, Arguments args);

 private:
  struct Asked {
    OpId op;
    Arguments args;
    bool is_above;  // functionalization, where other ops are opened on the way
    int only_result = -1;
    const ValueMeta* meta = nullptr;  // of its result; null where it is not known yet
  };
  struct Choice {
    Cost cost;
    const Rule* rule = nullptr;
    /// Calls under way, a bit for each depth, that were taken for unreachable: no cheapest way goes through a call
    /// twice, so the choice holds until the deepest of them is done.
    uint32_t left_out = 0;
    std::vector<OpId> outside = {};
  };
  /// What is known of the calls of one signature.
  struct Known {
    enum class State : uint8_t { kNothing, kUnderWay, kChoice };
    State state = State::kNothing;
    bool has_symbols = false;
    size_t depth = 0;  // while it is under way
    Choice choice = {};
  };
  class Trial;
  struct GiveBack {
    Search* search;
    void operator()(Trial* trial) const;
  };
  using TrialLoan = std::unique_ptr<Trial, GiveBack>;
  class Whole;
  const Choice& price(const Asked& asked);
  Choice cheapest(const Asked& asked);
  void keep_until_done(Known& known);
  void settle(size_t depth, const Choice& done);
  Choice follow(Trial& trial, const Cost& best, bool needs_all);
  TrialLoan try_rule(const Rule& rule, const Asked& asked, Whole& whole);
  TrialLoan lend_trial();
  bool may_vanish(const Asked& call, const ValueMeta& meta);
  bool is_inside(OpId op, Arguments args) const;
  std::span<const Rule> rules_of(OpId op);

  const OpSet& set_;
  const DecompositionTable& table_;
  std::map<OpId, std::vector<Rule>> rules_;
  std::unordered_map<Signature, Known, SignatureHash> known_;
  Signature asked_for_;                          // scratch of price()
  bool has_symbols_ = false;                     // of what is known, some has
  bool was_cut_ = false;                         // at kDeepest
  size_t depth_ = 0;                             // of the calls under way
  std::vector<std::vector<Known*>> until_done_;  // by depth: what is known until the call there is done
  Choice passing_;                               // what is not kept
  std::vector<std::unique_ptr<Trial>> spare_;    // their memory is used again
};

}  // namespace rung
