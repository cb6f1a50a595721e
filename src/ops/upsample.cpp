// Resampling: nearest, linear and cubic interpolation on a grid of another size, and grid_sampler.
#include <algorithm>
#include <cmath>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/number.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Factors = std::span<const double>;
using Scale = std::optional<double>;
using Scales = std::vector<Scale>;

// ---- sizes

SymInt scaled_size(SymInt size, double factor) {
  if (std::trunc(factor) == factor) return size * trunc(SymFloat(factor));
  return trunc(SymFloat(size) * factor);
}
// Either the sizes are given, or factors that the input's sizes are multiplied by, rounded down.
Sizes output_size(const Tensor& input, std::optional<SymInts> size, std::optional<Factors> factors) {
  if (size.has_value() == factors.has_value())
    fail_input("upsample: exactly one of output_size and scale_factors must be given");
  size_t spatial = size ? size->size() : factors->size();
  if (input.sizes().size() != spatial + 2)
    fail_input("upsample of ", spatial, " dimensions takes an input of rank ", spatial + 2, ", got ", input.dim());
  if (size) return Sizes(size->begin(), size->end());
  Sizes out;
  for (size_t i = 0; i < factors->size(); ++i) out.push_back(scaled_size(input.sizes()[i + 2], (*factors)[i]));
  return out;
}
Scales scales_of(std::optional<Factors> factors, size_t spatial) {
  return factors && !factors->empty() ? Scales(factors->begin(), factors->end()) : Scales(spatial);
}

const TensorMeta* resized(const Tensor& input, SymInts size) {
  if (input.sizes().size() != size.size() + 2)
    fail_input("upsample of ", size.size(), " dimensions takes an input of rank ", size.size() + 2, ", got ",
               input.dim());
  Sizes sizes(input.sizes().begin(), input.sizes().begin() + 2);
  for (SymInt s : size) {
    if (s <= 0) fail_input("upsample: output sizes must be positive, got ", s.str());
    sizes.push_back(s);
  }
  return meta::formatted(sizes, input.dtype(), input.device(), meta::suggest_memory_format(input.meta()));
}
const TensorMeta* meta_resized(Tensor input, SymInts size) { return resized(input, size); }
const TensorMeta* meta_nearest_vec(Tensor input, std::optional<SymInts> size, std::optional<Factors> factors) {
  return resized(input, output_size(input, size, factors));
}
const TensorMeta* meta_linear_vec(Tensor input, std::optional<SymInts> size, bool, std::optional<Factors> factors) {
  return resized(input, output_size(input, size, factors));
}

// ---- nearest

// in / out, where `out` is made of `in` if there is a factor.
SymFloat nearest_scale(SymInt in, SymInt out, Scale factor) {
  if (!factor || *factor <= 0) return true_div(in, out);
  SymFloat width(in);
  return width / (width * *factor);
}
// index = floor((i + offset) * scale) with offset 0, or 1/2 for the exact variant
Tensor nearest(const Tensor& self, SymInts size, const Scales& scales, bool exact) {
  ComputeTypes types = compute_types({self});
  Tensor input = types.up(self);
  size_t spatial = size.size();
  std::vector<Tensor> indices(2);
  for (size_t d = 0; d < spatial; ++d) {
    SymInt in = input.sizes()[input.sizes().size() - spatial + d];
    Scalar scale = nearest_scale(in, size[d], scales[d]);
    Tensor places = arange(size[d], input.device(), DType::kFloat32);
    places = aten::add_Tensor(places, exact ? 0.5 : 0.0);
    places = aten::mul_Tensor(places, scale);
    places = to_dtype(places, DType::kInt64);
    for (size_t i = d + 1; i < spatial; ++i) places = aten::unsqueeze(places, -1);
    indices.push_back(places);
  }
  Tensor result = aten::_unsafe_index_Tensor(input, indices);
  if (result.dim() == 4 || result.dim() == 5)
    result = aten::contiguous(result, meta::suggest_memory_format(input.meta()));
  return types.down(result);
}

