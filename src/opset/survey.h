// What models need that a back end's op set lacks, and what of it is reached already.
#pragma once
#include <compare>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ir/program.h"
#include "opset/op_set.h"
#include "opset/plan.h"

namespace rung {

/// Something that a set lacks. Ordered by name.
struct Need {
  enum class Kind : uint8_t {
    kOperator,   // an overload of aten or prims that the set does not accept
    kCondition,  // one that it accepts, for calls that meet none of its conditions
    kCustom,     // an operator of another namespace
  };
  std::string name;  // "aten.add.Tensor"
  Kind kind = Kind::kOperator;
  OpId op = kNoOp;  // none for kCustom

  friend auto operator<=>(const Need&, const Need&) = default;
};

struct NamedProgram {
  std::string name;
  ExportedProgram program;
};

/// A need of models that were lowered to the set.
struct NeedFacts {
  Need need;
  size_t models = 0, calls = 0;
  size_t alone = 0;  // models that need nothing else
  /// Operators of the programs as they were read, and how many of the calls came from each.
  std::map<std::string, size_t> sources;
  std::string reason;          // kCondition: what failed, of the first call
  std::vector<OpId> accepted;  // overloads of the same packet that the set accepts
};

/// An operator of the programs as they were read that the set does not accept, where all that its calls became is
/// inside of the set.
struct ReachedFacts {
  std::string name;
  size_t models = 0, calls = 0;
  /// Calls by the rules that took part (Frame::rule): "decomposition" and "composite" are bodies, all others lead
  /// sideways, from one accepted form to another. "in its place" stands for no rule: a write became its functional
  /// form.
  std::map<std::string_view, size_t> rules;
};

struct Survey {
  std::vector<NeedFacts> needs;  // in order
  std::vector<ReachedFacts> reached;
  /// By model, as plan_steps() takes them: indices of `needs`.
  std::vector<std::vector<uint32_t>> missing;
  /// Why a model has no lowering at all; such a model is in nothing else here.
  std::map<size_t, std::string> refused;
  /// Higher-order operators that are left, and in how many models: sets do not speak of them.
  std::map<std::string, size_t> higher_order;

  /// Models that were lowered and need nothing.
  size_t ready() const;
};

/// Lowers every program to the set. Linear in what is emitted.
Survey survey(std::span<const NamedProgram> models, const OpSet& set);

/// Operators to implement together, and the models that are inside of the set for the first time once they are there.
struct Round {
  std::vector<Need> implement;
  std::vector<size_t> unlocked;  // models, in order
  /// How many of them each of `implement` unlocks in its place, as far as what the models lacked before tells; the last
  /// one takes the rest.
  std::vector<size_t> gains;
};

/// The order in which to implement what models lack; `first` is the survey of `models` and `set`. Each round lowers all
/// of them to the set and what was chosen before, since what is kept whole leads to other parts than what is opened,
/// and then takes the best step of plan_steps(). Rounds follow until no model that has a lowering is locked.
std::vector<Round> plan_rounds(std::span<const NamedProgram> models, OpSet set, const Survey& first);

}  // namespace rung
