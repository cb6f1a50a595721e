// Comparisons and logic by each other.
#include "meta/promote.h"
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

// a >= b is b <= a
template <Tensor (*mirrored)(const Tensor&, const Tensor&)>
MaybeTensor mirror(Tensor self, Tensor other) {
  if (self.is_number() || other.is_number()) return std::nullopt;
  return mirrored(other, self);
}

// NaN equals nothing, so only these two are each other's negation whatever they compare
template <Tensor (*opposite)(const Tensor&, const Tensor&)>
Tensor negation(Tensor self, Tensor other) {
  return aten::logical_not(opposite(self, other));
}
template <Tensor (*opposite)(const Tensor&, const Scalar&)>
Tensor negation_of_number(Tensor self, Scalar other) {
  return aten::logical_not(opposite(self, other));
}

Tensor not_is_zero(Tensor self) { return aten::eq_Scalar(self, 0); }
MaybeTensor not_by_bits(Tensor self) {
  if (!is_bool(self)) return std::nullopt;
  return aten::bitwise_not(self);
}
MaybeTensor bits_by_not(Tensor self) {
  if (!is_bool(self)) return std::nullopt;
  return aten::logical_not(self);
}

template <Tensor (*form)(const Tensor&, const Tensor&)>
MaybeTensor of_bools(Tensor self, Tensor other) {
  if (!is_bool(self) || !is_bool(other)) return std::nullopt;
  return form(self, other);
}
Tensor product_of_bools(const Tensor& a, const Tensor& b) { return aten::mul_Tensor(a, b); }
Tensor sum_of_bools(const Tensor& a, const Tensor& b) { return aten::add_Tensor(a, b); }

// ---- a choice between a tensor and a number

// Whether the number leaves the tensor's type as it is: the operator then keeps it, too.
bool keeps_type(const Tensor& x, const Scalar& value) {
  return !x.is_number() && meta::result_type({x, Tensor(value)}) == x.dtype();
}
MaybeTensor fill_where_not(Tensor condition, Tensor self, Scalar other) {
  if (!is_bool(condition) || !keeps_type(self, other)) return std::nullopt;
  return aten::masked_fill_Scalar(self, aten::logical_not(condition), other);
}
MaybeTensor fill_where(Tensor condition, Scalar self, Tensor other) {
  if (!is_bool(condition) || !keeps_type(other, self)) return std::nullopt;
  return aten::masked_fill_Scalar(other, condition, self);
}
MaybeTensor choice_by_fill(Tensor self, Tensor mask, Scalar value) {
  if (!keeps_type(self, value)) return std::nullopt;
  return aten::where_ScalarSelf(mask, value, self);
}

constexpr LateralRule kRows[] = {
    {"aten::where.ScalarOther", {"masked_fill", lateral<fill_where_not>}},
    {"aten::where.ScalarSelf", {"masked_fill", lateral<fill_where>}},
    {"aten::masked_fill.Scalar", {"where", lateral<choice_by_fill>}},
    {"aten::ge.Tensor", {"mirrored", lateral<mirror<aten::le_Tensor>>}},
    {"aten::le.Tensor", {"mirrored", lateral<mirror<aten::ge_Tensor>>}},
    {"aten::gt.Tensor", {"mirrored", lateral<mirror<aten::lt_Tensor>>}},
    {"aten::lt.Tensor", {"mirrored", lateral<mirror<aten::gt_Tensor>>}},
    {"aten::eq.Tensor", {"negation", lateral<negation<aten::ne_Tensor>>}},
    {"aten::ne.Tensor", {"negation", lateral<negation<aten::eq_Tensor>>}},
    {"aten::eq.Scalar", {"negation", lateral<negation_of_number<aten::ne_Scalar>>}},
    {"aten::ne.Scalar", {"negation", lateral<negation_of_number<aten::eq_Scalar>>}},
    {"aten::logical_not", {"equal to zero", lateral<not_is_zero>}},
    {"aten::logical_not", {"bits of bools", lateral<not_by_bits>}},
    {"aten::bitwise_not", {"logic of bools", lateral<bits_by_not>}},
    {"aten::logical_and", {"bits of bools", lateral<of_bools<aten::bitwise_and_Tensor>>}},
    {"aten::bitwise_and.Tensor", {"logic of bools", lateral<of_bools<aten::logical_and>>}},
    {"aten::bitwise_and.Tensor", {"product of bools", lateral<of_bools<product_of_bools>>}},
    {"aten::logical_or", {"bits of bools", lateral<of_bools<aten::bitwise_or_Tensor>>}},
    {"aten::bitwise_or.Tensor", {"logic of bools", lateral<of_bools<aten::logical_or>>}},
    {"aten::bitwise_or.Tensor", {"sum of bools", lateral<of_bools<sum_of_bools>>}},
    {"aten::bitwise_xor.Tensor", {"inequality of bools", lateral<of_bools<aten::ne_Tensor>>}},
    {"aten::logical_xor", {"inequality of bools", lateral<of_bools<aten::ne_Tensor>>}},
};

}  // namespace

const std::span<const LateralRule> kComparisonRules = kRows;

}  // namespace rung::rules
