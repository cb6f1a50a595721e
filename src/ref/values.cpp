// Elements of every dtype to carriers and back.
#include "ref/values.h"

#include <cmath>
#include <cstring>

#include "ir/real_tensor.h"
#include "ref/float8.h"
#include "ref/half.h"
#include "ref/pool.h"

namespace rung::ref {
namespace {

const RealTensor& real(const Tensor& tensor) {
  if (!tensor.is_real())
    fail_input("a tensor with values was expected, this one belongs to a trace: values exist only outside of it");
  return *tensor.argument().real;
}

template <typename Bits>
constexpr bool kIsFloat8 = false;
template <int mantissa, int bias, Special special>
constexpr bool kIsFloat8<Float8<mantissa, bias, special>> = true;

// How torch's floats become small integers: what x86 makes of a value out of range is the least of the 32 bits. Bytes
// and unsigned 32 bits go by way of int64.
template <typename Bits>
constexpr bool kByWayOfInt32 = std::same_as<Bits, int32_t> || std::same_as<Bits, int16_t> ||
                               std::same_as<Bits, int8_t> || std::same_as<Bits, uint16_t>;
int32_t to_int32(double value) {
  double whole = std::trunc(value);
  return whole >= -0x1p31 && whole < 0x1p31 ? static_cast<int32_t>(whole) : INT32_MIN;
}

// The dtypes as C++ types that convert to and from carriers.
template <typename Bits>
struct Element {
  static auto read(Bits bits) {
    if constexpr (requires { to_float(bits); })
      return static_cast<double>(to_float(bits));
    else if constexpr (std::is_floating_point_v<Bits>)
      return static_cast<double>(bits);
    else if constexpr (std::is_integral_v<Bits>)
      return static_cast<int64_t>(bits);
    else
      return Complex(bits);
  }
  template <Carrier T>
  static Bits write(T value) {
    if constexpr (kIsFloat8<Bits>)
      return to_float8<Bits>(static_cast<float>(carry<double>(value)));
    else if constexpr (std::same_as<Bits, Float8E8M0FNU>)
      return to_float8_e8m0(static_cast<float>(carry<double>(value)));
    else if constexpr (std::same_as<Bits, Half>)
      return to_half(static_cast<float>(carry<double>(value)));
    else if constexpr (std::same_as<Bits, BFloat16>)
      return to_bfloat16(static_cast<float>(carry<double>(value)));
    else if constexpr (std::same_as<Bits, bool>)
      return value != T();
    else if constexpr (std::is_floating_point_v<Bits>)
      return static_cast<Bits>(carry<double>(value));
    else if constexpr (std::is_integral_v<Bits> && !std::same_as<T, int64_t> && kByWayOfInt32<Bits>)
      return static_cast<Bits>(to_int32(carry<double>(value)));
    else if constexpr (std::is_integral_v<Bits>)
      return static_cast<Bits>(carry<int64_t>(value));
    else
      return Bits(carry<Complex>(value));
  }
};

template <typename Visit>
void with_element(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kUInt8: return visit(uint8_t());
    case DType::kInt8: return visit(int8_t());
    case DType::kInt16: return visit(int16_t());
    case DType::kInt32: return visit(int32_t());
    case DType::kInt64: return visit(int64_t());
    case DType::kUInt16: return visit(uint16_t());
    case DType::kUInt32: return visit(uint32_t());
    case DType::kUInt64: return visit(uint64_t());
    case DType::kBool: return visit(bool());
    case DType::kFloat8E4M3FN: return visit(Float8E4M3FN());
    case DType::kFloat8E5M2: return visit(Float8E5M2());
    case DType::kFloat8E4M3FNUZ: return visit(Float8E4M3FNUZ());
    case DType::kFloat8E5M2FNUZ: return visit(Float8E5M2FNUZ());
    case DType::kFloat8E8M0FNU: return visit(Float8E8M0FNU());
    case DType::kFloat16: return visit(Half());
    case DType::kBFloat16: return visit(BFloat16());
    case DType::kFloat32: return visit(float());
    case DType::kFloat64: return visit(double());
    case DType::kComplex64: return visit(std::complex<float>());
    case DType::kComplex128: return visit(std::complex<double>());
    default: fail_unsupported("rung does not compute with elements of dtype ", info(dtype).name);
  }
}

// Calls visit(byte offset from the first element) for every element in row-major order.
template <typename Visit>
void for_each_offset(const Shape& shape, const Shape& strides, size_t bytes, Visit&& visit) {
  int64_t total = count(shape);
  if (strides == row_major_strides(shape)) {
    for (int64_t i = 0; i < total; ++i) visit(i * static_cast<int64_t>(bytes));
    return;
  }
  Index index(shape);
  for (int64_t i = 0; i < total; ++i, index.next()) visit(index.offset(strides) * static_cast<int64_t>(bytes));
}

template <Carrier T>
T lazily_changed(T value, const TensorMeta& meta) {
  if constexpr (std::same_as<T, Complex>)
    if (meta.conjugated) value = std::conj(value);
  return meta.negated ? -value : value;
}

template <Carrier T>
std::vector<T> strided_values(const Tensor& tensor, const Shape& shape, const Shape& strides) {
  const TensorMeta& meta = tensor.meta();
  const std::byte* data = real(tensor).data();
  std::vector<T> out;
  const auto elements = static_cast<size_t>(count(shape));
  require_memory(elements > SIZE_MAX / sizeof(T) ? SIZE_MAX : elements * sizeof(T));
  out.reserve(elements);
  with_element(meta.dtype, [&](auto bits) {
    for_each_offset(shape, strides, sizeof(bits), [&](int64_t offset) {
      std::memcpy(&bits, data + offset, sizeof(bits));
      out.push_back(carry<T>(lazily_changed(Element<decltype(bits)>::read(bits), meta)));
    });
  });
  return out;
}

}  // namespace

