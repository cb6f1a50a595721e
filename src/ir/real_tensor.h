// A tensor with values: metadata, and a storage that views share. Handles (Tensor) count references to it.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "ir/argument.h"
#include "ir/tensor_meta.h"

namespace rung {

/// The bytes of a storage, its own or those of something that `owner` keeps alive (a mapped file, a user's buffer).
struct Storage {
  std::byte* bytes = nullptr;
  size_t size = 0;
  bool writable = true;
  bool copies_on_write = false;  // the bytes are others': the first write goes to a copy of them
  uint32_t writes = 0;
  std::shared_ptr<const void> owner;

  /// Zeroed memory of its own.
  static std::shared_ptr<Storage> allocate(size_t size);
  /// Bytes that `owner` keeps alive; whoever is to write to them says so (writable, copies_on_write).
  static std::shared_ptr<Storage> borrow(const void* bytes, size_t size, std::shared_ptr<const void> owner);
  /// Called before bytes are written. Fails with kInput where they must not be.
  void begin_write();
};

class RealTensor {
 public:
  /// Starts with one reference. `meta` is copied, its sizes and strides too.
  RealTensor(const TensorMeta& meta, std::shared_ptr<Storage> storage);
  RealTensor(const RealTensor&) = delete;
  RealTensor& operator=(const RealTensor&) = delete;

  const TensorMeta& meta() const { return meta_; }
  /// For what changes a tensor in place: resize_, transpose_, requires_grad_.
  void set_meta(const TensorMeta& meta);
  void set_requires_grad(bool requires_grad) { meta_.requires_grad = requires_grad; }
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  void set_storage(std::shared_ptr<Storage> storage) { storage_ = std::move(storage); }
  /// Where the element at all-zero indices lies.
  std::byte* data() const;

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~RealTensor() = default;

  std::atomic<int64_t> references_ = 1;
  std::vector<SymInt> shape_;  // sizes, then strides
  TensorMeta meta_;
  std::shared_ptr<Storage> storage_;
};

/// Fails with kInput for more bytes than the machine has memory.
void require_memory(size_t bytes);

/// How many bytes a storage needs so that every element of `meta` lies in it. Fails with kInput where that is too
/// large, and where elements would lie before its start.
size_t storage_bytes(const TensorMeta& meta);

}  // namespace rung