// torch's kernel goes to the overload of the rank.
template <bool exact>
Tensor nearest_kernel(const Tensor& x, const Sizes& size, const Scales& s) {
  if (size.size() == 1)
    return exact ? aten::_upsample_nearest_exact1d(x, size, s[0]) : aten::upsample_nearest1d(x, size, s[0]);
  if (size.size() == 2)
    return exact ? aten::_upsample_nearest_exact2d(x, size, s[0], s[1]) : aten::upsample_nearest2d(x, size, s[0], s[1]);
  return exact ? aten::_upsample_nearest_exact3d(x, size, s[0], s[1], s[2])
               : aten::upsample_nearest3d(x, size, s[0], s[1], s[2]);
}

template <bool exact>
Tensor nearest_vec(Tensor input, std::optional<SymInts> size, std::optional<Factors> factors) {
  Sizes out = output_size(input, size, factors);
  if (follows_kernels()) return nearest_kernel<exact>(input, out, scales_of(factors, out.size()));
  return nearest(input, out, scales_of(factors, out.size()), exact);
}
template <bool exact>
Tensor nearest1d(Tensor input, SymInts size, Scale scale) {
  return nearest(input, size, {scale}, exact);
}
template <bool exact>
Tensor nearest2d(Tensor input, SymInts size, Scale scale_h, Scale scale_w) {
  return nearest(input, size, {scale_h, scale_w}, exact);
}
template <bool exact>
Tensor nearest3d(Tensor input, SymInts size, Scale scale_d, Scale scale_h, Scale scale_w) {
  return nearest(input, size, {scale_d, scale_h, scale_w}, exact);
}

// ---- linear

// What an output index is multiplied by; an int 0 where a single output pixel is aligned to the corner.
Scalar source_scale(SymInt in, SymInt out, bool align_corners, Scale scale) {
  if (!align_corners) return scale && *scale > 0 ? Scalar(1.0 / *scale) : Scalar(true_div(in, out));
  if (out <= 1) return 0;
  SymFloat steps_in = SymFloat(in) - 1.0;
  return steps_in / (SymFloat(out) - 1.0);
}
// i * scale, or (i + 1/2) * scale - 1/2
Tensor source_index(const Scalar& scale, const Tensor& index, bool align_corners) {
  if (align_corners) return aten::mul_Tensor(index, scale);
  Tensor middle = aten::add_Tensor(index, 0.5);
  middle = aten::mul_Tensor(middle, scale);
  return aten::sub_Tensor(middle, 0.5);
}

struct Neighbours {
  Tensor exact, low, high;
};

Neighbours neighbours(const Tensor& input, size_t d, SymInt out, bool align_corners, Scale scale, DType dtype) {
  SymInt in = input.sizes()[d + 2];
  Scalar factor = source_scale(in, out, align_corners, scale);
  Tensor index = to_dtype(arange(out, input.device()), dtype);
  Tensor exact = aten::clamp(source_index(factor, index, align_corners), 0.0);
  Sizes shape(input.sizes().size() - 2 - d, 1);
  shape[0] = exact.size(0);
  exact = aten::reshape(exact, shape);
  Tensor low = to_dtype(exact, DType::kInt64);
  Tensor high = aten::add_Tensor(low, 1);
  return {exact, low, aten::clamp(high, std::nullopt, in - 1)};
}

