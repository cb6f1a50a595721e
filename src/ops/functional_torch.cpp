// Each function calls the operators that torch's Python calls. One whose name has no reference says so.
#include "ops/functional_torch.h"

#include <algorithm>

#include "base/error.h"
#include "meta/pointwise.h"
#include "ops/functional.h"
#include "ref/data.h"
#include "trace/without_reference.h"

namespace rung::torch {

// ---- factories: Python's parser fills in the device, where there is no tensor to take it from

namespace {
Device device_of(const TensorOptions& options) { return options.device.value_or(Device{}); }
constexpr std::nullopt_t kAnyLayout = std::nullopt;
constexpr bool kNotPinned = false;
}  // namespace

Tensor empty(IntList size, const TensorOptions& o) {
  return aten::empty_memory_format(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor zeros(IntList size, const TensorOptions& o) {
  return aten::zeros(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor ones(IntList size, const TensorOptions& o) {
  return aten::ones(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor full(IntList size, const Scalar& fill_value, const TensorOptions& o) {
  return aten::full(size, fill_value, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor rand(IntList size, const TensorOptions& o) {
  WithoutReference plain;
  return aten::rand(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randn(IntList size, const TensorOptions& o) {
  return aten::randn(size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randint(SymInt high, IntList size, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randint(high, size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randint(SymInt low, SymInt high, IntList size, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randint_low(low, high, size, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor randperm(SymInt n, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randperm(n, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor arange(const Scalar& end, const TensorOptions& o) {
  return aten::arange(end, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& o) {
  return aten::arange_start(start, end, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& o) {
  return aten::arange_start_step(start, end, step, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor linspace(const Scalar& start, const Scalar& end, SymInt steps, const TensorOptions& o) {
  return aten::linspace(start, end, steps, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor logspace(const Scalar& start, const Scalar& end, SymInt steps, double base, const TensorOptions& o) {
  return aten::logspace(start, end, steps, base, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor eye(SymInt n, const TensorOptions& o) { return aten::eye(n, o.dtype, kAnyLayout, device_of(o), kNotPinned); }
Tensor eye(SymInt n, SymInt m, const TensorOptions& o) {
  return aten::eye_m(n, m, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor scalar_tensor(const Scalar& value, const TensorOptions& o) {
  return aten::scalar_tensor(value, o.dtype, kAnyLayout, device_of(o), kNotPinned);
}
Tensor empty_like(const Tensor& self, const TensorOptions& o) {
  return aten::empty_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor zeros_like(const Tensor& self, const TensorOptions& o) {
  return aten::zeros_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor ones_like(const Tensor& self, const TensorOptions& o) {
  return aten::ones_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor rand_like(const Tensor& self, const TensorOptions& o) {
  WithoutReference plain;
  return aten::rand_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor randn_like(const Tensor& self, const TensorOptions& o) {
  WithoutReference plain;
  return aten::randn_like(self, o.dtype, kAnyLayout, o.device, kNotPinned);
}
Tensor full_like(const Tensor& self, const Scalar& fill_value, const TensorOptions& o) {
  return aten::full_like(self, fill_value, o.dtype, kAnyLayout, o.device, kNotPinned);
}

std::vector<Tensor> split(const Tensor& self, SymInt split_size, SymInt dim) {
  WithoutReference plain;
  return aten::split_Tensor(self, split_size, dim);
}
std::vector<Tensor> split(const Tensor& self, IntList split_sizes, SymInt dim) {
  WithoutReference plain;
  return aten::split_with_sizes(self, split_sizes, dim);
}
Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands) {
  return aten::einsum(equation, operands);
}

// ---- shapes

std::vector<SymInt> broadcast_shapes(const std::vector<IntList>& shapes) {
  std::vector<SymInt> all;
  for (const IntList& shape : shapes) {
    meta::Sizes wider = meta::broadcast_sizes(all, shape.span());
    all.assign(wider.begin(), wider.end());
  }
  return all;
}
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) { return aten::broadcast_tensors(tensors); }
Tensor atleast_1d(const Tensor& tensor) { return aten::atleast_1d(tensor); }
Tensor atleast_2d(const Tensor& tensor) { return aten::atleast_2d(tensor); }
Tensor atleast_3d(const Tensor& tensor) { return aten::atleast_3d(tensor); }
std::vector<Tensor> atleast_1d(const std::vector<Tensor>& tensors) { return aten::atleast_1d_Sequence(tensors); }
std::vector<Tensor> atleast_2d(const std::vector<Tensor>& tensors) { return aten::atleast_2d_Sequence(tensors); }
std::vector<Tensor> atleast_3d(const std::vector<Tensor>& tensors) { return aten::atleast_3d_Sequence(tensors); }
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, std::optional<std::string_view> indexing) {
  return indexing ? aten::meshgrid_indexing(tensors, *indexing) : aten::meshgrid(tensors);
}
Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  WithoutReference plain;
  return aten::cartesian_prod(tensors);
}
Tensor block_diag(const std::vector<Tensor>& tensors) { return aten::block_diag(tensors); }

// Row by row: each coordinate is the number divided by the size of what comes after it, modulo its own size.
std::vector<Tensor> unravel_index(const Tensor& indices, OneOrMoreInts shape) {
  WithoutReference plain;
  if (!is_integral_or_bool(indices.dtype()) || indices.dtype() == DType::kBool)
    fail_input("unravel_index: expected indices of an integer dtype, but got ", info(indices.dtype()).name);
  std::vector<int64_t> sizes, steps;
  for (SymInt size : shape.span()) sizes.push_back(size.value());
  for (int64_t size : sizes)
    if (size < 0) fail_input("unravel_index: shape cannot have negative values, but got ", size);
  steps.resize(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) steps[i - 1] = steps[i] * sizes[i];
  auto constant = [](const std::vector<int64_t>& values) {
    return aten::lift_fresh_copy(tensor(values, {static_cast<int64_t>(values.size())}));
  };
  Tensor column = indices.unsqueeze(-1);
  Tensor places = column.floor_divide(constant(steps));
  places = places % constant(sizes);
  return places.unbind(-1);
}

// ---- products and distances

Tensor chain_matmul(const std::vector<Tensor>& matrices) {
  WithoutReference plain;
  return aten::chain_matmul(matrices);
}
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims) {
  WithoutReference plain;
  if (dims < 0 || dims > std::min(a.dim(), b.dim()))
    fail_input("tensordot expects dims between 0 and the ranks ", a.dim(), " and ", b.dim(), ", but got ", dims);
  std::vector<SymInt> last, first;
  for (int64_t i = 0; i < dims; ++i) {
    last.push_back(i - dims);
    first.push_back(i);
  }
  return aten::tensordot(a, b, last, first);
}
Tensor tensordot(const Tensor& a, const Tensor& b, IntList dims_a, IntList dims_b) {
  WithoutReference plain;
  return aten::tensordot(a, b, dims_a, dims_b);
}
Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::string_view compute_mode) {
  WithoutReference plain;
  if (compute_mode == "use_mm_for_euclid_dist_if_necessary") return aten::cdist(x1, x2, p);
  if (compute_mode == "use_mm_for_euclid_dist") return aten::cdist(x1, x2, p, 1);
  if (compute_mode == "donot_use_mm_for_euclid_dist") return aten::cdist(x1, x2, p, 2);
  fail_input("cdist: '", compute_mode, "' is not a valid value for compute_mode: it is ",
             "'use_mm_for_euclid_dist_if_necessary', 'use_mm_for_euclid_dist' or 'donot_use_mm_for_euclid_dist'");
}

// The Frobenius norm is that of the vector of all elements; the other names are norms of matrices.
Tensor norm(const Tensor& input, std::string_view p, IntsOrNone dim, bool keepdim, std::optional<DType> dtype) {
  std::optional<IntList> dims = dim;
  if (p == "fro" && (!dims || dims->span().size() <= 2)) return norm(input, 2, dim, keepdim, dtype);
  std::vector<SymInt> all;
  for (int64_t i = 0; i < input.dim(); ++i) all.push_back(i);
  return aten::linalg_matrix_norm_str_ord(input, p, dims ? *dims : IntList(all), keepdim, dtype);
}
Tensor norm(const Tensor& input, const Scalar& p, IntsOrNone dim, bool keepdim, std::optional<DType> dtype) {
  return aten::linalg_vector_norm(input, p, dim, keepdim, dtype);
}

Tensor stft(const Tensor& input, SymInt n_fft, std::optional<SymInt> hop_length, std::optional<SymInt> win_length,
            const Tensor& window, bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided,
            std::optional<bool> return_complex, std::optional<bool> align_to_window) {
  if (center && align_to_window) fail_input("stft: align_to_window should only be set when center = false");
  if (goes_to_references())
    return aten::stft_center(input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided,
                             return_complex, align_to_window);
  Tensor signal = input;
  if (center) {  // pad() takes a batch of channels
    std::vector<SymInt> extended(input.dim() < 3 ? static_cast<size_t>(3 - input.dim()) : 0, 1);
    extended.insert(extended.end(), input.sizes().begin(), input.sizes().end());
    SymInt margin = n_fft / 2;
    signal = nn::functional::pad(input.view(extended), {margin, margin}, pad_mode);
    signal = signal.view(signal.sizes().last(static_cast<size_t>(input.dim())));
  }
  return aten::stft(signal, n_fft, hop_length, win_length, window, normalized, onesided, return_complex,
                    align_to_window);
}

// ---- distinct values

// The operators tell more than was asked for.
static std::tuple<Tensor, Tensor, Tensor> wanted(const std::tuple<Tensor, Tensor, Tensor>& found, bool inverse,
                                                 bool counts) {
  auto& [values, places, times] = found;
  return {values, inverse ? places : Tensor(), counts ? times : Tensor()};
}

Tensor unique(const Tensor& input, bool sorted) { return std::get<0>(unique(input, sorted, false)); }
std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& input, bool sorted, bool return_inverse, bool return_counts,
                                          std::optional<int64_t> dim) {
  WithoutReference plain;
  auto found = dim ? aten::unique_dim(input, *dim, sorted, return_inverse, return_counts)
                   : aten::_unique2(input, sorted, return_inverse, return_counts);
  return wanted(found, return_inverse, return_counts);
}
Tensor unique_consecutive(const Tensor& input) { return std::get<0>(unique_consecutive(input, false)); }
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& input, bool return_inverse, bool return_counts,
                                                      std::optional<int64_t> dim) {
  WithoutReference plain;
  auto found = aten::unique_consecutive(input, return_inverse, return_counts, dim);
  return wanted(found, return_inverse, return_counts);
}

}  // namespace rung::torch
