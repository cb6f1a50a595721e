// ZIP archives: a reader that maps stored entries, and a writer of aligned stored entries.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/output_file.h"

namespace rung {

struct ZipEntry {
  std::string name;
  uint32_t crc32 = 0;        // of the content, as the archive says
  bool stored = true;        // else deflated
  uint64_t offset = 0;       // of the (compressed) bytes in the archive
  uint64_t stored_size = 0;  // bytes in the archive
  uint64_t size = 0;         // bytes of the content
};

/// The list of entries of an archive that lies in memory. Every offset and size is checked to be inside the archive,
/// names to be relative, without "..", and unique. Fails with kInput; the caller adds the place.
class ZipReader {
 public:
  /// `bytes` outlives the reader.
  explicit ZipReader(std::span<const char> bytes);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// nullptr if there is none.
  const ZipEntry* find(std::string_view name) const;

  /// Content of an entry: a part of the archive if it is stored, else inflated once and kept with the reader.
  /// The crc of a stored entry is not checked here, since that would read it.
  std::span<const char> content(const ZipEntry& entry) const;
  /// The same, with the crc checked.
  std::span<const char> checked_content(const ZipEntry& entry) const;
  /// Bytes of the archive that lie behind a stored entry.
  size_t readable_after(const ZipEntry& entry) const;

 private:
  void read_entries();
  std::span<const char> inflate(const ZipEntry& entry) const;

  std::span<const char> bytes_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, const ZipEntry*> by_name_;
  mutable std::unordered_map<const ZipEntry*, std::unique_ptr<char[]>> inflated_;
};

/// Writes an archive as torch lays it out: all entries stored, data at multiples of 64 bytes, sizes of any length.
/// It is there after finish(), and not before.
class ZipWriter {
 public:
  explicit ZipWriter(std::string path) : file_(std::move(path)) {}

  /// Adds an entry. With `known_crc32` the content is not read by this process if it lies in `source`, a mapped file.
  void add(std::string_view name, std::span<const char> content, const uint32_t* known_crc32 = nullptr,
           const MappedFile* source = nullptr);
  /// Writes the directory and puts the file in its place.
  void finish();

 private:
  struct Written {
    std::string name;
    uint64_t offset, size;
    uint32_t crc32;
  };
  void begin_entry(std::string_view name, std::span<const char> content, uint32_t crc32);
  void write_payload(std::span<const char> content, const MappedFile* source);
  void append_directory();

  OutputFile file_;
  std::vector<Written> written_;
};

/// zlib's crc32 over any length.
uint32_t crc32_of(std::span<const char> bytes);

}  // namespace rung
