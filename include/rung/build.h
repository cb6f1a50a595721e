// Which torch: decompositions, tables and printouts differ between versions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rung {

/// The torch version whose behaviour is asked for.
enum class Build : uint8_t { k2_2, k2_13, k2_14 };
constexpr size_t kBuilds = 3;

/// "2.2", "2.13" or "2.14"; nullopt for any other text.
std::optional<Build> build_from_name(std::string_view name);
std::string_view build_name(Build build);

}  // namespace rung
