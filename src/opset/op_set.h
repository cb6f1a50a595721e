// What a back end accepts: ops, and under which conditions.
#pragma once
#include <bitset>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace rung {

/// What files call the formats of a condition.
struct FormatName {
  std::string_view name;
  MemoryFormat format;
  size_t rank;  // of a tensor that lies so; 0 for any
};
constexpr FormatName kFormats[] = {{"contiguous", MemoryFormat::kContiguous, 0},
                                   {"channels_last", MemoryFormat::kChannelsLast, 4},
                                   {"channels_last_3d", MemoryFormat::kChannelsLast3d, 5}};

/// What is asked of a call besides its op. What is left out does not matter.
struct Condition {
  std::vector<DType> dtypes;                            // each tensor operand is of one of them
  std::vector<int64_t> ranks;                           // of the first tensor operand
  bool is_static = false;                               // no operand has a symbolic size, or is one
  std::optional<MemoryFormat> format;                   // of the first tensor operand
  std::vector<std::pair<std::string, Argument>> where;  // arguments by name, and the value that they must have
  std::vector<std::string> no_none;                     // lists of tensors by name, in which none may be left out
};

/// A value. An op with several conditions is accepted where one of them holds.
class OpSet {
 public:
  std::string name, source;
  Build build = Build::k2_13;

  void accept(OpId op) {
    whole_.set(op);
    accepted_.set(op);
  }
  void accept(OpId op, Condition condition) {
    accepted_.set(op);
    conditions_[op].push_back(std::move(condition));
  }
  /// Besides what is accepted, what another set accepts of `op`.
  void take(const OpSet& other, OpId op);
  void refuse(OpId op) {
    whole_.reset(op);
    accepted_.reset(op);
    conditions_.erase(op);
  }
  /// Under some condition, or without one.
  bool accepts(OpId op) const { return accepted_[op]; }
  /// Whatever the arguments are.
  bool accepts_all(OpId op) const { return whole_[op]; }
  /// Nothing where the set accepts this call; else what it lacks, or which condition fails, with both values; where it
  /// has several entries, why each of them fails.
  std::optional<std::string> refusal(const Node& call) const;
  /// How many ops are accepted, and how many of them under conditions.
  size_t size() const { return accepted_.count(); }
  size_t conditional() const { return (accepted_ & ~whole_).count(); }

 private:
  using Ops = std::bitset<4096>;
  Ops accepted_, whole_;
  std::map<OpId, std::vector<Condition>> conditions_;
};

/// A call of a graph that a set does not accept.
struct Violation {
  const Node* node = nullptr;
  std::string reason;
};

/// Every violation, in order, sub-graphs included. Higher-order operators, getitems, and what asks for sizes, computes
/// with them or states something about them, are no ops.
std::vector<Violation> violations(const Graph& graph, const OpSet& set);

}  // namespace rung
