// The guards that torch wrote beside an exported program, as Python text: "L['x'].size()[0] % 2 == 0".
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace rung {

/// Whether a guard holds for inputs of these sizes (`size_of(input name, dimension)`; nothing where that is unknown).
/// Nothing also for a text that is no comparison of integer arithmetic on sizes: torch's guards may be any Python.
using SizeOf = std::function<std::optional<int64_t>(std::string_view input, size_t dim)>;
std::optional<bool> guard_holds(std::string_view guard, const SizeOf& size_of);

}  // namespace rung