// All 2^n corners around each point, then blended dimension by dimension: a + (b - a) * t.
Tensor linear(const Tensor& self, SymInts size, bool align_corners, const Scales& scales) {
  ComputeTypes types = compute_types({self});
  Tensor input = types.up(self);
  size_t spatial = size.size();
  if (input.sizes().size() != spatial + 2)
    fail_input("upsample of ", spatial, " dimensions takes an input of rank ", spatial + 2, ", got ", input.dim());
  DType dtype = meta::promoted(meta::Promote::kIntToFloat, input.dtype());
  std::vector<Neighbours> around;
  for (size_t d = 0; d < spatial; ++d) around.push_back(neighbours(input, d, size[d], align_corners, scales[d], dtype));
  std::vector<Tensor> values;
  for (size_t corner = 0; corner < (size_t{1} << spatial); ++corner) {
    std::vector<Tensor> indices(2);
    for (size_t d = 0; d < spatial; ++d)
      indices.push_back((corner >> (spatial - 1 - d)) & 1 ? around[d].high : around[d].low);
    values.push_back(to_dtype(aten::_unsafe_index_Tensor(input, indices), dtype));
  }
  for (size_t d = spatial; d-- > 0;) {
    Tensor weight = aten::sub_Tensor(around[d].exact, around[d].low);
    weight = to_dtype(aten::clamp(weight, 0.0, 1.0), dtype);
    std::vector<Tensor> blended;
    for (size_t i = 0; i < values.size(); i += 2) {
      Tensor step = aten::sub_Tensor(values[i + 1], values[i]);
      step = aten::mul_Tensor(step, weight);
      blended.push_back(aten::add_Tensor(values[i], step));
    }
    values = blended;
  }
  Tensor result = aten::contiguous(values[0], meta::suggest_memory_format(input.meta()));
  if (is_integral_or_bool(input.dtype())) result = aten::round(result);
  return types.down(result);
}

Tensor linear_kernel(const Tensor& x, const Sizes& size, bool align_corners, const Scales& s) {
  if (size.size() == 1) return aten::upsample_linear1d(x, size, align_corners, s[0]);
  if (size.size() == 2) return aten::upsample_bilinear2d(x, size, align_corners, s[0], s[1]);
  return aten::upsample_trilinear3d(x, size, align_corners, s[0], s[1], s[2]);
}

Tensor linear_vec(Tensor input, std::optional<SymInts> size, bool align_corners, std::optional<Factors> factors) {
  Sizes out = output_size(input, size, factors);
  if (follows_kernels()) return linear_kernel(input, out, align_corners, scales_of(factors, out.size()));
  return linear(input, out, align_corners, scales_of(factors, out.size()));
}
Tensor linear1d(Tensor input, SymInts size, bool align_corners, Scale scale) {
  return linear(input, size, align_corners, {scale});
}
Tensor bilinear2d(Tensor input, SymInts size, bool align_corners, Scale scale_h, Scale scale_w) {
  return linear(input, size, align_corners, {scale_h, scale_w});
}
Tensor trilinear3d(Tensor input, SymInts size, bool align_corners, Scale scale_d, Scale scale_h, Scale scale_w) {
  return linear(input, size, align_corners, {scale_d, scale_h, scale_w});
}

// ---- cubic

constexpr double kCubic = -0.75;  // the A of the cubic convolution kernel

// ((A + 2) x - (A + 3)) x^2 + 1, for points nearer than 1
Tensor cubic_near(const Tensor& x) {
  Tensor y = aten::mul_Tensor(x, kCubic + 2);
  y = aten::sub_Tensor(y, kCubic + 3);
  y = aten::mul_Tensor(y, x);
  y = aten::mul_Tensor(y, x);
  return aten::add_Tensor(y, 1);
}
// ((A x - 5 A) x + 8 A) x - 4 A, for points between 1 and 2
Tensor cubic_far(const Tensor& x) {
  Tensor y = aten::mul_Tensor(x, kCubic);
  y = aten::sub_Tensor(y, 5 * kCubic);
  y = aten::mul_Tensor(y, x);
  y = aten::add_Tensor(y, 8 * kCubic);
  y = aten::mul_Tensor(y, x);
  return aten::sub_Tensor(y, 4 * kCubic);
}

