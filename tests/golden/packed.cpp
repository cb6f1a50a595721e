// Takes cases out of an archive in an archive: the outer one deflates all of them together.
#include "golden/packed.h"

#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/zip.h"

namespace rung::golden {
namespace {

namespace fs = std::filesystem;

struct TemporaryFolder {
  TemporaryFolder() : path(fs::temp_directory_path() / cat("rung-packed-", getpid())) { fs::create_directories(path); }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

void write_file(const fs::path& path, std::span<const char> content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) fail_input(path.string(), ": cannot be written");
}

}  // namespace

void for_each_packed(const std::string& path, const std::function<void(const fs::path&)>& use) {
  const auto file = MappedFile::open(path);
  const ZipReader outer(file->bytes());
  const ZipEntry* together = outer.find("cases.zip");
  if (together == nullptr) fail_input(path, ": holds no cases.zip");
  const ZipReader cases(outer.content(*together));
  const TemporaryFolder folder;
  for (const ZipEntry& entry : cases.entries()) {
    const fs::path extracted = folder.path / fs::path(entry.name).filename();
    write_file(extracted, cases.content(entry));
    use(extracted);
    fs::remove(extracted);
  }
}

}  // namespace rung::golden
