// The arguments of one call while it is dispatched: on the stack, since no graph keeps them.
#pragma once
#include <array>
#include <memory>
#include <span>

#include "base/error.h"
#include "ir/argument.h"

namespace rung {

class ArgumentBuffer {
 public:
  /// `count` arguments, all none.
  explicit ArgumentBuffer(size_t count) : count_(count) {
    RUNG_CHECK(count <= kMost, "a call with ", count, " arguments");
    std::uninitialized_value_construct_n(data(), count);
  }
  ArgumentBuffer(const ArgumentBuffer&) = delete;
  ArgumentBuffer& operator=(const ArgumentBuffer&) = delete;

  Argument& operator[](size_t i) { return data()[i]; }
  operator std::span<Argument>() { return {data(), count_}; }
  operator Arguments() { return {data(), count_}; }

 private:
  static constexpr size_t kMost = 64;  // no schema has more
  Argument* data() { return reinterpret_cast<Argument*>(bytes_.data()); }

  size_t count_;
  alignas(Argument) std::array<std::byte, kMost * sizeof(Argument)> bytes_;
};

}  // namespace rung
