// What lowering to an op set leaves outside of it: by rung, and by torch's own tables.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"
#include "opset/op_set.h"

namespace rung::coverage {

/// An op set that programs are lowered to.
struct Target {
  OpSet set;
  /// What does not fit runs elsewhere: such a set is met by cutting a program into parts, not by lowering all of it.
  bool is_delegate = false;
};

/// Core, prims (both from tests/coverage/sets), and the sets that ship with rung, by name; delegates last.
std::vector<Target> all_targets(const std::string& project);
/// One of them.
Target target_named(const std::string& project, std::string_view name);

/// A program after it was lowered to a set.
struct Reached {
  /// Why there is no result.
  std::optional<std::string> refusal;
  size_t nodes = 0;
  /// Calls by operator: "aten.add.Tensor".
  std::map<std::string, size_t> left;

  bool all() const { return !refusal && left.empty(); }
};

/// By rung's search.
Reached by_rung(const ExportedProgram& program, const OpSet& set);

/// By torch 2.13's default table and all of its other decompositions, without what the set accepts: what
/// run_decompositions() gives with that table, or less: references of torch that call each other past the table are
/// written here so that the table counts. Assertions on dtypes do not count.
Reached by_torch(const ExportedProgram& program, const OpSet& set);

}  // namespace rung::coverage
