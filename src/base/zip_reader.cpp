// Reads the directory of a ZIP with minizip over mapped memory; stored entries stay where they lie.
#include <minizip/unzip.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/zip.h"

namespace rung {
namespace {

// minizip's idea of a file, over memory.
struct MemoryStream {
  std::span<const char> bytes;
  uint64_t position = 0;
  bool past_end = false;  // minizip takes what is missing for zeros unless it is told
};

voidpf open_memory(voidpf opaque, const void*, int) { return opaque; }
int close_memory(voidpf, voidpf) { return 0; }
int memory_error(voidpf, voidpf stream) { return static_cast<MemoryStream*>(stream)->past_end; }
ZPOS64_T tell_memory(voidpf, voidpf stream) { return static_cast<MemoryStream*>(stream)->position; }

uLong read_memory(voidpf, voidpf stream, void* out, uLong size) {
  auto& memory = *static_cast<MemoryStream*>(stream);
  uint64_t left = memory.bytes.size() - memory.position;
  uint64_t count = std::min<uint64_t>(left, size);
  std::memcpy(out, memory.bytes.data() + memory.position, count);
  memory.position += count;
  memory.past_end = memory.past_end || count < size;
  return count;
}

long seek_memory(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  auto& memory = *static_cast<MemoryStream*>(stream);
  uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                  : origin == ZLIB_FILEFUNC_SEEK_CUR ? memory.position
                                                     : memory.bytes.size();
  uint64_t target = base + offset;  // minizip goes back by adding what wraps around
  if (target > memory.bytes.size()) return -1;
  memory.position = target;
  return 0;
}

struct Unzip {
  unzFile file = nullptr;
  ~Unzip() {
    if (file != nullptr) unzClose(file);
  }
};

void check_name(std::string_view name) {
  if (name.empty()) fail_input("an entry of the archive has no name");
  auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control))
    fail_input("the entry name ", python_string(name.substr(0, 80)), " holds a control character");
  if (name[0] == '/' || name[0] == '\\') fail_input("the entry name ", python_string(name), " is absolute");
  for (size_t start = 0; start <= name.size();) {
    size_t end = std::min(name.find_first_of("/\\", start), name.size());
    if (name.substr(start, end - start) == "..")
      fail_input("the entry name ", python_string(name), " leads out of the archive");
    start = end + 1;
  }
}

// Deflate never packs more than 1032 to 1; whatever claims more would only make us take memory.
bool plausible_size(const ZipEntry& entry) {
  constexpr uint64_t kBestRatio = 1032;
  return entry.size / kBestRatio <= entry.stored_size + 1;
}

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

// What the extra field of a large entry says; minizip 1.1 overlooks it where `unsigned long` has 64 bits.
struct LargeFields {
  std::string_view left;  // of the field: sizes that do not fit into 32 bits, then the offset if it does not

  explicit LargeFields(std::string_view extra) {
    constexpr size_t kHeader = 4;
    while (extra.size() >= kHeader) {
      size_t length = std::min<size_t>(little_endian(extra.substr(2, 2)), extra.size() - kHeader);
      if (little_endian(extra.substr(0, 2)) == 1) left = extra.substr(kHeader, length);
      extra.remove_prefix(kHeader + length);
    }
  }
  bool has_next() const { return left.size() >= 8; }
  uint64_t next() {
    if (!has_next()) fail_input("the archive's directory is damaged: a large entry lacks its size");
    uint64_t value = little_endian(left.substr(0, 8));
    left.remove_prefix(8);
    return value;
  }
};

// Where the content of an entry begins whose header lies at `header`.
uint64_t content_offset(std::span<const char> archive, uint64_t header, const std::string& name) {
  constexpr uint64_t kHeader = 30, kLengthsAt = 26;
  std::string_view text(archive.data(), archive.size());
  bool inside = header <= text.size() && text.size() - header >= kHeader;
  if (!inside || text.substr(header, 4) != "PK\3\4")
    fail_input("the entry '", name, "' is damaged: its header is not where the directory says");
  uint64_t name_length = little_endian(text.substr(header + kLengthsAt, 2));
  uint64_t extra_length = little_endian(text.substr(header + kLengthsAt + 2, 2));
  if (text.substr(header + kHeader, name_length) != name)
    fail_input("the entry '", name, "' is damaged: its header does not fit the archive's directory");
  return header + kHeader + name_length + extra_length;
}

uint64_t minizip_offset(unzFile file, const std::string& name) {
  int method = 0, level = 0;
  if (unzOpenCurrentFile2(file, &method, &level, 1) != UNZ_OK)
    fail_input("the entry '", name, "' is damaged: its header does not fit the archive's directory");
  uint64_t offset = unzGetCurrentFileZStreamPos64(file);
  unzCloseCurrentFile(file);
  return offset;
}

