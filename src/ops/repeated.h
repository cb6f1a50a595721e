// One size for all dimensions, or one for each.
#pragma once
#include <vector>

#include "ir/tensor.h"

namespace rung {

/// `count` sizes where one was given, else those that were given.
inline std::vector<SymInt> repeated(const OneOrMoreInts& sizes, size_t count) {
  SymInts given = sizes.span();
  return given.size() == 1 ? std::vector<SymInt>(count, given[0]) : std::vector<SymInt>(given.begin(), given.end());
}

}  // namespace rung
