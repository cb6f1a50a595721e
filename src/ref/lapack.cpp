// The one file that sees LAPACK's C interface.
#include "ref/lapack.h"

#include <algorithm>

#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace rung::ref::lapack {
namespace {

// Column-major. Matrices with NaN are factorized too, as torch does it, which LAPACKE is told once.
int layout() {
  static const int layout = (LAPACKE_set_nancheck(0), LAPACK_COL_MAJOR);
  return layout;
}
int size(int64_t value) { return static_cast<int>(value); }
template <typename T>
int rows(const Matrix<T>& a) {
  return size(a.rows);
}
template <typename T>
int columns(const Matrix<T>& a) {
  return size(a.columns);
}
// The distance between columns, which LAPACK wants to be positive.
template <typename T>
int leading(const Matrix<T>& a) {
  return size(std::max<int64_t>(a.rows, 1));
}
char triangle(bool upper) { return upper ? 'U' : 'L'; }

// What a routine says: an argument that it refuses is a mistake of ours.
int64_t checked(int info) {
  RUNG_CHECK(info >= 0, "LAPACK refuses its argument ", -info);
  return info;
}

template <typename T>
int64_t lu(Matrix<T>& a, Pivots& pivots, auto&& routine) {
  std::vector<int> swapped(static_cast<size_t>(std::min(a.rows, a.columns)));
  int info = routine(layout(), rows(a), columns(a), a.values.data(), leading(a), swapped.data());
  pivots.assign(swapped.begin(), swapped.end());
  return checked(info);
}

template <typename T>
int64_t ldl(Matrix<T>& a, Pivots& pivots, auto&& routine) {
  std::vector<int> swapped(static_cast<size_t>(a.rows));
  if (swapped.empty()) return 0;
  int info = routine(layout(), 'L', rows(a), a.values.data(), leading(a), swapped.data());
  pivots.assign(swapped.begin(), swapped.end());
  return checked(info);
}
template <typename T>
void solve_ldl(const Matrix<T>& a, const Pivots& pivots, Matrix<T>& b, auto&& routine) {
  std::vector<int> swapped(pivots.begin(), pivots.end());
  checked(routine(layout(), 'L', rows(a), columns(b), a.values.data(), leading(a), swapped.data(), b.values.data(),
                  leading(b)));
}

template <typename T>
void factor_qr(Matrix<T>& a, std::vector<T>& tau, auto&& routine) {
  tau.resize(static_cast<size_t>(std::min(a.rows, a.columns)));
  checked(routine(layout(), rows(a), columns(a), a.values.data(), leading(a), tau.data()));
}
template <typename T>
void make_reflections(Matrix<T>& a, const std::vector<T>& tau, auto&& routine) {
  checked(
      routine(layout(), rows(a), columns(a), static_cast<int>(tau.size()), a.values.data(), leading(a), tau.data()));
}
template <typename T>
void apply_reflections(const Matrix<T>& a, const std::vector<T>& tau, Matrix<T>& c, bool left, char side_of_q,
                       auto&& routine) {
  checked(routine(layout(), left ? 'L' : 'R', side_of_q, rows(c), columns(c), static_cast<int>(tau.size()),
                  a.values.data(), leading(a), tau.data(), c.values.data(), leading(c)));
}

template <typename T>
int64_t hermitian_eigen(Matrix<T>& a, bool upper, bool with_vectors, Reals& values, auto&& routine) {
  values.resize(static_cast<size_t>(a.rows));
  return checked(routine(layout(), with_vectors ? 'V' : 'N', triangle(upper), rows(a), a.values.data(), leading(a),
                         values.data()));
}

template <typename T>
int64_t singular(Matrix<T>& a, Matrix<T>& u, Reals& values, Matrix<T>& vh, auto&& routine) {
  values.resize(static_cast<size_t>(std::min(a.rows, a.columns)));
  char job = u.values.empty() && vh.values.empty() ? 'N' : u.columns == u.rows && vh.rows == vh.columns ? 'A' : 'S';
  return checked(routine(layout(), job, rows(a), columns(a), a.values.data(), leading(a), values.data(),
                         u.values.data(), leading(u), vh.values.data(), leading(vh)));
}

}  // namespace

int64_t lu_factor(Matrix<double>& a, Pivots& pivots) { return lu(a, pivots, LAPACKE_dgetrf); }
int64_t lu_factor(Matrix<Complex>& a, Pivots& pivots) { return lu(a, pivots, LAPACKE_zgetrf); }

