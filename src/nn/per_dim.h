// A number for each dimension of a window, or one for all of them: Conv2d(3, 8, 5), Conv2d(3, 8, {5, 3}).
#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "ir/tensor.h"

namespace rung::nn {

class PerDim {
 public:
  PerDim(int value) : values_{value} {}
  PerDim(int64_t value) : values_{value} {}
  PerDim(std::initializer_list<int64_t> values) : values_(values.begin(), values.end()) {}

  /// Fails with kInput where there are as many neither as `dims` nor as one.
  std::vector<SymInt> of(size_t dims) const {
    if (values_.size() == dims) return values_;
    if (values_.size() != 1) fail_input("expected 1 number or ", dims, ", got ", values_.size());
    return std::vector<SymInt>(dims, values_[0]);
  }

 private:
  std::vector<SymInt> values_;
};

}  // namespace rung::nn
