// Pooling: averages and maxima over windows.
#include <algorithm>
#include <limits>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "trace/like_torch.h"

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

const TensorMeta* meta_max_pool2d_backward(Tensor, Tensor self) {
  return formatted_like(self, self.sizes(), self.dtype());
}

const TensorMeta* meta_max_unpool(Tensor self, Tensor, SymInts output_size) {
  return meta::contiguous(resized(self, output_size), self.dtype(), self.device());
}

// ---- references: adaptive pooling

Tensor unsqueeze_to(Tensor x, int64_t rank) {
  while (x.dim() < rank) x = aten::unsqueeze(x, -1);
  return x;
}

// The windows over one dimension, of the same length or not.
struct Windows {
  Tensor places;      // [out, longest]: where they read; too short ones read their last element again
  Tensor elements;    // [longest]: 0, 1, 2, ...
  Tensor lengths;     // [out], if they differ
  SymInt length = 0;  // if they do not
};

// Window i is [floor(i in / out), ceil((i + 1) in / out)).
Windows adaptive_windows(SymInt in, SymInt out, const Device& device) {
  Tensor i = arange(out, device, DType::kInt64);
  Tensor start = aten::mul_Tensor(i, Scalar(in));
  start = aten::div_Tensor_mode(start, Scalar(out), "trunc");
  SymInt rest = in % out, longest = in / out + 1;
  bool differ = !(rest == 0 || out % rest == 0);
  if (differ) longest += 1;
  if (!differ && rest == 0) longest -= 1;
  Windows windows;
  windows.elements = arange(longest, device, DType::kInt64);
  Tensor column = aten::unsqueeze(start, -1);
  windows.places = aten::add_Tensor(column, windows.elements);
  windows.length = longest;
  if (!differ) return windows;
  Tensor last = aten::scalar_tensor(in - 1, windows.places.dtype(), std::nullopt, device, false);
  windows.places = aten::minimum(windows.places, last);
  Tensor end = aten::mul_Tensor(aten::add_Tensor(i, 1), Scalar(in));
  end = aten::sub_Tensor(aten::add_Tensor(end, Scalar(out)), 1);
  end = aten::div_Tensor_mode(end, Scalar(out), "trunc");
  windows.lengths = aten::sub_Tensor(end, start);
  return windows;
}

// Zeros what a window shorter than the longest one read too much; `dim` counts from the end.
Tensor without_excess(const Tensor& values, const Windows& windows, int64_t dim) {
  if (!windows.lengths) return values;
  Tensor mask = aten::ge_Tensor(windows.elements, aten::unsqueeze(windows.lengths, -1));
  if (dim == -2) mask = unsqueeze_to(mask, 4);
  return aten::masked_fill_Scalar(values, mask, 0.0);
}

// values: [..., out_h, window_h, out_w, window_w], summed up over the windows one element after the other
Tensor sum_of_windows(const Tensor& values) {
  int64_t window_h = values.dim() - 3, window_w = values.dim() - 1;
  int64_t height = specialize(values.size(window_h)), width = specialize(values.size(window_w));
  Tensor sum;
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j) {
      Tensor row = aten::select_int(values, window_h, i);
      Tensor element = aten::select_int(row, window_w - 1, j);
      sum = sum ? aten::add_Tensor(sum, element) : element;
    }
  return sum;
}

Tensor adaptive_average(const Tensor& input, SymInts output_size) {
  SymInt in_h = input.size(-2), in_w = input.size(-1), out_h = output_size[0], out_w = output_size[1];
  if (in_h == 0 || in_w == 0) fail_input("adaptive_avg_pool2d: the picture is empty");
  if (in_h % out_h == 0 && in_w % out_w == 0) {
    SymInt stride_h = in_h / out_h, stride_w = in_w / out_w;
    SymInt kernel_h = in_h - (out_h - 1) * stride_h, kernel_w = in_w - (out_w - 1) * stride_w;
    return aten::avg_pool2d(input, {kernel_h, kernel_w}, {stride_h, stride_w});
  }
  Windows rows = adaptive_windows(in_h, out_h, input.device());
  Windows columns = adaptive_windows(in_w, out_w, input.device());
  std::vector<Tensor> indices(input.sizes().size() - 2);
  indices.push_back(unsqueeze_to(rows.places, 4));
  indices.push_back(columns.places);
  Tensor values = aten::index_Tensor(input, indices);
  if (!rows.lengths && !columns.lengths) return aten::mean_dim(values, IntList{-3, -1});
  values = without_excess(values, rows, -2);
  if (rows.lengths) rows.lengths = unsqueeze_to(rows.lengths, 2);
  values = without_excess(values, columns, -1);
  Tensor sum = sum_of_windows(values);
  Tensor count = !rows.lengths      ? aten::mul_Tensor(columns.lengths, Scalar(rows.length))
                 : !columns.lengths ? aten::mul_Tensor(rows.lengths, Scalar(columns.length))
                                    : aten::mul_Tensor(rows.lengths, columns.lengths);
  return aten::div_Tensor(sum, count);
}
Tensor reference_adaptive_avg_pool2d(Tensor self, SymInts output_size) {
  resized(self, output_size);
  ComputeTypes types = compute_types({self});
  return types.down(adaptive_average(types.up(self), output_size));
}

