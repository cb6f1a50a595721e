// What --to, --keep, --open and --build mean.
#pragma once
#include <string_view>

#include "options.h"
#include "trace/table.h"

namespace rung::tool {

/// The --build option, 2.13 if it is not given.
Build build_of(const Options& options);

/// The table of a rung: aten, composite, core or prims; `like_torch`, the prims that torch's tables reach. Fails with
/// kUnsupported for rungs that this version does not reach, with kInput for a name that is none.
DecompositionTable table_of(std::string_view rung, Build build, bool like_torch = false);

/// Applies --keep and --open. "aten.linear" stands for the overloads of a packet, "aten.linear.default" for one.
/// Refuses what cannot be kept or opened.
void adjust(DecompositionTable& table, const Options& options);

}  // namespace rung::tool
