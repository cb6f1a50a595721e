// References of torch's functions that are no operators of their own: the dispatcher takes them apart before a
// decomposition table sees them, so that only TorchRefsMode, which stands in front of it, ever runs these.
#include <algorithm>

#include "ops/box.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"
#include "schema/gen/op_ids.h"
#include "trace/tracer.h"

namespace rung {
namespace ops {
namespace {

// softmax(x) = exp(x - max x) / sum exp(x - max x)
Tensor softmax(Tensor self, int64_t dim, std::optional<DType> dtype) {
  DType result = dtype.value_or(self.dtype());
  Tensor x = reference::converted(self, meta::opmath_type(result));
  Tensor shifted = x;
  if (self.numel() != 0) {
    Tensor highest = aten::amax(x, {dim}, true);
    shifted = aten::sub_Tensor(x, highest);
  }
  Tensor weights = aten::exp(shifted);
  Tensor total = aten::sum_dim_IntList(weights, IntList{dim}, true);
  return reference::converted(aten::div_Tensor(weights, total), result);
}

// log_softmax(x) = x - max x - log sum exp(x - max x)
Tensor log_softmax(Tensor self, int64_t dim, std::optional<DType> dtype) {
  DType result = dtype.value_or(self.dtype());
  Tensor x = reference::converted(self, meta::opmath_type(result));
  Tensor total = aten::logsumexp(x, {dim}, true);
  return reference::converted(aten::sub_Tensor(x, total), result);
}

Tensor layer_norm(Tensor input, SymInts normalized_shape, Tensor weight, Tensor bias, double eps) {
  return std::get<0>(aten::native_layer_norm(input, normalized_shape, weight, bias, eps));
}

Tensor group_norm(Tensor input, int64_t num_groups, Tensor weight, Tensor bias, double eps) {
  SymInt pixels = 1;
  for (int64_t dim = 2; dim < input.dim(); ++dim) pixels *= input.size(dim);
  return std::get<0>(
      aten::native_group_norm(input, weight, bias, input.size(0), input.size(1), pixels, num_groups, eps));
}

struct Row {
  OpId op;
  Body reference;
};
constexpr Row kRows[] = {
    {op::aten_softmax_int, box<softmax>},
    {op::aten_log_softmax_int, box<log_softmax>},
    {op::aten_layer_norm, box<layer_norm>},
    {op::aten_group_norm, box<group_norm>},
};

}  // namespace
}  // namespace ops

Body torch_function_reference(OpId op) {
  const auto* row = std::ranges::find(ops::kRows, op, &ops::Row::op);
  return row == std::end(ops::kRows) ? nullptr : row->reference;
}

}  // namespace rung
