// Determinants, inverses and solutions, by the factorizations of the floor.
#include "meta/layout.h"
#include "meta/promote.h"
#include "ops/closed.h"
#include "ops/factory.h"

namespace rung::ops::closed {
namespace {

// Of P L U with a unit diagonal of L: the diagonal of U, and the sign of the permutation, -1 for each row that moved.
struct Factors {
  Tensor lu, pivots, diagonal, sign;
};

Factors factors_of(const Tensor& a) {
  auto [lu, pivots, info] = aten::linalg_lu_factor_ex(a);
  Tensor rows = arange(1, a.size(-1) + 1, a.device(), DType::kInt32);
  Tensor moved = aten::ne_Tensor(pivots, rows);
  Tensor odd = aten::remainder_Scalar(aten::sum_dim_IntList(moved, IntList{-1}), 2);
  Tensor sign = aten::rsub_Scalar(aten::mul_Tensor(odd, 2), 1);
  return {lu, pivots, aten::diagonal(lu, 0, -2, -1), aten::to_dtype(sign, a.dtype())};
}

Tensor product_along_last(const Tensor& x) { return aten::prod_dim_int(x, -1); }

Tensor adjoint(const Tensor& a) {
  Tensor transposed = aten::transpose_int(a, -2, -1);
  return is_complex(a.dtype()) ? prims::conj_physical(transposed) : transposed;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_det(Tensor a) {
  Factors factors = factors_of(a);
  Tensor product = product_along_last(factors.diagonal);
  return {aten::mul_Tensor(product, factors.sign), factors.lu, factors.pivots};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_slogdet(Tensor a) {
  Factors factors = factors_of(a);
  Tensor signs = product_along_last(aten::sgn(factors.diagonal));
  Tensor sign = aten::mul_Tensor(signs, factors.sign);
  Tensor logarithms = aten::log(aten::abs(factors.diagonal));
  Tensor sum = aten::sum_dim_IntList(logarithms, IntList{-1});
  return {sign, sum, factors.lu, factors.pivots};
}

// V diag(1 / s) U^H, without the singular values that are no larger than the tolerance.
Tensor linalg_pinv(Tensor self, Tensor atol, Tensor rtol, bool hermitian) {
  if (self.numel() == 0) {
    Tensor swapped = aten::transpose_int(self, -2, -1);
    return aten::empty_memory_format(swapped.sizes(), self.dtype(), std::nullopt, self.device());
  }
  Tensor left, values, right;  // self = left diag(values) right
  if (hermitian) {
    std::tie(values, left) = aten::_linalg_eigh(self);
    right = adjoint(left);
  } else {
    std::tie(left, values, right) = aten::_linalg_svd(self, false);
  }
  Tensor sizes = aten::abs(values);
  Tensor greatest = aten::amax(sizes, {-1}, true);
  Tensor least = aten::mul_Tensor(aten::unsqueeze(rtol, -1), greatest);
  least = aten::maximum(aten::unsqueeze(atol, -1), least);
  Tensor kept = aten::gt_Tensor(sizes, least);
  Tensor inverse = aten::where_ScalarOther(kept, aten::reciprocal(values), 0.0);
  Tensor scaled = aten::mul_Tensor(adjoint(right), aten::unsqueeze(aten::to_dtype(inverse, self.dtype()), -2));
  return aten::matmul(scaled, adjoint(left));
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(Tensor a, bool pivot) {
  auto [lu, pivots, info] = aten::linalg_lu_factor_ex(a, pivot);
  return aten::lu_unpack(lu, pivots, true, pivot);
}

Tensor cholesky(Tensor self, bool upper) { return std::get<0>(aten::linalg_cholesky_ex(self, upper, true)); }

// L L^H x = b, or U^H U x = b, by two substitutions.
Tensor cholesky_solve(Tensor self, Tensor factor, bool upper) {
  Tensor turned = adjoint(factor);
  Tensor inner = aten::linalg_solve_triangular(upper ? turned : factor, self, false);
  return aten::linalg_solve_triangular(upper ? factor : turned, inner, true);
}
Tensor cholesky_inverse(Tensor factor, bool upper) {
  Tensor identity = aten::eye(factor.size(-1), factor.dtype(), std::nullopt, factor.device(), false);
  return cholesky_solve(identity, factor, upper);
}

// The solution, and a copy of the matrix for each in the batch, column-major as LAPACK took it.
TensorTuple2 triangular_solve(Tensor self, Tensor a, bool upper, bool transpose, bool unitriangular) {
  Tensor turned = aten::transpose_int(a, -2, -1);
  Tensor solution =
      aten::linalg_solve_triangular(transpose ? turned : a, self, upper != transpose, true, unitriangular);
  meta::Sizes sizes(solution.sizes().begin(), solution.sizes().end());
  sizes[sizes.size() - 2] = sizes[sizes.size() - 1] = a.size(-1);
  Tensor columns = aten::clone(aten::expand(turned, sizes), MemoryFormat::kContiguous);
  return {solution, aten::transpose_int(columns, -2, -1)};
}

}  // namespace rung::ops::closed
