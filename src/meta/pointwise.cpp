// The order of a result's dimensions is that of its operands' strides.
#include "meta/pointwise.h"

#include <algorithm>

#include "base/error.h"
#include "meta/reference.h"

namespace rung::meta {
namespace {

std::string shape_text(SymInts sizes) {
  std::string out = "[";
  for (size_t i = 0; i < sizes.size(); ++i) out += cat(i > 0 ? ", " : "", sizes[i].str());
  return out + "]";
}

std::vector<const TensorMeta*> tensors_of(TensorList operands) {
  std::vector<const TensorMeta*> tensors;
  for (const Tensor& operand : operands)
    if (operand.defined() && !operand.is_number()) tensors.push_back(&operand.meta());
  return tensors;
}

// Stride of an operand along a dimension of the result, in bytes; 0 where it is broadcast.
SymInt stride_bytes(const TensorMeta& meta, size_t dim, SymInts shape) {
  size_t missing = shape.size() - meta.rank();
  if (dim < missing) return 0;
  SymInt size = meta.sizes[dim - missing];
  if (size == 1 && shape[dim] != 1) return 0;
  return meta.strides[dim - missing] * SymInt(static_cast<int64_t>(info(meta.dtype).bytes));
}

// 1: dimension a is slower than b, -1: faster, 0: no operand tells.
int compare_dims(const std::vector<const TensorMeta*>& tensors, size_t a, size_t b, SymInts shape) {
  for (const TensorMeta* tensor : tensors) {
    SymInt stride_a = stride_bytes(*tensor, a, shape), stride_b = stride_bytes(*tensor, b, shape);
    if (stride_a == 0 || stride_b == 0) continue;
    if (stride_a < stride_b) return -1;
    if (stride_a > stride_b) return 1;
    if (shape[a] > shape[b]) return 1;
  }
  return 0;
}

// Dimensions from fastest to slowest.
std::vector<size_t> dim_order(const std::vector<const TensorMeta*>& tensors, SymInts shape) {
  std::vector<size_t> order(shape.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  for (size_t i = 1; i < order.size(); ++i) {
    size_t moving = i;
    for (size_t before = i; before-- > 0;) {
      int comparison = compare_dims(tensors, order[before], order[moving], shape);
      if (comparison > 0) {
        std::swap(order[before], order[moving]);
        moving = before;
      } else if (comparison < 0) {
        break;
      }
    }
  }
  return order;
}

bool all_have(const std::vector<const TensorMeta*>& tensors, MemoryFormat format) {
  return std::all_of(tensors.begin(), tensors.end(), [&](auto* t) { return is_contiguous(*t, format); });
}

bool same_dense_strides(const std::vector<const TensorMeta*>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [&](auto* t) {
    return is_non_overlapping_and_dense(*t) && std::ranges::equal(t->strides, tensors[0]->strides);
  });
}

// Where all operands agree on a layout, the result has it, whatever the strides of its dimensions of size 1.
const TensorMeta* agreed_layout(const std::vector<const TensorMeta*>& tensors, SymInts shape, DType dtype) {
  const Device& device = tensors[0]->device;
  if (all_have(tensors, MemoryFormat::kContiguous)) return contiguous(shape, dtype, device);
  if (all_have(tensors, MemoryFormat::kChannelsLast))
    return formatted(shape, dtype, device, MemoryFormat::kChannelsLast);
  if (same_dense_strides(tensors)) return make(shape, tensors[0]->strides, dtype, device);
  return nullptr;
}

const Device& common_device(const std::vector<const TensorMeta*>& tensors) {
  for (const TensorMeta* tensor : tensors)
    if (tensor->rank() > 0) return tensor->device;
  return tensors[0]->device;
}

// Tensors, and the numbers that stand among them: Tensor and Scalar arguments that take part in promotion.
std::vector<Tensor> operands_of(const Call& call, bool with_scalars) {
  std::vector<Tensor> operands;
  std::span<const ArgDef> definitions = schema_of(call.op).args;
  for (size_t i = 0; i < call.args.size(); ++i) {
    bool is_operand = definitions[i].type == ArgType::kTensor ||
                      (with_scalars && definitions[i].type == ArgType::kScalar && definitions[i].name != "alpha");
    if (is_operand && !definitions[i].list) operands.emplace_back(operand(call.args[i]));
  }
  return operands;
}

bool has_symbolic_layout(const TensorMeta* meta) {
  auto is_symbolic = [](SymInt item) { return item.is_symbolic(); };
  return std::ranges::any_of(meta->sizes, is_symbolic) || std::ranges::any_of(meta->strides, is_symbolic);
}

// Promotion and strides of the op's Python reference.
template <Promote rule>
const TensorMeta* referred(TensorList operands) {
  DType common = result_type(operands);
  if (rule == Promote::kNone) return reference(operands, common, operands[0].dtype());
  DType compute = opmath_type(rule == Promote::kIntToFloat ? promoted(rule, common) : common);
  return reference(operands, compute, promoted(rule, common));
}

}  // namespace

Sizes broadcast_sizes(SymInts a, SymInts b) {
  SymInts longer = a.size() >= b.size() ? a : b, shorter = a.size() >= b.size() ? b : a;
  Sizes out(longer.begin(), longer.end());
  size_t missing = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    SymInt& size = out[missing + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) fail_input("shapes ", shape_text(a), " and ", shape_text(b), " cannot be broadcast together");
    size = shorter[i];
  }
  return out;
}

