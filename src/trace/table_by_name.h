// Opening and keeping ops of a table by what users call them.
#pragma once
#include <string_view>
#include <vector>

#include "trace/table.h"

namespace rung {

/// The overloads that a spelling stands for: "aten.linear" is every overload of the packet,
/// "aten.linear.default" one. Fails with kInput if there is none.
std::vector<OpId> ops_of_spelling(std::string_view spelling);

/// Opens the ops of a spelling; fails with kUnsupported if rung has no decomposition for any of them.
void open_by_name(DecompositionTable& table, std::string_view spelling);
/// Keeps them; fails with kUnsupported if none can be kept.
void keep_by_name(DecompositionTable& table, std::string_view spelling);

}  // namespace rung
