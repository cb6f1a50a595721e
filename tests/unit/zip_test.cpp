// ZIP archives: what is written can be read and mapped, what is damaged is refused, and a full disk leaves nothing.
#include "base/zip.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "pt2_files.h"

using namespace rung;

namespace {

std::string_view text_of(std::span<const char> bytes) { return {bytes.data(), bytes.size()}; }

void put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

struct RawEntry {
  std::string name, content = {};
  bool deflated = false;
  uint16_t flags = 0, method = 0;
  uint32_t crc_change = 0;
  int64_t size_change = 0;
};

std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// An archive as zip programs write it, right or wrong.
std::string raw_zip(const std::vector<RawEntry>& entries) {
  std::string out, directory;
  for (const RawEntry& entry : entries) {
    std::string packed = entry.deflated ? deflated(entry.content) : entry.content;
    std::string common;
    put(common, entry.flags, 2);
    put(common, entry.method != 0 ? entry.method : entry.deflated ? 8 : 0, 2);
    put(common, 0, 4);
    put(common, crc32_of(entry.content) + entry.crc_change, 4);
    put(common, packed.size(), 4);
    put(common, entry.content.size() + static_cast<uint64_t>(entry.size_change), 4);
    put(common, entry.name.size(), 2);
    put(common, 0, 2);
    directory += "PK\1\2";
    put(directory, 20, 2);
    put(directory, 20, 2);
    directory += common;
    put(directory, 0, 8);
    put(directory, 0, 2);
    put(directory, out.size(), 4);
    directory += entry.name;
    out += "PK\3\4";
    put(out, 20, 2);
    out += common + entry.name + packed;
  }
  size_t start = out.size();
  out += directory + "PK\5\6";
  put(out, 0, 4);
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);
  return out;
}

std::string problem(const std::vector<RawEntry>& entries) {
  std::string zip = raw_zip(entries);
  return message_of([&] {
    ZipReader reader(zip);
    for (const ZipEntry& entry : reader.entries()) reader.checked_content(entry);
  });
}

}  // namespace

TEST_CASE("zip: what is written is read again, aligned and mapped") {
  TemporaryFolder folder;
  std::string path = folder.file("a.pt2");
  std::string large(300000, 'x');
  ZipWriter writer(path);
  writer.add("root/one", std::string_view("first"));
  writer.add("root/empty", std::string_view());
  writer.add("root/lärge", large);
  for (int i = 0; i < 200; ++i) writer.add(cat("root/many/", i), std::string(static_cast<size_t>(i), 'y'));
  CHECK(::access(path.c_str(), F_OK) != 0);
  writer.finish();
  auto file = MappedFile::open(path);
  ZipReader reader(file->bytes());
  CHECK(reader.entries().size() == 203);
  CHECK(reader.find("root/two") == nullptr);
  CHECK(text_of(reader.checked_content(*reader.find("root/one"))) == "first");
  CHECK(text_of(reader.checked_content(*reader.find("root/lärge"))) == large);
  for (const ZipEntry& entry : reader.entries()) {
    CHECK(entry.offset % 64 == 0);
    CHECK(file->holds(reader.checked_content(entry)));
  }
}

TEST_CASE("zip: payloads are copied from file to file") {
  TemporaryFolder folder;
  std::string first = folder.file("a.pt2"), second = folder.file("b.pt2");
  std::string large(3000000, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7);
  {
    ZipWriter writer(first);
    writer.add("r/a", large);
    writer.finish();
  }
  auto file = MappedFile::open(first);
  ZipReader reader(file->bytes());
  const ZipEntry& entry = *reader.find("r/a");
  ZipWriter writer(second);
  writer.add("r/before", std::string_view("b"));
  writer.add("r/a", reader.content(entry), &entry.crc32, file.get());
  writer.add("r/after", std::string_view("a"));
  writer.finish();
  auto copy = MappedFile::open(second);
  ZipReader again(copy->bytes());
  CHECK(text_of(again.checked_content(*again.find("r/a"))) == large);
  CHECK(text_of(again.checked_content(*again.find("r/after"))) == "a");
}

