// Casts between element types inside bodies, and the type that low-precision ops compute in.
#pragma once
#include "meta/promote.h"
#include "ops/gen/aten.h"

namespace rung::ops {

/// x.to(dtype): no op if x has the type already.
inline Tensor to_dtype(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : aten::_to_copy(x, dtype); }

/// The types of an elementwise op: what it computes in, and what it returns.
struct ComputeTypes {
  DType computation, result;

  /// `x` in the type of the computation; nothing stays nothing.
  Tensor up(const Tensor& x) const { return x.defined() ? to_dtype(x, computation) : x; }
  Tensor down(const Tensor& x) const { return to_dtype(x, result); }
};

inline ComputeTypes compute_types(std::initializer_list<Tensor> operands,
                                  meta::Promote rule = meta::Promote::kDefault) {
  DType result = meta::promoted(rule, meta::result_type(operands));
  return {meta::opmath_type(result), result};
}

}  // namespace rung::ops
