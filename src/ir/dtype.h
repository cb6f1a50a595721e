// Element types, layouts, memory formats and devices, with the names and numbers that torch gives them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rung {

// enumerator, torch's name, abbreviation in print_readable, number in a .pt2, c10 number, bytes, category
#define RUNG_DTYPES(X)                                                      \
  X(kUInt8, "uint8", "u8", 1, 0, 1, kIntegral)                              \
  X(kInt8, "int8", "i8", 2, 1, 1, kIntegral)                                \
  X(kInt16, "int16", "i16", 3, 2, 2, kIntegral)                             \
  X(kInt32, "int32", "i32", 4, 3, 4, kIntegral)                             \
  X(kInt64, "int64", "i64", 5, 4, 8, kIntegral)                             \
  X(kFloat16, "float16", "f16", 6, 5, 2, kFloating)                         \
  X(kFloat32, "float32", "f32", 7, 6, 4, kFloating)                         \
  X(kFloat64, "float64", "f64", 8, 7, 8, kFloating)                         \
  X(kComplex32, "complex32", "c32", 9, 8, 4, kComplex)                      \
  X(kComplex64, "complex64", "c64", 10, 9, 8, kComplex)                     \
  X(kComplex128, "complex128", "c128", 11, 10, 16, kComplex)                \
  X(kBool, "bool", "b8", 12, 11, 1, kBoolean)                               \
  X(kBFloat16, "bfloat16", "bf16", 13, 15, 2, kFloating)                    \
  X(kUInt16, "uint16", "u16", 28, 27, 2, kIntegral)                         \
  X(kFloat8E4M3FN, "float8_e4m3fn", "f8e4m3fn", 29, 24, 1, kFloating)       \
  X(kFloat8E5M2, "float8_e5m2", "f8e5m2", 30, 23, 1, kFloating)             \
  X(kFloat8E4M3FNUZ, "float8_e4m3fnuz", "f8e4m3fnuz", 31, 26, 1, kFloating) \
  X(kFloat8E5M2FNUZ, "float8_e5m2fnuz", "f8e5m2fnuz", 32, 25, 1, kFloating) \
  X(kFloat8E8M0FNU, "float8_e8m0fnu", "f8e8m0fnu", 33, 44, 1, kFloating)    \
  X(kUInt32, "uint32", "u32", 34, 28, 4, kIntegral)                         \
  X(kUInt64, "uint64", "u64", 35, 29, 8, kIntegral)

enum class DType : uint8_t {
#define X(enumerator, ...) enumerator,
  RUNG_DTYPES(X)
#undef X
};

/// In the order in which promotion climbs.
enum class Category : uint8_t { kBoolean, kIntegral, kFloating, kComplex };

struct DTypeInfo {
  std::string_view name;          // "float32", printed as torch.float32
  std::string_view abbreviation;  // "f32"
  uint8_t serde;                  // number in a .pt2
  uint8_t c10;                    // c10::ScalarType
  uint8_t bytes;
  Category category;
};
const DTypeInfo& info(DType dtype);
std::optional<DType> dtype_from_serde(int64_t number);
std::optional<DType> dtype_from_c10(int64_t number);
/// "float32" or "torch.float32".
std::optional<DType> dtype_from_name(std::string_view name);

inline Category category(DType dtype) { return info(dtype).category; }
inline bool is_floating(DType dtype) { return category(dtype) == Category::kFloating; }
inline bool is_complex(DType dtype) { return category(dtype) == Category::kComplex; }
/// Integers and bool, as torch's is_integral(include_bool=True).
inline bool is_integral_or_bool(DType dtype) { return category(dtype) <= Category::kIntegral; }
/// float16, bfloat16 and complex32: computed in a wider type.
inline bool is_low_precision(DType d) {
  return d == DType::kFloat16 || d == DType::kBFloat16 || d == DType::kComplex32;
}

/// Numbers in a .pt2 are these.
enum class Layout : uint8_t { kUnknown, kSparseCoo, kSparseCsr, kSparseCsc, kSparseBsr, kSparseBsc, kMkldnn, kStrided };
enum class MemoryFormat : uint8_t { kUnknown, kContiguous, kChannelsLast, kChannelsLast3d, kPreserve };
std::string_view layout_name(Layout layout);               // "strided"
std::string_view memory_format_name(MemoryFormat format);  // "contiguous_format"

/// A device type (an interned, static or arena text) and an index, -1 if none was given.
struct Device {
  std::string_view type = "cpu";
  int32_t index = -1;
  std::string str() const;  // "cpu", "cuda:1"
  friend bool operator==(const Device&, const Device&) = default;
};

}  // namespace rung