// Windows that are not all of one size, [batch, channel, out, window, out, window, ...]; what a short one reads too
// much is `filler`.
Tensor uneven_windows(const Tensor& batch, std::span<const Windows> windows, const Scalar& filler) {
  size_t spatial = windows.size();
  std::vector<Tensor> places(2);
  auto in_its_dims = [&](const Tensor& x, size_t i) {
    Sizes shape(2 * spatial, 1);
    shape[2 * i] = x.size(0);
    shape[2 * i + 1] = x.size(1);
    return aten::view(x, shape);
  };
  for (size_t i = 0; i < spatial; ++i) places.push_back(in_its_dims(windows[i].places, i));
  Tensor values = aten::index_Tensor(batch, places);
  for (size_t i = 0; i < spatial; ++i) {
    if (!windows[i].lengths) continue;
    Tensor excess = aten::ge_Tensor(windows[i].elements, aten::unsqueeze(windows[i].lengths, -1));
    values = aten::masked_fill_Scalar(values, in_its_dims(excess, i), filler);
  }
  Sizes order{0, 1};
  for (size_t i = 0; i < spatial; ++i) order.push_back(2 + 2 * i);
  for (size_t i = 0; i < spatial; ++i) order.push_back(3 + 2 * i);
  Tensor ordered = aten::permute(values, order);
  Sizes shape(ordered.sizes().begin(), ordered.sizes().begin() + 2 + static_cast<ptrdiff_t>(spatial));
  shape.push_back(-1);
  return aten::reshape(ordered, shape);
}

// Where in the input a maximum was: the start of its window, and its place in it.
Tensor places_in_input(const Tensor& in_window, const Tensor& batch, std::span<const Windows> windows) {
  size_t spatial = windows.size();
  Tensor rest = in_window, flat;
  SymInt below = 1;
  for (const Windows& w : windows) below *= w.length;
  for (size_t i = 0; i < spatial; ++i) {
    below = below / windows[i].length;
    Tensor offset = aten::floor_divide(rest, Scalar(below));
    rest = aten::remainder_Scalar(rest, below);
    Sizes shape(spatial, 1);
    shape[i] = windows[i].places.size(0);
    Tensor start = aten::view(aten::select_int(windows[i].places, 1, 0), shape);
    Tensor place = aten::add_Tensor(start, offset);
    flat =
        flat ? aten::add_Tensor(aten::mul_Tensor(flat, Scalar(batch.size(2 + static_cast<int64_t>(i)))), place) : place;
  }
  return flat;
}

TensorTuple2 uneven_max_pool(const Tensor& self, SymInts output_size) {
  bool is_batched = self.sizes().size() == output_size.size() + 2;
  Tensor batch = is_batched ? self : aten::unsqueeze(self, 0);
  std::vector<Windows> windows;
  for (size_t i = 0; i < output_size.size(); ++i)
    windows.push_back(adaptive_windows(batch.size(2 + static_cast<int64_t>(i)), output_size[i], self.device()));
  Scalar least = is_floating(self.dtype()) ? Scalar(-std::numeric_limits<double>::infinity())
                                           : Scalar(meta::lowest_value(self.dtype()));
  auto [values, in_window] = aten::max_dim(uneven_windows(batch, windows, least), -1);
  Tensor places = places_in_input(in_window, batch, windows);
  if (is_batched) return {values, places};
  values = aten::squeeze_dim(values, 0);
  return {values, aten::squeeze_dim(places, 0)};
}

