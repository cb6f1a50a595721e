// A list of numbers at a call where one will do, or none: interpolate(x, std::nullopt, 2), with {2, 1.5}, with nullopt.
#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <vector>

namespace rung {

class OneOrMoreDoubles {
 public:
  OneOrMoreDoubles(std::nullopt_t) {}
  template <typename Number>
    requires(std::integral<Number> || std::floating_point<Number>) && (!std::same_as<Number, bool>)
  OneOrMoreDoubles(Number one) : values_{static_cast<double>(one)}, is_one_(true) {}
  OneOrMoreDoubles(std::initializer_list<double> values) : values_(values) {}
  OneOrMoreDoubles(const std::vector<double>& values) : values_(values) {}

  bool given() const { return is_one_ || !values_.empty(); }
  /// How many were given; `count` where one stands for all.
  size_t size(size_t count) const { return is_one_ ? count : values_.size(); }
  /// One for each of `count` dimensions.
  std::vector<double> repeated(size_t count) const {
    return is_one_ ? std::vector<double>(count, values_[0]) : values_;
  }

 private:
  std::vector<double> values_;
  bool is_one_ = false;
};

}  // namespace rung
