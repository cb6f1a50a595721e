// The .npy header: a magic number, two version bytes, a length, and a Python dictionary as text.
#include "interp/npz.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/zip.h"
#include "ir/real_tensor.h"
#include "ops/gen/aten.h"
#include "ref/data.h"
#include "ref/pool.h"

namespace rung::interp {
namespace {

struct NumpyType {
  std::string_view descr;
  DType dtype;
};
constexpr NumpyType kTypes[] = {
    {"|b1", DType::kBool},
    {"|i1", DType::kInt8},
    {"|u1", DType::kUInt8},
    {"<i2", DType::kInt16},
    {"<i4", DType::kInt32},
    {"<i8", DType::kInt64},
    {"<u2", DType::kUInt16},
    {"<u4", DType::kUInt32},
    {"<u8", DType::kUInt64},
    {"<f2", DType::kFloat16},
    {"<f4", DType::kFloat32},
    {"<f8", DType::kFloat64},
    {"<c8", DType::kComplex64},
    {"<c16", DType::kComplex128},
    // what the package ml_dtypes writes for bfloat16 and float8
    {"<V2", DType::kUInt16},
    {"|V2", DType::kUInt16},
    {"<V1", DType::kUInt8},
    {"|V1", DType::kUInt8},
};

DType dtype_of_descr(std::string_view descr) {
  for (const NumpyType& type : kTypes)
    if (type.descr == descr) return type.dtype;
  if (descr.starts_with('>')) fail_input("the dtype '", descr, "' is big-endian: save it in the machine's byte order");
  fail_input("numpy's dtype '", descr, "' has no torch dtype");
}

// Numpy's type of the same size and bits.
NumpyType written_type(DType dtype) {
  for (const NumpyType& type : kTypes)
    if (type.dtype == dtype) return type;
  if (info(dtype).bytes > 2) fail_unsupported("numpy has no dtype for ", info(dtype).name);
  return info(dtype).bytes == 2 ? NumpyType{"<u2", DType::kUInt16} : NumpyType{"|u1", DType::kUInt8};
}

// ---- reading

struct Header {
  std::string_view descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// The text after 'key':, which must be there.
std::string_view after_key(std::string_view text, std::string_view key) {
  size_t at = text.find(cat('\'', key, "':"));
  if (at == text.npos) fail_input("the array's header has no '", key, "'");
  text.remove_prefix(at + key.size() + 3);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::vector<int64_t> read_shape(std::string_view text) {
  size_t end = text.find(')');
  if (!text.starts_with('(') || end == text.npos) fail_input("the array's shape is no tuple");
  std::vector<int64_t> shape;
  for (text = text.substr(1, end - 1); !text.empty();) {
    size_t start = text.find_first_not_of(", ");
    if (start == text.npos) break;
    text.remove_prefix(start);
    int64_t size = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0) fail_input("the array's shape has the size '", text, "'");
    shape.push_back(size);
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
  }
  return shape;
}

Header read_header(std::string_view text) {
  Header header;
  std::string_view descr = after_key(text, "descr");
  size_t end = descr.find('\'', 1);
  if (!descr.starts_with('\'') || end == descr.npos) fail_input("arrays of records cannot be read");
  header.descr = descr.substr(1, end - 1);
  header.fortran_order = after_key(text, "fortran_order").starts_with("True");
  header.shape = read_shape(after_key(text, "shape"));
  return header;
}

Tensor read_array(std::string_view bytes) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (bytes.size() < 12 || !bytes.starts_with(kMagic)) fail_input("the entry is no array of numpy");
  const bool is_first = bytes[6] == 1;
  auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(bytes[at])); };
  size_t length = byte(8) | byte(9) << 8, start = 10;
  if (!is_first) length |= byte(10) << 16 | byte(11) << 24, start = 12;
  if (length > bytes.size() - start) fail_input("the array's header is longer than its file");
  const Header header = read_header(bytes.substr(start, length));
  const DType dtype = dtype_of_descr(header.descr);
  const std::string_view data = bytes.substr(start + length);
  size_t count = 1;
  for (int64_t size : header.shape)
    if (__builtin_mul_overflow(count, static_cast<size_t>(size), &count)) fail_input("the array is too large");
  if (data.size() / info(dtype).bytes < count)
    fail_input("the array has ", count, " elements of ", static_cast<int>(info(dtype).bytes), " bytes, and ",
               data.size(), " bytes");
  std::vector<SymInt> sizes(header.shape.begin(), header.shape.end());
  if (!header.fortran_order) return tensor_from(data.data(), count, dtype, sizes);
  std::ranges::reverse(sizes);
  std::vector<SymInt> reversed;
  for (size_t i = sizes.size(); i-- > 0;) reversed.emplace_back(static_cast<int64_t>(i));
  return aten::permute(tensor_from(data.data(), count, dtype, sizes), reversed);
}

// ---- writing

std::string array_bytes(const Tensor& tensor) {
  Tensor dense = aten::contiguous(aten::resolve_neg(aten::resolve_conj(tensor)));
  std::string shape;
  for (SymInt size : dense.sizes()) shape += cat(size.value(), ", ");
  if (dense.dim() > 1) shape.resize(shape.size() - 2);
  if (dense.dim() == 1) shape.pop_back();
  std::string header =
      cat("{'descr': '", written_type(dense.dtype()).descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = cat("\x93NUMPY\x01", '\0', static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8), header);
  size_t size = static_cast<size_t>(dense.numel().value()) * info(dense.dtype()).bytes;
  return bytes.append(reinterpret_cast<const char*>(dense.argument().real->data()), size);
}

}  // namespace

Tensor bits_as(const Tensor& tensor, DType dtype) {
  RUNG_CHECK(info(dtype).bytes == info(tensor.dtype()).bytes, "bits of another size");
  TensorMeta meta = tensor.meta();
  meta.dtype = dtype;
  return ref::pooled(new RealTensor(meta, tensor.argument().real->storage()));
}

NamedTensors read_npz(std::span<const char> bytes) {
  ZipReader archive(bytes);
  NamedTensors arrays;
  for (const ZipEntry& entry : archive.entries()) {
    std::string name = entry.name.ends_with(".npy") ? entry.name.substr(0, entry.name.size() - 4) : entry.name;
    try {
      std::span<const char> content = archive.checked_content(entry);
      arrays.emplace_back(name, read_array({content.data(), content.size()}));
    } catch (const Error& error) {
      throw error.at(cat("array '", name, "'"));
    }
  }
  return arrays;
}

NamedTensors load_npz(const std::string& path) {
  auto file = MappedFile::open(path);
  try {
    return read_npz(file->bytes());
  } catch (const Error& error) {
    throw error.at(path);
  }
}

void save_npz(const NamedTensors& tensors, const std::string& path) {
  ZipWriter archive(path);
  for (const auto& [name, tensor] : tensors) archive.add(cat(name, ".npy"), array_bytes(tensor));
  archive.finish();
}

}  // namespace rung::interp