// Weights of the four neighbours; on the CPU near and far ones are computed in pairs.
std::array<Tensor, 4> cubic_weights(const Tensor& t) {
  if (t.device().type != "cpu") {
    Tensor first = cubic_far(aten::add_Tensor(t, 1.0));
    Tensor second = cubic_near(t);
    Tensor third = cubic_near(aten::rsub_Scalar(t, 1.0));
    return {first, second, third, cubic_far(aten::rsub_Scalar(t, 2.0))};
  }
  Tensor from_right = aten::rsub_Scalar(t, 1.0);
  Tensor near = aten::stack(std::array{t, from_right}, 0);
  Tensor further_left = aten::add_Tensor(t, 1.0);
  Tensor further_right = aten::rsub_Scalar(t, 2.0);
  Tensor far = aten::stack(std::array{further_left, further_right}, 0);
  Tensor far_weights = cubic_far(far);
  Tensor near_weights = cubic_near(near);
  std::vector<Tensor> outer = aten::unbind_int(far_weights, 0);
  std::vector<Tensor> inner = aten::unbind_int(near_weights, 0);
  return {outer[0], inner[0], inner[1], outer[1]};
}

// Products first one by one, each added to the sum as soon as it is there.
Tensor weighted_sum(const std::array<Tensor, 4>& values, const std::array<Tensor, 4>& weights) {
  Tensor sum = aten::mul_Tensor(values[0], weights[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    Tensor product = aten::mul_Tensor(values[i], weights[i]);
    sum = aten::add_Tensor(sum, product);
  }
  return sum;
}

std::array<Tensor, 4> four_around(const Tensor& index) {
  Tensor before = aten::sub_Tensor(index, 1);
  Tensor after = aten::add_Tensor(index, 1);
  return {before, index, after, aten::add_Tensor(index, 2)};
}

Tensor cubic(const Tensor& input, SymInts size, bool align_corners, Scale scale_h, Scale scale_w) {
  if (input.dim() != 4 || size.size() != 2)
    fail_input("upsample_bicubic2d takes an input of rank 4 and 2 sizes, got ", input.dim(), " and ", size.size());
  if (input.dtype() == DType::kUInt8) fail_unsupported("upsample_bicubic2d of uint8 is not supported");
  SymInt in_h = input.size(2), in_w = input.size(3);
  Scalar factor_h = source_scale(in_h, size[0], align_corners, scale_h),
         factor_w = source_scale(in_w, size[1], align_corners, scale_w);
  DType dtype = meta::promoted(meta::Promote::kIntToFloat, input.dtype());
  Tensor rows = to_dtype(arange(size[0], input.device()), dtype);
  Tensor columns = to_dtype(arange(size[1], input.device()), dtype);
  Tensor x_exact = source_index(factor_w, columns, align_corners);
  Tensor y_exact = source_index(factor_h, rows, align_corners);
  y_exact = aten::unsqueeze(y_exact, -1);
  Tensor x_floor = aten::floor(x_exact);
  Tensor y_floor = aten::floor(y_exact);
  Tensor y_part = aten::clamp(aten::sub_Tensor(y_exact, y_floor), 0.0, 1.0);
  Tensor x_part = aten::clamp(aten::sub_Tensor(x_exact, x_floor), 0.0, 1.0);
  Tensor x = to_dtype(x_floor, DType::kInt64);
  Tensor y = to_dtype(y_floor, DType::kInt64);
  std::array<Tensor, 4> ys = four_around(y);
  std::array<Tensor, 4> xs = four_around(x);
  std::array<Tensor, 4> weights_x = cubic_weights(x_part);
  std::array<Tensor, 4> weights_y = cubic_weights(y_part);
  std::array<Tensor, 4> lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::array<Tensor, 4> pixels;
    for (size_t j = 0; j < pixels.size(); ++j) {
      Tensor row = aten::clamp(ys[i], 0, in_h - 1);
      Tensor column = aten::clamp(xs[j], 0, in_w - 1);
      pixels[j] = aten::_unsafe_index_Tensor(input, std::array{Tensor(), Tensor(), row, column});
    }
    lines[i] = weighted_sum(pixels, weights_x);
  }
  return aten::contiguous(weighted_sum(lines, weights_y), meta::suggest_memory_format(input.meta()));
}

