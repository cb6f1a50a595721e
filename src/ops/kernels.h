// Kernels: what computes an op on tensors with values. A file of kernels stands beside its family's; every other op is
// computed by its decomposition.
#pragma once
#include "ir/op_def.h"
#include "meta/layout.h"
#include "meta/pointwise.h"
#include "meta/promote.h"
#include "ops/box.h"
#include "ref/values.h"
#include "trace/compute.h"

namespace rung::ops {

struct KernelRow {
  std::string_view op;
  Kernel kernel;
};

extern const std::span<const KernelRow> kArithmeticKernels;
extern const std::span<const KernelRow> kAttentionKernels;
extern const std::span<const KernelRow> kConvolutionKernels;
extern const std::span<const KernelRow> kCreationKernels;
extern const std::span<const KernelRow> kDataDependentKernels;
extern const std::span<const KernelRow> kDistanceKernels;
extern const std::span<const KernelRow> kDistributionKernels;
extern const std::span<const KernelRow> kEmbeddingKernels;
extern const std::span<const KernelRow> kFactorizationKernels;
extern const std::span<const KernelRow> kFftKernels;
extern const std::span<const KernelRow> kGridSamplerKernels;
extern const std::span<const KernelRow> kIndexKernels;
extern const std::span<const KernelRow> kLinalgKernels;
extern const std::span<const KernelRow> kMatmulKernels;
extern const std::span<const KernelRow> kNormKernels;
extern const std::span<const KernelRow> kPoolingKernels;
extern const std::span<const KernelRow> kPrimKernels;
extern const std::span<const KernelRow> kRandomKernels;
extern const std::span<const KernelRow> kReductionKernels;
extern const std::span<const KernelRow> kSortKernels;
extern const std::span<const KernelRow> kSpecialKernels;
extern const std::span<const KernelRow> kUpsampleKernels;
extern const std::span<const KernelRow> kViewKernels;

// ---- elementwise: `f` is a function of carriers; it may be there for some of them only

[[noreturn]] inline void fail_dtype(OpId op, DType dtype) {
  fail_input(schema_of(op).name, " is not defined for ", info(dtype).name);
}

/// Fails with both numbers if what should be as long as something else is not.
inline void require_equal(OpId op, std::string_view what, int64_t expected, int64_t got) {
  if (expected != got) fail_input(schema_of(op).name, ": expected ", expected, " ", what, ", got ", got);
}

/// What an op computes in: its operands' common type.
inline DType common_type(const Tensor& a) { return a.is_number() ? meta::result_type({a}) : a.dtype(); }
inline DType common_type(const Tensor& a, const Tensor& b) { return meta::result_type({a, b}); }

/// An operand as torch reads it: integers, and what is compared, become the common type first, so that -1 is 255 beside
/// a tensor of uint8.
inline Tensor in_common_type(const Tensor& x, DType dtype, DType result) {
  const bool converts = is_integral_or_bool(dtype) || result == DType::kBool;
  if (!converts || (!x.is_number() && x.dtype() == dtype)) return x;
  Tensor converted = ref::make(x.is_number() ? ref::Shape() : ref::shape_of(x), dtype);
  ref::with_carrier(dtype, [&](auto carrier) {
    ref::store(converted, ref::values<decltype(carrier)>(x));
    return 0;
  });
  return converted;
}

template <typename T>
struct AsCarrier {
  using type = std::conditional_t<std::is_floating_point_v<T>, double,
                                  std::conditional_t<std::is_integral_v<T>, int64_t, ref::Complex>>;
};

/// result[i] = f(self[i])
template <auto f>
Argument map_unary(const Call& call) {
  Tensor self = unbox_tensor(call.args[0]);
  const TensorMeta& result = result_meta(call);
  ref::Shape shape = ref::to_shape(result.sizes);
  DType dtype = common_type(self);
  // an op that makes floats of integers reads them as floats
  DType read = is_integral_or_bool(dtype) && is_floating(result.dtype) ? result.dtype : dtype;
  return ref::with_carrier(read, [&](auto carrier) -> Argument {
    using T = decltype(carrier);
    if constexpr (!std::is_invocable_v<decltype(f), T>) {
      fail_dtype(call.op, dtype);
    } else {
      using R = typename AsCarrier<std::invoke_result_t<decltype(f), T>>::type;
      std::vector<T> operands = ref::broadcast_values<T>(self, shape);
      std::vector<R> out(operands.size());
      for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<R>(f(operands[i]));
      return ref::make(result, out).argument();
    }
  });
}

/// result[i] = f(a[i], b[i]), the operands broadcast
template <auto f>
Argument map_binary(const Call& call) {
  Tensor a = unbox_tensor(call.args[0]), b = unbox_tensor(call.args[1]);
  const TensorMeta& result = result_meta(call);
  ref::Shape shape = ref::to_shape(result.sizes);
  DType dtype = common_type(a, b);
  DType read = is_integral_or_bool(dtype) && is_floating(result.dtype) ? result.dtype : dtype;
  if (read == dtype) {
    a = in_common_type(a, dtype, result.dtype);
    b = in_common_type(b, dtype, result.dtype);
  }
  return ref::with_carrier(read, [&](auto carrier) -> Argument {
    using T = decltype(carrier);
    if constexpr (!std::is_invocable_v<decltype(f), T, T>) {
      fail_dtype(call.op, dtype);
    } else {
      using R = typename AsCarrier<std::invoke_result_t<decltype(f), T, T>>::type;
      std::vector<T> left = ref::broadcast_values<T>(a, shape), right = ref::broadcast_values<T>(b, shape);
      std::vector<R> out(left.size());
      for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<R>(f(left[i], right[i]));
      return ref::make(result, out).argument();
    }
  });
}

}  // namespace rung::ops
