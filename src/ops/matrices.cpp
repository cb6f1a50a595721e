// Batches of matrices, and what their failures mean.
#include "ops/matrices.h"

#include "ops/gen/aten.h"

namespace rung::ops::matrices {

using ref::Shape;

Shape batch_of(const Tensor& tensor, size_t last) {
  Shape shape = ref::shape_of(tensor);
  shape.resize(shape.size() - last);
  return shape;
}
Shape batch_of(const Tensor& a, const Tensor& b) {
  return ref::to_shape(
      meta::broadcast_sizes(a.sizes().first(a.sizes().size() - 2), b.sizes().first(b.sizes().size() - 2)));
}

// The transpose in row-major order is the matrix in column-major order.
template <ref::Carrier T>
Matrices<T> read(const Tensor& tensor, const Shape& batch) {
  int64_t rows = tensor.size(-2).value(), columns = tensor.size(-1).value();
  Shape shape = batch;
  shape.insert(shape.end(), {columns, rows});
  std::vector<T> values = ref::broadcast_values<T>(aten::transpose_int(tensor, -2, -1), shape);
  Matrices<T> all(static_cast<size_t>(ref::count(batch)), Matrix<T>(rows, columns));
  auto from = values.begin();
  for (Matrix<T>& matrix : all) {
    auto size = static_cast<ptrdiff_t>(matrix.values.size());
    std::copy_n(from, size, matrix.values.begin());
    from += size;
  }
  return all;
}
template <ref::Carrier T>
Matrices<T> read(const Tensor& tensor) {
  return read<T>(tensor, batch_of(tensor));
}

template <ref::Carrier T>
std::vector<std::vector<T>> read_vectors(const Tensor& tensor, const Shape& batch) {
  std::vector<std::vector<T>> all;
  for (Matrix<T>& column : read<T>(aten::unsqueeze(tensor, -1), batch)) all.push_back(std::move(column.values));
  return all;
}
template <ref::Carrier T>
std::vector<std::vector<T>> read_vectors(const Tensor& tensor) {
  return read_vectors<T>(tensor, batch_of(tensor, 1));
}

template <ref::Carrier T>
Tensor make(const TensorMeta& meta, const std::vector<std::vector<T>>& all) {
  std::vector<T> values;
  for (const std::vector<T>& vector : all) values.insert(values.end(), vector.begin(), vector.end());
  return ref::make(meta, values);
}
template <ref::Carrier T>
Tensor make(const TensorMeta& meta, const Matrices<T>& all) {
  std::vector<T> values;
  for (const Matrix<T>& matrix : all) values.insert(values.end(), matrix.values.begin(), matrix.values.end());
  Tensor result = ref::make(meta);
  if (all.empty()) return result;  // which then may have any rank
  ref::store(aten::transpose_int(result, -2, -1), values);
  return result;
}

template Matrices<int64_t> read<int64_t>(const Tensor&);
template Matrices<double> read<double>(const Tensor&);
template Matrices<ref::Complex> read<ref::Complex>(const Tensor&);
template Matrices<double> read<double>(const Tensor&, const Shape&);
template Matrices<ref::Complex> read<ref::Complex>(const Tensor&, const Shape&);
template std::vector<std::vector<int64_t>> read_vectors<int64_t>(const Tensor&);
template std::vector<std::vector<double>> read_vectors<double>(const Tensor&);
template std::vector<std::vector<ref::Complex>> read_vectors<ref::Complex>(const Tensor&);
template std::vector<std::vector<int64_t>> read_vectors<int64_t>(const Tensor&, const Shape&);
template std::vector<std::vector<double>> read_vectors<double>(const Tensor&, const Shape&);
template std::vector<std::vector<ref::Complex>> read_vectors<ref::Complex>(const Tensor&, const Shape&);
template Tensor make(const TensorMeta&, const Matrices<double>&);
template Tensor make(const TensorMeta&, const Matrices<ref::Complex>&);
template Tensor make(const TensorMeta&, const std::vector<std::vector<int64_t>>&);
template Tensor make(const TensorMeta&, const std::vector<std::vector<double>>&);
template Tensor make(const TensorMeta&, const std::vector<std::vector<ref::Complex>>&);

// ---- failures

namespace {

std::string reason_of(std::string_view api_name, int64_t info) {
  auto is = [&](std::string_view part) { return api_name.find(part) != std::string_view::npos; };
  if (is("inv"))
    return cat("The diagonal element ", info,
               " is zero, the inversion could not be completed because the input matrix is singular.");
  if (is("solve")) return "The solver failed because the input matrix is singular.";
  if (is("cholesky"))
    return cat(
        "The factorization could not be completed because the input is not positive-definite (the leading minor "
        "of order ",
        info, " is not positive-definite).");
  if (is("svd"))
    return cat(
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        "singular values (error code: ",
        info, ").");
  if (is("eig"))
    return cat(
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        "eigenvalues (error code: ",
        info, ").");
  if (is("lu_factor"))
    return cat("U[", info, ",", info,
               "] is zero and using it on lu_solve would result in a division by zero. If you still want to perform "
               "the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)");
  return cat("the factorization failed with error code ", info);
}

}  // namespace

void check_infos(const std::vector<int64_t>& infos, std::string_view api_name, bool is_matrix) {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i] == 0) continue;
    std::string place = is_matrix ? "" : cat("(Batch element ", i, "): ");
    fail_input(api_name, ": ", place, reason_of(api_name, infos[i]));
  }
}

}  // namespace rung::ops::matrices