Tensor bicubic2d(Tensor self, SymInts size, bool align_corners, Scale scale_h, Scale scale_w) {
  ComputeTypes types = compute_types({self});
  return types.down(cubic(types.up(self), size, align_corners, scale_h, scale_w));
}
Tensor bicubic2d_vec(Tensor self, std::optional<SymInts> size, bool align_corners, std::optional<Factors> factors) {
  Sizes out = output_size(self, size, factors);
  Scales scales = scales_of(factors, 2);
  if (follows_kernels()) return aten::upsample_bicubic2d(self, out, align_corners, scales[0], scales[1]);
  return bicubic2d(self, out, align_corners, scales[0], scales[1]);
}

// ---- antialiased: the kernels stay whole

template <auto kernel>
Tensor antialiased_vec(Tensor input, std::optional<SymInts> size, bool align_corners, std::optional<Factors> factors) {
  Sizes out = output_size(input, size, factors);
  Scales scales = scales_of(factors, 2);
  return kernel(input, out, align_corners, scales[0], scales[1]);
}

// ---- grid_sampler

Tensor grid_sampler(Tensor input, Tensor grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
  if (input.dim() == 4) return aten::grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners);
  return aten::grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners);
}

// [n, c, ...] sampled at [n, out..., spatial]
template <size_t spatial>
const TensorMeta* meta_grid_sampler(Tensor input, Tensor grid) {
  if (input.sizes().size() != spatial + 2 || grid.sizes().size() != spatial + 2)
    fail_input("grid_sampler_", spatial, "d takes an input and a grid of rank ", spatial + 2, ", got ", input.dim(),
               " and ", grid.dim());
  if (input.size(0) != grid.size(0) || grid.size(-1) != static_cast<int64_t>(spatial))
    fail_input("grid_sampler: a grid of batch ", grid.size(0).str(), " with ", grid.size(-1).str(),
               " coordinates does not fit");
  Sizes sizes(input.sizes().begin(), input.sizes().begin() + 2);
  sizes.insert(sizes.end(), grid.sizes().begin() + 1, grid.sizes().end() - 1);
  return meta::contiguous(sizes, input.dtype(), input.device());
}

// Reads a picture at the points of a grid, whose coordinates reach from -1 to 1.
class Sampler {
 public:
  Sampler(const Tensor& picture, const Tensor& grid, int64_t padding_mode, bool align_corners)
      : picture_(picture), padding_mode_(padding_mode), align_corners_(align_corners) {
    SymInt batch = picture.size(0), channels = picture.size(1), rows = grid.size(1), columns = grid.size(2);
    shape_ = {batch, channels, rows, columns};
    Tensor spread = aten::view(grid, {batch, 1, rows, columns, 2});
    grid_ = aten::expand(spread, {batch, channels, rows, columns, 2});
    batch_ = aten::view(arange(batch, picture.device()), {batch, 1, 1, 1});
    channel_ = aten::view(arange(channels, picture.device()), {1, channels, 1, 1});
  }

  Tensor sample(int64_t interpolation_mode) const {
    Tensor x = aten::select_int(grid_, 4, 0);
    Tensor y = aten::select_int(grid_, 4, 1);
    x = scaled(x, width());
    if (interpolation_mode == kBicubic) return bicubic(x, scaled(y, height()));
    x = bounded(x, width());
    y = bounded(scaled(y, height()), height());
    if (interpolation_mode == kBilinear) return bilinear(x, y);
    x = aten::round(x);
    y = aten::round(y);
    return read(x, y, 1);
  }

  static constexpr int64_t kBilinear = 0, kNearest = 1, kBicubic = 2;
  static constexpr int64_t kZeros = 0, kBorder = 1, kReflection = 2;

 private:
  SymInt width() const { return picture_.size(3); }
  SymInt height() const { return picture_.size(2); }

  // From [-1, 1] to [0, size - 1] with the corners aligned, else to [-1/2, size - 1/2].
  Tensor scaled(const Tensor& place, SymInt size) const {
    SymFloat half = SymFloat(size) * 0.5, last = half - 0.5;
    Tensor stretched = aten::mul_Tensor(place, Scalar(align_corners_ ? last : half));
    return aten::add_Tensor(stretched, Scalar(last));
  }

