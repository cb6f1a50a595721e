// The version of rung; CMakeLists.txt reads it here.
#pragma once

namespace rung {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace rung
