// Blocks double in size up to a limit, so that small programs stay small and large ones make few calls. Large blocks
// ask for large pages: a trace touches each byte once or twice, and faulting in small pages would take most of its
// time.
#include "base/arena.h"

#include <sys/mman.h>

#include <algorithm>

namespace rung {
namespace {

constexpr size_t kLargePage = size_t{1} << 21;

void* take_block(size_t& size) {
  if (size < kLargePage) return std::malloc(size);
  size = (size + kLargePage - 1) & ~(kLargePage - 1);
  void* block = std::aligned_alloc(kLargePage, size);
  if (block != nullptr) madvise(block, size, MADV_HUGEPAGE);  // only advice: where it fails nothing is lost
  return block;
}

}  // namespace

void* Arena::grow(size_t bytes) {
  constexpr size_t kFirst = size_t{1} << 14, kLargest = size_t{1} << 23;
  size_t size = std::max(bytes, std::clamp(bytes_, kFirst, kLargest));
  blocks_.emplace_back(static_cast<char*>(take_block(size)));
  char* start = blocks_.back().get();
  if (start == nullptr) throw std::bad_alloc();
  bytes_ += size;
  next_ = start + bytes;
  end_ = start + size;
  return start;
}

void Arena::clear() {
  if (blocks_.size() > 1) {
    blocks_.clear();
    end_ = nullptr;
    bytes_ = 0;
  }
  next_ = blocks_.empty() ? nullptr : blocks_.front().get();
}

}  // namespace rung