  // What lies outside of the picture is left there, moved to its border, or mirrored into it.
  Tensor bounded(const Tensor& place, SymInt size) const {
    if (padding_mode_ == kZeros) return place;
    if (padding_mode_ == kBorder) return aten::clamp(place, 0, size - 1);
    Tensor mirrored = align_corners_ ? reflected(place, 0, (size - 1) * 2) : reflected(place, -1, size * 2 - 1);
    return aten::clamp(mirrored, 0, size - 1);
  }

  // Between two bounds, both given twice as large.
  static Tensor reflected(const Tensor& place, SymInt low2, SymInt high2) {
    if (low2 == high2) return aten::zeros_like(place, std::nullopt, std::nullopt, std::nullopt, false);
    SymFloat low = true_div(low2, 2), span = true_div(high2 - low2, 2);
    Tensor distance = aten::abs(aten::sub_Tensor(place, Scalar(low)));
    Tensor rest = aten::fmod_Scalar(distance, span);
    Tensor flips = to_dtype(aten::floor(aten::div_Tensor(distance, Scalar(span))), DType::kInt8);
    Tensor even = aten::eq_Scalar(aten::bitwise_and_Scalar(flips, 1), 0);
    Tensor forwards = aten::add_Tensor(rest, Scalar(low));
    return aten::where_self(even, forwards, aten::rsub_Scalar(rest, span + low));
  }

  Tensor is_inside(const Tensor& x, const Tensor& y) const {
    Tensor right_of = aten::ge_Scalar(x, 0);
    Tensor left_of = aten::lt_Scalar(x, width());
    Tensor below = aten::ge_Scalar(y, 0);
    Tensor above = aten::lt_Scalar(y, height());
    Tensor inside = aten::logical_and(left_of, aten::logical_and(below, above));
    return aten::logical_and(right_of, inside);
  }

  // The pixels at (x, y) times a weight; 0 outside of the picture.
  Tensor read(const Tensor& x, const Tensor& y, const Tensor& weight) const {
    Tensor inside = is_inside(x, y);
    Tensor column = to_dtype(x, DType::kInt64);
    Tensor row = to_dtype(y, DType::kInt64);
    column = aten::view(aten::where_ScalarOther(inside, column, 0), shape_);
    row = aten::view(aten::where_ScalarOther(inside, row, 0), shape_);
    Tensor factor = weight.is_number() ? aten::where_Scalar(inside, weight.number(), 0)
                                       : aten::where_ScalarOther(inside, weight, 0);
    factor = aten::view(factor, shape_);
    Tensor pixels = aten::index_Tensor(picture_, std::array{batch_, channel_, row, column});
    return aten::mul_Tensor(pixels, factor);
  }

  Tensor bilinear(const Tensor& x, const Tensor& y) const {
    Tensor west = aten::floor(x);
    Tensor north = aten::floor(y);
    Tensor east = aten::add_Tensor(west, 1);
    Tensor south = aten::add_Tensor(north, 1);
    auto area = [](const Tensor& right, const Tensor& left, const Tensor& bottom, const Tensor& top) {
      Tensor width = aten::sub_Tensor(right, left);
      Tensor height = aten::sub_Tensor(bottom, top);
      return aten::mul_Tensor(width, height);
    };
    Tensor north_west = area(east, x, south, y);
    Tensor north_east = area(x, west, south, y);
    Tensor south_west = area(east, x, y, north);
    Tensor south_east = area(x, west, y, north);
    Tensor sum = read(west, north, north_west);
    sum = aten::add_Tensor(sum, read(east, north, north_east));
    sum = aten::add_Tensor(sum, read(west, south, south_west));
    return aten::add_Tensor(sum, read(east, south, south_east));
  }