Shape to_shape(SymInts sizes) {
  Shape shape;
  for (SymInt size : sizes) shape.push_back(size.value());
  return shape;
}

Shape shape_of(const Tensor& tensor) { return tensor.is_number() ? Shape() : to_shape(tensor.sizes()); }

int64_t count(const Shape& shape) {
  int64_t product = 1;
  bool is_too_large = false;
  for (int64_t size : shape) {
    if (size == 0) return 0;
    is_too_large = is_too_large || __builtin_mul_overflow(product, size, &product);
  }
  if (is_too_large) fail_input("a tensor has more elements than can be counted");
  return product;
}

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = step;
    if (__builtin_mul_overflow(step, shape[dim], &step))
      step = 0;  // count() fails for such a shape, unless it is empty
  }
  return strides;
}

template <Carrier T>
std::vector<T> values(const Tensor& tensor) {
  if (tensor.is_number()) return {number<T>(tensor.number())};
  return strided_values<T>(tensor, shape_of(tensor), to_shape(tensor.strides()));
}

template <Carrier T>
std::vector<T> broadcast_values(const Tensor& tensor, const Shape& shape) {
  if (tensor.is_number()) return std::vector<T>(static_cast<size_t>(count(shape)), number<T>(tensor.number()));
  Shape own = shape_of(tensor), own_strides = to_shape(tensor.strides()), strides(shape.size());
  if (own.size() > shape.size()) fail_input("a tensor of rank ", own.size(), " does not expand to rank ", shape.size());
  size_t shift = shape.size() - own.size();
  for (size_t dim = 0; dim < own.size(); ++dim) {
    if (own[dim] != 1 && own[dim] != shape[dim + shift])
      fail_input("size ", own[dim], " of dimension ", dim, " does not expand to ", shape[dim + shift]);
    strides[dim + shift] = own[dim] == 1 ? 0 : own_strides[dim];
  }
  return strided_values<T>(tensor, shape, strides);
}

template <Carrier T>
void store(const Tensor& tensor, const std::vector<T>& values) {
  const TensorMeta& meta = tensor.meta();
  Shape shape = shape_of(tensor);
  RUNG_CHECK(static_cast<int64_t>(values.size()) == count(shape), values.size(), " values for ", count(shape),
             " elements");
  real(tensor).storage()->begin_write();
  std::byte* data = real(tensor).data();
  size_t next = 0;
  with_element(meta.dtype, [&](auto bits) {
    for_each_offset(shape, to_shape(meta.strides), sizeof(bits), [&](int64_t offset) {
      bits = Element<decltype(bits)>::template write<T>(lazily_changed(values[next++], meta));
      std::memcpy(data + offset, &bits, sizeof(bits));
    });
  });
}

Tensor make(const TensorMeta& meta) {
  TensorMeta plain = meta;
  plain.storage_offset = 0;
  plain.requires_grad = false;
  return pooled(new RealTensor(plain, Storage::allocate(storage_bytes(plain))));
}

Tensor make(const Shape& shape, DType dtype, std::shared_ptr<Storage> storage) {
  Shape steps = row_major_strides(shape);
  std::vector<SymInt> sizes(shape.begin(), shape.end()), strides;
  for (int64_t step : steps) strides.push_back(std::max<int64_t>(step, 1));
  TensorMeta meta;
  meta.dtype = dtype;
  meta.sizes = sizes;
  meta.strides = strides;
  if (storage == nullptr) return make(meta);
  return pooled(new RealTensor(meta, std::move(storage)));
}

Tensor make(const Shape& shape, DType dtype) { return make(shape, dtype, nullptr); }

Tensor make_view(const Tensor& base, const TensorMeta& meta) {
  const std::shared_ptr<Storage>& storage = real(base).storage();
  TensorMeta plain = meta;
  plain.requires_grad = false;
  if (storage_bytes(plain) > storage->size)
    fail_input("the view reaches byte ", storage_bytes(plain), " of a storage of ", storage->size, " bytes");
  return pooled(new RealTensor(plain, storage));
}

template <Carrier T>
Tensor make_in_memory_order(const TensorMeta& meta, const std::vector<T>& values) {
  Tensor out = make(meta);
  TensorMeta line = out.meta();
  const SymInt size[] = {values.size()}, stride[] = {1};
  line.sizes = size;
  line.strides = stride;
  store(make_view(out, line), values);
  return out;
}

#define INSTANTIATE(T)                                                      \
  template std::vector<T> values<T>(const Tensor&);                         \
  template std::vector<T> broadcast_values<T>(const Tensor&, const Shape&); \
  template void store<T>(const Tensor&, const std::vector<T>&);             \
  template Tensor make_in_memory_order<T>(const TensorMeta&, const std::vector<T>&);
INSTANTIATE(int64_t)
INSTANTIATE(double)
INSTANTIATE(Complex)
#undef INSTANTIATE

}  // namespace rung::ref
