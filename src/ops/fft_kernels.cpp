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

Argument c2c(const Call& call) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  std::vector<int64_t> dims = wrap_dims(unbox_ints(call.args[1]), self.dim());
  return ref::make(result, transformed(ref::values<Complex>(self), ref::shape_of(self), dims, unbox_bool(call.args[2])))
      .argument();
}

Argument r2c(const Call& call) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  std::vector<int64_t> dims = wrap_dims(unbox_ints(call.args[1]), self.dim());
  std::vector<Complex> out = transformed(ref::values<Complex>(self), ref::shape_of(self), dims, true);
  if (unbox_bool(call.args[2])) {
    int64_t last = dims.back();
    out = shortened(out, ref::shape_of(self), last, result.sizes[static_cast<size_t>(last)].value());
  }
  return ref::make(result, out).argument();
}

// The other half of the last dimension is the conjugate of the half that is given, mirrored.
Argument c2r(const Call& call) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  std::vector<int64_t> dims = wrap_dims(unbox_ints(call.args[1]), self.dim());
  int64_t last = dims.back(), length = unbox_int(call.args[2]).value();
  dims.pop_back();
  Shape shape = ref::shape_of(self);
  std::vector<Complex> half = transformed(ref::values<Complex>(self), shape, dims, false);
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
  return ref::make(result, transformed(whole, ref::to_shape(result.sizes), last, false)).argument();
}

constexpr KernelRow kRows[] = {
    {"prims::fft_c2c", c2c},
    {"prims::fft_c2r", c2r},
    {"prims::fft_r2c", r2c},
};

}  // namespace

const std::span<const KernelRow> kFftKernels = kRows;

}  // namespace rung::ops