// The mean over windows is that over the windows of one dimension after the other.
Tensor reference_adaptive_avg_pool3d(Tensor self, SymInts output_size) {
  resized(self, output_size);
  ComputeTypes types = compute_types({self});
  Tensor mean = types.up(self);
  for (int64_t i = 0; i < 3; ++i) {
    int64_t dim = self.dim() - 3 + i;
    Windows windows = adaptive_windows(self.size(dim), output_size[static_cast<size_t>(i)], self.device());
    std::vector<Tensor> indices(static_cast<size_t>(dim));
    indices.push_back(windows.places);
    Tensor values = aten::index_Tensor(mean, indices);  // [..., out, window, ...]
    int64_t after = values.dim() - dim - 2;
    auto in_its_dims = [&](Tensor x) { return unsqueeze_to(x, x.dim() + after); };
    if (windows.lengths) {
      Tensor excess = aten::ge_Tensor(windows.elements, aten::unsqueeze(windows.lengths, -1));
      values = aten::masked_fill_Scalar(values, in_its_dims(excess), 0.0);
    }
    Tensor sum = aten::sum_dim_IntList(values, IntList{dim + 1});
    mean = windows.lengths ? aten::div_Tensor(sum, in_its_dims(windows.lengths))
                           : aten::div_Tensor(sum, Scalar(windows.length));
  }
  return types.down(mean);
}

// One window over all, or windows of one size; torch leaves others to the kernel.
template <size_t spatial>
Argument reference_adaptive_max_pool(Tensor self, SymInts output_size) {
  Sizes shape = resized(self, output_size);
  if (std::ranges::find(output_size, SymInt(0)) != output_size.end()) {
    Tensor values = aten::new_empty(self, shape, std::nullopt, std::nullopt, std::nullopt, false);
    Tensor indices = aten::new_empty(self, shape, DType::kInt64, std::nullopt, std::nullopt, false);
    return box_list(std::array{values, indices});
  }
  int64_t first = self.dim() - static_cast<int64_t>(spatial);
  bool to_one = true, fits = true;
  Sizes dims, kernel;
  for (size_t i = 0; i < spatial; ++i) {
    SymInt in = self.size(first + static_cast<int64_t>(i));
    to_one = to_one && output_size[i] == 1;
    fits = fits && in % output_size[i] == 0;
    dims.push_back(static_cast<int64_t>(i) - static_cast<int64_t>(spatial));
    kernel.push_back(in / output_size[i]);
  }
  if (to_one) {
    Tensor values = aten::amax(self, dims, true);
    Tensor flat = aten::flatten_using_ints(self, -static_cast<int64_t>(spatial));
    Tensor indices = unsqueeze_to(aten::argmax(flat, -1), self.dim());
    return box_list(std::array{values, indices});
  }
  if (!fits && is_like_torch()) return not_decomposed();
  if (!fits)
    return [&] {
      auto [values, indices] = uneven_max_pool(self, output_size);
      return box_list(std::array{values, indices});
    }();
  auto [values, indices] =
      spatial == 2 ? aten::max_pool2d_with_indices(self, kernel) : aten::max_pool3d_with_indices(self, kernel);
  return box_list(std::array{values, indices});
}

// ---- references: maxima over windows

// What no element is less than, as padding: integers are widened for it.
Scalar lowest(DType dtype) {
  if (dtype == DType::kBool) return 0.0;
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  return info(dtype).bytes < 8 ? meta::lowest_value(dtype) - 1 : meta::lowest_value(dtype);
}

struct PooledDim {
  SymInt in, out, kernel, stride, padding, dilation;
};

std::vector<PooledDim> pooled_dims(const Tensor& input, const Window& window, size_t spatial) {
  Sizes sizes = pooled_sizes(input, window, spatial);
  std::vector<PooledDim> dims;
  for (size_t i = 0; i < spatial; ++i) {
    size_t dim = sizes.size() - spatial + i;
    SymInt kernel = at(window.kernel, i), stride = window.stride.empty() ? kernel : at(window.stride, i);
    dims.push_back({input.sizes()[dim], sizes[dim], kernel, stride, at(window.padding, i), at(window.dilation, i)});
  }
  return dims;
}

