// Makers of constants by each other.
#include "ops/factory.h"
#include "ops/number.h"
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

using ops::MaybeDevice;
using ops::MaybeLayout;
using ops::MaybeType;
using ops::Pin;

// What torch makes of a number where no dtype is given.
DType type_of(const Scalar& value, MaybeType dtype) {
  if (dtype) return *dtype;
  if (value.is_bool()) return DType::kBool;
  return value.is_complex() ? DType::kComplex64 : value.is_float() ? DType::kFloat32 : DType::kInt64;
}

Tensor scalar_by_full(Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::full({}, value, dtype.value_or(DType::kFloat32), std::nullopt, device, false);
}

MaybeTensor full_by_scalar(SymInts size, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  if (!size.empty()) return std::nullopt;
  return aten::scalar_tensor(value, type_of(value, dtype), std::nullopt, device, false);
}

// One number, spread over the sizes and copied.
MaybeTensor full_by_expand(SymInts size, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  if (size.empty()) return std::nullopt;
  Tensor one = aten::full({}, value, type_of(value, dtype), std::nullopt, device, false);
  return aten::clone(aten::expand(one, size), MemoryFormat::kContiguous);
}

Tensor full_by_fill(SymInts size, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  Tensor empty = aten::empty_memory_format(size, type_of(value, dtype), std::nullopt, device, false);
  return aten::fill_Scalar(empty, value);
}

MaybeTensor full_by_zeros(SymInts size, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  if (value.is_symbolic() || value.is_complex()) return std::nullopt;
  const DType type = type_of(value, dtype);
  if (value.equals(1)) return aten::ones(size, type, std::nullopt, device, false);
  Tensor zeros = aten::zeros(size, type, std::nullopt, device, false);
  if (value.equals(0)) return zeros;
  if (type == DType::kBool) return std::nullopt;
  return aten::add_Tensor(zeros, Tensor(ops::convert(value, type)));
}

// The first natural number is 0, and 0 + x = x.
MaybeTensor full_by_arange(SymInts size, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  const DType type = type_of(value, dtype);
  if (!size.empty() || value.is_symbolic() || is_complex(type)) return std::nullopt;
  const bool is_bool = type == DType::kBool;
  Tensor zeros = aten::arange_start_step(0, 1, 1, is_bool ? DType::kInt64 : type, std::nullopt, device, false);
  Tensor zero = aten::select_int(zeros, 0, 0);
  if (is_bool) return value.equals(0) ? aten::ne_Scalar(zero, 0) : aten::eq_Scalar(zero, 0);
  if (value.equals(0)) return zero;
  return aten::add_Tensor(zero, Tensor(ops::convert(value, type)));
}

Tensor zeros_by_full(SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::full(size, 0, dtype.value_or(DType::kFloat32), std::nullopt, device, false);
}
Tensor ones_by_full(SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::full(size, 1, dtype.value_or(DType::kFloat32), std::nullopt, device, false);
}

Tensor full_like_by_full(Tensor self, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::full(self.sizes(), value, dtype.value_or(self.dtype()), std::nullopt, device.value_or(self.device()),
                    false);
}
MaybeTensor full_like_by_fill(Tensor self, Scalar value, MaybeType dtype) {
  if (dtype && *dtype != self.dtype()) return std::nullopt;
  return aten::fill_Scalar(self, value);
}
// what is asked for lies otherwise than full() lays it
Tensor full_like_by_expand(Tensor self, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  Tensor one = constant(value, dtype.value_or(self.dtype()), device.value_or(self.device()));
  return aten::clone(aten::expand_as(one, self));
}
Tensor fill_by_full_like(Tensor self, Scalar value) { return aten::full_like(self, value); }

// What an empty tensor holds is not said.
Tensor empty_by_full(SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::full(size, 0, dtype.value_or(DType::kFloat32), std::nullopt, device, false);
}
Tensor empty_permuted_by_empty(SymInts size, SymInts order, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  std::vector<SymInt> physical(order.size()), back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    physical[i] = size[static_cast<size_t>(order[i].value())];
    back[static_cast<size_t>(order[i].value())] = static_cast<int64_t>(i);
  }
  Tensor empty = aten::empty_memory_format(physical, dtype, std::nullopt, device, false);
  return aten::permute(empty, back);
}

MaybeTensor arange_from_zero(Scalar start, Scalar end, Scalar step, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  if (start.is_symbolic() || step.is_symbolic() || !start.equals(0) || !step.equals(1)) return std::nullopt;
  return aten::arange(end, dtype, std::nullopt, device, false);
}
MaybeTensor arange_by_one(Scalar start, Scalar end, Scalar step, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  if (step.is_symbolic() || !step.equals(1)) return std::nullopt;
  return aten::arange_start(start, end, dtype, std::nullopt, device, false);
}
Tensor arange_with_step(Scalar end, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::arange_start_step(0, end, 1, dtype, std::nullopt, device, false);
}
Tensor arange_start_with_step(Scalar start, Scalar end, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::arange_start_step(start, end, 1, dtype, std::nullopt, device, false);
}

constexpr LateralRule kRows[] = {
    {"aten::scalar_tensor", {"full", lateral<scalar_by_full>}},
    {"aten::full", {"scalar_tensor", lateral<full_by_scalar>}},
    {"aten::full", {"zeros or ones", lateral<full_by_zeros>}},
    {"aten::full", {"fill", lateral<full_by_fill>}},
    {"aten::full", {"expand of a number", lateral<full_by_expand>}},
    {"aten::full", {"arange of 1", lateral<full_by_arange>}},
    {"aten::zeros", {"full", lateral<zeros_by_full>}},
    {"aten::ones", {"full", lateral<ones_by_full>}},
    {"aten::full_like", {"full", lateral<full_like_by_full>}},
    {"aten::full_like", {"fill", lateral<full_like_by_fill>}},
    {"aten::full_like", {"expand of a number", lateral<full_like_by_expand>}},
    {"aten::fill.Scalar", {"full_like", lateral<fill_by_full_like>}},
    {"aten::empty.memory_format", {"full", lateral<empty_by_full>}},
    {"aten::empty_permuted", {"permute of empty", lateral<empty_permuted_by_empty>}},
    {"aten::arange.start_step", {"arange from 0", lateral<arange_from_zero>}},
    {"aten::arange.start_step", {"arange by 1", lateral<arange_by_one>}},
    {"aten::arange", {"arange with a step", lateral<arange_with_step>}},
    {"aten::arange.start", {"arange with a step", lateral<arange_start_with_step>}},
};

}  // namespace

const std::span<const LateralRule> kConstantRules = kRows;

}  // namespace rung::rules
