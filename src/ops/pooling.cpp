// Pooling: averages and maxima over windows.
#include <algorithm>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/factory.h"
#include "ops/families.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Pair = std::array<const TensorMeta*, 2>;

// One number stands for all dimensions.
SymInt at(SymInts list, size_t i) { return list.size() == 1 ? list[0] : list[i]; }

// ---- metas

struct Window {
  SymInts kernel, stride, padding, dilation;  // no stride: the kernel's size
  bool ceil_mode;
};

// (in + 2 p - d (k - 1) - 1) / s + 1, rounded up in ceil mode unless the last window would start in the right padding
SymInt pooled_size(SymInt in, SymInt kernel, SymInt stride, SymInt padding, SymInt dilation, bool ceil_mode) {
  if (stride <= 0) fail_input("pooling: the stride must be positive, got ", stride.str());
  if (padding < 0 || padding * 2 > (kernel - 1) * dilation + 1)
    fail_input("pooling: padding ", padding.str(), " must be at most half of the kernel, ", kernel.str());
  SymInt span = in + padding * 2 - dilation * (kernel - 1) - 1;
  SymInt out = (span + (ceil_mode ? stride - 1 : SymInt(0))) / stride + 1;
  return ceil_mode && (out - 1) * stride >= in + padding ? out - 1 : out;
}

Sizes pooled_sizes(const Tensor& input, const Window& window, size_t spatial) {
  if (input.sizes().size() != spatial + 1 && input.sizes().size() != spatial + 2)
    fail_input("pooling over ", spatial, " dimensions expects an input of rank ", spatial + 1, " or ", spatial + 2,
               ", got ", input.dim());
  Sizes sizes(input.sizes().begin(), input.sizes().end());
  const SymInt one = 1;
  size_t first = sizes.size() - spatial;
  for (size_t i = 0; i < spatial; ++i) {
    SymInts dilation = window.dilation.empty() ? SymInts(&one, 1) : window.dilation;
    SymInt stride = window.stride.empty() ? at(window.kernel, i) : at(window.stride, i);
    SymInt& size = sizes[first + i];
    size = pooled_size(size, at(window.kernel, i), stride, at(window.padding, i), at(dilation, i), window.ceil_mode);
    if (size < 1) fail_input("pooling: the output of dimension ", first + i, " would have size ", size.str());
  }
  return sizes;
}

// Channels last stays so.
const TensorMeta* formatted_like(const Tensor& input, SymInts sizes, DType dtype) {
  return meta::formatted(sizes, dtype, input.device(), meta::suggest_memory_format(input.meta()));
}

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

Sizes resized(const Tensor& input, SymInts output_size) {
  size_t spatial = output_size.size();
  if (input.sizes().size() != spatial + 1 && input.sizes().size() != spatial + 2)
    fail_input("adaptive pooling over ", spatial, " dimensions of an input of rank ", input.dim());
  Sizes sizes(input.sizes().begin(), input.sizes().end());
  std::copy(output_size.begin(), output_size.end(), sizes.end() - static_cast<ptrdiff_t>(spatial));
  return sizes;
}
const TensorMeta* meta_adaptive_avg_pool2d(Tensor input, SymInts output_size) {
  return formatted_like(input, resized(input, output_size), input.dtype());
}
const TensorMeta* meta_adaptive_avg_pool3d(Tensor input, SymInts output_size) {
  return meta::contiguous(resized(input, output_size), input.dtype(), input.device());
}
Pair meta_adaptive_max_pool2d(Tensor input, SymInts output_size) {
  Sizes sizes = resized(input, output_size);
  return {formatted_like(input, sizes, input.dtype()), formatted_like(input, sizes, DType::kInt64)};
}
Pair dense_pair(const Tensor& input, SymInts sizes) {
  return {meta::contiguous(sizes, input.dtype(), input.device()),
          meta::contiguous(sizes, DType::kInt64, input.device())};
}
Pair meta_adaptive_max_pool3d(Tensor input, SymInts output_size) {
  return dense_pair(input, resized(input, output_size));
}
Pair meta_fractional_max_pool(Tensor input, SymInts, SymInts output_size) {
  return dense_pair(input, resized(input, output_size));
}

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

Tensor adaptive_avg_pool1d(Tensor self, SymInts output_size) {
  Tensor picture = aten::unsqueeze(self, -2);
  Tensor pooled = aten::adaptive_avg_pool2d(picture, {1, output_size[0]});
  return aten::squeeze_dim(pooled, -2);
}

