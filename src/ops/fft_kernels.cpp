// Discrete Fourier transforms by their definition, in double.
#include <cmath>
#include <numbers>

#include "ops/dims.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using dims::Around;
using ref::Complex;
using ref::Shape;

// out_k = sum_n in_n exp(-+2 pi i k n / N) along one dimension
std::vector<Complex> transformed(const std::vector<Complex>& in, const Shape& shape, int64_t dim, bool forward) {
  Around around(shape, dim);
  std::vector<Complex> roots, out(in.size());
  for (int64_t k = 0; k < around.length; ++k) {
    double turn = (forward ? -2 : 2) * std::numbers::pi * static_cast<double>(k) / static_cast<double>(around.length);
    roots.emplace_back(std::cos(turn), std::sin(turn));
  }
  for (int64_t o = 0; o < around.outer; ++o)
    for (int64_t i = 0; i < around.inner; ++i)
      for (int64_t k = 0; k < around.length; ++k)
        for (int64_t n = 0; n < around.length; ++n)
          out[around.at(o, k, i)] += in[around.at(o, n, i)] * roots[static_cast<size_t>(k * n % around.length)];
  return out;
}

std::vector<Complex> transformed(std::vector<Complex> values, const Shape& shape, const std::vector<int64_t>& dims,
                                 bool forward) {
  for (int64_t dim : dims) values = transformed(values, shape, dim, forward);
  return values;
}

// The first `length` places of a dimension.
std::vector<Complex> shortened(const std::vector<Complex>& in, const Shape& shape, int64_t dim, int64_t length) {
  Around from(shape, dim), to = from;
  to.length = length;
  std::vector<Complex> out(static_cast<size_t>(to.outer * to.length * to.inner));
  for (int64_t o = 0; o < to.outer; ++o)
    for (int64_t i = 0; i < length; ++i)
      for (int64_t n = 0; n < to.inner; ++n) out[to.at(o, i, n)] = in[from.at(o, i, n)];
  return out;
}

// ---- the three kinds; prims and ATen differ in where their arguments stand, and ATen scales

struct Signal {
  Tensor self;
  std::vector<int64_t> dims;
  double scale = 1;
};

// `mode`: 0 none, 1 over the root of the elements, 2 over the elements of one transform.
double scale_of(const Shape& shape, const std::vector<int64_t>& dims, int64_t mode) {
  double count = 1;
  for (int64_t dim : dims) count *= static_cast<double>(shape[static_cast<size_t>(dim)]);
  return mode == 0 ? 1 : mode == 1 ? 1 / std::sqrt(count) : 1 / count;
}
// `shape`: of the side that has all elements.
Signal scaled_signal(const Call& call, const Shape& shape) {
  Tensor self(call.args[0]);
  std::vector<int64_t> dims = wrap_dims(unbox_ints(call.args[1]), self.dim());
  return {self, dims, scale_of(shape, dims, unbox_int(call.args[2]).value())};
}
Signal plain_signal(const Call& call) {
  Tensor self(call.args[0]);
  return {self, wrap_dims(unbox_ints(call.args[1]), self.dim())};
}

Argument scaled(const TensorMeta& result, std::vector<Complex> values, double scale) {
  for (Complex& value : values) value *= scale;
  return ref::make(result, values).argument();
}

Argument c2c(const TensorMeta& result, const Signal& in, bool forward) {
  return scaled(result, transformed(ref::values<Complex>(in.self), ref::shape_of(in.self), in.dims, forward), in.scale);
}

Argument r2c(const TensorMeta& result, const Signal& in, bool onesided) {
  Shape shape = ref::shape_of(in.self);
  std::vector<Complex> out = transformed(ref::values<Complex>(in.self), shape, in.dims, true);
  int64_t last = in.dims.back();
  if (onesided) out = shortened(out, shape, last, result.sizes[static_cast<size_t>(last)].value());
  return scaled(result, std::move(out), in.scale);
}

// The other half of the last dimension is the conjugate of the half that is given, mirrored.
Argument c2r(const TensorMeta& result, Signal in, int64_t length) {
  int64_t last = in.dims.back();
  in.dims.pop_back();
  Shape shape = ref::shape_of(in.self);
  std::vector<Complex> half = transformed(ref::values<Complex>(in.self), shape, in.dims, false);
  Around from(shape, last), to = from;
  to.length = length;
  std::vector<Complex> whole(static_cast<size_t>(to.outer * to.length * to.inner));
  for (int64_t o = 0; o < to.outer; ++o) {
    for (int64_t n = 0; n < to.inner; ++n) {
      for (int64_t k = 0; k < length; ++k) {
        bool is_given = k <= length / 2;
        Complex value = half[from.at(o, is_given ? k : length - k, n)];
        bool is_real = k == 0 || 2 * k == length;
        whole[to.at(o, k, n)] = is_real ? Complex(value.real()) : is_given ? value : std::conj(value);
      }
    }
  }
  return scaled(result, transformed(whole, ref::to_shape(result.sizes), last, false), in.scale);
}

Argument prim_c2c(const Call& call) { return c2c(result_meta(call), plain_signal(call), unbox_bool(call.args[2])); }
Argument prim_r2c(const Call& call) { return r2c(result_meta(call), plain_signal(call), unbox_bool(call.args[2])); }
Argument prim_c2r(const Call& call) {
  return c2r(result_meta(call), plain_signal(call), unbox_int(call.args[2]).value());
}
Argument aten_c2c(const Call& call) {
  Signal in = scaled_signal(call, ref::shape_of(Tensor(call.args[0])));
  return c2c(result_meta(call), in, unbox_bool(call.args[3]));
}
Argument aten_r2c(const Call& call) {
  Signal in = scaled_signal(call, ref::shape_of(Tensor(call.args[0])));
  return r2c(result_meta(call), in, unbox_bool(call.args[3]));
}
Argument aten_c2r(const Call& call) {
  const TensorMeta& result = result_meta(call);
  return c2r(result, scaled_signal(call, ref::to_shape(result.sizes)), unbox_int(call.args[3]).value());
}

constexpr KernelRow kRows[] = {
    {"aten::_fft_c2c", aten_c2c}, {"aten::_fft_c2r", aten_c2r}, {"aten::_fft_r2c", aten_r2c},
    {"prims::fft_c2c", prim_c2c}, {"prims::fft_c2r", prim_c2r}, {"prims::fft_r2c", prim_r2c},
};

}  // namespace

const std::span<const KernelRow> kFftKernels = kRows;

}  // namespace rung::ops
