// Pooling: averages and maxima over windows that slide.
#include <algorithm>
#include <limits>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/pool_window.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Pair = std::array<const TensorMeta*, 2>;

// ---- metas

const TensorMeta* meta_avg_pool2d(Tensor input, SymInts kernel, SymInts stride, SymInts padding, bool ceil_mode) {
  return formatted_like(input, pooled_sizes(input, {kernel, stride, padding, {}, ceil_mode}, 2), input.dtype());
}
const TensorMeta* meta_avg_pool3d(Tensor input, SymInts kernel, SymInts stride, SymInts padding, bool ceil_mode) {
  return meta::contiguous(pooled_sizes(input, {kernel, stride, padding, {}, ceil_mode}, 3), input.dtype(),
                          input.device());
}
template <size_t spatial>
Pair meta_max_pool(Tensor input, SymInts kernel, SymInts stride, SymInts padding, SymInts dilation, bool ceil_mode) {
  Sizes sizes = pooled_sizes(input, {kernel, stride, padding, dilation, ceil_mode}, spatial);
  return {formatted_like(input, sizes, input.dtype()), formatted_like(input, sizes, DType::kInt64)};
}

// A gradient of the input's sizes, laid out as the input.
const TensorMeta* meta_gradient(Tensor, Tensor input) { return formatted_like(input, input.sizes(), input.dtype()); }

// ---- bodies

// Pooling over one dimension is pooling over pictures of height 1.
Tensor avg_pool1d(Tensor self, SymInts kernel, SymInts stride, SymInts padding, bool ceil_mode,
                  bool count_include_pad) {
  SymInt step = stride.empty() ? kernel[0] : stride[0];
  Tensor picture = aten::unsqueeze(self, -2);
  Tensor pooled = aten::avg_pool2d(picture, {1, kernel[0]}, {1, step}, {0, padding[0]}, ceil_mode, count_include_pad);
  return aten::squeeze_dim(pooled, -2);
}

TensorTuple2 max_pool1d_with_indices(Tensor self, SymInts kernel, SymInts stride, SymInts padding, SymInts dilation,
                                     bool ceil_mode) {
  SymInt step = stride.empty() ? kernel[0] : stride[0];
  Tensor picture = aten::unsqueeze(self, -2);
  auto [values, indices] =
      aten::max_pool2d_with_indices(picture, {1, kernel[0]}, {1, step}, {0, padding[0]}, {1, dilation[0]}, ceil_mode);
  values = aten::squeeze_dim(values, -2);
  return {values, aten::squeeze_dim(indices, -2)};
}

