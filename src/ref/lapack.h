// LAPACK's factorizations of one matrix at a time, in double precision, real or complex.
#pragma once
#include "ref/values.h"

namespace rung::ref::lapack {

/// Column-major, as LAPACK has it.
template <typename T>
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<T> values;

  Matrix() = default;
  Matrix(int64_t rows_, int64_t columns_)
      : rows(rows_), columns(columns_), values(static_cast<size_t>(rows_ * columns_)) {}
  T& operator()(int64_t i, int64_t j) { return values[static_cast<size_t>(j * rows + i)]; }
  const T& operator()(int64_t i, int64_t j) const { return values[static_cast<size_t>(j * rows + i)]; }
};

using Reals = std::vector<double>;
using Complexes = std::vector<Complex>;
using Pivots = std::vector<int64_t>;

// An `info` that is returned is LAPACK's: 0, or which pivot, minor or value it failed at, counted from 1.

/// a = P L U in the place of a; pivots are rows, counted from 1.
int64_t lu_factor(Matrix<double>& a, Pivots& pivots);
int64_t lu_factor(Matrix<Complex>& a, Pivots& pivots);
/// a = L D L^T from the lower triangle, or L D L^H.
int64_t ldl_factor(Matrix<double>& a, bool hermitian, Pivots& pivots);
int64_t ldl_factor(Matrix<Complex>& a, bool hermitian, Pivots& pivots);
/// Solves for b in its place.
void ldl_solve(const Matrix<double>& a, bool hermitian, const Pivots& pivots, Matrix<double>& b);
void ldl_solve(const Matrix<Complex>& a, bool hermitian, const Pivots& pivots, Matrix<Complex>& b);

/// a = Q R: R above, the reflections that make up Q below, scaled by tau.
void qr(Matrix<double>& a, Reals& tau);
void qr(Matrix<Complex>& a, Complexes& tau);
/// The leading columns of the product of the reflections, in their place.
void reflections(Matrix<double>& a, const Reals& tau);
void reflections(Matrix<Complex>& a, const Complexes& tau);
/// c becomes Q c or c Q, or with the adjoint of Q.
void reflect(const Matrix<double>& a, const Reals& tau, Matrix<double>& c, bool left, bool adjoint);
void reflect(const Matrix<Complex>& a, const Complexes& tau, Matrix<Complex>& c, bool left, bool adjoint);

/// Of a Hermitian matrix, one triangle of which is read: the eigenvalues in ascending order, the eigenvectors in its
/// place.
int64_t eigh(Matrix<double>& a, bool upper, bool with_vectors, Reals& values);
int64_t eigh(Matrix<Complex>& a, bool upper, bool with_vectors, Reals& values);
int64_t eig(Matrix<double> a, Complexes& values, Matrix<Complex>& vectors);
int64_t eig(Matrix<Complex> a, Complexes& values, Matrix<Complex>& vectors);

/// a = u diag(values) vh; as many columns of u and rows of vh as their sizes ask for, none if they have none.
int64_t svd(Matrix<double> a, Matrix<double>& u, Reals& values, Matrix<double>& vh);
int64_t svd(Matrix<Complex> a, Matrix<Complex>& u, Reals& values, Matrix<Complex>& vh);

}  // namespace rung::ref::lapack
