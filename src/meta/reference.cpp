// The order of dimensions is found by an insertion sort that stops at ambiguous pairs, so its steps matter.
#include "meta/reference.h"

#include <algorithm>

#include "meta/pointwise.h"
#include "meta/view.h"

namespace rung::meta {
namespace {

bool is_cpu_scalar(const TensorMeta& meta) { return meta.rank() == 0 && meta.device.type == "cpu"; }

bool all_have(std::span<const TensorMeta* const> tensors, MemoryFormat format) {
  return std::ranges::all_of(tensors, [&](auto* t) { return is_contiguous(*t, format); });
}

// 1: dimension a is slower than b, -1: faster, 0: no operand tells.
int compare_dims(std::span<const TensorMeta* const> tensors, size_t a, size_t b) {
  for (const TensorMeta* tensor : tensors) {
    SymInt stride_a = tensor->strides[a], stride_b = tensor->strides[b];
    if (stride_a == 0 || stride_b == 0) continue;
    if (stride_a != stride_b) return stride_a < stride_b ? -1 : 1;
    if (tensors[0]->sizes[a] > tensors[0]->sizes[b]) return 1;
  }
  return 0;
}

// Dimensions from fastest to slowest.
std::vector<size_t> dim_order(std::span<const TensorMeta* const> tensors) {
  size_t rank = tensors[0]->rank();
  std::vector<size_t> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  bool contiguous = all_have(tensors, MemoryFormat::kContiguous);
  bool channels_last = all_have(tensors, MemoryFormat::kChannelsLast);
  if (rank < 2 || (contiguous && !channels_last)) return order;
  if (channels_last && !contiguous) return {1, 3, 2, 0};
  for (size_t i = 1; i < rank; ++i) {
    size_t moving = i;
    for (size_t before = i; before-- > 0;) {
      int comparison = compare_dims(tensors, order[before], order[moving]);
      if (comparison < 0) break;
      if (comparison == 0) continue;
      std::swap(order[before], order[moving]);
      moving = before;
    }
  }
  return order;
}

}  // namespace

const TensorMeta* primitive(std::span<const TensorMeta* const> operands, DType dtype) {
  if (operands.empty()) return contiguous({}, dtype, Device{});
  SymInts sizes = operands[0]->sizes;
  Sizes strides(sizes.size());
  SymInt step = 1;
  for (size_t dim : dim_order(operands)) {
    strides[dim] = step;
    step *= max(sizes[dim], 1);
  }
  return make(sizes, strides, dtype, operands[0]->device);
}

SymInts output_strides(std::span<const TensorMeta* const> operands) {
  std::vector<const TensorMeta*> tensors;
  for (const TensorMeta* operand : operands)
    if (!is_cpu_scalar(*operand)) tensors.push_back(operand);
  if (tensors.size() == 1 && is_non_overlapping_and_dense(*tensors[0])) return tensors[0]->strides;
  return primitive(tensors, DType::kFloat32)->strides;
}

const TensorMeta* converted(const TensorMeta& source, DType dtype) {
  if (source.dtype == dtype) return &source;
  if (is_non_overlapping_and_dense(source)) return make(source.sizes, source.strides, dtype, source.device);
  return primitive({&source}, dtype);
}

const TensorMeta* broadcast(const TensorMeta* x, SymInts shape) {
  return std::ranges::equal(x->sizes, shape) ? x : expand(*x, shape);
}

const TensorMeta* prepared(const Tensor& operand, DType compute, SymInts shape) {
  return broadcast(converted(operand.meta(), compute), shape);
}

const TensorMeta* reference(TensorList operands, DType compute, DType result) {
  Sizes shape = broadcast_sizes(operands);
  std::vector<const TensorMeta*> tensors;
  for (const Tensor& operand : operands)
    if (operand.defined() && !operand.is_number()) tensors.push_back(prepared(operand, compute, shape));
  return converted(*primitive(tensors, compute), result);
}

}  // namespace rung::meta
