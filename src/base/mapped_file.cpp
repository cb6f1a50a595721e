// mmap, with a message for each way in which a path is not a file.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace rung {
namespace {

// Closes the descriptor unless it was handed on.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int release() { return std::exchange(number, -1); }
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  // Not blocking, or a pipe without a writer would hang here.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) fail_input(path, ": cannot open: ", std::strerror(errno));
  struct stat status;
  if (::fstat(file.number, &status) != 0) fail_input(path, ": cannot look at it: ", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail_input(path, ": is a directory, expected a file");
  if (!S_ISREG(status.st_mode)) fail_input(path, ": is not a regular file");
  if (status.st_size == 0) fail_input(path, ": the file is empty");
  size_t size = static_cast<size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (start == MAP_FAILED) fail_input(path, ": cannot map ", size, " bytes: ", std::strerror(errno));
  return std::shared_ptr<const MappedFile>(new MappedFile(file.release(), {static_cast<const char*>(start), size}));
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  ::close(descriptor_);
}

}  // namespace rung
