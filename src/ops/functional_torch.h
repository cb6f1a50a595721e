// Functions of torch.* that are no operators themselves: factories, and those that torch writes in Python.
#pragma once
#include "ops/gen/aten.h"
#include "ops/gen/torch.h"

namespace rung::torch {

/// What a factory is told of its result.
struct TensorOptions {
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
};

Tensor empty(IntList size, const TensorOptions& options = {});
Tensor zeros(IntList size, const TensorOptions& options = {});
Tensor ones(IntList size, const TensorOptions& options = {});
Tensor full(IntList size, const Scalar& fill_value, const TensorOptions& options = {});
Tensor rand(IntList size, const TensorOptions& options = {});
Tensor randn(IntList size, const TensorOptions& options = {});
Tensor randint(SymInt high, IntList size, const TensorOptions& options = {});
Tensor randint(SymInt low, SymInt high, IntList size, const TensorOptions& options = {});
Tensor randperm(SymInt n, const TensorOptions& options = {});
Tensor arange(const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& options = {});
Tensor linspace(const Scalar& start, const Scalar& end, SymInt steps, const TensorOptions& options = {});
Tensor logspace(const Scalar& start, const Scalar& end, SymInt steps, double base = 10,
                const TensorOptions& options = {});
Tensor eye(SymInt n, const TensorOptions& options = {});
Tensor eye(SymInt n, SymInt m, const TensorOptions& options = {});
Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
Tensor empty_like(const Tensor& self, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& self, const TensorOptions& options = {});
Tensor ones_like(const Tensor& self, const TensorOptions& options = {});
Tensor rand_like(const Tensor& self, const TensorOptions& options = {});
Tensor randn_like(const Tensor& self, const TensorOptions& options = {});
Tensor full_like(const Tensor& self, const Scalar& fill_value, const TensorOptions& options = {});

std::vector<Tensor> split(const Tensor& self, SymInt split_size, SymInt dim = 0);
std::vector<Tensor> split(const Tensor& self, IntList split_sizes, SymInt dim = 0);
Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands);

/// The sizes that tensors of these sizes broadcast to.
std::vector<SymInt> broadcast_shapes(const std::vector<IntList>& shapes);
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);
/// With dimensions of 1 in front until there are as many (3-d: the last in the back).
Tensor atleast_1d(const Tensor& tensor);
Tensor atleast_2d(const Tensor& tensor);
Tensor atleast_3d(const Tensor& tensor);
std::vector<Tensor> atleast_1d(const std::vector<Tensor>& tensors);
std::vector<Tensor> atleast_2d(const std::vector<Tensor>& tensors);
std::vector<Tensor> atleast_3d(const std::vector<Tensor>& tensors);
/// Each vector along a dimension of its own, spread over the others: "ij", or "xy" with the first two turned.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors,
                             std::optional<std::string_view> indexing = std::nullopt);
Tensor cartesian_prod(const std::vector<Tensor>& tensors);
Tensor block_diag(const std::vector<Tensor>& tensors);
Tensor chain_matmul(const std::vector<Tensor>& matrices);
/// Sums over the last `dims` dimensions of a and the first of b, or over those that are named.
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims = 2);
Tensor tensordot(const Tensor& a, const Tensor& b, IntList dims_a, IntList dims_b);
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2.0,
             std::string_view compute_mode = "use_mm_for_euclid_dist_if_necessary");
/// "fro", "nuc", or the norm with this exponent.
Tensor norm(const Tensor& input, std::string_view p = "fro", IntsOrNone dim = std::nullopt, bool keepdim = false,
            std::optional<DType> dtype = std::nullopt);
Tensor norm(const Tensor& input, const Scalar& p, IntsOrNone dim = std::nullopt, bool keepdim = false,
            std::optional<DType> dtype = std::nullopt);
Tensor stft(const Tensor& input, SymInt n_fft, std::optional<SymInt> hop_length = std::nullopt,
            std::optional<SymInt> win_length = std::nullopt, const Tensor& window = {}, bool center = true,
            std::string_view pad_mode = "reflect", bool normalized = false, std::optional<bool> onesided = std::nullopt,
            std::optional<bool> return_complex = std::nullopt, std::optional<bool> align_to_window = std::nullopt);

/// The distinct values; with the flags also where each element of the input went, and how often each value came.
Tensor unique(const Tensor& input, bool sorted = true);
std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& input, bool sorted, bool return_inverse,
                                          bool return_counts = false, std::optional<int64_t> dim = std::nullopt);
/// The same of neighbours only.
Tensor unique_consecutive(const Tensor& input);
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& input, bool return_inverse,
                                                      bool return_counts = false,
                                                      std::optional<int64_t> dim = std::nullopt);
/// The coordinates, in a tensor of this shape, of elements that are numbered row by row.
std::vector<Tensor> unravel_index(const Tensor& indices, OneOrMoreInts shape);

}  // namespace rung::torch