Tensor max_pool1d(Tensor self, SymInts kernel, SymInts stride, SymInts padding, SymInts dilation, bool ceil_mode) {
  return std::get<0>(aten::max_pool1d_with_indices(self, kernel, stride, padding, dilation, ceil_mode));
}
Tensor max_pool2d(Tensor self, SymInts kernel, SymInts stride, SymInts padding, SymInts dilation, bool ceil_mode) {
  return std::get<0>(aten::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d(Tensor self, SymInts kernel, SymInts stride, SymInts padding, SymInts dilation, bool ceil_mode) {
  return std::get<0>(aten::max_pool3d_with_indices(self, kernel, stride, padding, dilation, ceil_mode));
}

// Values go back to where the indices found them, with zeros around: one flat index_put.
Tensor max_unpool(const Tensor& self, const Tensor& indices, SymInts output_size, int64_t spatial) {
  SymInt batches = 1, pixels = 1;
  for (int64_t i = 0; i < self.dim() - spatial; ++i) batches *= self.size(i);
  Sizes shape(self.sizes().begin(), self.sizes().end() - spatial);
  for (SymInt size : output_size) {
    pixels *= size;
    shape.push_back(size);
  }
  if (std::ranges::find(shape, SymInt(0)) != shape.end())
    return aten::new_zeros(self, shape, std::nullopt, std::nullopt, std::nullopt, false);
  Sizes offsets_shape(static_cast<size_t>(self.dim()), 1);
  std::copy(self.sizes().begin(), self.sizes().end() - spatial, offsets_shape.begin());
  Tensor offsets = arange(batches, self.device());
  offsets = aten::view(offsets, offsets_shape);
  offsets = aten::mul_Tensor(offsets, Scalar(pixels));
  Tensor places = aten::add_Tensor(indices, offsets);
  places = aten::reshape(places, {-1});
  Tensor flat = aten::new_zeros(self, shape, std::nullopt, std::nullopt, std::nullopt, false);
  flat = aten::reshape(flat, {-1});
  Tensor values = aten::reshape(self, {-1});
  Tensor out = aten::_unsafe_index_put(flat, std::array{places}, values, false);
  return aten::view(out, shape);
}
Tensor max_unpool2d(Tensor self, Tensor indices, SymInts output_size) {
  return max_unpool(self, indices, output_size, 2);
}
Tensor max_unpool3d(Tensor self, Tensor indices, SymInts output_size) {
  return max_unpool(self, indices, output_size, 3);
}

const TensorMeta* meta_max_pool2d_backward(Tensor, Tensor self) {
  return formatted_like(self, self.sizes(), self.dtype());
}

const TensorMeta* meta_max_unpool(Tensor self, Tensor, SymInts output_size) {
  return meta::contiguous(resized(self, output_size), self.dtype(), self.device());
}

// ---- references: maxima over windows

// What no element is less than, as padding: integers are widened for it.
Scalar lowest(DType dtype) {
  if (dtype == DType::kBool) return 0.0;
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  return info(dtype).bytes < 8 ? meta::lowest_value(dtype) - 1 : meta::lowest_value(dtype);
}

// Where in the picture the maxima were, from where they were in their windows.
Tensor flat_places(const Tensor& in_window, const std::vector<PooledDim>& dims) {
  std::vector<Tensor> offsets;
  Tensor rest = in_window;
  for (size_t i = 0; i < dims.size(); ++i) {
    SymInt below = 1;
    for (size_t j = i + 1; j < dims.size(); ++j) below *= dims[j].kernel;
    offsets.push_back(aten::floor_divide(rest, Scalar(below)));
    rest = aten::remainder_Scalar(rest, below);
  }
  std::vector<Tensor> places;
  for (size_t i = 0; i < dims.size(); ++i) {
    const PooledDim& d = dims[i];
    Sizes shape(2 + dims.size(), 1);
    shape[2 + i] = d.out;
    Tensor starts = aten::reshape(arange(d.out, in_window.device(), DType::kInt64), shape);
    starts = aten::mul_Tensor(starts, Scalar(d.stride));
    Tensor place = aten::add_Tensor(starts, aten::mul_Tensor(offsets[i], Scalar(d.dilation)));
    places.push_back(aten::sub_Tensor(place, Scalar(d.padding)));
  }
  Tensor flat = places[0];
  for (size_t i = 1; i < dims.size(); ++i)
    flat = aten::add_Tensor(aten::mul_Tensor(flat, Scalar(dims[i].in)), places[i]);
  return flat;
}

template <size_t spatial>
TensorTuple2 reference_max_pool(Tensor self, SymInts kernel, SymInts stride, SymInts padding, SymInts dilation,
                                bool ceil_mode) {
  std::vector<PooledDim> dims = pooled_dims(self, {kernel, stride, padding, dilation, ceil_mode}, spatial);
  bool is_batched = self.sizes().size() == spatial + 2, is_integer = category(self.dtype()) == Category::kIntegral;
  Tensor input = is_batched ? self : aten::unsqueeze(self, 0);
  if (is_integer) input = to_dtype(input, info(self.dtype()).bytes < 4 ? DType::kInt32 : DType::kInt64);
  Tensor windows = windows_of(padded(input, dims, lowest(self.dtype())), dims);
  auto [values, in_window] = aten::max_dim(windows, -1);
  Tensor places = flat_places(in_window, dims);
  if (is_integer) values = to_dtype(values, self.dtype());
  if (is_batched) return {values, places};
  values = aten::squeeze_dim(values, 0);
  return {values, aten::squeeze_dim(places, 0)};
}

// ---- references: averages over windows, which torch leaves whole

// How many elements a window has at each of its positions along a dimension, the padding counted or not:
// min(start + kernel, end) - max(start, begin)
Tensor lengths_along(const PooledDim& d, bool count_include_pad, const Device& device) {
  Tensor start = aten::mul_Tensor(arange(d.out, device, DType::kInt64), Scalar(d.stride));
  start = aten::sub_Tensor(start, Scalar(d.padding));
  Tensor end = aten::add_Tensor(start, Scalar(d.kernel));
  end = aten::clamp_max(end, count_include_pad ? d.in + d.padding : d.in);
  Tensor begin = count_include_pad ? start : aten::clamp_min(start, 0);
  return aten::sub_Tensor(end, begin);
}

template <size_t spatial>
Tensor reference_avg_pool(Tensor self, SymInts kernel, SymInts stride, SymInts padding, bool ceil_mode,
                          bool count_include_pad, std::optional<int64_t> divisor) {
  const Sizes dilation(spatial, 1);
  std::vector<PooledDim> dims = pooled_dims(self, {kernel, stride, padding, dilation, ceil_mode}, spatial);
  bool is_batched = self.sizes().size() == spatial + 2;
  Tensor input = is_batched ? self : aten::unsqueeze(self, 0);
  Tensor mean = aten::sum_dim_IntList(windows_of(padded(input, dims, 0), dims), IntList{-1});
  const char* rounding = is_floating(self.dtype()) ? nullptr : "trunc";
  auto divided = [&](const Tensor& sum, const Tensor& by) {
    return rounding == nullptr ? aten::div_Tensor(sum, by) : aten::div_Tensor_mode(sum, by, rounding);
  };
  if (divisor) {
    mean = divided(mean, Scalar(*divisor));
  } else {
    Tensor count;
    for (size_t i = 0; i < spatial; ++i) {
      Sizes shape(spatial, 1);
      shape[i] = dims[i].out;
      Tensor lengths = aten::view(lengths_along(dims[i], count_include_pad, self.device()), shape);
      count = count ? aten::mul_Tensor(count, lengths) : lengths;
    }
    mean = divided(mean, count);
  }
  return is_batched ? mean : aten::squeeze_dim(mean, 0);
}

// Gradients are added up where the maxima were; low precision in float32, since windows may overlap.
Tensor reference_max_pool2d_backward(Tensor grad_output, Tensor self, SymInts, SymInts, SymInts, SymInts, bool,
                                     Tensor indices) {
  bool is_batched = self.dim() == 4;
  if (!is_batched) {
    self = aten::unsqueeze(self, 0);
    grad_output = aten::unsqueeze(grad_output, 0);
    indices = aten::unsqueeze(indices, 0);
  }
  SymInt planes = self.size(0) * self.size(1), pixels = self.size(2) * self.size(3);
  SymInt windows = grad_output.size(2) * grad_output.size(3);
  DType sum_type = meta::opmath_type(grad_output.dtype());
  Tensor out = zeros({planes, pixels}, sum_type, grad_output.device());
  Tensor grad = aten::reshape(grad_output, {planes, windows});
  Tensor places = aten::reshape(indices, {planes, windows});
  out = aten::scatter_add(out, 1, places, to_dtype(grad, sum_type));
  out = aten::reshape(out, self.sizes());
  out = to_dtype(out, grad_output.dtype());
  out = aten::contiguous(out, meta::suggest_memory_format(self.meta()));
  return is_batched ? out : aten::squeeze_dim(out, 0);
}

constexpr OpDef kRows[] = {
    {.op = "aten::avg_pool1d", .body = box<avg_pool1d>},
    {.op = "aten::_adaptive_avg_pool2d_backward", .meta = box_meta<meta_gradient>},
    {.op = "aten::_adaptive_avg_pool3d_backward", .meta = box_meta<meta_gradient>},
    {.op = "aten::avg_pool2d_backward", .meta = box_meta<meta_gradient>},
    {.op = "aten::avg_pool3d_backward", .meta = box_meta<meta_gradient>},
    {.op = "aten::avg_pool2d", .meta = box_meta<meta_avg_pool2d>, .reference = box<reference_avg_pool<2>>},
    {.op = "aten::avg_pool3d", .meta = box_meta<meta_avg_pool3d>, .reference = box<reference_avg_pool<3>>},
    {.op = "aten::max_pool1d", .body = box<max_pool1d>},
    {.op = "aten::max_pool2d", .body = box<max_pool2d>},
    {.op = "aten::max_pool3d", .body = box<max_pool3d>},
    {.op = "aten::max_pool1d_with_indices", .body = box<max_pool1d_with_indices>},
    {.op = "aten::max_pool2d_with_indices",
     .meta = box_meta<meta_max_pool<2>>,
     .reference = box<reference_max_pool<2>>},
    {.op = "aten::max_pool2d_with_indices_backward",
     .meta = box_meta<meta_max_pool2d_backward>,
     .reference = box<reference_max_pool2d_backward>},
    {.op = "aten::max_pool3d_with_indices",
     .meta = box_meta<meta_max_pool<3>>,
     .reference = box<reference_max_pool<3>>},
    {.op = "aten::max_unpool2d", .meta = box_meta<meta_max_unpool>, .body = box<max_unpool2d>},
    {.op = "aten::max_unpool3d", .meta = box_meta<meta_max_unpool>, .body = box<max_unpool3d>},
};

}  // namespace

const std::span<const OpDef> kPoolingOps = kRows;

}  // namespace rung::ops
