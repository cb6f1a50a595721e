// A .pt2 taken apart, so that a test can change it and put it together again.
#pragma once
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/zip.h"

namespace rung {

/// tests/unit/, wherever the tests run.
inline std::string test_folder() {
  std::string file = __FILE__;
  return file.substr(0, file.rfind('/') + 1);
}
inline std::string example_path(const std::string& name) { return test_folder() + "../../examples/" + name; }
inline std::string file_path(const std::string& name) { return test_folder() + "files/" + name; }

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
inline void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// A folder that is gone at the end of the test, with the files that were put into it by name.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/rung-test-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~TemporaryFolder() {
    for (const std::string& file : files_) std::remove(file.c_str());
    ::rmdir(path_.c_str());
  }
  std::string file(const std::string& name) {
    files_.push_back(path_ + "/" + name);
    return files_.back();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

struct Pt2File {
  std::vector<std::pair<std::string, std::string>> entries;  // full name, content

  explicit Pt2File(const std::string& path) {
    auto file = MappedFile::open(path);
    read(file->bytes());
  }
  /// The entry whose name ends so.
  std::string& at(std::string_view name) {
    for (auto& [full, content] : entries)
      if (std::string_view(full).ends_with(name)) return content;
    throw std::runtime_error("no entry " + std::string(name));
  }
  void drop(std::string_view name) {
    std::erase_if(entries, [&](const auto& entry) { return std::string_view(entry.first).ends_with(name); });
  }
  /// Every occurrence; there must be one.
  void replace(std::string_view name, std::string_view from, std::string_view to) {
    std::string& text = at(name);
    size_t place = text.find(from);
    if (place == text.npos) throw std::runtime_error("nothing to replace: " + std::string(from));
    for (; place != text.npos; place = text.find(from, place + to.size())) text.replace(place, from.size(), to);
  }
  void write(const std::string& path) const {
    std::remove(path.c_str());  // some file systems wait for the disk when a file takes another's place
    ZipWriter zip(path);
    for (const auto& [name, content] : entries) zip.add(name, content);
    zip.finish();
  }

 private:
  void read(std::span<const char> bytes) {
    ZipReader zip(bytes);
    for (const ZipEntry& entry : zip.entries()) {
      std::span<const char> content = zip.content(entry);
      entries.emplace_back(entry.name, std::string(content.data(), content.size()));
    }
  }
};

/// Message of the rung::Error that `action` throws; empty if it throws none.
template <typename Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kInput ? error.what() : std::string("WRONG KIND: ") + error.what();
  }
  return "";
}

}  // namespace rung
