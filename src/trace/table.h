// A decomposition table is a value: which ops are opened in this lowering. Nothing is global.
#pragma once
#include <bitset>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "ir/op_def.h"
#include "schema/schema.h"
#include "trace/rule.h"

namespace rung {

class DecompositionTable;
/// Makes what chooses among the rules of the ops that a table opens, for one tracer.
using MakeChooser = std::function<std::unique_ptr<RuleChooser>(const DecompositionTable&)>;

/// A decomposition that a user of the library wrote.
using OwnBody = std::function<Argument(const Call&)>;

/// A bit per op. What is not opened stays whole; CompositeImplicit ops that alias or mutate are opened by the tracer
/// whatever the table says, since functionalization needs their parts.
class DecompositionTable {
 public:
  explicit DecompositionTable(std::string_view rung = "aten", Build build = Build::k2_13)
      : rung_(rung), build_(build) {}

  /// The rung that the table leads to, for messages: "core".
  std::string_view rung() const { return rung_; }
  /// Whether ops are opened by their references, into prims.
  bool leads_to_prims() const { return leads_to_prims_; }
  void lead_to_prims() { leads_to_prims_ = true; }
  /// Whether nothing that it opens may be left, not even what torch's body would leave for some arguments.
  bool is_closed() const { return is_closed_; }
  void close() { is_closed_ = true; }
  Build build() const { return build_; }
  bool opens(OpId op) const { return open_[op]; }
  void open(OpId op) { open_.set(op); }
  void keep(OpId op) {
    open_.reset(op);
    hidden_.reset(op);
    own_bodies_.erase(op);
  }
  /// Opens `op` by `body`, whatever rung knows of it.
  void open_by(OpId op, OwnBody body) {
    open_.set(op);
    own_bodies_[op] = std::make_shared<const OwnBody>(std::move(body));
  }
  /// Null if there is none.
  const OwnBody* own_body(OpId op) const {
    auto found = own_bodies_.find(op);
    return found == own_bodies_.end() ? nullptr : found->second.get();
  }
  /// From now on what is opened, but for bodies of a user's own, is opened by the rule that the chooser chooses.
  void choose_by(MakeChooser make) { make_chooser_ = std::move(make); }
  /// Null where every op has one rule.
  std::unique_ptr<RuleChooser> make_chooser() const { return make_chooser_ ? make_chooser_(*this) : nullptr; }
  /// Whether a call is opened by the one table just as by the other, whoever chooses.
  bool opens_alike(const DecompositionTable& other) const {
    return open_ == other.open_ && own_bodies_ == other.own_bodies_ && build_ == other.build_ &&
           leads_to_prims_ == other.leads_to_prims_ && is_closed_ == other.is_closed_;
  }
  /// A table that opens `op` as this one does, and nothing else that can be kept.
  DecompositionTable only(OpId op) const;
  /// How many rules there are, as len() of torch's table counts them.
  size_t size() const { return open_.count() + hidden_.count() + foreign_rules_; }
  /// A rule that torch's table has, and run_decompositions() never comes to: make_fx alone does.
  void hide(OpId op) {
    open_.reset(op);
    hidden_.set(op);
  }
  bool hides(OpId op) const { return hidden_[op]; }
  /// Rules of torch's table for ops outside aten and prims.
  void count_foreign_rules(size_t rules) { foreign_rules_ = rules; }

  /// Opened by functionalization even if the table does not hold it: its parts may alias or mutate.
  bool must_open(OpId op) const {
    const OpSchema& schema = schema_of(op);
    bool keepable = build_ != Build::k2_2 && schema.has(kPreservable, build_);  // torch 2.2 opens them all
    return schema.has(kCompositeImplicit, build_) && !keepable;
  }

  /// Ops that torch opens above functionalization, whatever the table says: their Python decompositions are also
  /// registered where autograd comes in.
  static bool opens_above(OpId op);

 private:
  std::string rung_;
  Build build_;
  bool leads_to_prims_ = false;
  bool is_closed_ = false;
  std::bitset<4096> open_;
  std::bitset<4096> hidden_;
  size_t foreign_rules_ = 0;
  std::map<OpId, std::shared_ptr<const OwnBody>> own_bodies_;
  MakeChooser make_chooser_;
};

/// What run_decompositions({}) opens: nothing that may be kept.
DecompositionTable aten_decompositions(Build build = Build::k2_13);
/// All CompositeImplicit ops, and nothing else.
DecompositionTable composite_decompositions(Build build = Build::k2_13);
/// What run_decompositions() opens.
DecompositionTable core_aten_decompositions(Build build = Build::k2_13);
/// That, and every rule of torch._decomp.decomposition_table. It leaves what torch has no rule for as it is.
DecompositionTable torch_prims_decompositions(Build build = Build::k2_13);
/// Everything but primitives and the floor: what is left is closed.
DecompositionTable prims_decompositions(Build build = Build::k2_13);

}  // namespace rung
