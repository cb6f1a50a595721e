// What --to, --keep, --open and --build mean.
#pragma once
#include <string_view>

#include "opset/op_set.h"
#include "options.h"
#include "trace/table.h"

namespace rung::tool {

/// The --build option, 2.13 if it is not given.
Build build_of(const Options& options);

/// The table of a rung: aten, composite, core or prims, or what leads to an op set; `like_torch`, the prims that
/// torch's tables reach. Fails with kInput for a name that is none.
DecompositionTable table_of(std::string_view rung, Build build, bool like_torch = false);

/// The op set that a --to means, by its name or its file; nothing for the four rungs.
std::optional<OpSet> op_set_of(std::string_view rung);

/// Applies --keep and --open. "aten.linear" stands for the overloads of a packet, "aten.linear.default" for one.
/// Refuses what cannot be kept or opened.
void adjust(DecompositionTable& table, const Options& options);

}  // namespace rung::tool
