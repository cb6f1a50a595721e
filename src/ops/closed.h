// References that torch does not have: with them, what lies below core ATen is closed.
#pragma once
#include <string_view>

#include "ops/gen/aten.h"
#include "ops/gen/prims.h"

namespace rung::ops::closed {

Tensor select(Tensor self, int64_t dim, SymInt index);

Tensor full_like(Tensor self, Scalar value, std::optional<DType> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, std::optional<bool> pin_memory, std::optional<MemoryFormat> format);
Tensor scalar_tensor(Scalar value, std::optional<DType> dtype, std::optional<Layout> layout,
                     std::optional<Device> device);
Tensor empty(SymInts size, std::optional<DType> dtype, std::optional<Layout> layout, std::optional<Device> device,
             std::optional<bool> pin_memory, std::optional<MemoryFormat> format);
// Elements keep their places in memory; what is beyond them is 0.
Tensor resize(Tensor self, SymInts size, std::optional<MemoryFormat> format);
Tensor empty_permuted(SymInts size, SymInts order, std::optional<DType> dtype, std::optional<Layout> layout,
                      std::optional<Device> device);

// Of equal elements the first is taken, and of NaNs the first before all.
Tensor argmax(Tensor self, std::optional<int64_t> dim, bool keepdim);
Tensor argmin(Tensor self, std::optional<int64_t> dim, bool keepdim);
TensorTuple2 max_dim(Tensor self, int64_t dim, bool keepdim);
TensorTuple2 min_dim(Tensor self, int64_t dim, bool keepdim);
Tensor max(Tensor self);
Tensor min(Tensor self);

Tensor put(Tensor self, Tensor index, Tensor source, bool accumulate);
Tensor scatter_add(Tensor self, int64_t dim, Tensor index, Tensor source);
Tensor index_reduce(Tensor self, int64_t dim, Tensor index, Tensor source, std::string_view reduce, bool include_self);
std::tuple<Tensor, Tensor> sort(Tensor self, int64_t dim, bool descending);
// The lower of the two in the middle.
Tensor median(Tensor self);
Tensor nanmedian(Tensor self);
TensorTuple2 median_dim(Tensor self, int64_t dim, bool keepdim);
TensorTuple2 nanmedian_dim(Tensor self, int64_t dim, bool keepdim);

Tensor scatter_reduced(Tensor self, int64_t dim, Tensor index, Tensor source, std::string_view reduce);
Tensor scatter_value_reduced(Tensor self, int64_t dim, Tensor index, Scalar value, std::string_view reduce);
Tensor repeat_interleave(Tensor repeats, std::optional<SymInt> output_size);

// Products and distances.
Tensor addbmm(Tensor self, Tensor batch1, Tensor batch2, Scalar beta, Scalar alpha);
Tensor trilinear(Tensor a, Tensor b, Tensor c, SymInts expand_a, SymInts expand_b, SymInts expand_c, SymInts sumdim);
Tensor cdist_forward(Tensor x1, Tensor x2, double p);

Tensor histc(Tensor self, SymInt bins, Scalar min, Scalar max);

// By the factors of a matrix.
std::tuple<Tensor, Tensor, Tensor> linalg_det(Tensor a);
std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_slogdet(Tensor a);
Tensor linalg_pinv(Tensor self, Tensor atol, Tensor rtol, bool hermitian);
std::tuple<Tensor, Tensor, Tensor> linalg_lu(Tensor a, bool pivot);
Tensor cholesky(Tensor self, bool upper);
Tensor cholesky_inverse(Tensor factor, bool upper);
Tensor cholesky_solve(Tensor self, Tensor factor, bool upper);
TensorTuple2 triangular_solve(Tensor self, Tensor a, bool upper, bool transpose, bool unitriangular);

}  // namespace rung::ops::closed
