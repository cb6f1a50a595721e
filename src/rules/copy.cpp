// Copies that change nothing, copies by other operators, and casts by arithmetic.
#include <algorithm>

#include "meta/layout.h"
#include "meta/promote.h"
#include "ops/factory.h"
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

using ops::MaybeDevice;
using ops::MaybeLayout;
using ops::MaybeType;
using ops::Pin;

// In a functional graph a copy is its original. That it lies in memory as the original does, the search sees to.
Tensor itself(Tensor self) { return self; }

Argument nothing(const Call&) { return Argument::none(); }

// ---- a copy into contiguous memory by operators whose results are

Tensor copy_by_to(Tensor self, std::optional<MemoryFormat> format) {
  return aten::_to_copy(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt, false, format);
}
MaybeTensor copy_by_cat(Tensor self) {
  if (self.dim() == 0) return std::nullopt;
  return aten::cat(std::array{self}, 0);
}
// A copy that lies in another order of dimensions: contiguous in that order, and turned back.
MaybeTensor copy_in_order(Tensor self, std::optional<MemoryFormat> format) {
  const TensorMeta& result = *meta::like(self.meta(), self.dtype(), format.value_or(MemoryFormat::kPreserve));
  std::vector<SymInt> order, back(result.rank());
  for (size_t dim : meta::physical_order(result)) {
    back[dim] = static_cast<int64_t>(order.size());
    order.push_back(static_cast<int64_t>(dim));
  }
  if (std::ranges::is_sorted(order, {}, &SymInt::value)) return std::nullopt;
  Tensor turned = aten::permute(self, order);
  Tensor copied = aten::clone(turned, MemoryFormat::kContiguous);
  return aten::permute(copied, back);
}
// The functional copy has the type and the layout of what is copied into.
Tensor copy_into_empty(Tensor self, std::optional<MemoryFormat> format) {
  Tensor empty = aten::empty_like(self, std::nullopt, std::nullopt, std::nullopt, false, format);
  return aten::copy(empty, self);
}
MaybeTensor contiguous_copy(Tensor self, std::optional<MemoryFormat> format) {
  if (format != MemoryFormat::kContiguous) return std::nullopt;
  return aten::contiguous(self);
}

// ---- casts

struct Cast {
  MaybeType dtype;
  MaybeLayout layout;
  MaybeDevice device;
  std::optional<MemoryFormat> format;

  // Whether it does nothing but change the type.
  bool is_of_type_alone(const Tensor& x) const {
    const bool keeps_format = !format || *format == MemoryFormat::kPreserve;
    return dtype && *dtype != x.dtype() && keeps_format && (!device || *device == x.device());
  }
};

MaybeTensor cast_to_same(Tensor self, MaybeType dtype, MaybeLayout, MaybeDevice device, Pin, bool,
                         std::optional<MemoryFormat> format) {
  if ((dtype && *dtype != self.dtype()) || (device && *device != self.device())) return std::nullopt;
  return aten::clone(self, format);
}
MaybeTensor cast_by_to_dtype(Tensor self, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin, bool,
                             std::optional<MemoryFormat> format) {
  if (!Cast{dtype, layout, device, format}.is_of_type_alone(self)) return std::nullopt;
  return aten::to_dtype(self, *dtype);
}

// x != 0
MaybeTensor cast_to_bool(Tensor self, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin, bool,
                         std::optional<MemoryFormat> format) {
  if (!Cast{dtype, layout, device, format}.is_of_type_alone(self) || *dtype != DType::kBool) return std::nullopt;
  return aten::ne_Scalar(self, 0);
}

// Times a 1 of the wider type; an infinity times a complex 1 has NaN in it.
MaybeTensor cast_by_product(Tensor self, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin, bool,
                            std::optional<MemoryFormat> format) {
  if (!Cast{dtype, layout, device, format}.is_of_type_alone(self)) return std::nullopt;
  if (is_complex(*dtype) || meta::promote_types(self.dtype(), *dtype) != *dtype) return std::nullopt;
  const Scalar one = is_floating(*dtype) ? Scalar(1.0) : Scalar(1);
  const bool number_will_do = meta::result_type({self, Tensor(one)}) == *dtype;
  if (number_will_do) return aten::mul_Tensor(self, Tensor(one));
  const std::vector<SymInt> ones(self.sizes().size(), 1);
  Tensor wide = aten::full(ones, one, *dtype, std::nullopt, self.device(), false);
  return aten::mul_Tensor(self, wide);
}

// 1 where it is true
MaybeTensor cast_of_bool(Tensor self, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin, bool,
                         std::optional<MemoryFormat> format) {
  if (!Cast{dtype, layout, device, format}.is_of_type_alone(self) || self.dtype() != DType::kBool) return std::nullopt;
  Tensor one = constant(1, *dtype, self.device());
  Tensor zero = constant(0, *dtype, self.device());
  return aten::where_self(self, one, zero);
}

MaybeTensor cast_into_empty(Tensor self, MaybeType dtype, MaybeLayout, MaybeDevice device, Pin, bool,
                            std::optional<MemoryFormat> format) {
  if (!dtype || *dtype == self.dtype() || (device && *device != self.device())) return std::nullopt;
  Tensor empty = aten::empty_like(self, dtype, std::nullopt, std::nullopt, false, format);
  return aten::copy(empty, self);
}

MaybeTensor to_dtype_by_copy(Tensor self, DType dtype, bool, bool copy, std::optional<MemoryFormat> format) {
  if (self.dtype() == dtype && !copy) return self;
  return aten::_to_copy(self, dtype, std::nullopt, std::nullopt, std::nullopt, false, format);
}

constexpr LateralRule kRows[] = {
    {"aten::clone", {"a copy that changes nothing", lateral<itself>, -1, true}},
    {"aten::clone", {"contiguous", lateral<contiguous_copy>}},
    {"aten::clone", {"cast to the same type", lateral<copy_by_to>}},
    {"aten::clone", {"cat of one", lateral<copy_by_cat>}},
    {"aten::clone", {"copy into an empty tensor", lateral<copy_into_empty>}},
    {"aten::clone", {"contiguous in another order", lateral<copy_in_order>}},
    {"aten::alias", {"a copy that changes nothing", lateral<itself>, -1, true}},
    {"aten::detach", {"a copy that changes nothing", lateral<itself>, -1, true}},
    {"aten::lift_fresh_copy", {"a copy that changes nothing", lateral<itself>, -1, true}},
    {"prims::view_of", {"a copy that changes nothing", lateral<itself>, -1, true}},
    {"prims::clone", {"a copy that changes nothing", lateral<itself>, -1, true}},
    {"aten::_assert_tensor_metadata", {"what the metadata says already", nothing, -1, true}},
    {"aten::_to_copy", {"clone", lateral<cast_to_same>, -1, true}},
    {"aten::_to_copy", {"to.dtype", lateral<cast_by_to_dtype>}},
    {"aten::_to_copy", {"comparison with zero", lateral<cast_to_bool>}},
    {"aten::_to_copy", {"product with a wider 1", lateral<cast_by_product>}},
    {"aten::_to_copy", {"1 where true", lateral<cast_of_bool>}},
    {"aten::_to_copy", {"copy into an empty tensor", lateral<cast_into_empty>}},
    {"aten::to.dtype", {"_to_copy", lateral<to_dtype_by_copy>}},
};

}  // namespace

const std::span<const LateralRule> kCopyRules = kRows;

}  // namespace rung::rules
