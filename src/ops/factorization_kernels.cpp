// Factorizations by LAPACK, and equations solved by substitution.
#include <cmath>

#include "ops/gen/aten.h"
#include "ops/matrices.h"

namespace rung::ops {
namespace {

namespace lapack = ref::lapack;
using namespace matrices;
using lapack::Pivots;
using Infos = std::vector<int64_t>;

// ---- triangular equations

struct Triangle {
  bool upper = false, has_unit_diagonal = false;
};

// b becomes x with a x = b. A zero on the diagonal gives infinities and NaN.
template <typename T>
void substitute(const Matrix<T>& a, Triangle triangle, Matrix<T>& b) {
  for (int64_t column = 0; column < b.columns; ++column) {
    for (int64_t step = 0; step < b.rows; ++step) {
      int64_t i = triangle.upper ? b.rows - 1 - step : step;
      T& x = b(i, column);
      for (int64_t k = triangle.upper ? i + 1 : 0; k < (triangle.upper ? b.rows : i); ++k) x -= a(i, k) * b(k, column);
      if (!triangle.has_unit_diagonal) x /= a(i, i);
    }
  }
}

// X A = B is A^T X^T = B^T.
template <typename T>
void substitute_right(const Matrix<T>& a, Triangle triangle, Matrix<T>& b) {
  Matrix<T> turned = transpose(b);
  substitute(transpose(a), {!triangle.upper, triangle.has_unit_diagonal}, turned);
  b = transpose(turned);
}

Argument solve_triangular(const Call& call) {
  Tensor a(call.args[0]), b(call.args[1]);
  Triangle triangle{unbox_bool(call.args[2]), unbox_bool(call.args[4])};
  bool left = unbox_bool(call.args[3]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, b, [&](auto zero) {
    using T = decltype(zero);
    Matrices<T> factors = read<T>(a, batch_of(a, b)), solutions = read<T>(b, batch_of(a, b));
    for (size_t i = 0; i < factors.size(); ++i)
      left ? substitute(factors[i], triangle, solutions[i]) : substitute_right(factors[i], triangle, solutions[i]);
    return make(result, solutions).argument();
  });
}

// The older name: the right hand side comes first, and a copy of the matrix is given back.
Argument triangular_solve(const Call& call) {
  Tensor b(call.args[0]), a(call.args[1]);
  bool upper = unbox_bool(call.args[2]), turns = unbox_bool(call.args[3]);
  Triangle triangle{upper != turns, unbox_bool(call.args[4])};
  return with_lapack(call, b, [&](auto zero) {
    using T = decltype(zero);
    require_equal(call.op, "rows on the right hand side", a.size(-1).value(), b.size(-2).value());
    Matrices<T> factors = read<T>(a, batch_of(a, b)), solutions = read<T>(b, batch_of(a, b));
    for (size_t i = 0; i < factors.size(); ++i)
      substitute(turns ? transpose(factors[i]) : factors[i], triangle, solutions[i]);
    return results(call, solutions, factors);
  });
}

// ---- L U with rows exchanged

void require_pivots(bool pivot) {
  if (!pivot) fail_input("linalg.lu_factor: LU without pivoting is not implemented on the CPU");
}

// Row i was exchanged with row pivots[i]; in reverse order the exchanges are undone.
template <typename T>
void exchange_rows(Matrix<T>& b, const Pivots& pivots, bool undo) {
  for (size_t step = 0; step < pivots.size(); ++step) {
    size_t i = undo ? pivots.size() - 1 - step : step;
    for (int64_t j = 0; j < b.columns; ++j) std::swap(b(static_cast<int64_t>(i), j), b(pivots[i] - 1, j));
  }
}

template <typename T>
void solve_left(const Matrix<T>& lu, const Pivots& pivots, bool adjoint_of_lu, Matrix<T>& b) {
  constexpr Triangle kLower{false, true}, kUpper{true, false};
  if (!adjoint_of_lu) {
    exchange_rows(b, pivots, false);
    substitute(lu, kLower, b);
    return substitute(lu, kUpper, b);
  }
  Matrix<T> turned = adjoint(lu);
  substitute(turned, {.upper = false}, b);
  substitute(turned, {.upper = true, .has_unit_diagonal = true}, b);
  exchange_rows(b, pivots, true);
}

// X A = B is A^H X^H = B^H.
template <typename T>
void solve_lu(const Matrix<T>& lu, const Pivots& pivots, bool left, bool adjoint_of_lu, Matrix<T>& b) {
  if (left) return solve_left(lu, pivots, adjoint_of_lu, b);
  Matrix<T> turned = adjoint(b);
  solve_left(lu, pivots, !adjoint_of_lu, turned);
  b = adjoint(turned);
}

template <typename T>
struct Factors {
  Matrices<T> lu;
  std::vector<Pivots> pivots;
  Infos infos;
};
template <typename T>
Factors<T> lu_factors(Matrices<T> all) {
  Factors<T> factors{std::move(all), {}, {}};
  for (Matrix<T>& matrix : factors.lu) {
    Pivots& pivots = factors.pivots.emplace_back();
    factors.infos.push_back(lapack::lu_factor(matrix, pivots));
  }
  return factors;
}

Argument lu_factor_ex(const Call& call) {
  Tensor a(call.args[0]);
  require_pivots(unbox_bool(call.args[1]));
  return with_lapack(call, a, [&](auto zero) {
    auto factors = lu_factors(read<decltype(zero)>(a));
    if (unbox_bool(call.args[2])) check_infos(factors.infos, "torch.linalg.lu_factor_ex", a.dim() == 2);
    return results(call, factors.lu, factors.pivots, factors.infos);
  });
}

std::vector<Tensor> lu(Tensor a, bool pivot) {
  require_pivots(pivot);
  auto [packed, pivots, infos] = aten::linalg_lu_factor_ex(a);
  auto [p, l, u] = aten::lu_unpack(packed, pivots);
  return {p, l, u};
}

void check_pivots(const std::vector<Pivots>& all, int64_t rows, std::string_view op) {
  for (const Pivots& pivots : all)
    for (int64_t pivot : pivots)
      if (pivot < 1 || pivot > rows) fail_input(op, ": pivots must be between 1 and ", rows, ", got ", pivot);
}

template <typename T>
Matrix<T> unit_lower(const Matrix<T>& lu) {
  int64_t rank = std::min(lu.rows, lu.columns);
  Matrix<T> lower = corner(lu, lu.rows, rank);
  keep_triangle(lower, false);
  for (int64_t i = 0; i < rank; ++i) lower(i, i) = T(1);
  return lower;
}

Argument lu_unpack(const Call& call) {
  Tensor lu(call.args[0]), pivots(call.args[1]);
  if (pivots.dtype() != DType::kInt32) fail_input("lu_unpack: pivots must be int32, got ", info(pivots.dtype()).name);
  bool wants_data = unbox_bool(call.args[2]), wants_pivots = unbox_bool(call.args[3]);
  int64_t rows = lu.size(-2).value();
  return with_lapack(call, lu, [&](auto zero) {
    using T = decltype(zero);
    Matrices<T> p, l, u;
    if (wants_pivots) {
      require_equal(call.op, "pivots", std::min(rows, lu.size(-1).value()), pivots.size(-1).value());
      std::vector<Pivots> all = read_vectors<int64_t>(pivots, batch_of(lu));
      check_pivots(all, rows, "lu_unpack");
      for (const Pivots& each : all) exchange_rows(p.emplace_back(identity<T>(rows, rows)), each, true);
    }
    if (wants_data) {
      for (const Matrix<T>& packed : read<T>(lu)) {
        l.push_back(unit_lower(packed));
        keep_triangle(u.emplace_back(corner(packed, std::min(packed.rows, packed.columns), packed.columns)), true);
      }
    }
    return results(call, p, l, u);
  });
}

Argument lu_solve(const Call& call) {
  Tensor lu(call.args[0]), pivots(call.args[1]), b(call.args[2]);
  bool left = unbox_bool(call.args[3]), adjoint_of_lu = unbox_bool(call.args[4]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, lu, [&](auto zero) {
    using T = decltype(zero);
    ref::Shape batch = batch_of(lu, b);
    int64_t rows = lu.size(-1).value();
    require_equal(call.op, "pivots", rows, pivots.size(-1).value());
    require_equal(call.op, "equations on the right hand side", rows, b.size(left ? -2 : -1).value());
    Matrices<T> factors = read<T>(lu, batch), solutions = read<T>(b, batch);
    std::vector<Pivots> all = read_vectors<int64_t>(pivots, batch);
    check_pivots(all, lu.size(-2).value(), "linalg.lu_solve");
    for (size_t i = 0; i < factors.size(); ++i) solve_lu(factors[i], all[i], left, adjoint_of_lu, solutions[i]);
    return make(result, solutions).argument();
  });
}

// One right hand side for each matrix?
bool is_vector(const Tensor& a, const Tensor& b) {
  return b.dim() == 1 || (b.dim() == a.dim() - 1 && ref::shape_of(b) == batch_of(a, 1));
}

template <typename T>
Argument solved(const Call& call, const Tensor& a, const Tensor& b, bool left, bool checks, std::string_view name) {
  bool one = is_vector(a, b);
  Tensor right = one ? aten::unsqueeze(b, -1) : b;
  require_equal(call.op, "equations on the right hand side", a.size(-1).value(),
                right.size(left || one ? -2 : -1).value());
  ref::Shape batch = batch_of(a, right);
  Factors<T> own = lu_factors(read<T>(a)), spread = lu_factors(read<T>(a, batch));
  if (checks) check_infos(own.infos, name, a.dim() == 2);
  Matrices<T> solutions = read<T>(right, batch);
  for (size_t i = 0; i < solutions.size(); ++i) solve_lu(spread.lu[i], spread.pivots[i], left, false, solutions[i]);
  if (!one) return results(call, solutions, own.lu, own.pivots, own.infos);
  std::vector<std::vector<T>> vectors;
  for (Matrix<T>& column : solutions) vectors.push_back(std::move(column.values));
  return results(call, vectors, own.lu, own.pivots, own.infos);
}
Argument solve_ex(const Call& call) {
  Tensor a(call.args[0]), b(call.args[1]);
  return with_lapack(call, a, [&](auto zero) {
    return solved<decltype(zero)>(call, a, b, unbox_bool(call.args[2]), unbox_bool(call.args[3]),
                                  "torch.linalg.solve_ex");
  });
}

// Each column of the identity solved for.
Argument inv_ex(const Call& call) {
  Tensor a(call.args[0]);
  return with_lapack(call, a, [&](auto zero) {
    using T = decltype(zero);
    Factors<T> factors = lu_factors(read<T>(a));
    if (unbox_bool(call.args[1])) check_infos(factors.infos, "linalg.inv_ex", a.dim() == 2);
    Matrices<T> inverses;
    for (size_t i = 0; i < factors.lu.size(); ++i) {
      const Matrix<T>& lu = factors.lu[i];
      solve_left(lu, factors.pivots[i], false, inverses.emplace_back(identity<T>(lu.rows, lu.rows)));
    }
    return results(call, inverses, factors.infos);
  });
}

// ---- L L^H

// Column by column, by what is left of it. Where a minor is not positive, the rest stays as it was: LAPACK's recursive
// routine has changed it by then, torch's has not.
template <typename T>
int64_t factor_lower(Matrix<T>& a) {
  for (int64_t j = 0; j < a.columns; ++j) {
    double square = std::real(a(j, j));
    for (int64_t k = 0; k < j; ++k) square -= std::norm(a(j, k));
    a(j, j) = square;
    if (!(square > 0)) return j + 1;
    a(j, j) = std::sqrt(square);
    for (int64_t i = j + 1; i < a.rows; ++i) {
      for (int64_t k = 0; k < j; ++k) a(i, j) -= a(i, k) * conjugate(a(j, k));
      a(i, j) /= a(j, j);
    }
  }
  return 0;
}

// The upper triangle is the adjoint of a lower one.
template <typename T>
Infos factor_cholesky(Matrices<T>& all, bool upper) {
  Infos infos;
  for (Matrix<T>& matrix : all) {
    if (upper) matrix = adjoint(matrix);
    infos.push_back(factor_lower(matrix));
    keep_triangle(matrix, false);
    if (upper) matrix = adjoint(matrix);
  }
  return infos;
}

Argument cholesky_ex(const Call& call) {
  Tensor a(call.args[0]);
  return with_lapack(call, a, [&](auto zero) {
    Matrices<decltype(zero)> all = read<decltype(zero)>(a);
    Infos infos = factor_cholesky(all, unbox_bool(call.args[1]));
    if (unbox_bool(call.args[2])) check_infos(infos, "linalg.cholesky_ex", a.dim() == 2);
    return results(call, all, infos);
  });
}
Argument cholesky(const Call& call) {
  Tensor a(call.args[0]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, a, [&](auto zero) {
    Matrices<decltype(zero)> all = read<decltype(zero)>(a);
    check_infos(factor_cholesky(all, unbox_bool(call.args[1])), "cholesky", a.dim() == 2);
    return make(result, all).argument();
  });
}

// (L L^H) x = b, where the factor is the lower triangle or the adjoint of the upper one.
template <typename T>
void solve_cholesky(Matrix<T> factor, bool upper, Matrix<T>& b) {
  if (upper) factor = adjoint(factor);
  substitute(factor, {.upper = false}, b);
  substitute(adjoint(factor), {.upper = true}, b);
}

Argument cholesky_solve(const Call& call) {
  Tensor b(call.args[0]), a(call.args[1]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, b, [&](auto zero) {
    using T = decltype(zero);
    require_equal(call.op, "rows on the right hand side", a.size(-1).value(), b.size(-2).value());
    Matrices<T> factors = read<T>(a, batch_of(a, b)), solutions = read<T>(b, batch_of(a, b));
    for (size_t i = 0; i < factors.size(); ++i) solve_cholesky(factors[i], unbox_bool(call.args[2]), solutions[i]);
    return make(result, solutions).argument();
  });
}

Argument cholesky_inverse(const Call& call) {
  Tensor a(call.args[0]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, a, [&](auto zero) {
    using T = decltype(zero);
    Matrices<T> factors = read<T>(a), inverses;
    for (size_t b = 0; b < factors.size(); ++b) {
      const Matrix<T>& factor = factors[b];
      for (int64_t i = 0; i < factor.rows; ++i)
        if (factor(i, i) == T()) check_infos({i + 1}, "cholesky_inverse", a.dim() == 2);
      solve_cholesky(factor, unbox_bool(call.args[1]), inverses.emplace_back(identity<T>(factor.rows, factor.rows)));
    }
    return make(result, inverses).argument();
  });
}

// ---- L D L^T

Argument ldl_factor_ex(const Call& call) {
  Tensor a(call.args[0]);
  return with_lapack(call, a, [&](auto zero) {
    Matrices<decltype(zero)> all = read<decltype(zero)>(a);
    std::vector<Pivots> pivots;
    Infos infos;
    for (auto& matrix : all) {
      infos.push_back(lapack::ldl_factor(matrix, unbox_bool(call.args[1]), pivots.emplace_back()));
      keep_triangle(matrix, false);
    }
    if (unbox_bool(call.args[2])) check_infos(infos, "torch.linalg.ldl_factor_ex", a.dim() == 2);
    return results(call, all, pivots, infos);
  });
}

Argument ldl_solve(const Call& call) {
  Tensor ld(call.args[0]), b(call.args[2]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, ld, [&](auto zero) {
    using T = decltype(zero);
    ref::Shape batch = batch_of(ld, b);
    int64_t rows = ld.size(-1).value();
    require_equal(call.op, "pivots", rows, Tensor(call.args[1]).size(-1).value());
    require_equal(call.op, "rows on the right hand side", rows, b.size(-2).value());
    Matrices<T> factors = read<T>(ld, batch), solutions = read<T>(b, batch);
    std::vector<Pivots> pivots = read_vectors<int64_t>(Tensor(call.args[1]), batch);
    for (const Pivots& each : pivots)
      for (int64_t pivot : each)
        if (pivot == 0 || std::abs(pivot) > rows)
          fail_input("linalg.ldl_solve: pivots must be between 1 and ", rows, " or negative, got ", pivot);
    for (size_t i = 0; i < factors.size(); ++i)
      lapack::ldl_solve(factors[i], unbox_bool(call.args[3]), pivots[i], solutions[i]);
    return make(result, solutions).argument();
  });
}

// ---- Q R

Argument geqrf(const Call& call) {
  Tensor a(call.args[0]);
  return with_lapack(call, a, [&](auto zero) {
    Matrices<decltype(zero)> all = read<decltype(zero)>(a);
    std::vector<std::vector<decltype(zero)>> taus;
    for (auto& matrix : all) lapack::qr(matrix, taus.emplace_back());
    return results(call, all, taus);
  });
}

Argument qr(const Call& call) {
  Tensor a(call.args[0]);
  std::string_view mode = call.args[1].string_view();
  if (mode != "reduced" && mode != "complete" && mode != "r")
    fail_input("qr received unrecognized mode '", mode,
               "' but expected one of 'reduced' (default), 'r', or 'complete'");
  return with_lapack(call, a, [&](auto zero) {
    using T = decltype(zero);
    Matrices<T> qs, rs;
    for (Matrix<T>& matrix : read<T>(a)) {
      std::vector<T> tau;
      int64_t size = mode == "complete" ? matrix.rows : std::min(matrix.rows, matrix.columns);
      lapack::qr(matrix, tau);
      keep_triangle(rs.emplace_back(corner(matrix, size, matrix.columns)), true);
      if (mode != "r") lapack::reflections(qs.emplace_back(corner(matrix, matrix.rows, size)), tau);
    }
    return results(call, qs, rs);
  });
}

Argument householder_product(const Call& call) {
  Tensor a(call.args[0]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, a, [&](auto zero) {
    using T = decltype(zero);
    Matrices<T> all = read<T>(a);
    std::vector<std::vector<T>> taus = read_vectors<T>(Tensor(call.args[1]), batch_of(a));
    for (size_t i = 0; i < all.size(); ++i) lapack::reflections(all[i], taus[i]);
    return make(result, all).argument();
  });
}

Argument ormqr(const Call& call) {
  Tensor a(call.args[0]);
  const TensorMeta& result = result_meta(call);
  return with_lapack(call, a, [&](auto zero) {
    using T = decltype(zero);
    Tensor tau(call.args[1]), other(call.args[2]);
    require_equal(call.op, "rows of reflections", other.size(unbox_bool(call.args[3]) ? -2 : -1).value(),
                  a.size(-2).value());
    if (tau.size(-1).value() > a.size(-1).value())
      fail_input("ormqr: ", tau.size(-1).value(), " factors for ", a.size(-1).value(), " reflections");
    Matrices<T> reflections = read<T>(a, batch_of(other)), others = read<T>(other);
    std::vector<std::vector<T>> taus = read_vectors<T>(tau, batch_of(other));
    for (size_t i = 0; i < others.size(); ++i)
      lapack::reflect(reflections[i], taus[i], others[i], unbox_bool(call.args[3]), unbox_bool(call.args[4]));
    return make(result, others).argument();
  });
}

Argument check_errors(const Call& call) {
  check_infos(ref::values<int64_t>(Tensor(call.args[0])), call.args[1].string_view(), unbox_bool(call.args[2]));
  return Argument::none();
}

constexpr KernelRow kRows[] = {
    {"aten::_linalg_check_errors", check_errors},
    {"aten::_linalg_solve_ex", solve_ex},
    {"aten::cholesky", cholesky},
    {"aten::cholesky_inverse", cholesky_inverse},
    {"aten::cholesky_solve", cholesky_solve},
    {"aten::geqrf", geqrf},
    {"aten::linalg_cholesky_ex", cholesky_ex},
    {"aten::linalg_householder_product", householder_product},
    {"aten::linalg_inv_ex", inv_ex},
    {"aten::linalg_ldl_factor_ex", ldl_factor_ex},
    {"aten::linalg_ldl_solve", ldl_solve},
    {"aten::linalg_lu", box<lu>},
    {"aten::linalg_lu_factor_ex", lu_factor_ex},
    {"aten::linalg_lu_solve", lu_solve},
    {"aten::linalg_qr", qr},
    {"aten::linalg_solve_triangular", solve_triangular},
    {"aten::lu_unpack", lu_unpack},
    {"aten::ormqr", ormqr},
    {"aten::triangular_solve", triangular_solve},
};

}  // namespace

const std::span<const KernelRow> kFactorizationKernels = kRows;

}  // namespace rung::ops
