// Tensors as batches of column-major matrices, for kernels of linear algebra. They compute in double precision and
// round once, where torch's LAPACK stays in the dtype.
#pragma once
#include "ops/kernels.h"
#include "ref/lapack.h"

namespace rung::ops::matrices {

using ref::lapack::Matrix;
template <typename T>
using Matrices = std::vector<Matrix<T>>;

/// The last two dimensions are rows and columns; matrices come in the order of the batch, broadcast to `batch`.
template <ref::Carrier T>
Matrices<T> read(const Tensor& tensor, const ref::Shape& batch);
template <ref::Carrier T>
Matrices<T> read(const Tensor& tensor);
/// Each vector along the last dimension.
template <ref::Carrier T>
std::vector<std::vector<T>> read_vectors(const Tensor& tensor, const ref::Shape& batch);
template <ref::Carrier T>
std::vector<std::vector<T>> read_vectors(const Tensor& tensor);
/// Sizes of all dimensions but the last ones.
ref::Shape batch_of(const Tensor& tensor, size_t last = 2);
/// The batch that two tensors of matrices have together.
ref::Shape batch_of(const Tensor& a, const Tensor& b);

/// A result of these metadata.
template <ref::Carrier T>
Tensor make(const TensorMeta& meta, const Matrices<T>& all);
template <ref::Carrier T>
Tensor make(const TensorMeta& meta, const std::vector<std::vector<T>>& all);
inline Tensor make(const TensorMeta& meta, const std::vector<int64_t>& all) { return ref::make(meta, all); }

/// The results of an op that has several.
template <typename... Values>
Argument results(const Call& call, const Values&... values) {
  std::vector<const TensorMeta*> metas = result_metas(call);
  size_t next = 0;
  const Tensor all[] = {make(*metas[next++], values)...};
  return box_list(all);
}

/// Calls `visit` with a value of what LAPACK computes in: double or Complex. Refuses the dtypes that torch refuses, and
/// what the op's meta refuses, before anything is computed.
template <typename Visit>
Argument with_lapack(const Call& call, const Tensor& a, Visit&& visit) {
  if (const OpDef* row = op_def(call.op)) static_cast<void>(row->meta(call));
  switch (a.dtype()) {
    case DType::kFloat32:
    case DType::kFloat64: return visit(double());
    case DType::kComplex64:
    case DType::kComplex128: return visit(ref::Complex());
    default: fail_dtype(call.op, a.dtype());
  }
}

template <typename T>
Matrix<T> identity(int64_t rows, int64_t columns) {
  Matrix<T> one(rows, columns);
  for (int64_t i = 0; i < std::min(rows, columns); ++i) one(i, i) = T(1);
  return one;
}
inline double conjugate(double a) { return a; }
inline ref::Complex conjugate(ref::Complex a) { return std::conj(a); }
template <typename T>
Matrix<T> transpose(const Matrix<T>& a) {
  Matrix<T> turned(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) turned(j, i) = a(i, j);
  return turned;
}
template <typename T>
Matrix<T> adjoint(const Matrix<T>& a) {
  Matrix<T> turned = transpose(a);
  for (T& x : turned.values) x = conjugate(x);
  return turned;
}
/// Keeps what is on and below the diagonal, or on and above.
template <typename T>
void keep_triangle(Matrix<T>& a, bool upper) {
  for (int64_t j = 0; j < a.columns; ++j)
    for (int64_t i = 0; i < a.rows; ++i)
      if (upper ? i > j : i < j) a(i, j) = T();
}
/// The first columns and rows.
template <typename T>
Matrix<T> corner(const Matrix<T>& a, int64_t rows, int64_t columns) {
  Matrix<T> part(rows, columns);
  for (int64_t j = 0; j < std::min(columns, a.columns); ++j)
    for (int64_t i = 0; i < std::min(rows, a.rows); ++i) part(i, j) = a(i, j);
  return part;
}
/// Refuses a report of failure in the words of torch, if there is one.
void check_infos(const std::vector<int64_t>& infos, std::string_view api_name, bool is_matrix);

}  // namespace rung::ops::matrices
