// Memory of real tensors.
#include "ir/real_tensor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "ir/tensor.h"

namespace rung {

void Tensor::retain_real() const { value_.real->retain(); }
void Tensor::release_real() const { value_.real->release(); }

void require_memory(size_t bytes) {
  static const size_t machine =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (bytes > machine) fail_input("a tensor takes ", bytes, " bytes, and the machine has ", machine);
}

std::shared_ptr<Storage> Storage::allocate(size_t size) {
  require_memory(size);
  auto storage = std::make_shared<Storage>();
  void* bytes = std::calloc(size == 0 ? 1 : size, 1);
  if (bytes == nullptr) throw std::bad_alloc();
  storage->owner = std::shared_ptr<void>(bytes, std::free);
  storage->bytes = static_cast<std::byte*>(bytes);
  storage->size = size;
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(const void* bytes, size_t size, std::shared_ptr<const void> owner) {
  auto storage = std::make_shared<Storage>();
  storage->bytes = static_cast<std::byte*>(const_cast<void*>(bytes));
  storage->size = size;
  storage->writable = false;
  storage->owner = std::move(owner);
  return storage;
}

void Storage::begin_write() {
  if (!writable) fail_input("the tensor lies in a file that is only read: clone it before writing to it");
  if (copies_on_write) {
    auto copy = allocate(size);
    std::copy_n(bytes, size, copy->bytes);
    bytes = copy->bytes;
    owner = copy->owner;
    copies_on_write = false;
  }
  ++writes;
}

RealTensor::RealTensor(const TensorMeta& meta, std::shared_ptr<Storage> storage) : storage_(std::move(storage)) {
  set_meta(meta);
}

void RealTensor::set_meta(const TensorMeta& meta) {
  std::vector<SymInt> shape(meta.sizes.begin(), meta.sizes.end());
  shape.insert(shape.end(), meta.strides.begin(), meta.strides.end());
  meta_ = meta;
  shape_ = std::move(shape);
  meta_.sizes = SymInts(shape_).first(shape_.size() / 2);
  meta_.strides = SymInts(shape_).last(shape_.size() / 2);
  if (meta_.device.type != "cpu")
    fail_unsupported("a tensor with values on device '", meta_.device.type, "': rung computes on the cpu only");
  meta_.device = Device{};  // its text may lie in an arena
}

std::byte* RealTensor::data() const {
  return storage_->bytes + static_cast<size_t>(meta_.storage_offset.value()) * info(meta_.dtype).bytes;
}

size_t storage_bytes(const TensorMeta& meta) {
  int64_t last = meta.storage_offset.value();
  if (last < 0) fail_input("a tensor begins ", -last, " elements before its storage");
  for (size_t i = 0; i < meta.rank(); ++i) {
    int64_t size = meta.sizes[i].value(), step;
    if (size == 0) return 0;
    if (size < 0 || meta.strides[i].value() < 0)
      fail_input("a tensor has size ", size, " and stride ", meta.strides[i].value());
    if (__builtin_mul_overflow(size - 1, meta.strides[i].value(), &step) || __builtin_add_overflow(last, step, &last))
      fail_input("a tensor of these sizes does not fit into memory");
  }
  int64_t bytes;
  if (__builtin_mul_overflow(last + 1, int64_t{info(meta.dtype).bytes}, &bytes))
    fail_input("a tensor of these sizes does not fit into memory");
  return static_cast<size_t>(bytes);
}

}  // namespace rung
