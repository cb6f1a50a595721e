// Writes ZIP archives of stored entries whose data is aligned, so that a reader can map it. Large payloads go from
// file to file inside the kernel.
#include <algorithm>

#include "base/error.h"
#include "base/zip.h"

namespace rung {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kMax32 = 0xffffffff;
constexpr uint16_t kUtf8Names = 0x0800;
constexpr uint16_t kDosEpoch = 0x21;  // 1980-01-01: month 0 and day 0 would be no date

void put16(std::string& out, uint64_t value) {
  for (int shift = 0; shift < 16; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}
void put32(std::string& out, uint64_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}
void put64(std::string& out, uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

// The fields that local and central headers share, from "version needed" to the length of the name.
void put_common(std::string& out, uint64_t size, uint32_t crc32, size_t name_length) {
  bool large = size >= kMax32;
  put16(out, large ? 45 : 20);
  put16(out, kUtf8Names);
  put16(out, 0);  // stored
  put16(out, 0);  // time
  put16(out, kDosEpoch);
  put32(out, crc32);
  put32(out, large ? kMax32 : size);
  put32(out, large ? kMax32 : size);
  put16(out, name_length);
}

}  // namespace

void ZipWriter::add(std::string_view name, std::span<const char> content, const uint32_t* known_crc32,
                    const MappedFile* source) {
  begin_entry(name, content, known_crc32 != nullptr ? *known_crc32 : crc32_of(content));
  write_payload(content, source);
}

void ZipWriter::begin_entry(std::string_view name, std::span<const char> content, uint32_t crc32) {
  if (name.size() > 0xffff) fail_input(file_.path(), ": the entry name '", name.substr(0, 60), "...' is too long");
  uint64_t size = content.size();
  bool large = size >= kMax32;
  constexpr uint64_t kHeader = 30, kExtraHeader = 4, kSizes64 = 20;
  uint64_t start = file_.position() + kHeader + name.size() + (large ? kSizes64 : 0) + kExtraHeader;
  uint64_t padding = (kAlignment - start % kAlignment) % kAlignment;

  std::string header = "PK\3\4";
  put_common(header, size, crc32, name.size());
  put16(header, (large ? kSizes64 : 0) + kExtraHeader + padding);
  header += name;
  if (large) {
    put16(header, 1);
    put16(header, 16);
    put64(header, size);
    put64(header, size);
  }
  header += "FB";  // torch's mark of a field that only fills up
  put16(header, padding);
  header.append(padding, 'Z');
  written_.push_back({std::string(name), file_.position(), size, crc32});
  file_.write(header);
}

void ZipWriter::write_payload(std::span<const char> content, const MappedFile* source) {
  constexpr size_t kWorthACall = size_t{1} << 18;
  if (source != nullptr && content.size() >= kWorthACall && source->holds(content) && file_.copy(*source, content))
    return;
  file_.write(content);
}

void ZipWriter::append_directory() {
  uint64_t start = file_.position();
  std::string out;
  for (const Written& entry : written_) {
    bool large_size = entry.size >= kMax32, large_offset = entry.offset >= kMax32;
    uint64_t extra = (large_size ? 16 : 0) + (large_offset ? 8 : 0);
    out += "PK\1\2";
    put16(out, 45);
    put_common(out, entry.size, entry.crc32, entry.name.size());
    put16(out, extra > 0 ? extra + 4 : 0);
    put16(out, 0);  // comment
    put16(out, 0);  // disk
    put16(out, 0);  // internal attributes
    put32(out, 0);  // external attributes
    put32(out, large_offset ? kMax32 : entry.offset);
    out += entry.name;
    if (extra == 0) continue;
    put16(out, 1);
    put16(out, extra);
    if (large_size) put64(out, entry.size), put64(out, entry.size);
    if (large_offset) put64(out, entry.offset);
  }
  uint64_t size = out.size(), end = start + size, count = written_.size();
  // The end of the directory in 64 bits, where that lies, and the old end for small numbers.
  out += "PK\6\6";
  put64(out, 44);
  put16(out, 45);
  put16(out, 45);
  put32(out, 0);
  put32(out, 0);
  put64(out, count);
  put64(out, count);
  put64(out, size);
  put64(out, start);
  out += "PK\6\7";
  put32(out, 0);
  put64(out, end);
  put32(out, 1);
  out += "PK\5\6";
  put32(out, 0);
  put16(out, std::min<uint64_t>(count, 0xffff));
  put16(out, std::min<uint64_t>(count, 0xffff));
  put32(out, std::min(size, kMax32));
  put32(out, std::min(start, kMax32));
  put16(out, 0);
  file_.write(out);
}

void ZipWriter::finish() {
  append_directory();
  file_.finish();
}

}  // namespace rung
