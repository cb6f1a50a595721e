// Random numbers, bit for bit those that torch draws on the CPU after the same manual_seed.
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "ops/gen/aten.h"
#include "ops/kernels.h"
#include "ref/generator.h"
#include "ref/half.h"

namespace rung::ops {
namespace {

using ref::default_generator;
using ref::Generator;

size_t numel(const TensorMeta& meta) { return static_cast<size_t>(ref::count(ref::to_shape(meta.sizes))); }

template <ref::Carrier T>
Argument drawn(const TensorMeta& result, const std::vector<T>& values) {
  return ref::make_in_memory_order(result, values).argument();
}

// `draw(count, dtype)`, for floats; for complex numbers their parts, one after the other.
template <typename Draw>
Argument drawn_floats(const Call& call, const Draw& draw) {
  const TensorMeta& result = result_meta(call);
  if (is_floating(result.dtype)) return drawn(result, draw(numel(result), result.dtype));
  if (!is_complex(result.dtype)) fail_input(schema_of(call.op).name, " draws floats, not ", info(result.dtype).name);
  std::vector<double> parts = draw(2 * numel(result), meta::real_type(result.dtype));
  std::vector<std::complex<double>> numbers;
  for (size_t i = 0; i < parts.size(); i += 2) numbers.emplace_back(parts[i], parts[i + 1]);
  return drawn(result, numbers);
}

// A number as the dtype holds it.
double held(double value, DType dtype) {
  if (dtype == DType::kFloat64) return value;
  float number = static_cast<float>(value);
  if (dtype == DType::kFloat16) return ref::to_float(ref::to_half(number));
  if (dtype == DType::kBFloat16) return ref::to_float(ref::to_bfloat16(number));
  return number;
}

// u (to - from) + from, computed in the type that is drawn in: double for float64, else float
std::vector<double> uniform_numbers(size_t count, DType dtype, double from, double to) {
  Generator& generator = default_generator();
  std::vector<double> out(count);
  for (double& x : out) {
    if (dtype == DType::kFloat64) {
      x = std::fma(generator.uniform_double(), to - from, from);
    } else {
      float low = static_cast<float>(from), width = static_cast<float>(to) - low;
      x = std::fmaf(generator.uniform_float(), width, low);
      if (held(x, dtype) == held(to, dtype)) x = from;  // the upper bound is never drawn, even by rounding
    }
  }
  return out;
}

// Box and Muller on 16 uniform numbers: eight radii, eight angles. Float is torch's vectorized way, for the small types
// too.
void make_normal(float* u, float mean, float std) {
  constexpr float kTwoPi = static_cast<float>(2 * std::numbers::pi);
  for (int j = 0; j < 8; ++j) {
    float radius = std::sqrt(-2 * ref::vector_log(1 - u[j]));
    auto [sin, cos] = ref::vector_sincos(kTwoPi * u[j + 8]);
    u[j] = std::fmaf(radius * cos, std, mean);
    u[j + 8] = std::fmaf(radius * sin, std, mean);
  }
}
void make_normal(double* u, double mean, double std) {
  for (int j = 0; j < 8; ++j) {
    double radius = std::sqrt(-2 * std::log(1 - u[j])), theta = 2 * std::numbers::pi * u[j + 8];
    u[j] = std::fma(radius * std::cos(theta), std, mean);
    u[j + 8] = std::fma(radius * std::sin(theta), std, mean);
  }
}

// Groups of 16; the last group is made anew if it would not be full. Small types draw for a group at a time.
template <typename T>
std::vector<double> normal_groups(size_t count, T mean, T std, bool draws_by_group) {
  Generator& generator = default_generator();
  auto draw = [&](T* u, size_t n) {
    for (size_t i = 0; i < n; ++i) u[i] = generator.uniform<T>();
  };
  std::vector<T> out(count);
  if (!draws_by_group) draw(out.data(), count);
  for (size_t i = 0; i + 16 <= count; i += 16) {
    if (draws_by_group) draw(&out[i], 16);
    make_normal(&out[i], mean, std);
  }
  if (count % 16 != 0) {
    draw(&out[count - 16], 16);
    make_normal(&out[count - 16], mean, std);
  }
  return {out.begin(), out.end()};
}

std::vector<double> normal_numbers(size_t count, DType dtype, double mean, double std, bool contiguous = true) {
  if (count < 16 || !contiguous) {
    std::vector<double> out(count);
    for (double& x : out) x = default_generator().normal(mean, std);
    return out;
  }
  if (dtype == DType::kFloat64) return normal_groups<double>(count, mean, std, false);
  return normal_groups(count, static_cast<float>(mean), static_cast<float>(std), dtype != DType::kFloat32);
}

Argument uniform_between(const Call& call, double low, double high) {
  return drawn_floats(call, [&](size_t count, DType dtype) { return uniform_numbers(count, dtype, low, high); });
}
// Each part of a complex number has the mean, and half of the variance.
Argument normal_around(const Call& call, double mean, double std, bool contiguous = true) {
  if (is_complex(result_meta(call).dtype)) std /= std::numbers::sqrt2;
  return drawn_floats(call, [&](size_t n, DType dtype) { return normal_numbers(n, dtype, mean, std, contiguous); });
}

Argument uniform(const Call& call) {
  return uniform_between(call, unbox_float(call.args[1]), unbox_float(call.args[2]));
}
Argument rand(const Call& call) { return uniform_between(call, 0, 1); }
Argument randn(const Call& call) { return normal_around(call, 0, 1); }
Argument normal(const Call& call) {
  double mean = unbox_float(call.args[1]), std = unbox_float(call.args[2]);
  if (std < 0) fail_input("normal: the standard deviation must not be negative, got ", std);
  return normal_around(call, mean, std, meta::is_contiguous(Tensor(call.args[0]).meta()));
}
Argument normal_float_float(const Call& call) {
  const TensorMeta& result = result_meta(call);
  double mean = unbox_float(call.args[0]), std = unbox_float(call.args[1]);
  return ref::make(result, normal_numbers(numel(result), result.dtype, mean, std)).argument();
}
// Means or deviations in tensors: standard numbers, scaled and shifted.
Argument normal_tensors(const Call& call) {
  const TensorMeta& result = result_meta(call);
  ref::Shape shape = ref::to_shape(result.sizes);
  std::vector<double> mean = ref::broadcast_values<double>(unbox_tensor(call.args[0]), shape);
  std::vector<double> std = ref::broadcast_values<double>(unbox_tensor(call.args[1]), shape);
  std::vector<double> out = normal_numbers(numel(result), result.dtype, 0, 1);
  for (size_t i = 0; i < out.size(); ++i) out[i] = out[i] * std[i] + mean[i];
  return ref::make(result, out).argument();
}

Argument integers(const TensorMeta& result, int64_t low, int64_t high) {
  if (high <= low) fail_input("random_ expects 'from' to be less than 'to', but got from=", low, " >= to=", high);
  uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  std::vector<int64_t> out(numel(result));
  for (int64_t& x : out) x = default_generator().integer(low, range);
  return drawn(result, out);
}
// The bounds stand in front of `size`, or after `self`.
template <size_t low_at, size_t high_at>
Argument randint(const Call& call) {
  int64_t low = low_at == SIZE_MAX ? 0 : unbox_int(call.args[low_at == SIZE_MAX ? 0 : low_at]).value();
  return integers(result_meta(call), low, unbox_int(call.args[high_at]).value());
}

Argument randperm(const Call& call) {
  std::vector<int64_t> out(static_cast<size_t>(unbox_int(call.args[0]).value()));
  std::iota(out.begin(), out.end(), int64_t(0));
  for (size_t i = 0; i + 1 < out.size(); ++i)
    std::swap(out[i], out[i + default_generator().random() % (out.size() - i)]);
  return ref::make(result_meta(call), out).argument();
}

void check_probability(double p) {
  if (!(p >= 0 && p <= 1)) fail_input("bernoulli expects p to be in [0, 1], but got p=", p);
}
Argument bernoulli_numbers(const TensorMeta& result, double p) {
  check_probability(p);
  std::vector<double> out(numel(result));
  for (double& x : out) x = default_generator().uniform_double() < p;
  return drawn(result, out);
}
Argument bernoulli_p(const Call& call) { return bernoulli_numbers(result_meta(call), unbox_float(call.args[1])); }
Argument bernoulli_float_(const Call& call) {
  Tensor self(call.args[0]);
  Tensor numbers(bernoulli_numbers(*meta::like(self.meta(), self.dtype()), unbox_float(call.args[1])));
  return aten::copy_(self, numbers).argument();
}
Argument bernoulli_of(const Tensor& probabilities, const TensorMeta& result) {
  std::vector<double> out = ref::broadcast_values<double>(probabilities, ref::to_shape(result.sizes));
  for (double& x : out) {
    check_probability(x);
    double u = probabilities.dtype() == DType::kFloat64 ? default_generator().uniform_double()
                                                        : default_generator().uniform_float();
    x = u < x;
  }
  return ref::make(result, out).argument();
}
Argument bernoulli(const Call& call) { return bernoulli_of(Tensor(call.args[0]), result_meta(call)); }
Argument bernoulli_tensor(const Call& call) { return bernoulli_of(Tensor(call.args[1]), result_meta(call)); }

// -log(1 - u) / lambda
Argument exponential(const Call& call) {
  const TensorMeta& result = result_meta(call);
  double lambda = unbox_float(call.args[1]);
  if (!(lambda > 0)) fail_input("exponential_ expects lambda > 0, but found lambda=", lambda);
  std::vector<double> out(numel(result));
  for (double& x : out) x = -1 / lambda * std::log1p(-default_generator().uniform_double());
  return drawn(result, out);
}

// Slopes are drawn for what is not positive; without training there is one for all, and the noise stays.
Tensor rrelu_with_noise(Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training) {
  double low = lower.to_double(), high = upper.to_double();
  if (!training) return aten::leaky_relu(self, (low + high) / 2);
  std::vector<double> values = ref::values<double>(self), slopes(values.size(), 1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) continue;
    slopes[i] = default_generator().uniform_double() * (high - low) + low;
    values[i] *= slopes[i];
  }
  const TensorMeta& dense = *meta::contiguous(self.sizes(), self.dtype(), self.device());
  aten::copy_(noise, ref::make(dense, slopes));
  return ref::make(*meta::like(self.meta(), self.dtype()), values);
}
Tensor rrelu_with_noise_(Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training) {
  return aten::copy_(self, rrelu_with_noise(self, noise, lower, upper, training));
}

// The prims say all of their result themselves.
Argument prim_uniform(const Call& call) {
  return uniform_between(call, Scalar(call.args[1]).to_double(), Scalar(call.args[2]).to_double());
}
Argument prim_normal(const Call& call) {
  return normal_around(call, Scalar(call.args[1]).to_double(), Scalar(call.args[2]).to_double());
}

constexpr KernelRow kRows[] = {
    {"aten::uniform", uniform},
    {"aten::rand", rand},
    {"aten::rand_like", rand},
    {"aten::randn", randn},
    {"aten::randn_like", randn},
    {"aten::normal_functional", normal},
    {"aten::normal.float_float", normal_float_float},
    {"aten::normal.Tensor_float", normal_tensors},
    {"aten::normal.float_Tensor", normal_tensors},
    {"aten::normal.Tensor_Tensor", normal_tensors},
    {"aten::randint", randint<SIZE_MAX, 0>},
    {"aten::randint.low", randint<0, 1>},
    {"aten::randint_like", randint<SIZE_MAX, 1>},
    {"aten::randint_like.low_dtype", randint<1, 2>},
    {"aten::randperm", randperm},
    {"aten::bernoulli", bernoulli},
    {"aten::bernoulli.p", bernoulli_p},
    {"aten::bernoulli_.float", bernoulli_float_},
    {"aten::bernoulli.Tensor", bernoulli_tensor},
    {"aten::exponential", exponential},
    {"aten::rrelu_with_noise", box<rrelu_with_noise>},
    {"aten::rrelu_with_noise_", box<rrelu_with_noise_>},
    {"prims::normal", prim_normal},
    {"prims::uniform", prim_uniform},
};

}  // namespace

const std::span<const KernelRow> kRandomKernels = kRows;

}  // namespace rung::ops
