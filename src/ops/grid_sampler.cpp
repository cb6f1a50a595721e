// Reading a picture at the points of a grid, and making the grid of an affine map.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/cubic.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/number.h"

namespace rung::ops {
namespace {

using meta::Sizes;

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

constexpr int64_t kBilinear = 0, kNearest = 1, kBicubic = 2;
constexpr int64_t kZeros = 0, kBorder = 1, kReflection = 2;

// From coordinates to places along a dimension.
struct Placing {
  int64_t padding_mode;
  bool align_corners;

  // From [-1, 1] to [0, size - 1] with the corners aligned, else to [-1/2, size - 1/2].
  Tensor scaled(const Tensor& place, SymInt size) const {
    SymFloat half = SymFloat(size) * 0.5, last = half - 0.5;
    Tensor stretched = aten::mul_Tensor(place, Scalar(align_corners ? last : half));
    return aten::add_Tensor(stretched, Scalar(last));
  }

  // What lies outside of the picture is left there, moved to its border, or mirrored into it.
  Tensor bounded(const Tensor& place, SymInt size) const {
    if (padding_mode == kZeros) return place;
    if (padding_mode == kBorder) return aten::clamp(place, 0, size - 1);
    Tensor mirrored = align_corners ? reflected(place, 0, (size - 1) * 2) : reflected(place, -1, size * 2 - 1);
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
};

// Reads a picture at the points of a grid, whose coordinates reach from -1 to 1.
class Sampler {
 public:
  Sampler(const Tensor& picture, const Tensor& grid, int64_t padding_mode, bool align_corners)
      : picture_(picture), placing_{padding_mode, align_corners} {
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
    x = placing_.scaled(x, width());
    if (interpolation_mode == kBicubic) return bicubic(x, placing_.scaled(y, height()));
    x = placing_.bounded(x, width());
    y = placing_.bounded(placing_.scaled(y, height()), height());
    if (interpolation_mode == kBilinear) return bilinear(x, y);
    x = aten::round(x);
    y = aten::round(y);
    return read(x, y, 1);
  }

 private:
  SymInt width() const { return picture_.size(3); }
  SymInt height() const { return picture_.size(2); }

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
      Tensor inner_column = placing_.bounded(column, width());
      Tensor inner_row = placing_.bounded(row, height());
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
  Placing placing_;
};

Tensor reference_grid_sampler_2d(Tensor input, Tensor grid, int64_t interpolation_mode, int64_t padding_mode,
                                 bool align_corners) {
  meta_grid_sampler<2>(input, grid);
  if (interpolation_mode < 0 || interpolation_mode > kBicubic || padding_mode < 0 || padding_mode > kReflection)
    fail_input("grid_sampler_2d: interpolation mode ", interpolation_mode, " and padding mode ", padding_mode,
               " must be 0, 1 or 2");
  ComputeTypes types = compute_types({input, grid});
  Tensor picture = types.up(input);
  Sampler sampler(picture, types.up(grid), padding_mode, align_corners);
  return types.down(sampler.sample(interpolation_mode));
}

// Between the eight voxels around each point, each by the volume of the box between the point and the one across.
Tensor reference_grid_sampler_3d(Tensor input, Tensor grid, int64_t interpolation_mode, int64_t padding_mode,
                                 bool align_corners) {
  constexpr size_t kSpatial = 3;
  meta_grid_sampler<kSpatial>(input, grid);
  if (interpolation_mode < 0 || interpolation_mode > kNearest || padding_mode < 0 || padding_mode > kReflection)
    fail_input("grid_sampler_3d: interpolation mode ", interpolation_mode, " must be 0 or 1, and padding mode ",
               padding_mode, " 0, 1 or 2");
  ComputeTypes types = compute_types({input, grid});
  Tensor volume = types.up(input);
  Tensor points = types.up(grid);
  const Placing placing{padding_mode, align_corners};
  SymInt batch = volume.size(0), channels = volume.size(1);
  Tensor sample = aten::view(arange(batch, volume.device()), {batch, 1, 1, 1, 1});
  Tensor channel = aten::view(arange(channels, volume.device()), {1, channels, 1, 1, 1});

  // The voxels at whole places (z, y, x), each times its weights; 0 outside of the volume.
  auto read = [&](const std::array<Tensor, kSpatial>& at, const Tensor& weight) {
    Tensor inside;
    for (size_t d = 0; d < kSpatial; ++d) {
      Tensor not_before = aten::ge_Scalar(at[d], 0);
      Tensor within = aten::logical_and(not_before, aten::lt_Scalar(at[d], volume.sizes()[2 + d]));
      inside = inside ? aten::logical_and(inside, within) : within;
    }
    std::vector<Tensor> index = {sample, channel};
    for (const Tensor& place : at) {
      Tensor whole = to_dtype(place, DType::kInt64);
      index.push_back(aten::unsqueeze(aten::where_ScalarOther(inside, whole, 0), 1));
    }
    Tensor voxels = aten::index_Tensor(volume, index);
    Tensor factor = aten::unsqueeze(aten::where_ScalarOther(inside, weight, 0), 1);
    return aten::mul_Tensor(voxels, factor);
  };

  std::array<Tensor, kSpatial> places;
  for (size_t d = 0; d < kSpatial; ++d) {
    SymInt size = volume.sizes()[2 + d];
    Tensor coordinate = aten::select_int(points, 4, kSpatial - 1 - d);
    places[d] = placing.bounded(placing.scaled(coordinate, size), size);
  }
  if (interpolation_mode == kNearest) {
    for (Tensor& place : places) place = aten::round(place);
    Tensor one = aten::ones_like(places[0], std::nullopt, std::nullopt, std::nullopt, false);
    return types.down(read(places, one));
  }
  std::array<std::array<Tensor, 2>, kSpatial> sides, shares;
  for (size_t d = 0; d < kSpatial; ++d) {
    Tensor low = aten::floor(places[d]);
    Tensor part = aten::sub_Tensor(places[d], low);
    sides[d] = {low, aten::add_Tensor(low, 1)};
    shares[d] = {aten::rsub_Scalar(part, 1), part};
  }
  Tensor sum;
  for (size_t corner = 0; corner < 8; ++corner) {
    size_t z = corner >> 2, y = (corner >> 1) & 1, x = corner & 1;
    Tensor weight = aten::mul_Tensor(aten::mul_Tensor(shares[0][z], shares[1][y]), shares[2][x]);
    Tensor part = read({sides[0][z], sides[1][y], sides[2][x]}, weight);
    sum = sum ? aten::add_Tensor(sum, part) : part;
  }
  return types.down(sum);
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
    {.op = "aten::affine_grid_generator", .body = box<affine_grid_generator>},
    {.op = "aten::grid_sampler", .body = box<grid_sampler>},
    {.op = "aten::grid_sampler_2d",
     .meta = box_meta<meta_grid_sampler<2>>,
     .reference = box<reference_grid_sampler_2d>},
    {.op = "aten::grid_sampler_3d",
     .meta = box_meta<meta_grid_sampler<3>>,
     .reference = box<reference_grid_sampler_3d>},
};

}  // namespace

const std::span<const OpDef> kGridSamplerOps = kRows;

}  // namespace rung::ops
