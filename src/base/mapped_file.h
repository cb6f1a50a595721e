// A file mapped into memory, read-only: its bytes are read by the system when they are first touched.
#pragma once
#include <memory>
#include <span>
#include <string>

namespace rung {

class MappedFile {
 public:
  /// Fails with kInput for what is missing, unreadable, no regular file, or empty. Messages begin with `path`.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const char> bytes() const { return bytes_; }
  /// Stays open as long as the map, so that bytes can be copied file to file.
  int descriptor() const { return descriptor_; }
  bool holds(std::span<const char> part) const {
    return part.data() >= bytes_.data() && part.data() + part.size() <= bytes_.data() + bytes_.size();
  }

 private:
  MappedFile(int descriptor, std::span<const char> bytes) : descriptor_(descriptor), bytes_(bytes) {}

  int descriptor_;
  std::span<const char> bytes_;
};

}  // namespace rung
