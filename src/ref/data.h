// Tensors with values made of C++ data, and their values as C++ data.
#pragma once
#include <complex>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ir/tensor.h"

namespace rung {

/// The dtype that holds a C++ type.
template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::kBool;
  else if constexpr (std::is_same_v<T, float>)
    return DType::kFloat32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::kFloat64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::kComplex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return DType::kComplex128;
  else if constexpr (std::is_unsigned_v<T>)
    return sizeof(T) == 1   ? DType::kUInt8
           : sizeof(T) == 2 ? DType::kUInt16
           : sizeof(T) == 4 ? DType::kUInt32
                            : DType::kUInt64;
  else
    return sizeof(T) == 1   ? DType::kInt8
           : sizeof(T) == 2 ? DType::kInt16
           : sizeof(T) == 4 ? DType::kInt32
                            : DType::kInt64;
}

/// A tensor of its own memory, filled from `count` elements at `data` in row-major order. Fails with kInput if they are
/// not as many as the sizes say.
Tensor tensor_from(const void* data, size_t count, DType dtype, SymInts sizes);
/// A dense tensor in memory that `owner` keeps alive; where that is not writable, writing to the tensor is refused.
Tensor from_blob(void* data, SymInts sizes, DType dtype, std::shared_ptr<void> owner = nullptr, bool writable = true);
/// A tensor of this shape and its own memory, filled with zeros.
Tensor zeros_of(SymInts sizes, DType dtype);

/// tensor({1.5f, 2, 3}) is a vector of float32; sizes shape it: tensor<float>({1, 2, 3, 4}, {2, 2}).
template <typename T>
Tensor tensor(const std::vector<T>& values, const IntList& sizes) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<uint8_t> bytes(values.begin(), values.end());
    return tensor_from(bytes.data(), bytes.size(), DType::kBool, sizes);
  } else {
    return tensor_from(values.data(), values.size(), dtype_of<T>(), sizes);
  }
}
template <typename T>
Tensor tensor(std::initializer_list<T> values, const IntList& sizes) {
  return tensor(std::vector<T>(values), sizes);
}
template <typename T>
Tensor tensor(std::initializer_list<T> values) {
  return tensor(std::vector<T>(values), {values.size()});
}
/// A tensor without dimensions.
template <typename T>
  requires std::is_arithmetic_v<T>
Tensor tensor(T value) {
  return tensor(std::vector<T>{value}, {});
}

/// The values of a tensor in row-major order, whatever its strides. Fails with kInput if the dtype is another one.
template <typename T>
std::vector<T> to_vector(const Tensor& tensor);
/// The one value of a tensor, converted. Fails with kInput if it has none or several.
double item(const Tensor& tensor);
int64_t item_int(const Tensor& tensor);

/// "[2, 3]"
std::string sizes_text(const Tensor& tensor);

/// Seeds what random ops on this thread draw from, as torch.manual_seed does.
void manual_seed(uint64_t seed);

}  // namespace rung
