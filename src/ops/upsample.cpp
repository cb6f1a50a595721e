// Resampling: nearest, linear and cubic interpolation on a grid of another size.
#include <algorithm>
#include <cmath>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/cubic.h"
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

// ---- antialiased: references

struct Filter {
  Tensor (*weight)(const Tensor& distance);
  double reach;  // it is 0 beyond
};

// 1 - |x|
Tensor triangle(const Tensor& x) { return aten::clamp_min(aten::rsub_Scalar(aten::abs(x), 1), 0); }

// Keys' cubic with a = -1/2
Tensor keys(const Tensor& x) {
  Tensor distance = aten::abs(x);
  Tensor square = aten::mul_Tensor(distance, distance);
  Tensor inner = aten::sub_Tensor(aten::mul_Tensor(distance, 1.5), 2.5);
  inner = aten::add_Tensor(aten::mul_Tensor(inner, square), 1);
  Tensor outer = aten::mul_Tensor(aten::sub_Tensor(distance, 5), distance);
  outer = aten::mul_Tensor(aten::add_Tensor(outer, 8), distance);
  outer = aten::mul_Tensor(aten::sub_Tensor(outer, 4), -0.5);
  outer = aten::where_ScalarOther(aten::lt_Scalar(distance, 2), outer, 0.0);
  return aten::where_self(aten::lt_Scalar(distance, 1), inner, outer);
}
// sinc(x) sinc(x / 3)
Tensor lanczos(const Tensor& x) {
  Tensor wave = aten::sinc(x);
  Tensor product = aten::mul_Tensor(wave, aten::sinc(aten::div_Tensor(x, 3)));
  return aten::where_ScalarOther(aten::lt_Scalar(aten::abs(x), 3), product, 0.0);
}

constexpr Filter kTriangle{triangle, 1}, kKeys{keys, 2}, kLanczos{lanczos, 3};

// How much of each of `in` pixels goes into each of `out`: a filter as wide as what shrinks to one pixel, in rows whose
// sum is 1.
Tensor blend(SymInt in, SymInt out, const Scalar& step, const Filter& filter, const Device& device) {
  Tensor middle = aten::add_Tensor(arange(out, device, DType::kFloat64), 0.5);
  Tensor center = aten::unsqueeze(aten::mul_Tensor(middle, step), -1);
  Tensor widening = aten::clamp_min(full({}, step, DType::kFloat64, device), 1);
  Tensor reach = aten::mul_Tensor(widening, filter.reach);
  Tensor pixel = arange(in, device, DType::kFloat64);
  Tensor from = aten::add_Tensor(aten::sub_Tensor(center, reach), 0.5);
  Tensor to = aten::add_Tensor(aten::add_Tensor(center, reach), 0.5);
  Tensor starts = aten::ge_Tensor(pixel, aten::trunc(from));
  Tensor inside = aten::logical_and(starts, aten::lt_Tensor(pixel, aten::trunc(to)));
  Tensor distance = aten::div_Tensor(aten::add_Tensor(aten::sub_Tensor(pixel, center), 0.5), widening);
  Tensor weights = aten::where_ScalarOther(inside, filter.weight(distance), 0.0);
  return aten::div_Tensor(weights, aten::sum_dim_IntList(weights, IntList{-1}, true));
}

// Rows and columns are blended by a matrix each, so that an infinite pixel reaches all of its line. Bytes are blended
// in whole numbers, which only the kernel does.
template <const Filter& filter>
Argument antialiased(const Call& call) {
  Tensor self = unbox_tensor(call.args[0]);
  SymInts size = unbox_ints(call.args[1]);
  bool align_corners = unbox_bool(call.args[2]);
  if (!is_floating(self.dtype())) return not_decomposed();
  auto blend_of = [&](size_t d) {
    SymInt in = self.sizes()[2 + d];
    Scalar step = source_scale(in, size[d], align_corners, Unbox<Scale>::from(call.args[3 + d]));
    return to_dtype(blend(in, size[d], step, filter, self.device()), self.dtype());
  };
  Tensor columns = aten::matmul(self, aten::mT(blend_of(1)));
  return aten::matmul(blend_of(0), columns).argument();
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
    {.op = "aten::_upsample_bilinear2d_aa", .meta = box_meta<meta_resized>, .reference = antialiased<kTriangle>},
    {.op = "aten::_upsample_bicubic2d_aa", .meta = box_meta<meta_resized>, .reference = antialiased<kKeys>},
    {.op = "aten::_upsample_lanczos2d_aa", .meta = box_meta<meta_resized>, .reference = antialiased<kLanczos>},
    {.op = "aten::_upsample_bilinear2d_aa.vec", .body = box<antialiased_vec<aten::_upsample_bilinear2d_aa>>},
    {.op = "aten::_upsample_bicubic2d_aa.vec", .body = box<antialiased_vec<aten::_upsample_bicubic2d_aa>>},
    {.op = "aten::_upsample_lanczos2d_aa.vec", .body = box<antialiased_vec<aten::_upsample_lanczos2d_aa>>},
};

}  // namespace

const std::span<const OpDef> kUpsampleOps = kRows;

}  // namespace rung::ops
