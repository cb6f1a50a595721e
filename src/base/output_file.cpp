// Temporary files that take the place of others, and copies inside the kernel.
#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace rung {
namespace {

constexpr size_t kBufferSize = size_t{1} << 16;

int open_new(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  struct stat status;
  bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_input(path_, ": is a directory, expected a file to write");
  if (exists && !S_ISREG(status.st_mode)) {
    // A device or a pipe is written to, never replaced.
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      temporary_ = cat(path_, '.', static_cast<int64_t>(::getpid()), '.', attempt, ".tmp");
      descriptor_ = open_new(temporary_);
      if (descriptor_ >= 0 || errno != EEXIST) break;
    }
  }
  if (descriptor_ >= 0) return;
  temporary_.clear();
  fail_input(path_, ": cannot create: ", std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what) { fail_input(path_, ": ", what, ": ", std::strerror(errno)); }

bool OutputFile::copy(const MappedFile& source, std::span<const char> part) {
  flush();
  loff_t from = part.data() - source.bytes().data();
  size_t left = part.size();
  while (left > 0) {
    ssize_t count = ::copy_file_range(source.descriptor(), &from, descriptor_, nullptr, left, 0);
    if (count < 0 && errno == EINTR) continue;
    bool refused = count == 0 || (count < 0 && errno != ENOSPC && errno != EDQUOT && errno != EFBIG && errno != EIO);
    if (refused && left == part.size()) return false;
    if (count == 0) errno = EIO;
    if (count <= 0) fail("cannot write");
    left -= static_cast<size_t>(count);
    position_ += static_cast<uint64_t>(count);
  }
  return true;
}

void OutputFile::write(std::span<const char> bytes) {
  position_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferSize) flush();
  if (bytes.size() > kBufferSize) return write_now(bytes);
  buffer_.append(bytes.data(), bytes.size());
}

void OutputFile::flush() {
  write_now(buffer_);
  buffer_.clear();
}

void OutputFile::write_now(std::span<const char> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void OutputFile::finish() {
  flush();
  // Some file systems tell of a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot write");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot put the file in its place");
  temporary_.clear();
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace rung
