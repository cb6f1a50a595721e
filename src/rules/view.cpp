// Views by other views. Where a view lies in memory decides what may follow, so each has the strides of the original.
#include <algorithm>
#include <functional>

#include "meta/layout.h"
#include "meta/view.h"
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

std::vector<SymInt> sizes_of(const TensorMeta& meta) { return {meta.sizes.begin(), meta.sizes.end()}; }

Tensor view_by_reshape(Tensor self, SymInts size) { return aten::reshape(self, size); }
Tensor view_by_unsafe_view(Tensor self, SymInts size) { return aten::_unsafe_view(self, size); }
MaybeTensor reshape_by_view(Tensor self, SymInts size) {
  if (meta::view_if_any(self.meta(), size) == nullptr) return std::nullopt;
  return aten::view(self, size);
}

Tensor unsqueeze_by_view(Tensor self, int64_t dim) {
  return aten::view(self, sizes_of(*meta::unsqueeze(self.meta(), dim)));
}
MaybeTensor squeeze_dims_by_dim(Tensor self, SymInts dims) {
  std::vector<int64_t> order;
  for (SymInt dim : dims) order.push_back(wrap_dim(dim.value(), self.dim()));
  std::ranges::sort(order, std::greater<>());
  Tensor result = self;
  for (int64_t dim : order) result = aten::squeeze_dim(result, dim);
  return result;
}
Tensor squeeze_dim_by_dims(Tensor self, SymInt dim) { return aten::squeeze_dims(self, {dim}); }
Tensor squeeze_dims_by_view(Tensor self, SymInts dims) {
  return aten::view(self, sizes_of(*meta::squeeze(self.meta(), dims)));
}
Tensor squeeze_dim_by_view(Tensor self, SymInt dim) {
  const SymInt dims[] = {dim};
  return aten::view(self, sizes_of(*meta::squeeze(self.meta(), SymInts(dims))));
}

Tensor select_by_slice(Tensor self, int64_t dim, SymInt index) {
  const int64_t at = wrap_dim(dim, self.dim());
  const SymInt place = index < 0 ? index + self.size(at) : index;
  Tensor slice = aten::slice_Tensor(self, at, place, place + 1);
  return aten::squeeze_dim(slice, at);
}
MaybeTensor slice_by_narrow(Tensor self, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end,
                            SymInt step) {
  if (!step.identical(1)) return std::nullopt;
  const TensorMeta& result = *meta::slice(self.meta(), dim, start, end, step);
  const int64_t at = wrap_dim(dim, self.dim());
  SymInt from = start.value_or(0);
  if (from < 0) from = from + self.size(at);
  return aten::narrow(self, at, from, result.sizes[static_cast<size_t>(at)]);
}
// all of it
MaybeTensor slice_of_all(Tensor self, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end,
                         SymInt step) {
  const TensorMeta& result = *meta::slice(self.meta(), dim, start, end, step);
  const auto at = static_cast<size_t>(wrap_dim(dim, self.dim()));
  if (!step.identical(1) || !result.sizes[at].identical(self.sizes()[at])) return std::nullopt;
  return self;
}
// a start that counts from the end is told from it: the last 2 would end at 0
Tensor narrow_by_slice(Tensor self, int64_t dim, SymInt start, SymInt length) {
  if (start < 0) start = start + self.size(dim);
  return aten::slice_Tensor(self, dim, start, start + length);
}

std::vector<Tensor> split_by_slices(Tensor self, SymInts sizes, int64_t dim) {
  std::vector<Tensor> parts;
  SymInt start = 0;
  for (SymInt size : sizes) {
    parts.push_back(aten::slice_Tensor(self, dim, start, start + size));
    start = start + size;
  }
  return parts;
}

Tensor expand_by_broadcast(Tensor self, SymInts size) {
  return aten::broadcast_to(self, sizes_of(*meta::expand(self.meta(), size)));
}

// The order in which the dimensions lie in memory, when they fill it.
MaybeTensor as_strided_by_permute(Tensor self, SymInts size, SymInts stride, std::optional<SymInt> offset) {
  if (offset && !offset->identical(self.storage_offset())) return std::nullopt;
  if (!meta::is_contiguous(self.meta()) || size.size() != stride.size()) return std::nullopt;
  const TensorMeta asked = {.sizes = size, .strides = stride};
  if (!meta::is_non_overlapping_and_dense(asked)) return std::nullopt;
  std::vector<SymInt> physical, back(size.size());
  for (size_t dim : meta::physical_order(asked)) {
    back[dim] = static_cast<int64_t>(physical.size());
    physical.push_back(size[dim]);
  }
  if (!meta::numel(physical).identical(meta::numel(self.meta()))) return std::nullopt;
  return aten::permute(aten::view(self, physical), back);
}

MaybeTensor as_strided_of_same(Tensor self, SymInts size, SymInts stride, std::optional<SymInt> offset) {
  if (offset && !offset->identical(self.storage_offset())) return std::nullopt;
  auto same = [](SymInt a, SymInt b) { return a.identical(b); };
  if (!std::ranges::equal(size, self.sizes(), same) || !std::ranges::equal(stride, self.strides(), same))
    return std::nullopt;
  return self;
}

MaybeTensor permute_by_transpose(Tensor self, SymInts dims) {
  std::vector<int64_t> moved;
  for (size_t i = 0; i < dims.size(); ++i)
    if (wrap_dim(dims[i].value(), self.dim()) != static_cast<int64_t>(i)) moved.push_back(static_cast<int64_t>(i));
  if (moved.empty()) return self;
  if (moved.size() != 2) return std::nullopt;
  return aten::transpose_int(self, moved[0], moved[1]);
}

constexpr LateralRule kRows[] = {
    {"aten::view", {"reshape", lateral<view_by_reshape>}},
    {"aten::view", {"_unsafe_view", lateral<view_by_unsafe_view>}},
    {"aten::_unsafe_view", {"view", lateral<reshape_by_view>}},
    {"aten::reshape", {"view", lateral<reshape_by_view>}},
    {"aten::unsqueeze", {"view", lateral<unsqueeze_by_view>}},
    {"aten::squeeze.dims", {"one dimension at a time", lateral<squeeze_dims_by_dim>}},
    {"aten::squeeze.dims", {"view", lateral<squeeze_dims_by_view>}},
    {"aten::squeeze.dim", {"squeeze of a list", lateral<squeeze_dim_by_dims>}},
    {"aten::squeeze.dim", {"view", lateral<squeeze_dim_by_view>}},
    {"aten::select.int", {"slice of length 1", lateral<select_by_slice>}},
    {"aten::slice.Tensor", {"a view that changes nothing", lateral<slice_of_all>, -1, true}},
    {"aten::slice.Tensor", {"narrow", lateral<slice_by_narrow>}},
    {"aten::narrow", {"slice", lateral<narrow_by_slice>}},
    {"aten::split_with_sizes", {"slices", lateral<split_by_slices>}},
    {"aten::expand", {"broadcast_to", lateral<expand_by_broadcast>}},
    {"aten::permute", {"transpose", lateral<permute_by_transpose>}},
    {"aten::as_strided", {"a view that changes nothing", lateral<as_strided_of_same>, -1, true}},
    {"aten::as_strided", {"permute", lateral<as_strided_by_permute>}},
};

}  // namespace

const std::span<const LateralRule> kViewRules = kRows;

}  // namespace rung::rules
