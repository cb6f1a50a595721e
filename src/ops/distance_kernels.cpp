// Distances of all pairs of rows.
#include <algorithm>
#include <cmath>

#include "ops/kernels.h"

namespace rung::ops {
namespace {

// |x - y|_p; for p = 0 the number of places where they differ
double distance(const double* x, const double* y, int64_t size, double p) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    double apart = std::fabs(x[i] - y[i]);
    if (std::isinf(p))
      sum = apart > sum || std::isnan(apart) ? apart : sum;
    else
      sum += p == 0 ? static_cast<double>(apart != 0) : std::pow(apart, p);
  }
  return p == 0 || std::isinf(p) ? sum : std::pow(sum, 1 / p);
}

Argument pdist(const Call& call) {
  Tensor self(call.args[0]);
  double p = unbox_float(call.args[1]);
  require_equal(call.op, "dimensions", 2, self.dim());
  const TensorMeta& result = result_meta(call);
  std::vector<double> values = ref::values<double>(self), out;
  int64_t rows = self.size(0).value(), columns = self.size(1).value();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i + 1; j < rows; ++j)
      out.push_back(distance(values.data() + i * columns, values.data() + j * columns, columns, p));
  return ref::make(result, out).argument();
}

constexpr KernelRow kRows[] = {
    {"aten::_pdist_forward", pdist},
};

}  // namespace

const std::span<const KernelRow> kDistanceKernels = kRows;

}  // namespace rung::ops
