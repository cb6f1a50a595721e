// Norms of matrices, by way of vector norms or singular values.
#include <algorithm>
#include <cmath>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

std::optional<IntList> as_list(std::optional<SymInts> dims) {
  return dims ? std::optional<IntList>(*dims) : std::nullopt;
}

// ---- the two dimensions of the matrices

struct MatrixDims {
  int64_t rows, columns;
};

MatrixDims matrix_dims(const Tensor& self, SymInts dim, std::string_view op) {
  if (self.dim() < 2) fail_input(op, ": the tensor must have at least 2 dimensions, got ", self.dim());
  if (dim.size() != 2) fail_input(op, ": dim must be a pair, got ", dim.size(), " dimensions");
  std::vector<int64_t> dims = wrap_dims(dim, self.dim());
  return {dims[0], dims[1]};
}

// The order that puts the two dimensions last.
Sizes backshift(MatrixDims dims, int64_t rank) {
  Sizes order;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dims.rows && i != dims.columns) order.push_back(i);
  order.push_back(dims.rows);
  order.push_back(dims.columns);
  return order;
}

// A result without the matrix dimensions gets them back with size 1, in their places.
Tensor put_back(const Tensor& result, const Sizes& order) {
  Sizes inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i].value())] = i;
  Tensor column = aten::unsqueeze(result, -1);
  return aten::permute(column, inverse);
}

// Largest or smallest along a dimension, by the sign of the order of the norm; the norm of nothing is 0.
Tensor extreme(const Tensor& x, double ord, int64_t dim, bool keepdim) {
  if (ord > 0 && x.size(dim) == 0) {
    Sizes sizes(x.sizes().begin(), x.sizes().end());
    auto emptied = sizes.begin() + static_cast<std::ptrdiff_t>(wrap_dim(dim, x.dim()));
    if (keepdim)
      *emptied = 1;
    else
      sizes.erase(emptied);
    return aten::zeros(sizes, x.dtype(), x.layout(), x.device());
  }
  return ord > 0 ? aten::amax(x, {dim}, keepdim) : aten::amin(x, {dim}, keepdim);
}

Tensor linalg_matrix_norm(Tensor self, Scalar order, SymInts dim, bool keepdim, std::optional<DType> dtype) {
  double ord = order.to_double(), size = std::fabs(ord);
  if (size != 2 && size != 1 && !std::isinf(size)) fail_input("matrix_norm: order ", ord, " is not supported");
  MatrixDims dims = matrix_dims(self, dim, "matrix_norm");
  if (size == 2) {
    Sizes permutation = backshift(dims, self.dim());
    Tensor x = dtype ? to_dtype(self, *dtype) : self;
    x = aten::permute(x, permutation);
    Tensor values = aten::linalg_svdvals(x);
    Tensor result = extreme(values, ord, -1, keepdim);
    return keepdim ? put_back(result, permutation) : result;
  }
  // the infinity norm is the 1 norm of the transposed matrix
  if (std::isinf(size)) std::swap(dims.rows, dims.columns);
  if (!keepdim && dims.rows < dims.columns) --dims.columns;
  Tensor sums = aten::linalg_vector_norm(self, 1.0, IntList{dims.rows}, keepdim, dtype);
  return extreme(sums, ord, dims.columns, keepdim);
}

// "fro" is the Euclidean norm of all elements, "nuc" the sum of the singular values.
Tensor linalg_matrix_norm_str(Tensor self, std::string_view ord, SymInts dim, bool keepdim,
                              std::optional<DType> dtype) {
  if (ord != "fro" && ord != "nuc") fail_input("matrix_norm: order '", ord, "' is not supported");
  MatrixDims dims = matrix_dims(self, dim, "matrix_norm");
  if (ord == "fro") return aten::linalg_vector_norm(self, 2, IntList{dims.rows, dims.columns}, keepdim, dtype);
  Sizes permutation = backshift(dims, self.dim());
  Tensor x = dtype ? to_dtype(self, *dtype) : self;
  x = aten::permute(x, permutation);
  Tensor values = aten::linalg_svdvals(x);
  Tensor result = aten::sum_dim_IntList(values, IntList{-1}, keepdim);
  return keepdim ? put_back(result, permutation) : result;
}

// A norm of matrices if an order is given for two dimensions, else one of vectors.
Tensor linalg_norm(Tensor self, std::optional<Scalar> ord, std::optional<SymInts> dim, bool keepdim,
                   std::optional<DType> dtype) {
  if (dim && dim->size() != 1 && dim->size() != 2)
    fail_input("linalg.norm: dim must have one or two dimensions, got ", dim->size());
  if (!dim && ord && self.dim() != 1 && self.dim() != 2)
    fail_input("linalg.norm: without dim the input must be a vector or a matrix, got ", self.dim(), " dimensions");
  if (ord && (dim ? dim->size() == 2 : self.dim() == 2)) {
    const SymInt all[] = {0, 1};
    return aten::linalg_matrix_norm(self, *ord, IntList(dim ? *dim : SymInts(all)), keepdim, dtype);
  }
  return aten::linalg_vector_norm(self, ord.value_or(Scalar(2.0)), as_list(dim), keepdim, dtype);
}

Tensor linalg_norm_str(Tensor self, std::string_view ord, std::optional<SymInts> dim, bool keepdim,
                       std::optional<DType> dtype) {
  if (!dim && self.dim() != 2)
    fail_input("linalg.norm: an order by name needs a matrix, got ", self.dim(), " dimensions");
  const SymInt all[] = {0, 1};
  return aten::linalg_matrix_norm_str_ord(self, ord, IntList(dim ? *dim : SymInts(all)), keepdim, dtype);
}

// Names that torch keeps for old programs.
Tensor frobenius_norm_dim(Tensor self, SymInts dim, bool keepdim) {
  return aten::linalg_vector_norm(self, 2.0, IntList(dim), keepdim);
}
Tensor nuclear_norm_dim(Tensor self, SymInts dim, bool keepdim) {
  return aten::linalg_matrix_norm_str_ord(self, "nuc", IntList(dim), keepdim);
}
Tensor nuclear_norm(Tensor self, bool keepdim) {
  return aten::linalg_matrix_norm_str_ord(self, "nuc", {-2, -1}, keepdim);
}

constexpr OpDef kRows[] = {
    {.op = "aten::linalg_matrix_norm", .body = box<linalg_matrix_norm>},
    {.op = "aten::linalg_matrix_norm.str_ord", .body = box<linalg_matrix_norm_str>},
    {.op = "aten::linalg_norm", .body = box<linalg_norm>},
    {.op = "aten::linalg_norm.ord_str", .body = box<linalg_norm_str>},
    {.op = "aten::frobenius_norm.dim", .body = box<frobenius_norm_dim>},
    {.op = "aten::nuclear_norm", .body = box<nuclear_norm>},
    {.op = "aten::nuclear_norm.dim", .body = box<nuclear_norm_dim>},
};

}  // namespace

const std::span<const OpDef> kMatrixNormOps = kRows;

}  // namespace rung::ops
