// Tensors as plain vectors of numbers, and back. A kernel reads its operands as vectors of a carrier type that holds
// every value of the dtype, computes, and stores: each result is rounded once. Slow, and easy to trust.
#pragma once
#include <complex>
#include <concepts>
#include <memory>
#include <vector>

#include "base/error.h"
#include "ir/tensor.h"

namespace rung {
struct Storage;
}

namespace rung::ref {

using Complex = std::complex<double>;
using Shape = std::vector<int64_t>;

/// The carriers: int64_t for integers and bool (0 and 1), double for floats, Complex.
template <typename T>
concept Carrier = std::same_as<T, int64_t> || std::same_as<T, double> || std::same_as<T, Complex>;

/// Sizes as numbers.
Shape shape_of(const Tensor& tensor);
Shape to_shape(SymInts sizes);
int64_t count(const Shape& shape);
/// Of row-major elements of this shape.
Shape row_major_strides(const Shape& shape);

/// Every element in row-major order, converted to T. A number in a tensor's place is one element.
template <Carrier T>
std::vector<T> values(const Tensor& tensor);
/// As values() of the tensor expanded to `shape`. Fails with kInput if it cannot be.
template <Carrier T>
std::vector<T> broadcast_values(const Tensor& tensor, const Shape& shape);
/// Writes to every element in row-major order, rounded to the tensor's dtype.
template <Carrier T>
void store(const Tensor& tensor, const std::vector<T>& values);

/// A tensor of its own storage, filled with zeros.
Tensor make(const TensorMeta& meta);
Tensor make(const Shape& shape, DType dtype);
/// A dense tensor of this storage.
Tensor make(const Shape& shape, DType dtype, std::shared_ptr<Storage> storage);
template <Carrier T>
Tensor make(const TensorMeta& meta, const std::vector<T>& values) {
  Tensor tensor = make(meta);
  store(tensor, values);
  return tensor;
}
/// Filled in the order in which its elements lie in memory.
template <Carrier T>
Tensor make_in_memory_order(const TensorMeta& meta, const std::vector<T>& values);
/// A tensor that lies in the storage of `base`.
Tensor make_view(const Tensor& base, const TensorMeta& meta);
/// The conversions between carriers, as a C cast; a complex number loses its imaginary part.
template <Carrier To, Carrier From>
To carry(From value) {
  if constexpr (std::same_as<To, From>) {
    return value;
  } else if constexpr (std::same_as<From, Complex>) {
    return carry<To>(value.real());
  } else if constexpr (std::same_as<To, int64_t>) {
    // what x86 makes of a value out of range
    return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : INT64_MIN;
  } else if constexpr (std::same_as<To, Complex>) {
    return Complex(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}
template <Carrier T>
T number(const Scalar& value) {
  if (value.is_complex()) return carry<T>(Complex(value.argument().complex->real, value.argument().complex->imag));
  if (value.is_float()) return carry<T>(value.to_double());
  return carry<T>(value.to_int());
}

/// Calls `visit` with a value of the dtype's carrier type.
template <typename Visit>
decltype(auto) with_carrier(DType dtype, Visit&& visit) {
  if (is_complex(dtype)) return visit(Complex());
  if (is_floating(dtype)) return visit(double());
  return visit(int64_t());
}

/// For an element of a row-major tensor: the indices of its dimensions, counted on from element to element.
class Index {
 public:
  explicit Index(const Shape& shape) : shape_(shape), at_(shape.size()) {}
  int64_t operator[](size_t dim) const { return at_[dim]; }
  const Shape& at() const { return at_; }
  void next() {
    for (size_t dim = at_.size(); dim-- > 0;) {
      if (++at_[dim] < shape_[dim]) return;
      at_[dim] = 0;
    }
  }
  /// The place of this element in memory with these strides.
  int64_t offset(const Shape& strides) const {
    int64_t offset = 0;
    for (size_t dim = 0; dim < at_.size(); ++dim) offset += at_[dim] * strides[dim];
    return offset;
  }

 private:
  Shape shape_, at_;
};

}  // namespace rung::ref
