// One size for all dimensions, or one for each.
#pragma once
#include <vector>

#include "ir/tensor.h"

namespace rung {

/// `count` sizes where a number was given, else the list that was given.
inline std::vector<SymInt> repeated(const OneOrMoreInts& sizes, size_t count) {
  SymInts given = sizes.span();
  return sizes.is_one() ? std::vector<SymInt>(count, given[0]) : std::vector<SymInt>(given.begin(), given.end());
}

}  // namespace rung
