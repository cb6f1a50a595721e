// The header and the bytes behind it.
#include "nn/safetensors.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "ir/real_tensor.h"
#include "ops/gen/aten.h"
#include "ref/data.h"
#include "ref/pool.h"

namespace rung::nn {
namespace {

struct DTypeName {
  DType dtype;
  std::string_view name;
};
constexpr DTypeName kNames[] = {
    {DType::kBool, "BOOL"},
    {DType::kUInt8, "U8"},
    {DType::kInt8, "I8"},
    {DType::kInt16, "I16"},
    {DType::kUInt16, "U16"},
    {DType::kInt32, "I32"},
    {DType::kUInt32, "U32"},
    {DType::kInt64, "I64"},
    {DType::kUInt64, "U64"},
    {DType::kFloat16, "F16"},
    {DType::kBFloat16, "BF16"},
    {DType::kFloat32, "F32"},
    {DType::kFloat64, "F64"},
    {DType::kFloat8E4M3FN, "F8_E4M3"},
    {DType::kFloat8E5M2, "F8_E5M2"},
    {DType::kComplex64, "C64"},
};

DType dtype_of_name(std::string_view name) {
  for (const DTypeName& each : kNames)
    if (each.name == name) return each.dtype;
  fail_input("the dtype '", name, "' is unknown");
}
std::string_view name_of(DType dtype) {
  for (const DTypeName& each : kNames)
    if (each.dtype == dtype) return each.name;
  fail_unsupported("safetensors has no name for the dtype ", info(dtype).name);
}

std::vector<int64_t> integers(json::Value list) {
  std::vector<int64_t> items;
  list.for_each_item([&](json::Value item) { items.push_back(item.as_int()); });
  return items;
}

Tensor read_tensor(json::Value entry, std::span<const char> data, const std::shared_ptr<const MappedFile>& file) {
  std::vector<SymInt> sizes;
  int64_t bytes = 1;
  for (int64_t size : integers(entry.at("shape"))) {
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) fail_input("a size is ", size);
    sizes.push_back(size);
  }
  DType dtype = dtype_of_name(entry.at("dtype").as_string());
  if (__builtin_mul_overflow(bytes, static_cast<int64_t>(info(dtype).bytes), &bytes)) fail_input("it is too large");
  std::vector<int64_t> offsets = integers(entry.at("data_offsets"));
  bool fits = offsets.size() == 2 && offsets[0] >= 0 && offsets[1] >= offsets[0] &&
              offsets[1] <= static_cast<int64_t>(data.size());
  if (!fits) fail_input("its offsets are not within the ", data.size(), " bytes of data");
  if (offsets[1] - offsets[0] != bytes)
    fail_input("its offsets span ", offsets[1] - offsets[0], " bytes, its shape needs ", bytes);
  // nobody writes to it: the storage says so
  char* first = const_cast<char*>(data.data() + offsets[0]);
  return from_blob(first, sizes, dtype, std::const_pointer_cast<MappedFile>(file), false);
}

}  // namespace

StateDict load_safetensors(const std::string& path) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  std::span<const char> bytes = file->bytes();
  try {
    uint64_t length;
    if (bytes.size() < sizeof(length)) fail_input("the file has ", bytes.size(), " bytes: it is no safetensors file");
    std::memcpy(&length, bytes.data(), sizeof(length));
    bytes = bytes.subspan(sizeof(length));
    if (length > bytes.size()) fail_input("the header should have ", length, " bytes, the file has ", bytes.size());
    auto header = json::Document::parse({bytes.data(), length});
    std::span<const char> data = bytes.subspan(length);
    StateDict tensors;
    header->root().for_each_member([&](std::string_view name, json::Value entry) {
      if (name == "__metadata__") return;
      try {
        tensors.emplace_back(name, read_tensor(entry, data, file));
      } catch (const Error& error) {
        throw error.at(cat("tensor '", name, "'"));
      }
    });
    return tensors;
  } catch (const Error& error) {
    throw error.at(path);
  }
}

void save_safetensors(const StateDict& tensors, const std::string& path) {
  std::string header = "{";
  std::vector<Tensor> dense;
  std::set<std::string_view> names;
  size_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second) fail_input(path, ": the name '", name, "' is there twice");
    dense.push_back(aten::clone(tensor, MemoryFormat::kContiguous));
    size_t bytes = static_cast<size_t>(tensor.numel().value()) * info(tensor.dtype()).bytes;
    if (header.size() > 1) header += ",";
    json::append_string(header, name);
    header += cat(":{\"dtype\":\"", name_of(tensor.dtype()), "\",\"shape\":", sizes_text(tensor), ",\"data_offsets\":[",
                  offset, ",", offset + bytes, "]}");
    offset += bytes;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::ofstream out(path, std::ios::binary);
  uint64_t length = header.size();
  out.write(reinterpret_cast<const char*>(&length), sizeof(length));
  out << header;
  for (const Tensor& tensor : dense) {
    size_t bytes = static_cast<size_t>(tensor.numel().value()) * info(tensor.dtype()).bytes;
    out.write(reinterpret_cast<const char*>(tensor.argument().real->data()), static_cast<std::streamsize>(bytes));
  }
  if (!out.flush()) fail_input(path, ": the file cannot be written");
}

}  // namespace rung::nn
