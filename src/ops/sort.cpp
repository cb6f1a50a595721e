// Sorting and searching.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Pair = std::array<const TensorMeta*, 2>;

Pair meta_sort(Tensor self) {
  return {meta::empty_like(self.meta(), self.dtype()), meta::empty_like(self.meta(), DType::kInt64)};
}

Pair meta_topk(Tensor self, SymInt k, int64_t dim) {
  int64_t at = wrap_dim(dim, self.dim());
  SymInt length = self.dim() == 0 ? SymInt(1) : self.size(at);
  if (k < 0 || k > length) fail_input("topk: k is ", k.str(), " but the dimension has ", length.str());
  Sizes shape(self.sizes().begin(), self.sizes().end());
  if (!shape.empty()) shape[static_cast<size_t>(at)] = k;
  return {meta::contiguous(shape, self.dtype(), self.device()), meta::contiguous(shape, DType::kInt64, self.device())};
}

Tensor argsort(Tensor self, int64_t dim, bool descending) { return std::get<1>(aten::sort(self, dim, descending)); }
Tensor argsort_stable(Tensor self, bool stable, int64_t dim, bool descending) {
  return std::get<1>(aten::sort_stable(self, stable, dim, descending));
}
Tensor msort(Tensor self) { return std::get<0>(aten::sort(self, 0, false)); }

const TensorMeta* meta_histc(Tensor self, SymInt bins, Scalar min, Scalar max) {
  if (!is_floating(self.dtype()) && self.device().type == "cpu")
    fail_input("histc needs a floating-point tensor, got ", info(self.dtype()).name);
  if (bins <= 0) fail_input("histc: bins must be positive, got ", bins.str());
  if (max.to_double() < min.to_double()) fail_input("histc: max must not be less than min");
  return meta::contiguous(Sizes{bins}, self.dtype(), self.device());
}

DType index_type(bool int32) { return int32 ? DType::kInt32 : DType::kInt64; }
const TensorMeta* meta_searchsorted(Tensor, Tensor self, bool int32) {
  return meta::contiguous(self.sizes(), index_type(int32), self.device());
}
const TensorMeta* meta_searchsorted_scalar(Tensor sorted, Scalar, bool int32) {
  return meta::contiguous({}, index_type(int32), sorted.device());
}
const TensorMeta* meta_bucketize(Tensor self, Tensor, bool int32) {
  return meta::contiguous(self.sizes(), index_type(int32), self.device());
}
const TensorMeta* meta_bucketize_scalar(Scalar, Tensor boundaries, bool int32) {
  return meta::contiguous({}, index_type(int32), boundaries.device());
}

constexpr OpDef kRows[] = {
    {.op = "aten::sort", .meta = box_meta<meta_sort>},
    {.op = "aten::sort.stable", .meta = box_meta<meta_sort>},
    {.op = "aten::topk", .meta = box_meta<meta_topk>},
    {.op = "aten::argsort", .body = box<argsort>},
    {.op = "aten::argsort.stable", .body = box<argsort_stable>},
    {.op = "aten::msort", .body = box<msort>},
    {.op = "aten::histc", .meta = box_meta<meta_histc>},
    {.op = "aten::searchsorted.Tensor", .meta = box_meta<meta_searchsorted>},
    {.op = "aten::searchsorted.Scalar", .meta = box_meta<meta_searchsorted_scalar>},
    {.op = "aten::bucketize.Tensor", .meta = box_meta<meta_bucketize>},
    {.op = "aten::bucketize.Scalar", .meta = box_meta<meta_bucketize_scalar>},
};

}  // namespace

const std::span<const OpDef> kSortOps = kRows;

}  // namespace rung::ops
