// Running sums, products and extremes along a dimension.
#include "meta/layout.h"
#include "meta/promote.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

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

// ---- references: row i of a mask adds up the first i elements

// The elements of dimension `dim` beside a copy of it, and `neutral` where they come after it.
Tensor up_to_each(const Tensor& self, int64_t dim, Scalar neutral) {
  int64_t at = wrap_dim(dim, self.dim());
  Tensor x = aten::unsqueeze(self, at + 1);
  Tensor range = aten::arange(self.size(at), std::nullopt, std::nullopt, self.device());
  Tensor column = aten::unsqueeze(range, 1);
  Tensor mask = aten::le_Tensor(column, range);
  for (int64_t i = at + 1; i < self.dim(); ++i) mask = aten::unsqueeze(mask, -1);
  return aten::where_ScalarOther(mask, x, neutral);
}

using Accumulation = Tensor (*)(Tensor, std::optional<SymInts>, bool, std::optional<DType>);

template <Accumulation accumulation, int neutral>
Tensor cumulative(Tensor self, int64_t dim, std::optional<DType> dtype) {
  Tensor x = self.dim() == 0 ? aten::unsqueeze(self, 0) : up_to_each(self, dim, neutral);
  SymInt over = wrap_dim(dim, self.dim());
  return accumulation(x, SymInts(&over, 1), false, dtype);
}

constexpr OpDef kRows[] = {
    {.op = "aten::cummax", .meta = box_meta<meta_cummax>},
    {.op = "aten::cummin", .meta = box_meta<meta_cummax>},
    {.op = "aten::cumprod", .meta = box_meta<meta_cumsum>, .reference = box<cumulative<reference::prod, 1>>},
    {.op = "aten::cumsum", .meta = box_meta<meta_cumsum>, .reference = box<cumulative<reference::sum, 0>>},
    {.op = "aten::logcumsumexp", .meta = box_meta<meta_logcumsumexp>},
};

}  // namespace

const std::span<const OpDef> kScanOps = kRows;

}  // namespace rung::ops
