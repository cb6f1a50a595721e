// Opens the file and tells a .pt2 from all that people take for one.
#include "export/archive.h"

#include <cstring>

#include "base/error.h"

namespace rung {
namespace {

constexpr std::string_view kNeeded = "; rung reads what torch.export.save wrote";

bool starts_with(std::span<const char> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

// A safetensors file begins with the length of a JSON header, then the header.
bool is_safetensors(std::span<const char> bytes) {
  if (bytes.size() < 10 || bytes[8] != '{') return false;
  uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length >= 2 && length <= bytes.size() - 8;
}

// An onnx file is a protobuf message that begins with its version (field 1), then the producer (field 2).
bool is_onnx(std::span<const char> bytes) {
  return bytes.size() >= 4 && bytes[0] == 0x08 && bytes[1] > 0 && bytes[1] < 20 &&
         (bytes[2] == 0x12 || bytes[2] == 0x3a || bytes[2] == 0x42);
}

std::string_view kind_of_other_file(std::span<const char> bytes) {
  if (starts_with(bytes, "\x1f\x8b")) return "a gzip file; unpack it first";
  if (starts_with(bytes, "BZh")) return "a bzip2 file; unpack it first";
  if (starts_with(bytes,
                  "\xfd"
                  "7zXZ"))
    return "an xz file; unpack it first";
  if (starts_with(bytes, "\x28\xb5\x2f\xfd")) return "a zstd file; unpack it first";
  if (starts_with(bytes,
                  "\x7f"
                  "ELF"))
    return "an ELF binary";
  if (starts_with(bytes, "\x89HDF")) return "an HDF5 file (Keras?)";
  if (starts_with(bytes, "\x93NUMPY")) return "a .npy file";
  if (starts_with(bytes, "GGUF")) return "a GGUF file of weights";
  if (starts_with(bytes, "version https://git-lfs")) return "a git-lfs pointer; run 'git lfs pull'";
  if (bytes.size() > 8 && std::memcmp(bytes.data() + 4, "TFL3", 4) == 0) return "a TensorFlow Lite file";
  if (bytes.size() > 8 && std::memcmp(bytes.data() + 4, "ET12", 4) == 0) return "an ExecuTorch .pte file";
  if (starts_with(bytes, "\x80\x02\x8a\x0a") || starts_with(bytes, "\x80\x02}") ||
      starts_with(bytes,
                  "\x80\x02"
                  "c"))
    return "a pickle of an old torch.save";
  if (is_safetensors(bytes)) return "a safetensors file: weights without a graph";
  if (is_onnx(bytes)) return "an ONNX file";
  if (starts_with(bytes, "{") || starts_with(bytes, "[")) return "JSON text";
  if (starts_with(bytes, "<!DOCTYPE") || starts_with(bytes, "<html")) return "an HTML page";
  return "";
}

void refuse_other_file(std::span<const char> bytes) {
  if (starts_with(bytes, "PK\3\4") || starts_with(bytes, "PK\5\6")) return;
  std::string_view kind = kind_of_other_file(bytes);
  if (!kind.empty()) fail_input("is ", kind, kNeeded);
  // Other bytes may stand before an archive; only its end tells.
  bool has_end = std::string_view(bytes.data(), bytes.size()).rfind("PK\5\6") != std::string_view::npos;
  if (!has_end) fail_input("is not a ZIP archive, and so no .pt2 file", kNeeded);
}

[[noreturn]] void refuse_truncated(std::span<const char> bytes) {
  fail_input("truncated: the archive's directory, which should end the file, is missing (the file has ", bytes.size(),
             " bytes)");
}

// The end record is the last thing in the file: 22 bytes and a comment.
bool ends_with_directory(std::span<const char> bytes) {
  constexpr size_t kRecord = 22, kCommentAt = 20;
  size_t place = std::string_view(bytes.data(), bytes.size()).rfind("PK\5\6");
  if (place == std::string_view::npos || bytes.size() - place < kRecord) return false;
  uint16_t comment;
  std::memcpy(&comment, bytes.data() + place + kCommentAt, sizeof comment);
  return bytes.size() - place == kRecord + comment;
}

// Name of the entry that the file begins with; empty if it does not begin with one.
std::string_view first_local_name(std::span<const char> bytes) {
  constexpr size_t kLengthAt = 26, kNameAt = 30;
  if (!starts_with(bytes, "PK\3\4") || bytes.size() < kNameAt) return {};
  uint16_t length;
  std::memcpy(&length, bytes.data() + kLengthAt, sizeof length);
  return std::string_view(bytes.data(), bytes.size()).substr(kNameAt, length);
}

std::shared_ptr<const ZipReader> open_zip(const MappedFile& file) {
  refuse_other_file(file.bytes());
  if (!ends_with_directory(file.bytes())) refuse_truncated(file.bytes());
  auto zip = std::make_shared<ZipReader>(file.bytes());
  // A .pt2 holds whole archives; what is left of a truncated one may end with the directory of an inner archive.
  std::string_view first = first_local_name(file.bytes());
  if (!first.empty() && zip->find(first) == nullptr) refuse_truncated(file.bytes());
  return zip;
}

bool has_folder(const ZipReader& zip, std::string_view folder) {
  for (const ZipEntry& entry : zip.entries())
    if (std::string_view(entry.name).find(folder) != std::string_view::npos) return true;
  return false;
}

// For a ZIP without a program: what is it then?
[[noreturn]] void refuse_other_zip(const ZipReader& zip, const std::string& root) {
  auto has = [&](std::string_view name) { return zip.find(cat(root, name)) != nullptr; };
  if (zip.entries().empty()) fail_input("is an empty archive", kNeeded);
  if (has("constants.pkl") || has_folder(zip, "/code/"))
    fail_input(
        "is a TorchScript archive (torch.jit.save); rung needs an exported program: "
        "torch.export.save(torch.export.export(...))");
  if (has("data.pkl")) fail_input("is a pickle of torch.save: weights or Python objects without a graph", kNeeded);
  if (has_folder(zip, "data/aotinductor/") || has_folder(zip, ".wrapper.so"))
    fail_input("is an AOTInductor package: compiled code without a graph; rung needs what torch.export.save wrote");
  for (const ZipEntry& entry : zip.entries()) {
    std::string_view name(entry.name);
    if (name.starts_with(cat(root, "models/")) && name.ends_with(".json"))
      fail_input("holds no program called 'model', only '",
                 name.substr(root.size() + 7, name.size() - root.size() - 12), "'");
    if (name.ends_with(".npy")) fail_input("is a NumPy .npz file", kNeeded);
  }
  fail_input(
      "is a ZIP archive without an exported program: there is no models/model.json and no "
      "serialized_exported_program.json",
      kNeeded);
}

}  // namespace

Archive::Archive(const std::string& path) : file_(MappedFile::open(path)) {
  try {
    zip_ = open_zip(*file_);
    find_root();
  } catch (const Error& error) {
    throw error.at(path);
  }
}

void Archive::find_root() {
  if (zip_->find("serialized_exported_program.json") != nullptr) {
    layout_ = ArchiveLayout::kPlain;
    return;
  }
  if (!zip_->entries().empty()) {
    const std::string& first = zip_->entries()[0].name;
    size_t slash = first.find('/');
    if (slash != first.npos) root_ = first.substr(0, slash + 1);
  }
  if (find("models/model.json") == nullptr) refuse_other_zip(*zip_, root_);
  if (root_.empty()) fail_input("the archive has no root folder");
}

const ZipEntry* Archive::find(std::string_view record) const { return zip_->find(cat(root_, record)); }

const ZipEntry& Archive::at(std::string_view record) const {
  const ZipEntry* entry = find(record);
  if (entry == nullptr) fail_input("the archive has no entry '", record, "'");
  return *entry;
}

}  // namespace rung