int64_t ldl_factor(Matrix<double>& a, bool, Pivots& pivots) { return ldl(a, pivots, LAPACKE_dsytrf); }
int64_t ldl_factor(Matrix<Complex>& a, bool hermitian, Pivots& pivots) {
  return ldl(a, pivots, hermitian ? LAPACKE_zhetrf : LAPACKE_zsytrf);
}
void ldl_solve(const Matrix<double>& a, bool, const Pivots& pivots, Matrix<double>& b) {
  solve_ldl(a, pivots, b, LAPACKE_dsytrs);
}
void ldl_solve(const Matrix<Complex>& a, bool hermitian, const Pivots& pivots, Matrix<Complex>& b) {
  solve_ldl(a, pivots, b, hermitian ? LAPACKE_zhetrs : LAPACKE_zsytrs);
}

void qr(Matrix<double>& a, Reals& tau) { factor_qr(a, tau, LAPACKE_dgeqrf); }
void qr(Matrix<Complex>& a, Complexes& tau) { factor_qr(a, tau, LAPACKE_zgeqrf); }
void reflections(Matrix<double>& a, const Reals& tau) { make_reflections(a, tau, LAPACKE_dorgqr); }
void reflections(Matrix<Complex>& a, const Complexes& tau) { make_reflections(a, tau, LAPACKE_zungqr); }
void reflect(const Matrix<double>& a, const Reals& tau, Matrix<double>& c, bool left, bool adjoint) {
  apply_reflections(a, tau, c, left, adjoint ? 'T' : 'N', LAPACKE_dormqr);
}
void reflect(const Matrix<Complex>& a, const Complexes& tau, Matrix<Complex>& c, bool left, bool adjoint) {
  apply_reflections(a, tau, c, left, adjoint ? 'C' : 'N', LAPACKE_zunmqr);
}

int64_t eigh(Matrix<double>& a, bool upper, bool with_vectors, Reals& values) {
  return hermitian_eigen(a, upper, with_vectors, values, LAPACKE_dsyevd);
}
int64_t eigh(Matrix<Complex>& a, bool upper, bool with_vectors, Reals& values) {
  return hermitian_eigen(a, upper, with_vectors, values, LAPACKE_zheevd);
}

// A pair of conjugate eigenvectors x + iy, x - iy comes as the two columns x and y.
int64_t eig(Matrix<double> a, Complexes& values, Matrix<Complex>& vectors) {
  Reals real(static_cast<size_t>(a.rows)), imaginary(real.size());
  Matrix<double> pairs(a.rows, a.rows);
  int info = LAPACKE_dgeev(layout(), 'N', 'V', rows(a), a.values.data(), leading(a), real.data(), imaginary.data(),
                           nullptr, 1, pairs.values.data(), leading(pairs));
  values.clear();
  for (size_t i = 0; i < real.size(); ++i) values.emplace_back(real[i], imaginary[i]);
  vectors = Matrix<Complex>(a.rows, a.rows);
  for (int64_t j = 0; j < a.rows; ++j) {
    double sign = imaginary[static_cast<size_t>(j)];
    for (int64_t i = 0; i < a.rows; ++i)
      vectors(i, j) = sign == 0  ? Complex(pairs(i, j))
                      : sign > 0 ? Complex(pairs(i, j), pairs(i, j + 1))
                                 : Complex(pairs(i, j - 1), -pairs(i, j));
  }
  return checked(info);
}
int64_t eig(Matrix<Complex> a, Complexes& values, Matrix<Complex>& vectors) {
  values.resize(static_cast<size_t>(a.rows));
  vectors = Matrix<Complex>(a.rows, a.rows);
  return checked(LAPACKE_zgeev(layout(), 'N', 'V', rows(a), a.values.data(), leading(a), values.data(), nullptr, 1,
                               vectors.values.data(), leading(vectors)));
}

int64_t svd(Matrix<double> a, Matrix<double>& u, Reals& values, Matrix<double>& vh) {
  return singular(a, u, values, vh, LAPACKE_dgesdd);
}
int64_t svd(Matrix<Complex> a, Matrix<Complex>& u, Reals& values, Matrix<Complex>& vh) {
  return singular(a, u, values, vh, LAPACKE_zgesdd);
}

}  // namespace rung::ref::lapack
