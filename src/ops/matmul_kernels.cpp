// Products of matrices, summed in double and rounded once.
#include "ops/elementwise.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using ref::Shape;

// out[b, i, j] = scale sum_k a[b, i, k] c[b, k, j] + out[b, i, j]
template <typename T>
void add_products(std::vector<T>& out, const std::vector<T>& a, const std::vector<T>& c, size_t batches, size_t rows,
                  size_t inner, size_t columns, T scale) {
  std::vector<T> row(columns);
  for (size_t b = 0; b < batches; ++b) {
    for (size_t i = 0; i < rows; ++i) {
      std::fill(row.begin(), row.end(), T());
      for (size_t k = 0; k < inner; ++k) {
        T factor = a[(b * rows + i) * inner + k];
        const T* from = &c[(b * inner + k) * columns];
        for (size_t j = 0; j < columns; ++j) row[j] = add(row[j], mul(factor, from[j]));
      }
      for (size_t j = 0; j < columns; ++j) {
        T& target = out[(b * rows + i) * columns + j];
        target = add(target, mul(scale, row[j]));
      }
    }
  }
}

struct Product {
  Tensor start;  // undefined for zeros
  Tensor a, b;
  Scalar beta = 0, alpha = 1;
};

Argument product(const Call& call, const Product& p) {
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::to_shape(result.sizes), left = ref::shape_of(p.a);
  size_t batches = shape.size() == 3 ? static_cast<size_t>(shape[0]) : 1;
  size_t rows = static_cast<size_t>(shape[shape.size() - 2]), columns = static_cast<size_t>(shape.back());
  return ref::with_carrier(result.dtype, [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> out(batches * rows * columns);
    T beta = ref::number<T>(p.beta);
    if (p.start.defined() && beta != T()) {
      out = ref::broadcast_values<T>(p.start, shape);
      for (T& x : out) x = mul(beta, x);
    }
    std::vector<T> a = ref::values<T>(p.a), b = ref::values<T>(p.b);
    add_products(out, a, b, batches, rows, static_cast<size_t>(left.back()), columns, ref::number<T>(p.alpha));
    return ref::make(result, out).argument();
  });
}

Argument mm(const Call& call) { return product(call, {Tensor(), Tensor(call.args[0]), Tensor(call.args[1])}); }
Argument addmm(const Call& call) {
  return product(call, {Tensor(call.args[0]), Tensor(call.args[1]), Tensor(call.args[2]), Scalar(operand(call.args[3])),
                        Scalar(operand(call.args[4]))});
}

constexpr KernelRow kRows[] = {
    {"aten::mm", mm},
    {"aten::bmm", mm},
    {"aten::addmm", addmm},
    {"aten::baddbmm", addmm},
};

}  // namespace

const std::span<const KernelRow> kMatmulKernels = kRows;

}  // namespace rung::ops
