// A .pt2 as a set of named records, whatever torch laid it out.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/zip.h"

namespace rung {

/// How the file is laid out.
enum class ArchiveLayout : uint8_t {
  kArchive,  // torch 2.8 and later: root/models/model.json, root/data/...
  kPlain,    // torch 2.1 to 2.7: serialized_exported_program.json, serialized_state_dict.pt (or .json)
};

class Archive {
 public:
  /// Opens the file and finds out what it is. What is no exported program is refused by its name.
  explicit Archive(const std::string& path);

  ArchiveLayout layout() const { return layout_; }
  /// The record, its name without the root folder; nullptr if there is none.
  const ZipEntry* find(std::string_view record) const;
  /// The record; fails with kInput if there is none.
  const ZipEntry& at(std::string_view record) const;
  /// Name of an entry without the root folder.
  std::string_view record_name(const ZipEntry& entry) const {
    return std::string_view(entry.name).substr(root_.size());
  }

  const ZipReader& zip() const { return *zip_; }
  std::shared_ptr<const MappedFile> file() const { return file_; }
  std::shared_ptr<const ZipReader> shared_zip() const { return zip_; }

 private:
  void find_root();

  std::shared_ptr<const MappedFile> file_;
  std::shared_ptr<const ZipReader> zip_;
  std::string root_;  // "net/", or empty
  ArchiveLayout layout_ = ArchiveLayout::kArchive;
};

}  // namespace rung
