// Copies in and out.
#include "ref/data.h"

#include <cstring>

#include "ir/real_tensor.h"
#include "ref/generator.h"
#include "ref/pool.h"
#include "ref/values.h"

namespace rung {

Tensor tensor_from(const void* data, size_t count, DType dtype, SymInts sizes) {
  Tensor made = zeros_of(sizes, dtype);
  size_t needed = static_cast<size_t>(made.numel().value());
  if (count != needed) fail_input("a tensor of sizes ", sizes_text(made), " holds ", needed, " values, got ", count);
  if (count > 0) std::memcpy(made.argument().real->data(), data, count * info(dtype).bytes);
  return made;
}

Tensor from_blob(void* data, SymInts sizes, DType dtype, std::shared_ptr<void> owner, bool writable) {
  const ref::Shape shape = ref::to_shape(sizes);
  const size_t size = static_cast<size_t>(ref::count(shape)) * info(dtype).bytes;
  auto storage = Storage::borrow(data, size, std::move(owner));
  storage->writable = writable;
  return ref::make(shape, dtype, std::move(storage));
}

Tensor zeros_of(SymInts sizes, DType dtype) { return ref::make(ref::to_shape(sizes), dtype); }

template <typename T>
std::vector<T> to_vector(const Tensor& tensor) {
  if (tensor.dtype() != dtype_of<T>())
    fail_input("the values of a tensor of ", info(tensor.dtype()).name, " were asked for as ", info(dtype_of<T>()).name,
               ": convert it first");
  using Carrier = std::conditional_t<std::is_floating_point_v<T>, double,
                                     std::conditional_t<std::is_integral_v<T>, int64_t, ref::Complex>>;
  std::vector<T> out;
  for (Carrier value : ref::values<Carrier>(tensor)) out.push_back(static_cast<T>(value));
  return out;
}
template std::vector<bool> to_vector(const Tensor&);
template std::vector<uint8_t> to_vector(const Tensor&);
template std::vector<int8_t> to_vector(const Tensor&);
template std::vector<int16_t> to_vector(const Tensor&);
template std::vector<int32_t> to_vector(const Tensor&);
template std::vector<int64_t> to_vector(const Tensor&);
template std::vector<float> to_vector(const Tensor&);
template std::vector<double> to_vector(const Tensor&);
template std::vector<std::complex<float>> to_vector(const Tensor&);
template std::vector<std::complex<double>> to_vector(const Tensor&);

namespace {
void require_one(const Tensor& tensor) {
  if (ref::count(ref::shape_of(tensor)) != 1)
    fail_input("a tensor of sizes ", sizes_text(tensor), " cannot be converted to a number");
}
}  // namespace

double item(const Tensor& tensor) {
  require_one(tensor);
  return ref::values<double>(tensor)[0];
}
int64_t item_int(const Tensor& tensor) {
  require_one(tensor);
  return ref::values<int64_t>(tensor)[0];
}

std::string sizes_text(const Tensor& tensor) {
  std::string text = "[";
  for (SymInt size : tensor.sizes()) text += (text.size() == 1 ? "" : ", ") + size.str();
  return text + "]";
}

void manual_seed(uint64_t seed) { ref::default_generator().manual_seed(seed); }

}  // namespace rung