TEST_CASE("zip: entries beyond four gigabytes") {
  // A file with a hole; it takes no room on the disk.
  TemporaryFolder folder;
  std::string path = folder.file("large.pt2");
  constexpr uint64_t kLarge = 0xffffffff, kSize = 4400000000;
  // From the version on; local and listed headers share it.
  auto common = [](std::string_view name, std::string_view content, bool large, std::string_view extra) {
    std::string out;
    put(out, 45, 2);
    put(out, 0, 8);
    put(out, large ? 0 : crc32_of(content), 4);
    put(out, large ? kLarge : content.size(), 4);
    put(out, large ? kLarge : content.size(), 4);
    put(out, name.size(), 2);
    put(out, extra.size(), 2);
    return out;
  };
  std::string sizes, offset, first, second, directory;
  put(sizes, 1, 2);
  put(sizes, 16, 2);
  put(sizes, kSize, 8);
  put(sizes, kSize, 8);
  first = "PK\3\4" + common("r/large", "", true, sizes) + "r/large" + sizes;
  uint64_t second_at = first.size() + kSize;
  put(offset, 1, 2);
  put(offset, 8, 2);
  put(offset, second_at, 8);
  second = "PK\3\4" + common("r/small", "text", false, "") + "r/smalltext";
  auto listed = [&](std::string_view name, std::string_view content, bool large, std::string_view extra, uint64_t at) {
    directory += "PK\1\2";
    put(directory, 45, 2);
    directory += common(name, content, large, extra);
    put(directory, 0, 8);
    put(directory, 0, 2);
    put(directory, at, 4);
    directory += cat(name, extra);
  };
  listed("r/large", "", true, sizes, 0);
  listed("r/small", "text", false, offset, kLarge);
  std::string tail = second + directory;
  uint64_t directory_at = second_at + second.size(), end_at = directory_at + directory.size();
  tail += "PK\6\6";
  put(tail, 44, 8);
  put(tail, 45, 2);
  put(tail, 45, 2);
  put(tail, 0, 8);
  for (uint64_t value : {uint64_t{2}, uint64_t{2}, uint64_t{directory.size()}, directory_at}) put(tail, value, 8);
  tail += "PK\6\7";
  put(tail, 0, 4);
  put(tail, end_at, 8);
  put(tail, 1, 4);
  tail += "PK\5\6";
  put(tail, 0, 4);
  put(tail, 2, 2);
  put(tail, 2, 2);
  put(tail, directory.size(), 4);
  put(tail, kLarge, 4);
  put(tail, 0, 2);
  {
    std::ofstream out(path, std::ios::binary);
    out.write(first.data(), static_cast<std::streamsize>(first.size()));
    out.seekp(static_cast<std::streamoff>(second_at));
    out.write(tail.data(), static_cast<std::streamsize>(tail.size()));
    if (!out) return;  // no file system for such files
  }
  auto file = MappedFile::open(path);
  ZipReader reader(file->bytes());
  REQUIRE(reader.entries().size() == 2);
  CHECK(reader.entries()[0].size == kSize);
  CHECK(reader.content(reader.entries()[0]).size() == kSize);
  CHECK(text_of(reader.checked_content(*reader.find("r/small"))) == "text");
}

TEST_CASE("zip: deflated entries are unpacked once") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += cat("line ", i, "\n");
  std::string zip =
      raw_zip({{.name = "a", .content = text, .deflated = true}, {.name = "b", .content = "", .deflated = true}});
  ZipReader reader(zip);
  std::span<const char> content = reader.content(reader.entries()[0]);
  CHECK(text_of(content) == text);
  CHECK(reader.content(reader.entries()[0]).data() == content.data());
  CHECK(reader.content(reader.entries()[1]).empty());
}

