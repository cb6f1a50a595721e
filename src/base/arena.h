// Memory that is given out piece by piece and freed all at once: graphs are many small objects that die together.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rung {

/// Objects in an arena are never destroyed, so they must be trivially destructible.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(size_t bytes, size_t alignment) {
    char* start = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(next_) + alignment - 1) & ~(alignment - 1));
    if (next_ == nullptr || bytes > static_cast<size_t>(end_ - next_) || start > end_ - bytes) return grow(bytes);
    next_ = start + bytes;
    return start;
  }

  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  /// `count` value-initialized objects.
  template <typename T>
  std::span<T> array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    T* items = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    for (size_t i = 0; i < count; ++i) new (items + i) T{};
    return {items, count};
  }

  template <typename T>
  std::span<T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    T* out = static_cast<T*>(allocate(items.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void*>(out), items.data(), items.size_bytes());
    return {out, items.size()};
  }
  template <typename T>
  std::span<T> copy(const std::vector<T>& items) {
    return copy(std::span<const T>(items));
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* out = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(out, text.data(), text.size());
    return {out, text.size()};
  }

  /// Takes back all that was given out. Of the memory, what a small use needs is kept.
  void clear();

  /// Bytes taken from the system.
  size_t bytes() const { return bytes_; }

 private:
  void* grow(size_t bytes);

  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t bytes_ = 0;
  struct Free {
    void operator()(char* block) const { std::free(block); }
  };
  std::vector<std::unique_ptr<char, Free>> blocks_;
};

}  // namespace rung
