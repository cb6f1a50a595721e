// Reading a volume at the points of a grid. Coordinates are computed in the dtype, as rounding decides what is nearest.
#include <algorithm>
#include <cmath>

#include "ops/kernels.h"

namespace rung::ops {
namespace {

enum class Padding { kZeros, kBorder, kReflection };

// A distance beyond the borders is walked back, to and fro.
template <typename F>
F reflected(F at, F twice_low, F twice_high) {
  if (twice_low == twice_high) return 0;
  F low = twice_low / 2, span = (twice_high - twice_low) / 2;
  at = std::fabs(at - low);
  F rest = std::fmod(at, span), flips = std::floor(at / span);
  return std::fmod(flips, F(2)) == 0 ? rest + low : span - rest + low;
}

// From [-1, 1] to places; what lies outside is moved in, unless it reads zeros.
template <typename F>
F place_of(F coordinate, int64_t size, Padding padding, bool align_corners) {
  F length = static_cast<F>(size);
  F at = align_corners ? (coordinate + 1) / 2 * (length - 1) : ((coordinate + 1) * length - 1) / 2;
  if (padding == Padding::kZeros) return at;
  if (padding == Padding::kReflection)
    at = align_corners ? reflected<F>(at, 0, 2 * (length - 1)) : reflected<F>(at, -1, 2 * length - 1);
  return std::min(length - 1, std::max(at, F(0)));
}

struct Volume {
  const std::vector<double>& values;
  int64_t depth, height, width;
  // Zero outside.
  double at(int64_t channel, double z, double y, double x) const {
    auto inside = [](double i, int64_t size) { return i >= 0 && i < static_cast<double>(size); };
    if (!inside(z, depth) || !inside(y, height) || !inside(x, width)) return 0;
    int64_t place = ((channel * depth + static_cast<int64_t>(z)) * height + static_cast<int64_t>(y)) * width;
    return values[static_cast<size_t>(place + static_cast<int64_t>(x))];
  }
};

// The eight corners around a point, each by the volume of the box opposite.
double trilinear(const Volume& volume, int64_t channel, double z, double y, double x) {
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1, place[3] = {z, y, x};
    for (int d = 0; d < 3; ++d) {
      double low = std::floor(place[d]), part = place[d] - low;
      bool is_high = ((corner >> d) & 1) != 0;
      weight *= is_high ? part : 1 - part;
      place[d] = is_high ? low + 1 : low;
    }
    double value = volume.at(channel, place[0], place[1], place[2]);
    if (value != 0) sum += weight * value;
  }
  return sum;
}

template <typename F>
std::vector<double> sampled(const Tensor& input, const Tensor& grid, bool is_nearest, Padding padding,
                            bool align_corners) {
  ref::Shape in = ref::shape_of(input), points = ref::shape_of(grid);
  std::vector<double> values = ref::values<double>(input), coordinates = ref::values<double>(grid);
  Volume volume{values, in[2], in[3], in[4]};
  int64_t per_batch = points[1] * points[2] * points[3];
  std::vector<double> out;
  for (int64_t n = 0; n < in[0]; ++n) {
    for (int64_t c = 0; c < in[1]; ++c) {
      for (int64_t p = 0; p < per_batch; ++p) {
        const double* xyz = &coordinates[static_cast<size_t>((n * per_batch + p) * 3)];
        F x = place_of(static_cast<F>(xyz[0]), in[4], padding, align_corners);
        F y = place_of(static_cast<F>(xyz[1]), in[3], padding, align_corners);
        F z = place_of(static_cast<F>(xyz[2]), in[2], padding, align_corners);
        int64_t channel = n * in[1] + c;
        out.push_back(is_nearest ? volume.at(channel, std::nearbyint(z), std::nearbyint(y), std::nearbyint(x))
                                 : trilinear(volume, channel, z, y, x));
      }
    }
  }
  return out;
}

Argument grid_sampler_3d(const Call& call) {
  Tensor input(call.args[0]), grid(call.args[1]);
  int64_t mode = unbox_int(call.args[2]).value(), padding = unbox_int(call.args[3]).value();
  if (mode < 0 || mode > 1 || padding < 0 || padding > 2)
    fail_input("grid_sampler_3d: interpolation mode ", mode, " must be 0 or 1, and padding mode ", padding,
               " 0, 1 or 2");
  const TensorMeta& result = result_meta(call);
  auto sample = input.dtype() == DType::kFloat64 ? sampled<double> : sampled<float>;
  return ref::make(result, sample(input, grid, mode == 1, static_cast<Padding>(padding), unbox_bool(call.args[4])))
      .argument();
}

constexpr KernelRow kRows[] = {
    {"aten::grid_sampler_3d", grid_sampler_3d},
};

}  // namespace

const std::span<const KernelRow> kGridSamplerKernels = kRows;

}  // namespace rung::ops
