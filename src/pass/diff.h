// How two programs differ, and two lowerings of one.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"
#include "pass/offspring.h"

namespace rung {

/// An operator that is called more often on one side.
struct CensusDifference {
  std::string op;  // as callee_text() has it
  std::array<size_t, 2> calls;

  friend auto operator<=>(const CensusDifference&, const CensusDifference&) = default;
};

/// The first nodes that part; null where that side has no more. A sub-graph's are told instead of the call that holds
/// it.
struct NodeDifference {
  std::array<const Node*, 2> nodes;
};

/// Modules in which the same operators are called more often on one side.
struct ModuleDifference {
  std::vector<std::string> modules;  // paths, as the program's nodes recorded them
  std::vector<CensusDifference> census;
};

struct ProgramDiff {
  /// Nothing where both are the same graph: node for node the same callees, operands and arguments, and results of the
  /// same dtypes and sizes. Names do not matter, nor do weights.
  std::optional<NodeDifference> first;
  bool same_signature = true;            // kinds of inputs and outputs
  std::array<size_t, 2> calls = {};      // operators in all
  std::vector<CensusDifference> census;  // by name
  std::vector<ModuleDifference> modules;
};

/// Linear in the nodes of both. They need not come from one source.
ProgramDiff diff_programs(const ExportedProgram& a, const ExportedProgram& b);

/// What became of a call.
struct Outcome {
  struct Part {
    std::string op;
    std::string by;  // the bodies that led to it, outermost first: "aten.linear > aten.t"; empty if none did
    size_t calls = 0;

    friend auto operator<=>(const Part&, const Part&) = default;
  };
  Fate fate = Fate::kRemoved;
  std::vector<Part> parts;  // in order; of a call that survived, if more came than itself

  friend auto operator<=>(const Outcome&, const Outcome&) = default;
};

/// Calls of one operator of the source that fared alike on either side, and otherwise on the other.
struct FateDifference {
  std::string op;
  std::array<Outcome, 2> outcomes;
  size_t calls = 0;
};

/// The most calls first. `a` and `b` are lowered from `source`.
std::vector<FateDifference> diff_fates(const ExportedProgram& source, const ExportedProgram& a,
                                       const ExportedProgram& b);

}  // namespace rung