TEST_CASE("zip: names that mean harm are refused") {
  CHECK(problem({{.name = "a/b"}, {.name = "c..d/..e"}}) == "");
  CHECK(problem({{.name = "a"}, {.name = "a"}}) == "the archive has two entries called 'a'");
  CHECK(problem({{.name = "/etc/passwd"}}) == "the entry name '/etc/passwd' is absolute");
  CHECK(problem({{.name = "a/../../b"}}) == "the entry name 'a/../../b' leads out of the archive");
  CHECK(problem({{.name = ".."}}) == "the entry name '..' leads out of the archive");
  CHECK(problem({{.name = "a\\..\\b"}}) == "the entry name 'a\\\\..\\\\b' leads out of the archive");
  CHECK(problem({{.name = std::string("a\0b", 3)}}) == "the entry name 'a\\x00b' holds a control character");
  CHECK(problem({{.name = ""}}) == "an entry of the archive has no name");
}

TEST_CASE("zip: damage is refused") {
  CHECK(problem({{.name = "a", .content = "text", .crc_change = 1}}) ==
        "the entry 'a' is damaged: its checksum differs");
  CHECK(problem({{.name = "a", .content = "text", .deflated = true, .crc_change = 1}}) ==
        "the entry 'a' is damaged: its checksum differs");
  CHECK(problem({{.name = "a", .content = "text", .size_change = 1}}) == "the stored entry 'a' has two sizes: 5 and 4");
  CHECK(problem({{.name = "a", .content = "text", .deflated = true, .size_change = 1}}) ==
        "the entry 'a' is damaged: it cannot be unpacked");
  CHECK(problem({{.name = "a", .content = "text", .deflated = true, .size_change = 1000000000}}) ==
        "the entry 'a' claims to unpack 6 bytes to 1000000004");
  CHECK(problem({{.name = "a", .content = "text", .flags = 1}}) == "the entry 'a' is encrypted");
  CHECK(problem({{.name = "a", .content = "text", .method = 12}}) ==
        "the entry 'a' is packed with method 12, expected stored or deflated");
}

TEST_CASE("zip: no prefix and no changed byte of an archive does harm") {
  std::string zip = raw_zip(
      {{.name = "a", .content = "some text"}, {.name = "b/c", .content = std::string(200, 'x'), .deflated = true}});
  auto try_reading = [](const std::string& bytes) {
    return message_of([&] {
      ZipReader reader(bytes);
      for (const ZipEntry& entry : reader.entries()) reader.checked_content(entry);
    });
  };
  CHECK(try_reading(zip) == "");
  for (size_t length = 0; length < zip.size(); ++length) {
    CAPTURE(length - zip.size());
    CHECK(try_reading(zip.substr(0, length)) != "");
  }
  for (size_t place = 0; place < zip.size(); ++place)
    for (int change : {0x01, 0x80, 0xff}) {
      std::string changed = zip;
      changed[place] = static_cast<char>(changed[place] ^ change);
      CHECK(!try_reading(changed).starts_with("WRONG KIND"));
    }
}

TEST_CASE("zip: what cannot be written is said, and nothing is left") {
  TemporaryFolder folder;
  std::string large(1 << 20, 'x');
  auto write_to = [&](const std::string& path) {
    return message_of([&] {
      ZipWriter writer(path);
      writer.add("r/a", large);
      writer.finish();
    });
  };
  CHECK(write_to(folder.path()) == folder.path() + ": is a directory, expected a file to write");
  CHECK(write_to(folder.path() + "/no/file") == folder.path() + "/no/file: cannot create: No such file or directory");
  CHECK(write_to("/dev/full") == "/dev/full: cannot write: No space left on device");
  struct stat status;
  REQUIRE(::stat("/dev/full", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
  // Given up before finish(): the old file stays as it was.
  std::string path = folder.file("old.pt2");
  write_text(path, "old");
  {
    ZipWriter writer(path);
    writer.add("r/a", large);
  }
  CHECK(read_text(path) == "old");
}

TEST_CASE("mapped file: what is no file is said") {
  TemporaryFolder folder;
  std::string path = folder.file("empty");
  write_text(path, "");
  CHECK(message_of([&] { MappedFile::open(path); }) == path + ": the file is empty");
  CHECK(message_of([&] { MappedFile::open(folder.path()); }) == folder.path() + ": is a directory, expected a file");
  CHECK(message_of([&] { MappedFile::open(path + "x"); }) == path + "x: cannot open: No such file or directory");
  CHECK(message_of([&] { MappedFile::open("/dev/null"); }) == "/dev/null: is not a regular file");
}
