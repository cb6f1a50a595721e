// Pictures resized with a filter as wide as what shrinks to one pixel, one dimension after the other.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/dims.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using Filter = double (*)(double);
struct Kind {
  Filter filter;
  double reach;  // the filter is 0 beyond it
};

double triangle(double x) { return std::max(0.0, 1 - std::fabs(x)); }
// Keys' cubic with a = -1/2
double keys(double x) {
  constexpr double kA = -0.5;
  x = std::fabs(x);
  if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0;
}
double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }
double lanczos(double x) { return std::fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0; }

constexpr Kind kLinear{triangle, 1}, kCubic{keys, 2}, kLanczos{lanczos, 3};

// The pixels that make up one of the result.
struct Blend {
  int64_t first;
  std::vector<double> weights;
};

// How many pixels of the input a step of one pixel of the result takes.
double step_of(int64_t in, int64_t out, bool align_corners, std::optional<double> factor) {
  if (align_corners) return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  return factor && *factor > 0 ? 1 / *factor : static_cast<double>(in) / static_cast<double>(out);
}

std::vector<Blend> blends(const Kind& kind, int64_t in, int64_t out, double step) {
  double widening = std::max(step, 1.0), reach = kind.reach * widening;
  std::vector<Blend> all;
  for (int64_t i = 0; i < out; ++i) {
    double center = step * (static_cast<double>(i) + 0.5), sum = 0;
    int64_t first = std::max(static_cast<int64_t>(center - reach + 0.5), int64_t(0));
    int64_t last = std::min(static_cast<int64_t>(center + reach + 0.5), in);
    Blend blend{first, {}};
    for (int64_t j = first; j < last; ++j) {
      blend.weights.push_back(kind.filter((static_cast<double>(j) - center + 0.5) / widening));
      sum += blend.weights.back();
    }
    if (sum != 0)
      for (double& weight : blend.weights) weight /= sum;
    all.push_back(std::move(blend));
  }
  return all;
}

// Weights of bytes are whole numbers of 16 bits, as large as they can be; `bits` is how many of them are fraction.
int whole_weights(std::vector<Blend>& all) {
  double largest = 0;
  for (const Blend& blend : all)
    for (double weight : blend.weights) largest = std::max(largest, weight);
  int bits = 0;
  while (bits < 22 && std::floor(0.5 + largest * std::ldexp(1.0, bits + 1)) < 0x1p15) ++bits;
  for (Blend& blend : all)
    for (double& weight : blend.weights) weight = std::trunc(std::ldexp(weight, bits) + std::copysign(0.5, weight));
  return bits;
}

void resize(std::vector<double>& values, ref::Shape& shape, size_t dim, std::vector<Blend> all, bool is_byte) {
  int bits = is_byte ? whole_weights(all) : 0;
  dims::Around from(shape, static_cast<int64_t>(dim)), to = from;
  to.length = shape[dim] = static_cast<int64_t>(all.size());
  std::vector<double> out(static_cast<size_t>(ref::count(shape)));
  for (int64_t o = 0; o < to.outer; ++o) {
    for (int64_t i = 0; i < to.length; ++i) {
      const Blend& blend = all[static_cast<size_t>(i)];
      for (int64_t n = 0; n < to.inner; ++n) {
        double sum = 0;
        for (size_t k = 0; k < blend.weights.size(); ++k)
          sum += values[from.at(o, blend.first + static_cast<int64_t>(k), n)] * blend.weights[k];
        out[to.at(o, i, n)] = is_byte ? std::clamp(std::floor(std::ldexp(sum, -bits) + 0.5), 0.0, 255.0) : sum;
      }
    }
  }
  values = std::move(out);
}

Argument antialiased(const Call& call, const Kind& kind) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  bool align_corners = unbox_bool(call.args[2]), is_byte = self.dtype() == DType::kUInt8;
  if (!is_byte && self.dtype() != DType::kFloat32 && self.dtype() != DType::kFloat64) fail_dtype(call.op, self.dtype());
  std::vector<double> values = ref::values<double>(self);
  ref::Shape shape = ref::shape_of(self), target = ref::to_shape(result.sizes);
  for (size_t dim : {3, 2}) {
    const Argument& given = call.args[dim + 1];
    std::optional<double> factor;
    if (!given.is_none()) factor = unbox_float(given);
    double step = step_of(shape[dim], target[dim], align_corners, factor);
    if (shape[dim] != target[dim] || step != 1)
      resize(values, shape, dim, blends(kind, shape[dim], target[dim], step), is_byte);
  }
  return ref::make(result, values).argument();
}
template <const Kind& kind>
Argument antialiased(const Call& call) {
  return antialiased(call, kind);
}

constexpr KernelRow kRows[] = {
    {"aten::_upsample_bicubic2d_aa", antialiased<kCubic>},
    {"aten::_upsample_bilinear2d_aa", antialiased<kLinear>},
    {"aten::_upsample_lanczos2d_aa", antialiased<kLanczos>},
};

}  // namespace

const std::span<const KernelRow> kUpsampleKernels = kRows;

}  // namespace rung::ops