// What minizip knows of its current entry, checked against the archive.
ZipEntry current_entry(unzFile file, std::span<const char> archive) {
  unz_file_info64 info;
  constexpr size_t kLongest = std::numeric_limits<uint16_t>::max();
  std::string name(kLongest, '\0'), extra(kLongest, '\0');
  if (unzGetCurrentFileInfo64(file, &info, name.data(), kLongest, extra.data(), kLongest, nullptr, 0) != UNZ_OK)
    fail_input("the archive's directory is damaged");
  name.resize(info.size_filename);
  extra.resize(info.size_file_extra);
  check_name(name);
  if (info.flag & 1) fail_input("the entry '", name, "' is encrypted");
  if (info.compression_method != 0 && info.compression_method != Z_DEFLATED)
    fail_input("the entry '", name, "' is packed with method ", info.compression_method,
               ", expected stored or deflated");
  constexpr uint64_t kIsLarge = 0xffffffff;
  LargeFields large(extra);
  uint64_t size = info.uncompressed_size >= kIsLarge ? large.next() : info.uncompressed_size;
  uint64_t stored_size = info.compressed_size >= kIsLarge ? large.next() : info.compressed_size;
  uint64_t offset = large.has_next() ? content_offset(archive, large.next(), name) : minizip_offset(file, name);
  ZipEntry entry{
      std::move(name), static_cast<uint32_t>(info.crc), info.compression_method == 0, offset, stored_size, size};
  if (entry.offset > archive.size() || entry.stored_size > archive.size() - entry.offset)
    fail_input("the entry '", entry.name, "' ends behind the end of the file: ", entry.stored_size, " bytes at ",
               entry.offset);
  if (entry.stored && entry.size != entry.stored_size)
    fail_input("the stored entry '", entry.name, "' has two sizes: ", entry.size, " and ", entry.stored_size);
  if (!entry.stored && !plausible_size(entry))
    fail_input("the entry '", entry.name, "' claims to unpack ", entry.stored_size, " bytes to ", entry.size);
  return entry;
}

}  // namespace

uint32_t crc32_of(std::span<const char> bytes) {
  return static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

ZipReader::ZipReader(std::span<const char> bytes) : bytes_(bytes) {
  read_entries();
  for (const ZipEntry& entry : entries_)
    if (!by_name_.emplace(entry.name, &entry).second)
      fail_input("the archive has two entries called '", entry.name, "'");
}

// Minizip takes an archive without entries, which is nothing but its end record, for damaged.
static bool is_empty_archive(std::span<const char> bytes) {
  return bytes.size() == 22 && std::string_view(bytes.data(), 4) == "PK\x05\x06";
}

void ZipReader::read_entries() {
  if (is_empty_archive(bytes_)) return;
  MemoryStream stream{bytes_};
  zlib_filefunc64_def functions{open_memory, read_memory,  nullptr,      tell_memory,
                                seek_memory, close_memory, memory_error, &stream};
  Unzip zip{unzOpen2_64(nullptr, &functions)};
  if (zip.file == nullptr) fail_input("the archive's directory is missing or damaged (is the file truncated?)");
  unz_global_info64 info;
  unzGetGlobalInfo64(zip.file, &info);
  if (info.number_entry == 0) return;
  int status = unzGoToFirstFile(zip.file);
  for (; status == UNZ_OK; status = unzGoToNextFile(zip.file)) entries_.push_back(current_entry(zip.file, bytes_));
  if (status != UNZ_END_OF_LIST_OF_FILE || entries_.size() != info.number_entry)
    fail_input("the archive's directory is damaged: it announces ", info.number_entry, " entries, ", entries_.size(),
               " can be read");
}

const ZipEntry* ZipReader::find(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::span<const char> ZipReader::content(const ZipEntry& entry) const {
  return entry.stored ? bytes_.subspan(entry.offset, entry.stored_size) : inflate(entry);
}

std::span<const char> ZipReader::checked_content(const ZipEntry& entry) const {
  std::span<const char> bytes = content(entry);
  if (entry.stored && crc32_of(bytes) != entry.crc32)
    fail_input("the entry '", entry.name, "' is damaged: its checksum differs");
  return bytes;
}

size_t ZipReader::readable_after(const ZipEntry& entry) const {
  return entry.stored ? bytes_.size() - (entry.offset + entry.stored_size) : 0;
}

std::span<const char> ZipReader::inflate(const ZipEntry& entry) const {
  auto& memory = inflated_[&entry];
  if (memory != nullptr) return {memory.get(), entry.size};
  auto out = std::make_unique_for_overwrite<char[]>(entry.size + 1);
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail_input("no memory to unpack the entry '", entry.name, "'");
  uint64_t in_left = entry.stored_size, out_left = entry.size;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + entry.offset));
  stream.next_out = reinterpret_cast<Bytef*>(out.get());
  // zlib counts in 32 bits, so long entries go in pieces.
  constexpr uint64_t kPiece = 1u << 30;
  int status = Z_OK;
  while (status == Z_OK) {
    uInt in = static_cast<uInt>(std::min(in_left, kPiece)), room = static_cast<uInt>(std::min(out_left, kPiece));
    stream.avail_in = in;
    stream.avail_out = room;
    status = ::inflate(&stream, Z_NO_FLUSH);
    in_left -= in - stream.avail_in;
    out_left -= room - stream.avail_out;
    if (status == Z_OK && stream.avail_in == in && stream.avail_out == room) status = Z_BUF_ERROR;
  }
  ::inflateEnd(&stream);
  if (status != Z_STREAM_END || out_left != 0)
    fail_input("the entry '", entry.name, "' is damaged: it cannot be unpacked");
  if (crc32_of({out.get(), entry.size}) != entry.crc32)
    fail_input("the entry '", entry.name, "' is damaged: its checksum differs");
  memory = std::move(out);
  return {memory.get(), entry.size};
}

}  // namespace rung
