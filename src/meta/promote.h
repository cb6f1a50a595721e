// Type promotion, as torch.result_type.
#pragma once
#include "ir/tensor.h"

namespace rung::meta {

/// The smallest type that both fit in, by torch's table.
DType promote_types(DType a, DType b);

/// The dtype of an elementwise op on these operands: tensors with dimensions count most, then 0-d tensors, then
/// numbers; a weaker operand changes the result only if its category is higher. Undefined operands are skipped.
DType result_type(TensorList operands);
DType result_type(std::initializer_list<Tensor> operands);

/// What an op does with the promoted type.
enum class Promote : uint8_t {
  kDefault,         // the promoted type
  kIntToFloat,      // integers and bool become float32
  kComplexToFloat,  // abs: complex becomes its real type
  kBool,            // comparisons
  kNone,            // the dtype of the first operand
};
DType promoted(Promote rule, DType type);

/// The type that a low-precision op computes in: float32 for float16 and bfloat16, complex64 for complex32.
DType opmath_type(DType dtype);
/// float32 of complex64 and so on; other types as they are.
DType real_type(DType dtype);
DType complex_type(DType dtype);
/// int64 for integers and bool, else the type itself: what sum and prod return.
DType sum_type(DType dtype);

/// Bounds of an integer or floating type, as torch.finfo and torch.iinfo.
double lowest_value(DType dtype);
double highest_value(DType dtype);

}  // namespace rung::meta
