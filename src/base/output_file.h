// A file that is whole or is not there.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/mapped_file.h"

namespace rung {

/// Written to a temporary file beside `path`, which takes its place in finish(); without finish() nothing is left.
/// A device or a pipe is written to, never replaced. Fails with kInput; messages begin with `path`.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const char> bytes);
  /// Copies a part of a mapped file inside the kernel. False if the kernel cannot copy between these two files; then
  /// nothing was written.
  bool copy(const MappedFile& source, std::span<const char> part);
  void finish();

  const std::string& path() const { return path_; }
  /// Bytes written until now.
  uint64_t position() const { return position_; }

 private:
  void write_now(std::span<const char> bytes);
  void flush();
  [[noreturn]] void fail(const char* what);

  std::string path_, temporary_;
  int descriptor_ = -1;
  uint64_t position_ = 0;  // bytes given to the file and the buffer together
  std::string buffer_;     // small pieces, gathered
};

/// The whole of a file at once.
void write_file(const std::string& path, std::string_view text);

}  // namespace rung