  Tensor bicubic(const Tensor& x, const Tensor& y) const {
    Tensor west = aten::floor(x);
    Tensor north = aten::floor(y);
    Tensor x_part = aten::sub_Tensor(x, west);
    Tensor y_part = aten::sub_Tensor(y, north);
    auto pixel = [&](const Tensor& column, const Tensor& row) {
      Tensor inner_column = bounded(column, width());
      Tensor inner_row = bounded(row, height());
      return read(inner_column, inner_row, 1);
    };
    std::array<Tensor, 4> lines, pixels;
    for (int i = 0; i < 4; ++i) {
      Tensor row = aten::add_Tensor(north, i - 1);
      pixels[0] = pixel(aten::sub_Tensor(west, 1), row);
      pixels[1] = pixel(west, row);
      pixels[2] = pixel(aten::add_Tensor(west, 1), row);
      pixels[3] = pixel(aten::add_Tensor(west, 2), row);
      std::array<Tensor, 4> weights = cubic_weights(x_part);
      lines[static_cast<size_t>(i)] = weighted_sum(pixels, weights);
    }
    std::array<Tensor, 4> weights = cubic_weights(y_part);
    return weighted_sum(lines, weights);
  }

  Tensor picture_, grid_, batch_, channel_;
  Sizes shape_;
  int64_t padding_mode_;
  bool align_corners_;
};

Tensor reference_grid_sampler_2d(Tensor input, Tensor grid, int64_t interpolation_mode, int64_t padding_mode,
                                 bool align_corners) {
  meta_grid_sampler<2>(input, grid);
  if (interpolation_mode < 0 || interpolation_mode > Sampler::kBicubic || padding_mode < 0 ||
      padding_mode > Sampler::kReflection)
    fail_input("grid_sampler_2d: interpolation mode ", interpolation_mode, " and padding mode ", padding_mode,
               " must be 0, 1 or 2");
  ComputeTypes types = compute_types({input, grid});
  Tensor picture = types.up(input);
  Sampler sampler(picture, types.up(grid), padding_mode, align_corners);
  return types.down(sampler.sample(interpolation_mode));
}

// ---- affine_grid_generator

// n points from -1 to 1: the ends themselves, or the middles of n pieces.
Tensor centered_range(SymInt count, bool align_corners, const Tensor& like) {
  if (count <= 1)
    fail_unsupported("affine_grid_generator with a size of ", count.str(), " makes a constant, which torch refuses");
  SymFloat last = true_div(count - 1, count);
  Scalar start = align_corners ? Scalar(-1) : Scalar(-last), end = align_corners ? Scalar(1) : Scalar(last);
  return aten::linspace(start, end, count, like.dtype(), std::nullopt, like.device(), false);
}

// Each coordinate of the grid in its column, ones in the last, times the transposed matrix.
Tensor affine_grid_generator(Tensor self, SymInts size, bool align_corners) {
  if (size.size() != 4 && size.size() != 5) fail_input("affine_grid_generator takes 4 or 5 sizes, got ", size.size());
  ComputeTypes types = compute_types({self});
  Tensor theta = types.up(self);
  size_t spatial = size.size() - 2;
  std::vector<Tensor> parts;
  for (size_t i = 0; i < spatial; ++i) {
    SymInt count = size[size.size() - 1 - i];
    Sizes shape(spatial + 1, 1);
    shape[spatial - 1 - i] = count;
    parts.push_back(aten::view(centered_range(count, align_corners, theta), shape));
  }
  parts.push_back(aten::ones(Sizes(spatial + 1, 1), theta.dtype(), std::nullopt, theta.device(), false));
  for (size_t i = 0; i <= spatial; ++i) parts[i] = aten::pad(parts[i], {i, spatial - i}, "constant", 0.0);
  Tensor grid = parts[0];
  for (size_t i = 1; i <= spatial; ++i) grid = aten::add_Tensor(grid, parts[i]);
  Tensor points = aten::view(grid, {-1, spatial + 1, 1});
  Tensor matrix = aten::mT(theta);
  matrix = aten::unsqueeze(matrix, 1);
  Tensor moved = aten::sum_dim_IntList(aten::mul_Tensor(points, matrix), IntList{-2});
  Sizes shape{size[0]};
  shape.insert(shape.end(), size.begin() + 2, size.end());
  shape.push_back(spatial);
  return types.down(aten::view(moved, shape));
}

