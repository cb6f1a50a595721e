// Softmax and its logarithm, forward and backward.
#include <limits>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

// A softmax is contiguous whatever its input is; half_to_float makes float32 of float16.
const TensorMeta* meta_softmax(Tensor self, int64_t dim, bool half_to_float) {
  wrap_dim(dim, self.dim());
  if (half_to_float && self.dtype() != DType::kFloat16)
    fail_input("half_to_float needs a float16 tensor, got ", info(self.dtype()).name);
  if (!is_floating(self.dtype()) && !is_complex(self.dtype()))
    fail_input("softmax is not defined for ", info(self.dtype()).name);
  return meta::contiguous(self.sizes(), half_to_float ? DType::kFloat32 : self.dtype(), self.device());
}

const TensorMeta* meta_softmax_int(Tensor self, int64_t dim, std::optional<DType> dtype) {
  wrap_dim(dim, self.dim());
  return meta::contiguous(self.sizes(), dtype.value_or(self.dtype()), self.device());
}

const TensorMeta* meta_safe_softmax(Tensor self, int64_t dim, std::optional<DType> dtype) {
  return meta_softmax_int(self, dim, dtype);
}

const TensorMeta* meta_softmax_backward(Tensor grad, Tensor, int64_t, DType input_dtype) {
  return meta::contiguous(grad.sizes(), input_dtype, grad.device());
}

// The cast names layout and device too, as C++ callers do.
Tensor cast_fully(const Tensor& self, std::optional<DType> dtype) {
  if (!dtype || *dtype == self.dtype()) return self;
  return aten::_to_copy(self, *dtype, self.layout(), self.device());
}

Tensor softmax_int(Tensor self, int64_t dim, std::optional<DType> dtype) {
  Tensor x = cast_fully(self, dtype);
  return aten::_softmax(x, dim, false);
}
Tensor special_softmax(Tensor self, int64_t dim, std::optional<DType> dtype) {
  return aten::softmax_int(self, dim, dtype);
}

Tensor log_softmax_int(Tensor self, int64_t dim, std::optional<DType> dtype) {
  Tensor x = cast_fully(self, dtype);
  return aten::_log_softmax(x, dim, false);
}
Tensor special_log_softmax(Tensor self, int64_t dim, std::optional<DType> dtype) {
  return aten::log_softmax_int(self, dim, dtype);
}

// Zeros where all of a row is masked out, instead of NaN.
Tensor safe_softmax(Tensor self, int64_t dim, std::optional<DType> dtype) {
  Tensor out = aten::softmax_int(self, dim, dtype);
  Tensor masked = aten::eq_Scalar(self, -std::numeric_limits<double>::infinity());
  Tensor masked_rows = aten::all_dim(masked, dim, true);
  Tensor zeros = aten::zeros_like(out, std::nullopt, std::nullopt, std::nullopt, false);
  return aten::where_self(masked_rows, zeros, out);
}

// What exp takes off before it is summed: the maximum along the dimension.
Tensor maximum_along(const Tensor& x, int64_t dim) {
  if (x.dim() == 0 || x.size(dim) > 0) return aten::amax(x, {dim}, true);
  std::vector<SymInt> shape(x.sizes().begin(), x.sizes().end());
  shape[static_cast<size_t>(wrap_dim(dim, x.dim()))] = 1;
  Tensor lowest = aten::new_full(x, shape, -std::numeric_limits<double>::infinity(), std::nullopt, std::nullopt,
                                 std::nullopt, false);
  const Tensor parts[] = {x, lowest};
  Tensor padded = aten::cat(parts, dim);
  return aten::amax(padded, {dim}, true);
}

Tensor contiguous(const Tensor& x) {
  return meta::is_contiguous(x.meta()) ? x : aten::clone(x, MemoryFormat::kContiguous);
}

// softmax(x) = exp(x - max x) / sum exp(x - max x)
Tensor softmax(Tensor self, int64_t dim, bool half_to_float) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(contiguous(self));
  Tensor highest = maximum_along(x, dim);
  Tensor shifted = aten::sub_Tensor(x, highest);
  Tensor exp = aten::exp(shifted);
  Tensor sum = aten::sum_dim_IntList(exp, IntList{dim}, true);
  Tensor result = aten::div_Tensor(exp, sum);
  return half_to_float ? result : types.down(result);
}

// log softmax(x) = (x - max x) - log sum exp(x - max x)
Tensor log_softmax(Tensor self, int64_t dim, bool half_to_float) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(contiguous(self));
  Tensor highest = maximum_along(x, dim);
  Tensor shifted = aten::sub_Tensor(x, highest);
  Tensor exp = aten::exp(shifted);
  Tensor sum = aten::sum_dim_IntList(exp, IntList{dim}, true);
  Tensor log = aten::log(sum);
  Tensor result = aten::sub_Tensor(shifted, log);
  return half_to_float ? result : types.down(result);
}

Tensor cast_to_input(const Tensor& grad, const Tensor& result, DType input_dtype) {
  return grad.dtype() == input_dtype ? result : to_dtype(result, input_dtype);
}

// d softmax = y * (g - sum(g * y)), written out as g*y - y * sum(g*y)
Tensor softmax_backward(Tensor grad_output, Tensor output, int64_t dim, DType input_dtype) {
  ComputeTypes types = compute_types({grad_output, output});
  Tensor grad = types.up(grad_output), y = types.up(output);
  Tensor scaled = aten::mul_Tensor(grad, y);
  Tensor sum = aten::sum_dim_IntList(scaled, IntList{dim}, true);
  Tensor shared = aten::mul_Tensor(y, sum);
  Tensor result = aten::sub_Tensor(scaled, shared);
  return contiguous(cast_to_input(grad, result, input_dtype));
}

// d log softmax = g - exp(y) * sum(g)
Tensor log_softmax_backward(Tensor grad_output, Tensor output, int64_t dim, DType input_dtype) {
  ComputeTypes types = compute_types({grad_output, output});
  Tensor grad = types.up(grad_output), y = types.up(output);
  Tensor exp = aten::exp(y);
  Tensor sum = aten::sum_dim_IntList(grad, IntList{dim}, true);
  Tensor shared = aten::mul_Tensor(exp, sum);
  Tensor result = aten::sub_Tensor(grad, shared);
  return cast_to_input(grad, result, input_dtype);
}

constexpr OpDef kRows[] = {
    {.op = "aten::_softmax", .meta = box_meta<meta_softmax>, .body = box<softmax>},
    {.op = "aten::_log_softmax", .meta = box_meta<meta_softmax>, .body = box<log_softmax>},
    {.op = "aten::softmax.int", .meta = box_meta<meta_softmax_int>, .body = box<softmax_int>},
    {.op = "aten::log_softmax.int", .meta = box_meta<meta_softmax_int>, .body = box<log_softmax_int>},
    {.op = "aten::special_softmax", .meta = box_meta<meta_softmax_int>, .body = box<special_softmax>},
    {.op = "aten::special_log_softmax", .meta = box_meta<meta_softmax_int>, .body = box<special_log_softmax>},
    {.op = "aten::_safe_softmax", .meta = box_meta<meta_safe_softmax>, .body = box<safe_softmax>},
    {.op = "aten::_softmax_backward_data", .meta = box_meta<meta_softmax_backward>, .body = box<softmax_backward>},
    {.op = "aten::_log_softmax_backward_data",
     .meta = box_meta<meta_softmax_backward>,
     .body = box<log_softmax_backward>},
};

}  // namespace

const std::span<const OpDef> kSoftmaxOps = kRows;

}  // namespace rung::ops
