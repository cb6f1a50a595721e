// Places that are found by comparing with every element, and elements that a mask picks.
#include "meta/pointwise.h"
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

Tensor in_places(const Tensor& count, bool out_int32) {
  return out_int32 ? aten::_to_copy(count, DType::kInt32) : count;
}

// The place of a value among sorted numbers is how many stand before it: those that are not above it, or not at or
// above it. Nothing is above NaN, which so comes last.
Tensor count_before(const Tensor& sorted, const Tensor& values, bool right) {
  Tensor above = right ? aten::gt_Tensor(sorted, values) : aten::ge_Tensor(sorted, values);
  Tensor before = aten::logical_not(above);
  return aten::sum_dim_IntList(before, IntList{-1});
}

bool has_order(const Tensor& x) { return !x.is_number() && !is_complex(x.dtype()); }

MaybeTensor bucketize_by_count(Tensor self, Tensor boundaries, bool out_int32, bool right) {
  if (!has_order(self) || boundaries.dim() != 1) return std::nullopt;
  Tensor values = aten::unsqueeze(self, -1);
  return in_places(count_before(boundaries, values, right), out_int32);
}

// One sorted sequence for all values, or one for each row of them.
MaybeTensor searchsorted_by_count(Tensor sorted, Tensor self, bool out_int32, bool right,
                                  std::optional<std::string_view> side, Tensor sorter) {
  if (!has_order(self) || sorter.defined() || sorted.dim() == 0) return std::nullopt;
  if (sorted.dim() != 1 && sorted.dim() != self.dim()) return std::nullopt;
  Tensor sequence = sorted.dim() == 1 ? sorted : aten::unsqueeze(sorted, -2);
  Tensor values = aten::unsqueeze(self, -1);
  return in_places(count_before(sequence, values, right || side == "right"), out_int32);
}

MaybeTensor masked_select_by_index(Tensor self, Tensor mask) {
  if (mask.dtype() != DType::kBool) return std::nullopt;
  std::vector<SymInt> sizes = meta::broadcast_sizes(self.sizes(), mask.sizes());
  Tensor values = aten::reshape(aten::expand(self, sizes), {-1});
  Tensor picked = aten::reshape(aten::expand(mask, sizes), {-1});
  Tensor places = aten::squeeze_dims(aten::nonzero(picked), {1});
  return aten::index_Tensor(values, std::array{places});
}

constexpr LateralRule kRows[] = {
    {"aten::bucketize.Tensor", {"count of what stands before", lateral<bucketize_by_count>}},
    {"aten::searchsorted.Tensor", {"count of what stands before", lateral<searchsorted_by_count>}},
    {"aten::masked_select", {"index by the places of the mask", lateral<masked_select_by_index>}},
};

}  // namespace

const std::span<const LateralRule> kPlaceRules = kRows;

}  // namespace rung::rules
