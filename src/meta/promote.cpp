// Promotion climbs bool, integers, floating point, complex.
#include "meta/promote.h"

#include <array>
#include <limits>
#include <optional>

#include "base/error.h"

namespace rung::meta {
namespace {

bool is_float8(DType d) { return info(d).bytes == 1 && is_floating(d); }
bool is_unsigned(DType d) {
  return d == DType::kUInt8 || d == DType::kUInt16 || d == DType::kUInt32 || d == DType::kUInt64;
}

DType promote_integers(DType a, DType b) {
  if (is_unsigned(a) == is_unsigned(b)) return info(a).bytes >= info(b).bytes ? a : b;
  DType plain = is_unsigned(a) ? a : b, with_sign = is_unsigned(a) ? b : a;
  if (plain != DType::kUInt8)
    fail_input("promotion of ", info(a).name, " and ", info(b).name, " is not supported by torch");
  return info(with_sign).bytes > 1 ? with_sign : DType::kInt16;
}

DType promote_floating(DType a, DType b) {
  if (is_float8(a) || is_float8(b))
    fail_input("promotion of ", info(a).name, " and ", info(b).name, " is not supported by torch");
  bool halves = info(a).bytes == 2 && info(b).bytes == 2;
  if (halves) return DType::kFloat32;  // float16 with bfloat16
  return info(a).bytes >= info(b).bytes ? a : b;
}

DType wrapped_type(const Scalar& number) {
  switch (number.category()) {
    case Category::kBoolean: return DType::kBool;
    case Category::kIntegral: return DType::kInt64;
    case Category::kFloating: return DType::kFloat32;
    case Category::kComplex: return DType::kComplex64;
  }
  RUNG_UNREACHABLE();
}

using MaybeType = std::optional<DType>;

MaybeType promote_known(MaybeType a, MaybeType b) {
  if (!a) return b;
  return b ? promote_types(*a, *b) : a;
}

// `strong` wins unless `weak` is of a higher category.
MaybeType combine(MaybeType strong, MaybeType weak) {
  if (!strong || !weak) return strong ? strong : weak;
  if (is_complex(*strong)) return strong;
  if (is_floating(*strong)) return is_complex(*weak) ? complex_type(*strong) : *strong;
  bool climbs = *strong == DType::kBool || is_floating(*weak) || is_complex(*weak);
  return climbs ? promote_types(*strong, *weak) : *strong;
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  Category low = std::min(category(a), category(b)), high = std::max(category(a), category(b));
  DType stronger = category(a) >= category(b) ? a : b, weaker = category(a) >= category(b) ? b : a;
  if (low != high) {
    bool widens = high == Category::kComplex && low == Category::kFloating;
    return widens ? promote_types(stronger, complex_type(weaker)) : stronger;
  }
  if (low == Category::kIntegral) return promote_integers(a, b);
  if (low == Category::kFloating) return promote_floating(a, b);
  return info(a).bytes >= info(b).bytes ? a : b;
}

DType result_type(TensorList operands) {
  MaybeType with_dims, zero_dim, numbers;
  for (const Tensor& operand : operands) {
    if (!operand.defined()) continue;
    if (operand.is_number())
      numbers = promote_known(numbers, wrapped_type(operand.number()));
    else if (operand.dim() > 0)
      with_dims = promote_known(with_dims, operand.dtype());
    else
      zero_dim = promote_known(zero_dim, operand.dtype());
  }
  MaybeType result = combine(with_dims, combine(zero_dim, numbers));
  RUNG_CHECK(result.has_value(), "promotion of nothing");
  return *result;
}

DType result_type(std::initializer_list<Tensor> operands) {
  return result_type(TensorList(operands.begin(), operands.size()));
}

DType promoted(Promote rule, DType type) {
  switch (rule) {
    case Promote::kDefault:
    case Promote::kNone: return type;
    case Promote::kIntToFloat: return is_integral_or_bool(type) ? DType::kFloat32 : type;
    case Promote::kComplexToFloat: return real_type(type);
    case Promote::kBool: return DType::kBool;
  }
  RUNG_UNREACHABLE();
}

DType opmath_type(DType dtype) {
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) return DType::kFloat32;
  return dtype == DType::kComplex32 ? DType::kComplex64 : dtype;
}

DType real_type(DType dtype) {
  switch (dtype) {
    case DType::kComplex32: return DType::kFloat16;
    case DType::kComplex64: return DType::kFloat32;
    case DType::kComplex128: return DType::kFloat64;
    default: return dtype;
  }
}

DType complex_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return DType::kComplex32;
    case DType::kFloat64: return DType::kComplex128;
    case DType::kComplex32:
    case DType::kComplex128: return dtype;
    default: return DType::kComplex64;
  }
}

DType sum_type(DType dtype) { return is_integral_or_bool(dtype) ? DType::kInt64 : dtype; }

double highest_value(DType dtype) {
  switch (dtype) {
    case DType::kUInt8: return 255;
    case DType::kInt8: return 127;
    case DType::kInt16: return 32767;
    case DType::kUInt16: return 65535;
    case DType::kInt32: return 2147483647.0;
    case DType::kUInt32: return 4294967295.0;
    case DType::kInt64: return 9223372036854775807.0;
    case DType::kUInt64: return 18446744073709551615.0;
    case DType::kFloat16:
    case DType::kComplex32: return 65504;
    case DType::kBFloat16: return 3.3895313892515355e+38;
    case DType::kFloat64:
    case DType::kComplex128: return std::numeric_limits<double>::max();
    case DType::kBool: return 1;
    case DType::kFloat8E4M3FN: return 448;
    case DType::kFloat8E5M2: return 57344;
    case DType::kFloat8E4M3FNUZ: return 240;
    case DType::kFloat8E5M2FNUZ: return 57344;
    case DType::kFloat8E8M0FNU: return 1.7014118346046923e+38;
    default: return 3.4028234663852886e+38;
  }
}

double lowest_value(DType dtype) {
  if (is_unsigned(dtype) || dtype == DType::kBool) return 0;
  if (is_integral_or_bool(dtype)) return -highest_value(dtype) - 1;
  return -highest_value(dtype);
}

}  // namespace rung::meta
