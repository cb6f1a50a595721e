// Running sums, products and extremes along a dimension.
#include "meta/layout.h"
#include "meta/promote.h"
#include "ops/box.h"
#include "ops/families.h"

namespace rung::ops {
namespace {

const TensorMeta* scanned(const Tensor& self, int64_t dim, DType dtype) {
  wrap_dim(dim, self.dim());
  return meta::contiguous(self.sizes(), dtype, self.device());
}

const TensorMeta* meta_cumsum(Tensor self, int64_t dim, std::optional<DType> dtype) {
  return scanned(self, dim, dtype.value_or(meta::sum_type(self.dtype())));
}
const TensorMeta* meta_logcumsumexp(Tensor self, int64_t dim) { return scanned(self, dim, self.dtype()); }
std::vector<const TensorMeta*> meta_cummax(Tensor self, int64_t dim) {
  return {scanned(self, dim, self.dtype()), scanned(self, dim, DType::kInt64)};
}

constexpr OpDef kRows[] = {
    {.op = "aten::cummax", .meta = box_meta<meta_cummax>},
    {.op = "aten::cummin", .meta = box_meta<meta_cummax>},
    {.op = "aten::cumprod", .meta = box_meta<meta_cumsum>},
    {.op = "aten::cumsum", .meta = box_meta<meta_cumsum>},
    {.op = "aten::logcumsumexp", .meta = box_meta<meta_logcumsumexp>},
};

}  // namespace

const std::span<const OpDef> kScanOps = kRows;

}  // namespace rung::ops
