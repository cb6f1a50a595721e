// The tables behind dtype.h: names and numbers of element types, layouts and memory formats.
#include "ir/dtype.h"

#include "base/error.h"

namespace rung {
namespace {

constexpr DTypeInfo kDTypes[] = {
#define X(enumerator, name, abbreviation, serde, c10, bytes, kind) \
  {name, abbreviation, serde, c10, bytes, Category::kind},
    RUNG_DTYPES(X)
#undef X
};
constexpr size_t kDTypeCount = sizeof(kDTypes) / sizeof(kDTypes[0]);

constexpr std::string_view kLayoutNames[] = {"unknown",    "sparse_coo", "sparse_csr", "sparse_csc",
                                             "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
constexpr std::string_view kMemoryFormatNames[] = {"unknown_format", "contiguous_format", "channels_last",
                                                   "channels_last_3d", "preserve_format"};

template <typename Matches>
std::optional<DType> first_dtype(Matches&& matches) {
  for (size_t i = 0; i < kDTypeCount; ++i)
    if (matches(kDTypes[i])) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace

const DTypeInfo& info(DType dtype) {
  RUNG_CHECK(static_cast<size_t>(dtype) < kDTypeCount, "dtype number ", static_cast<int>(dtype));
  return kDTypes[static_cast<size_t>(dtype)];
}

std::optional<DType> dtype_from_serde(int64_t number) {
  return first_dtype([&](const DTypeInfo& row) { return row.serde == number; });
}

std::optional<DType> dtype_from_c10(int64_t number) {
  return first_dtype([&](const DTypeInfo& row) { return row.c10 == number; });
}

std::optional<DType> dtype_from_name(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  return first_dtype([&](const DTypeInfo& row) { return row.name == name; });
}

std::string_view layout_name(Layout layout) { return kLayoutNames[static_cast<size_t>(layout)]; }

std::string_view memory_format_name(MemoryFormat format) { return kMemoryFormatNames[static_cast<size_t>(format)]; }

std::string Device::str() const { return index < 0 ? std::string(type) : cat(type, ':', index); }

}  // namespace rung
