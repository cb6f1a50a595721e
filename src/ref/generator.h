// torch's generator of random numbers on the CPU: a Mersenne twister, and how numbers are made of its words.
#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <type_traits>

namespace rung::ref {

class Generator {
 public:
  static constexpr uint64_t kDefaultSeed = 67280421310721;

  explicit Generator(uint64_t seed = kDefaultSeed) { manual_seed(seed); }
  void manual_seed(uint64_t seed);
  uint64_t initial_seed() const { return seed_; }

  uint32_t random() { return static_cast<uint32_t>(engine_()); }
  uint64_t random64();
  /// In [0, 1), of 24 and 53 random bits.
  float uniform_float();
  double uniform_double();
  template <typename T>
  T uniform() {
    if constexpr (std::is_same_v<T, float>)
      return uniform_float();
    else
      return uniform_double();
  }
  /// Box and Muller's method makes two numbers; the second one waits for the next call.
  double normal(double mean, double std);
  /// An integer in [low, low + range).
  int64_t integer(int64_t low, uint64_t range);

 private:
  std::mt19937 engine_;
  uint64_t seed_ = 0;
  std::optional<double> next_normal_;
};

/// The one that random ops of this thread draw from.
Generator& default_generator();

/// The functions of torch's vectorized normal_: the single-precision polynomials of Cephes, with fused multiply-adds.
float vector_log(float x);
struct SinCos {
  float sin, cos;
};
SinCos vector_sincos(float x);

}  // namespace rung::ref
