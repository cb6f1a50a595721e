// Sorting and searching.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/closed.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "trace/like_torch.h"

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

// ---- references

Tensor middle_of(const Tensor& start, const Tensor& end) {
  Tensor half = aten::floor_divide(aten::sub_Tensor(end, start), 2);
  return aten::add_Tensor(start, half);
}

// Binary search for all values at once, with as many steps as the longest search takes: values that are done stay
// where they are.
Tensor reference_bucketize(Tensor self, Tensor boundaries, bool int32, bool right) {
  if (boundaries.dim() != 1) fail_input("bucketize: the boundaries must be a vector, got rank ", boundaries.dim());
  SymInt count = boundaries.size(0);
  if (count == 0) return aten::zeros_like(self, std::nullopt, std::nullopt, std::nullopt, false);
  auto reaches = [&](const Tensor& place) {
    if (is_like_torch() && place.dim() == 0) aten::item(place);  // as Python's indexing asks
    Tensor value = aten::index_Tensor(boundaries, std::array{place});
    return right ? aten::gt_Tensor(value, self) : aten::ge_Tensor(value, self);
  };
  Tensor start = zeros(self.sizes(), DType::kInt64, self.device());
  Tensor end = aten::add_Tensor(start, Scalar(count));
  Tensor middle = middle_of(start, end);
  Tensor found = reaches(middle);
  start = aten::where_self(found, start, aten::add_Tensor(middle, 1));
  if (count > 1) {
    Tensor searching = aten::ones_like(self, DType::kBool, std::nullopt, std::nullopt, false);
    for (int64_t reach = 2; count >= reach; reach *= 2) {  // the number of steps is decided, not the size
      end = aten::where_self(aten::bitwise_and_Tensor(found, searching), middle, end);
      searching = aten::lt_Tensor(start, end);
      middle = aten::where_ScalarOther(searching, middle_of(start, end), 0);
      found = reaches(middle);
      Tensor missed = aten::bitwise_and_Tensor(aten::bitwise_not(found), searching);
      start = aten::where_self(missed, aten::add_Tensor(middle, 1), start);
    }
  }
  return to_dtype(start, index_type(int32));
}
Tensor reference_bucketize_scalar(Scalar self, Tensor boundaries, bool int32, bool right) {
  Tensor value = aten::scalar_tensor(self, meta::result_type({self}), std::nullopt, boundaries.device(), false);
  return reference_bucketize(value, boundaries, int32, right);
}

constexpr OpDef kRows[] = {
    {.op = "aten::sort", .meta = box_meta<meta_sort>, .reference = box<closed::sort>},
    {.op = "aten::sort.stable", .meta = box_meta<meta_sort>},
    {.op = "aten::topk", .meta = box_meta<meta_topk>},
    {.op = "aten::argsort", .body = box<argsort>},
    {.op = "aten::argsort.stable", .body = box<argsort_stable>},
    {.op = "aten::msort", .body = box<msort>},
    {.op = "aten::histc", .meta = box_meta<meta_histc>, .reference = box<closed::histc>},
    {.op = "aten::searchsorted.Tensor", .meta = box_meta<meta_searchsorted>},
    {.op = "aten::searchsorted.Scalar", .meta = box_meta<meta_searchsorted_scalar>},
    {.op = "aten::bucketize.Tensor", .meta = box_meta<meta_bucketize>, .reference = box<reference_bucketize>},
    {.op = "aten::bucketize.Scalar",
     .meta = box_meta<meta_bucketize_scalar>,
     .reference = box<reference_bucketize_scalar>},
};

}  // namespace

const std::span<const OpDef> kSortOps = kRows;

}  // namespace rung::ops