// To one pixel it is the mean, which keeps channels last.
Tensor adaptive_avg_pool2d(Tensor self, SymInts output_size) {
  if (output_size.size() != 2) fail_input("adaptive_avg_pool2d takes 2 output sizes, got ", output_size.size());
  if (output_size[0] != 1 || output_size[1] != 1) return aten::_adaptive_avg_pool2d(self, output_size);
  Tensor mean = aten::mean_dim(self, IntList{-1, -2}, true);
  if (meta::suggest_memory_format(self.meta()) != MemoryFormat::kChannelsLast) return mean;
  SymInt channels = self.size(1);
  return aten::as_strided_(mean, {self.size(0), channels, 1, 1}, {channels, 1, channels, channels});
}
Tensor adaptive_avg_pool3d(Tensor self, SymInts output_size) {
  if (output_size.size() != 3) fail_input("adaptive_avg_pool3d takes 3 output sizes, got ", output_size.size());
  bool to_one = output_size[0] == 1 && output_size[1] == 1 && output_size[2] == 1;
  if (!to_one) return aten::_adaptive_avg_pool3d(self, output_size);
  Tensor mean = aten::mean_dim(self, IntList{-1, -2, -3}, true);
  if (meta::suggest_memory_format(self.meta()) != MemoryFormat::kChannelsLast3d) return mean;
  SymInt channels = self.size(1);
  return aten::as_strided_(mean, {self.size(0), channels, 1, 1, 1}, {channels, 1, channels, channels, channels});
}
TensorTuple2 adaptive_max_pool1d(Tensor self, SymInts output_size) {
  Tensor picture = aten::unsqueeze(self, -2);
  auto [values, indices] = aten::adaptive_max_pool2d(picture, {1, output_size[0]});
  indices = aten::squeeze_dim(indices, -2);
  return {aten::squeeze_dim(values, -2), indices};
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

const TensorMeta* meta_max_unpool(Tensor self, Tensor, SymInts output_size) {
  return meta::contiguous(resized(self, output_size), self.dtype(), self.device());
}

constexpr OpDef kRows[] = {
    {.op = "aten::avg_pool1d", .body = box<avg_pool1d>},
    {.op = "aten::avg_pool2d", .meta = box_meta<meta_avg_pool2d>},
    {.op = "aten::avg_pool3d", .meta = box_meta<meta_avg_pool3d>},
    {.op = "aten::max_pool1d", .body = box<max_pool1d>},
    {.op = "aten::max_pool2d", .body = box<max_pool2d>},
    {.op = "aten::max_pool3d", .body = box<max_pool3d>},
    {.op = "aten::max_pool1d_with_indices", .body = box<max_pool1d_with_indices>},
    {.op = "aten::max_pool2d_with_indices", .meta = box_meta<meta_max_pool<2>>},
    {.op = "aten::max_pool3d_with_indices", .meta = box_meta<meta_max_pool<3>>},
    {.op = "aten::adaptive_avg_pool1d", .body = box<adaptive_avg_pool1d>},
    {.op = "aten::adaptive_avg_pool2d", .meta = box_meta<meta_adaptive_avg_pool2d>, .body = box<adaptive_avg_pool2d>},
    {.op = "aten::_adaptive_avg_pool2d", .meta = box_meta<meta_adaptive_avg_pool2d>},
    {.op = "aten::adaptive_avg_pool3d", .body = box<adaptive_avg_pool3d>},
    {.op = "aten::_adaptive_avg_pool3d", .meta = box_meta<meta_adaptive_avg_pool3d>},
    {.op = "aten::adaptive_max_pool1d", .body = box<adaptive_max_pool1d>},
    {.op = "aten::adaptive_max_pool2d", .meta = box_meta<meta_adaptive_max_pool2d>},
    {.op = "aten::adaptive_max_pool3d", .meta = box_meta<meta_adaptive_max_pool3d>},
    {.op = "aten::fractional_max_pool2d", .meta = box_meta<meta_fractional_max_pool>},
    {.op = "aten::fractional_max_pool3d", .meta = box_meta<meta_fractional_max_pool>},
    {.op = "aten::max_unpool2d", .meta = box_meta<meta_max_unpool>, .body = box<max_unpool2d>},
    {.op = "aten::max_unpool3d", .meta = box_meta<meta_max_unpool>, .body = box<max_unpool3d>},
};

}  // namespace

const std::span<const OpDef> kPoolingOps = kRows;

}  // namespace rung::ops