Sizes broadcast_sizes(TensorList operands) {
  Sizes shape;
  for (const Tensor& operand : operands)
    if (operand.defined() && !operand.is_number()) shape = broadcast_sizes(shape, operand.sizes());
  return shape;
}

const TensorMeta* elementwise(TensorList operands, DType dtype) {
  std::vector<const TensorMeta*> tensors = tensors_of(operands);
  if (tensors.empty()) return contiguous({}, dtype, Device{});
  Sizes shape = broadcast_sizes(operands);
  bool same_shape = tensors.size() == operands.size() && std::all_of(tensors.begin(), tensors.end(), [&](auto* t) {
                      return std::ranges::equal(t->sizes, shape);
                    });
  if (same_shape)
    if (const TensorMeta* meta = agreed_layout(tensors, shape, dtype)) return meta;
  Sizes strides(shape.size());
  SymInt step = 1;
  for (size_t dim : dim_order(tensors, shape)) {
    strides[dim] = step;
    step *= shape[dim];
  }
  if (std::ranges::any_of(shape, [](SymInt size) { return size == 0; })) strides = contiguous_strides(shape);
  return make(shape, strides, dtype, common_device(tensors));
}

template <Promote rule>
ValueMeta pointwise(const Call& call) {
  return ValueMeta::of(referred<rule>(operands_of(call, true)));
}

// With symbolic sizes torch takes a short cut around the reference, which leaves 0-d CPU tensors out of account.
template <Promote rule>
ValueMeta binary(const Call& call) {
  std::vector<Tensor> operands = operands_of(call, true);
  std::vector<const TensorMeta*> tensors = tensors_of(operands);
  if (std::ranges::none_of(tensors, has_symbolic_layout)) return ValueMeta::of(referred<rule>(operands));
  DType dtype = promoted(rule, result_type(operands));
  Sizes shape = broadcast_sizes(operands);
  bool one_is_whole =
      std::any_of(tensors.begin(), tensors.end(), [&](auto* t) { return std::ranges::equal(t->sizes, shape); });
  if (one_is_whole && all_have(tensors, MemoryFormat::kContiguous))
    return ValueMeta::of(contiguous(shape, dtype, common_device(tensors)));
  if (one_is_whole && all_have(tensors, MemoryFormat::kChannelsLast))
    return ValueMeta::of(formatted(shape, dtype, common_device(tensors), MemoryFormat::kChannelsLast));
  std::erase_if(operands, [](const Tensor& x) { return !x.is_number() && x.dim() == 0 && x.device().type == "cpu"; });
  const TensorMeta* meta = referred<rule>(operands);
  return ValueMeta::of(make(meta->sizes, meta->strides, dtype, meta->device));
}

template ValueMeta pointwise<Promote::kDefault>(const Call&);
template ValueMeta pointwise<Promote::kIntToFloat>(const Call&);
template ValueMeta pointwise<Promote::kComplexToFloat>(const Call&);
template ValueMeta pointwise<Promote::kBool>(const Call&);
template ValueMeta pointwise<Promote::kNone>(const Call&);
template ValueMeta binary<Promote::kDefault>(const Call&);
template ValueMeta binary<Promote::kIntToFloat>(const Call&);

}  // namespace rung::meta
