// Calls of factory functions as Python decompositions make them: torch's Python binding always gives pin_memory, so it
// stands in the graph.
#pragma once
#include "ops/gen/aten.h"

namespace rung::ops {

// The last parameters of a factory.
using MaybeType = std::optional<DType>;
using MaybeLayout = std::optional<Layout>;
using MaybeDevice = std::optional<Device>;
using Pin = std::optional<bool>;

/// torch.arange(end, dtype=dtype, device=device)
inline Tensor arange(SymInt end, const Device& device, std::optional<DType> dtype = std::nullopt) {
  return aten::arange(end, dtype, std::nullopt, device, false);
}
/// torch.arange(start, end, dtype=dtype, device=device)
inline Tensor arange(SymInt start, SymInt end, const Device& device, std::optional<DType> dtype = std::nullopt) {
  return aten::arange_start(start, end, dtype, std::nullopt, device, false);
}
/// torch.full(size, value, dtype=dtype, device=device)
inline Tensor full(IntList size, const Scalar& value, DType dtype, const std::optional<Device>& device) {
  return aten::full(size, value, dtype, std::nullopt, device, false);
}
/// torch.zeros(size, dtype=dtype, device=device)
inline Tensor zeros(IntList size, DType dtype, const std::optional<Device>& device) {
  return aten::zeros(size, dtype, std::nullopt, device, false);
}
/// torch.where(mask, t, 0), but logical_and for bools.
inline Tensor mask_tensor(const Tensor& mask, const Tensor& t) {
  return t.dtype() == DType::kBool ? aten::logical_and(mask, t) : aten::where_ScalarOther(mask, t, 0);
}

}  // namespace rung::ops
