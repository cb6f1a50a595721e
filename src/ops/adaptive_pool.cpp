// Pooling to a given size, over windows that follow from it.
#include <algorithm>
#include <limits>

#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/number.h"
#include "ops/pool_window.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Pair = std::array<const TensorMeta*, 2>;

// ---- metas

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

// ---- references: maxima over windows that begin where samples say

// Where the windows begin: with s from [0, 1) and steps of a = (in - kernel) / (out - 1), at floor((i + s) a) -
// floor(s a); the last one ends where the input does.
Tensor fractional_starts(const Tensor& sample, SymInt in, SymInt out, SymInt kernel) {
  Tensor last = full({1}, in - kernel, DType::kInt64, sample.device());
  if (out == 1) return last;
  Scalar step = true_div(in - kernel, out - 1);
  Tensor position = aten::add_Tensor(arange(out, sample.device(), sample.dtype()), sample);
  Tensor start = to_dtype(aten::mul_Tensor(position, step), DType::kInt64);
  start = aten::sub_Tensor(start, to_dtype(aten::mul_Tensor(sample, step), DType::kInt64));
  Tensor is_last = aten::eq_Scalar(arange(out, sample.device(), DType::kInt64), out - 1);
  return aten::where_self(is_last, last, start);
}

template <size_t spatial>
TensorTuple2 reference_fractional_max_pool(Tensor self, SymInts kernel, SymInts output_size, Tensor samples) {
  SymInts sizes = self.sizes();
  SymInts leading = sizes.first(sizes.size() - spatial), in = sizes.last(spatial);
  Tensor flat_places;
  for (size_t d = 0; d < spatial; ++d) {
    // [..., out and kernel of each dimension]; of pictures the sample for the width comes first
    Tensor sample = aten::select_int(samples, 2, spatial == 2 ? 1 - d : d);
    if (leading.size() == 1) sample = aten::squeeze_dim(sample, 0);
    Sizes windows(leading.begin(), leading.end()), within(leading.size() + 2 * spatial, 1);
    windows.resize(within.size(), 1);
    if (output_size[d] == 1) std::fill_n(windows.begin(), leading.size(), 1);
    windows[leading.size() + d] = output_size[d];
    within[leading.size() + spatial + d] = kernel[d];
    Tensor starts = fractional_starts(aten::unsqueeze(sample, -1), in[d], output_size[d], kernel[d]);
    Tensor offsets = aten::view(arange(kernel[d], self.device(), DType::kInt64), within);
    Tensor places = aten::add_Tensor(aten::view(starts, windows), offsets);
    flat_places = flat_places ? aten::add_Tensor(aten::mul_Tensor(flat_places, Scalar(in[d])), places) : places;
  }
  auto with_leading = [&](std::initializer_list<SymInt> rest) {
    Sizes shape(leading.begin(), leading.end());
    shape.insert(shape.end(), rest);
    return shape;
  };
  Sizes shape(leading.begin(), leading.end());
  shape.insert(shape.end(), output_size.begin(), output_size.end());
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  Tensor index = aten::reshape(aten::expand(flat_places, shape), with_leading({-1}));
  Tensor elements = aten::gather(aten::reshape(self, with_leading({-1})), -1, index);
  Sizes windows(shape.begin(), shape.end() - spatial);
  windows.push_back(-1);
  auto [maxima, which] = aten::max_dim(aten::reshape(elements, windows), -1);
  Tensor place = aten::gather(aten::reshape(index, windows), -1, aten::unsqueeze(which, -1));
  return {maxima, aten::squeeze_dim(place, -1)};
}

constexpr OpDef kRows[] = {
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
    {.op = "aten::fractional_max_pool2d",
     .meta = box_meta<meta_fractional_max_pool>,
     .reference = box<reference_fractional_max_pool<2>>},
    {.op = "aten::fractional_max_pool3d",
     .meta = box_meta<meta_fractional_max_pool>,
     .reference = box<reference_fractional_max_pool<3>>},
};

}  // namespace

const std::span<const OpDef> kAdaptivePoolOps = kRows;

}  // namespace rung::ops
