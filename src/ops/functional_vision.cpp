// Pictures as the operators that torch's Python calls make of them.
#include "ops/functional_vision.h"

#include <string>

#include "base/error.h"
#include "ops/functional.h"
#include "ops/number.h"
#include "ops/repeated.h"
#include "trace/without_reference.h"

namespace rung::nn::functional {

Tensor pad(const Tensor& input, IntList pad, std::string_view mode, std::optional<double> value) {
  WithoutReference plain;
  return aten::pad(input, pad, mode, value);
}
Tensor unfold(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts dilation, OneOrMoreInts padding,
              OneOrMoreInts stride) {
  WithoutReference plain;
  return aten::im2col(input, repeated(kernel_size, 2), repeated(dilation, 2), repeated(padding, 2),
                      repeated(stride, 2));
}
Tensor fold(const Tensor& input, OneOrMoreInts output_size, OneOrMoreInts kernel_size, OneOrMoreInts dilation,
            OneOrMoreInts padding, OneOrMoreInts stride) {
  WithoutReference plain;
  return aten::col2im(input, repeated(output_size, 2), repeated(kernel_size, 2), repeated(dilation, 2),
                      repeated(padding, 2), repeated(stride, 2));
}

// ---- interpolation

namespace {

using Sizes = std::vector<SymInt>;
using MaybeSizes = std::optional<IntList>;
using MaybeFactors = std::optional<std::span<const double>>;
using Nearest = Tensor (*)(const Tensor&, MaybeSizes, MaybeFactors);
using Linear = Tensor (*)(const Tensor&, MaybeSizes, bool, MaybeFactors);

// What a mode calls for an input of a rank; the one of the three that it has.
struct Resampler {
  std::string_view mode;
  int64_t rank;
  bool antialias;
  Nearest nearest = nullptr;
  Linear linear = nullptr;
  Tensor (*pool)(const Tensor&, SymInts) = nullptr;
};

constexpr Resampler kResamplers[] = {
    {"nearest", 3, false, aten::upsample_nearest1d_vec},
    {"nearest", 4, false, aten::upsample_nearest2d_vec},
    {"nearest", 5, false, aten::upsample_nearest3d_vec},
    {"nearest-exact", 3, false, aten::_upsample_nearest_exact1d_vec},
    {"nearest-exact", 4, false, aten::_upsample_nearest_exact2d_vec},
    {"nearest-exact", 5, false, aten::_upsample_nearest_exact3d_vec},
    {"linear", 3, false, nullptr, aten::upsample_linear1d_vec},
    {"bilinear", 4, false, nullptr, aten::upsample_bilinear2d_vec},
    {"bilinear", 4, true, nullptr, aten::_upsample_bilinear2d_aa_vec},
    {"trilinear", 5, false, nullptr, aten::upsample_trilinear3d_vec},
    {"bicubic", 4, false, nullptr, aten::upsample_bicubic2d_vec},
    {"bicubic", 4, true, nullptr, aten::_upsample_bicubic2d_aa_vec},
    {"lanczos", 4, true, nullptr, aten::_upsample_lanczos2d_aa_vec},
    {"area", 3, false, nullptr, nullptr, [](const Tensor& x, SymInts s) { return aten::adaptive_avg_pool1d(x, s); }},
    {"area", 4, false, nullptr, nullptr, [](const Tensor& x, SymInts s) { return aten::adaptive_avg_pool2d(x, s); }},
    {"area", 5, false, nullptr, nullptr, [](const Tensor& x, SymInts s) { return aten::adaptive_avg_pool3d(x, s); }},
};

const Resampler& resampler_of(std::string_view mode, int64_t rank, bool antialias) {
  const Resampler* other = nullptr;
  for (const Resampler& row : kResamplers) {
    if (row.mode != mode) continue;
    if (row.rank == rank && row.antialias == antialias) return row;
    if (row.rank == rank || other == nullptr) other = &row;
  }
  if (other == nullptr)
    fail_input("interpolate has no mode '", mode, "': it takes nearest, nearest-exact, area, linear, bilinear, ",
               "trilinear, bicubic and lanczos");
  if (other->rank == rank)
    fail_input("interpolate: mode '", mode, "' ", antialias ? "has no anti-aliasing" : "requires antialias = true");
  fail_input("interpolate: got an input of rank ", rank, ", but mode '", mode, "' needs rank ",
             other->nearest != nullptr || other->pool != nullptr ? "3, 4 or 5" : std::to_string(other->rank));
}

bool has_corners(std::string_view mode) { return mode != "nearest" && mode != "nearest-exact" && mode != "area"; }

}  // namespace

Tensor interpolate(const Tensor& input, IntsOrNone size, OneOrMoreDoubles scale_factor, std::string_view mode,
                   std::optional<bool> align_corners, std::optional<bool> recompute_scale_factor, bool antialias) {
  WithoutReference plain;
  if (align_corners && !has_corners(mode))
    fail_input("interpolate: align_corners can only be set with the modes linear, bilinear, bicubic and trilinear, ",
               "got '", mode, "'");
  const std::optional<OneOrMoreInts>& given = size.given();
  if (given.has_value() == scale_factor.given())
    fail_input("interpolate: ", given ? "only one of size or scale_factor" : "either size or scale_factor",
               " should be given");
  size_t spatial = input.dim() < 2 ? 0 : static_cast<size_t>(input.dim() - 2);
  bool recomputes = recompute_scale_factor.value_or(false);
  if (recomputes && given) fail_input("interpolate: recompute_scale_factor is not meaningful with an explicit size");
  if (mode == "area" && !given) recomputes = true;

  Sizes sizes;
  if (given) sizes = repeated(*given, spatial);
  size_t count = given ? sizes.size() : scale_factor.size(spatial);
  if (count != spatial)
    fail_input("interpolate: an input of rank ", input.dim(), " has ", spatial, " spatial dimensions, got ", count,
               given ? " sizes" : " scale factors");
  const Resampler& resampler = resampler_of(mode, input.dim(), antialias);
  if (mode == "lanczos" && align_corners.value_or(false))
    fail_input("interpolate: mode 'lanczos' does not support align_corners = true");

  std::vector<double> factors = scale_factor.given() ? scale_factor.repeated(spatial) : std::vector<double>();
  for (size_t i = 0; recomputes && i < spatial; ++i)
    sizes.push_back(trunc(ops::SymFloat(input.sizes()[i + 2]) * factors[i]));
  bool by_size = given || recomputes;
  MaybeSizes to = by_size ? MaybeSizes(sizes) : std::nullopt;
  MaybeFactors by = by_size ? std::nullopt : MaybeFactors(factors);
  if (resampler.pool != nullptr) return resampler.pool(input, sizes);
  if (resampler.nearest != nullptr) return resampler.nearest(input, to, by);
  return resampler.linear(input, to, align_corners.value_or(false), by);
}

Tensor upsample(const Tensor& input, IntsOrNone size, OneOrMoreDoubles scale_factor, std::string_view mode,
                std::optional<bool> align_corners) {
  return interpolate(input, size, scale_factor, mode, align_corners);
}
Tensor upsample_nearest(const Tensor& input, IntsOrNone size, OneOrMoreDoubles scale_factor) {
  return interpolate(input, size, scale_factor, "nearest");
}
Tensor upsample_bilinear(const Tensor& input, IntsOrNone size, OneOrMoreDoubles scale_factor) {
  return interpolate(input, size, scale_factor, "bilinear", true);
}

// ---- grids

Tensor affine_grid(const Tensor& theta, IntList size, std::optional<bool> align_corners) {
  WithoutReference plain;
  SymInts sizes = size.span();
  if (!is_floating(theta.dtype()))
    fail_input("affine_grid: expected theta to have floating point type, but got ", info(theta.dtype()).name);
  if (sizes.size() != 4 && sizes.size() != 5)
    fail_input("affine_grid only supports 4 and 5 sizes, for maps of 2 and 3 dimensions, got ", sizes.size());
  int64_t rows = static_cast<int64_t>(sizes.size()) - 2;
  if (theta.dim() != 3 || theta.size(-2) != rows || theta.size(-1) != rows + 1)
    fail_input("affine_grid: ", sizes.size(), " sizes need a batch of matrices of ", rows, " x ", rows + 1,
               ", got a theta of rank ", theta.dim());
  for (SymInt s : sizes)
    if (s <= 0) fail_input("affine_grid: expected positive output sizes, got ", s.str());
  return aten::affine_grid_generator(theta, size, align_corners.value_or(false));
}

static int64_t place_of(std::string_view word, std::initializer_list<std::string_view> words, const char* parameter) {
  int64_t place = 0;
  std::string known;
  for (std::string_view each : words) {
    if (each == word) return place;
    known += cat(place++ == 0 ? "'" : ", '", each, "'");
  }
  fail_input("grid_sample: expected ", parameter, " to be one of ", known, ", but got '", word, "'");
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, std::string_view mode, std::string_view padding_mode,
                   std::optional<bool> align_corners) {
  WithoutReference plain;
  int64_t interpolation = place_of(mode, {"bilinear", "nearest", "bicubic"}, "mode");
  int64_t padding = place_of(padding_mode, {"zeros", "border", "reflection"}, "padding_mode");
  return aten::grid_sampler(input, grid, interpolation, padding, align_corners.value_or(false));
}

}  // namespace rung::nn::functional
