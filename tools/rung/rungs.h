// What --to, --keep, --open and --build mean.
#pragma once
#include <string_view>

#include "opset/op_set.h"
#include "options.h"
#include "trace/table.h"

namespace rung::tool {

/// The --build option, 2.13 if it is not given.
Build build_of(const Options& options);

/// Where a lowering goes: a table, and the op set that its result is held against; none for the four rungs.
struct Target {
  DecompositionTable table;
  std::optional<OpSet> set;
};

/// What a --to means: aten, composite, core or prims, or an op set by its name or file; `like_torch`, the core and
/// prims that torch's tables reach. Fails with kInput for a name that is none.
Target target_of(std::string_view rung, Build build, bool like_torch = false);

/// Applies --keep and --open. "aten.linear" stands for the overloads of a packet, "aten.linear.default" for one.
/// Refuses what cannot be kept or opened. Of an op set, what is kept is accepted, and what is opened is not.
void adjust(Target& target, const Options& options);

}  // namespace rung::tool
