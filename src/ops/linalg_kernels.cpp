// Eigenvalues and singular values by LAPACK, and the exponential of a matrix.
#include <cmath>

#include "ops/matrices.h"

namespace rung::ops {
namespace {

namespace lapack = ref::lapack;
using namespace matrices;
using lapack::Complexes;
using lapack::Reals;
using ref::Complex;
using Infos = std::vector<int64_t>;

template <typename T>
bool is_finite(const Matrix<T>& a) {
  for (const T& x : a.values)
    if (!std::isfinite(std::abs(x))) return false;
  return true;
}

Argument eigh(const Call& call) {
  Tensor a(call.args[0]);
  std::string_view triangle = call.args[1].string_view();
  bool upper = triangle == "U" || triangle == "u", with_vectors = unbox_bool(call.args[2]);
  if (!upper && triangle != "L" && triangle != "l")
    fail_input("Expected UPLO argument to be 'L' or 'U', but got ", triangle);
  return with_lapack(call, a, [&](auto zero) {
    Matrices<decltype(zero)> all = read<decltype(zero)>(a);
    std::vector<Reals> values;
    Infos infos;
    for (auto& matrix : all) infos.push_back(lapack::eigh(matrix, upper, with_vectors, values.emplace_back()));
    check_infos(infos, "linalg.eigh", a.dim() == 2);
    if (!with_vectors) all.clear();
    return results(call, values, all);
  });
}

Argument eig(const Call& call) {
  Tensor a(call.args[0]);
  return with_lapack(call, a, [&](auto zero) {
    std::vector<Complexes> values;
    Matrices<Complex> vectors;
    Infos infos;
    for (auto& matrix : read<decltype(zero)>(a)) {
      if (!is_finite(matrix)) fail_input("torch.linalg.eig: input tensor should not contain infs or NaNs.");
      infos.push_back(lapack::eig(std::move(matrix), values.emplace_back(), vectors.emplace_back()));
    }
    check_infos(infos, "torch.linalg.eig", a.dim() == 2);
    return results(call, values, vectors);
  });
}

Argument svd(const Call& call) {
  Tensor a(call.args[0]);
  bool full = unbox_bool(call.args[1]), with_vectors = unbox_bool(call.args[2]);
  if (!call.args[3].is_none())
    fail_input("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.");
  return with_lapack(call, a, [&](auto zero) {
    using T = decltype(zero);
    Matrices<T> us, vhs;
    std::vector<Reals> values;
    Infos infos;
    for (Matrix<T>& matrix : read<T>(a)) {
      if (!is_finite(matrix))
        fail_input(
            "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.");
      int64_t rank = std::min(matrix.rows, matrix.columns);
      Matrix<T> u = identity<T>(matrix.rows, full ? matrix.rows : rank);
      Matrix<T> vh = identity<T>(full ? matrix.columns : rank, matrix.columns);
      if (!with_vectors) u = vh = Matrix<T>();
      infos.push_back(lapack::svd(std::move(matrix), u, values.emplace_back(), vh));
      if (with_vectors) us.push_back(std::move(u)), vhs.push_back(std::move(vh));
    }
    check_infos(infos, "linalg.svd", a.dim() == 2);
    return results(call, us, values, vhs);
  });
}

// ---- e^A

template <typename T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c(a.rows, b.columns);
  for (int64_t j = 0; j < b.columns; ++j)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}

// The largest sum of magnitudes in a column.
template <typename T>
double norm(const Matrix<T>& a) {
  double largest = 0;
  for (int64_t j = 0; j < a.columns; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    largest = std::fmax(largest, sum);
  }
  return largest;
}

// (1 + B (1 + B/2 (1 + B/3 ...)))^(2^s) with B = A / 2^s, no larger than 1/2
template <typename T>
Matrix<T> exponential(Matrix<T> a) {
  constexpr int kTerms = 18;
  int halvings = std::max(0, std::ilogb(std::fmax(norm(a), 0x1p-9)) + 2);
  for (T& x : a.values) x *= std::ldexp(1.0, -halvings);
  Matrix<T> one = identity<T>(a.rows, a.rows), sum = one;
  for (int term = kTerms; term > 0; --term) {
    sum = product(a, sum);
    for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] = sum.values[i] / double(term) + one.values[i];
  }
  for (int i = 0; i < halvings; ++i) sum = product(sum, sum);
  return sum;
}

Argument matrix_exp(const Call& call) {
  Tensor a(call.args[0]);
  const TensorMeta& result = result_meta(call);
  if (is_integral_or_bool(a.dtype())) fail_dtype(call.op, a.dtype());
  auto run = [&](auto zero) {
    using T = decltype(zero);
    Matrices<T> all = read<T>(a);
    for (Matrix<T>& matrix : all) {
      if (is_finite(matrix))
        matrix = exponential(std::move(matrix));
      else
        std::ranges::fill(matrix.values, T(std::nan("")));
    }
    return make(result, all).argument();
  };
  return is_complex(a.dtype()) ? run(Complex()) : run(double());
}

constexpr KernelRow kRows[] = {
    {"aten::_linalg_eigh", eigh},
    {"aten::_linalg_svd", svd},
    {"aten::linalg_eig", eig},
    {"aten::linalg_matrix_exp", matrix_exp},
};

}  // namespace

const std::span<const KernelRow> kLinalgKernels = kRows;

}  // namespace rung::ops
