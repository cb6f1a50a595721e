// A generated document of the project: written, or compared with what would be written.
#pragma once
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rung::coverage {

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// `name` is the path in the project: "docs/coverage.md". The exit status: 1 where a check finds another text.
inline int write_or_check(std::string_view project, std::string_view name, const std::string& text, bool check) {
  const std::string path = cat(project, '/', name);
  if (!check) {
    std::ofstream(path, std::ios::binary) << text;
    return 0;
  }
  if (read_file(path) == text) return 0;
  std::puts(cat(name, " is not current: run `make coverage`").c_str());
  return 1;
}

}  // namespace rung::coverage
