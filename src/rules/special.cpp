// What core ATen has no operator for, by powers and comparisons.
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

MaybeTensor exp2_by_pow(Tensor self) {
  if (!is_floating(self.dtype())) return std::nullopt;
  return aten::pow_Scalar(2, self);
}

// Unlike maximum and minimum, these take the other where one is NaN.
template <Tensor (*extreme)(const Tensor&, const Tensor&)>
MaybeTensor extreme_of_numbers(Tensor self, Tensor other) {
  if (self.is_number() || other.is_number() || self.dtype() != other.dtype()) return std::nullopt;
  if (!is_floating(self.dtype())) return extreme(self, other);
  Tensor best = extreme(self, other);
  Tensor other_is_nan = aten::ne_Tensor(other, other);
  Tensor without_other = aten::where_self(other_is_nan, self, best);
  Tensor self_is_nan = aten::ne_Tensor(self, self);
  return aten::where_self(self_is_nan, other, without_other);
}

bool is_integer(const Tensor& x) { return !x.is_number() && category(x.dtype()) == Category::kIntegral; }

// x 2^n. A power that does not fit is 0, as is one below 1: what is shifted out is gone.
MaybeTensor shift_left_by_product(Tensor self, Tensor places) {
  if (!is_integer(self) || !is_integer(places) || self.dtype() != places.dtype()) return std::nullopt;
  Tensor power = aten::pow_Scalar(2, places);
  return aten::mul_Tensor(self, power);
}

constexpr LateralRule kRows[] = {
    {"aten::exp2", {"power of 2", lateral<exp2_by_pow>}},
    {"aten::fmax", {"maximum where both are numbers", lateral<extreme_of_numbers<aten::maximum>>}},
    {"aten::fmin", {"minimum where both are numbers", lateral<extreme_of_numbers<aten::minimum>>}},
    {"aten::bitwise_left_shift.Tensor", {"product with a power of 2", lateral<shift_left_by_product>}},
};

}  // namespace

const std::span<const LateralRule> kSpecialRules = kRows;

}  // namespace rung::rules
