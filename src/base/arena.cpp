// Blocks double in size up to a limit, so that small programs stay small and large ones make few calls.
#include "base/arena.h"

#include <algorithm>

namespace rung {

void* Arena::grow(size_t bytes) {
  constexpr size_t kFirst = size_t{1} << 14, kLargest = size_t{1} << 20;
  size_t size = std::max(bytes, std::clamp(bytes_, kFirst, kLargest));
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  char* start = blocks_.back().get();
  bytes_ += size;
  next_ = start + bytes;
  end_ = start + size;
  return start;
}

}  // namespace rung