constexpr OpDef kRows[] = {
    {.op = "aten::upsample_nearest1d", .meta = box_meta<meta_resized>, .body = box<nearest1d<false>>},
    {.op = "aten::upsample_nearest2d", .meta = box_meta<meta_resized>, .body = box<nearest2d<false>>},
    {.op = "aten::upsample_nearest3d", .meta = box_meta<meta_resized>, .body = box<nearest3d<false>>},
    {.op = "aten::_upsample_nearest_exact1d", .meta = box_meta<meta_resized>, .body = box<nearest1d<true>>},
    {.op = "aten::_upsample_nearest_exact2d", .meta = box_meta<meta_resized>, .body = box<nearest2d<true>>},
    {.op = "aten::_upsample_nearest_exact3d", .meta = box_meta<meta_resized>, .body = box<nearest3d<true>>},
    {.op = "aten::upsample_nearest1d.vec", .meta = box_meta<meta_nearest_vec>, .body = box<nearest_vec<false>>},
    {.op = "aten::upsample_nearest2d.vec", .meta = box_meta<meta_nearest_vec>, .body = box<nearest_vec<false>>},
    {.op = "aten::upsample_nearest3d.vec", .meta = box_meta<meta_nearest_vec>, .body = box<nearest_vec<false>>},
    {.op = "aten::_upsample_nearest_exact1d.vec", .meta = box_meta<meta_nearest_vec>, .body = box<nearest_vec<true>>},
    {.op = "aten::_upsample_nearest_exact2d.vec", .meta = box_meta<meta_nearest_vec>, .body = box<nearest_vec<true>>},
    {.op = "aten::_upsample_nearest_exact3d.vec", .meta = box_meta<meta_nearest_vec>, .body = box<nearest_vec<true>>},
    {.op = "aten::upsample_linear1d", .meta = box_meta<meta_resized>, .body = box<linear1d>},
    {.op = "aten::upsample_bilinear2d", .meta = box_meta<meta_resized>, .body = box<bilinear2d>},
    {.op = "aten::upsample_trilinear3d", .meta = box_meta<meta_resized>, .body = box<trilinear3d>},
    {.op = "aten::upsample_linear1d.vec", .meta = box_meta<meta_linear_vec>, .body = box<linear_vec>},
    {.op = "aten::upsample_bilinear2d.vec", .meta = box_meta<meta_linear_vec>, .body = box<linear_vec>},
    {.op = "aten::upsample_trilinear3d.vec", .meta = box_meta<meta_linear_vec>, .body = box<linear_vec>},
    {.op = "aten::upsample_bicubic2d", .meta = box_meta<meta_resized>, .body = box<bicubic2d>},
    {.op = "aten::upsample_bicubic2d.vec", .meta = box_meta<meta_linear_vec>, .body = box<bicubic2d_vec>},
    {.op = "aten::_upsample_bilinear2d_aa", .meta = box_meta<meta_resized>},
    {.op = "aten::_upsample_bicubic2d_aa", .meta = box_meta<meta_resized>},
    {.op = "aten::_upsample_lanczos2d_aa", .meta = box_meta<meta_resized>},
    {.op = "aten::_upsample_bilinear2d_aa.vec", .body = box<antialiased_vec<aten::_upsample_bilinear2d_aa>>},
    {.op = "aten::_upsample_bicubic2d_aa.vec", .body = box<antialiased_vec<aten::_upsample_bicubic2d_aa>>},
    {.op = "aten::_upsample_lanczos2d_aa.vec", .body = box<antialiased_vec<aten::_upsample_lanczos2d_aa>>},
    {.op = "aten::affine_grid_generator", .body = box<affine_grid_generator>},
    {.op = "aten::grid_sampler", .body = box<grid_sampler>},
    {.op = "aten::grid_sampler_2d",
     .meta = box_meta<meta_grid_sampler<2>>,
     .reference = box<reference_grid_sampler_2d>},
    {.op = "aten::grid_sampler_3d", .meta = box_meta<meta_grid_sampler<3>>},
};

}  // namespace

const std::span<const OpDef> kUpsampleOps = kRows;

}  // namespace rung::ops
