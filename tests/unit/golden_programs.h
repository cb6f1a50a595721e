// The recorded programs of tests/golden.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "unit/pt2_files.h"

namespace rung {

/// The programs in a folder of tests/golden, in the order of their names.
inline std::vector<std::string> golden_programs(std::string_view folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(cat(test_folder(), "../golden/", folder)))
    if (entry.path().extension() == ".pt2") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace rung