// The input with as much padding as the windows reach.
Tensor padded(const Tensor& input, const std::vector<PooledDim>& dims, const Scalar& value) {
  Sizes pad;
  for (size_t i = dims.size(); i-- > 0;) {
    const PooledDim& d = dims[i];
    SymInt reach = (d.out - 1) * d.stride + (d.kernel - 1) * d.dilation + 1;
    pad.push_back(d.padding);
    pad.push_back(max(reach - (d.in + d.padding * 2), 0) + d.padding);
  }
  return aten::pad(input, pad, "constant", value.to_double());
}

// place[o, k] = o stride + k dilation, each dimension's with its own two dimensions of the result
std::vector<Tensor> window_places(const std::vector<PooledDim>& dims, const Device& device) {
  std::vector<Tensor> places;
  for (size_t i = 0; i < dims.size(); ++i) {
    const PooledDim& d = dims[i];
    Tensor starts = aten::unsqueeze(arange(d.out, device, DType::kInt64), 1);
    starts = aten::mul_Tensor(starts, Scalar(d.stride));
    Tensor offsets = aten::unsqueeze(arange(d.kernel, device, DType::kInt64), 0);
    offsets = aten::mul_Tensor(offsets, Scalar(d.dilation));
    Sizes shape(2 * dims.size(), 1);
    shape[2 * i] = d.out;
    shape[2 * i + 1] = d.kernel;
    places.push_back(aten::reshape(aten::add_Tensor(starts, offsets), shape));
  }
  return places;
}

// The windows of all positions, each in the last dimension.
Tensor windows_of(const Tensor& padded_input, const std::vector<PooledDim>& dims) {
  std::vector<Tensor> indices = window_places(dims, padded_input.device());
  indices.insert(indices.begin(), 2, Tensor());
  Tensor windows = aten::index_Tensor(padded_input, indices);
  Sizes order{0, 1};
  for (size_t i = 0; i < dims.size(); ++i) order.push_back(2 + 2 * i);
  for (size_t i = 0; i < dims.size(); ++i) order.push_back(3 + 2 * i);
  windows = aten::permute(windows, order);
  Sizes shape(windows.sizes().begin(), windows.sizes().begin() + 2 + static_cast<ptrdiff_t>(dims.size()));
  shape.push_back(-1);
  return aten::reshape(windows, shape);
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
  std::vector<PooledDim> dims = pooled_dims(self, {kernel, stride, padding, Sizes{1}, ceil_mode}, spatial);
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
    {.op = "aten::adaptive_avg_pool1d", .body = box<adaptive_avg_pool1d>},
    {.op = "aten::adaptive_avg_pool2d", .meta = box_meta<meta_adaptive_avg_pool2d>, .body = box<adaptive_avg_pool2d>},
    {.op = "aten::_adaptive_avg_pool2d",
     .meta = box_meta<meta_adaptive_avg_pool2d>,
     .reference = box<reference_adaptive_avg_pool2d>},
    {.op = "aten::adaptive_avg_pool3d", .body = box<adaptive_avg_pool3d>},
    {.op = "aten::_adaptive_avg_pool3d",
     .meta = box_meta<meta_adaptive_avg_pool3d>,
     .reference = box<reference_adaptive_avg_pool3d>},
    {.op = "aten::adaptive_max_pool1d", .body = box<adaptive_max_pool1d>},
    {.op = "aten::adaptive_max_pool2d",
     .meta = box_meta<meta_adaptive_max_pool2d>,
     .reference = box<reference_adaptive_max_pool<2>>},
    {.op = "aten::adaptive_max_pool3d",
     .meta = box_meta<meta_adaptive_max_pool3d>,
     .reference = box<reference_adaptive_max_pool<3>>},
    {.op = "aten::fractional_max_pool2d", .meta = box_meta<meta_fractional_max_pool>},
    {.op = "aten::fractional_max_pool3d", .meta = box_meta<meta_fractional_max_pool>},
    {.op = "aten::max_unpool2d", .meta = box_meta<meta_max_unpool>, .body = box<max_unpool2d>},
    {.op = "aten::max_unpool3d", .meta = box_meta<meta_max_unpool>, .body = box<max_unpool3d>},
};

}  // namespace

const std::span<const OpDef> kPoolingOps = kRows;

}  // namespace rung::ops
