// Distributions that are drawn number by number, in the order of torch's CPU kernels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/gen/aten.h"
#include "ops/kernels.h"
#include "ref/generator.h"

namespace rung::ops {
namespace {

using ref::default_generator;

double uniform() { return default_generator().uniform_double(); }

// A result whose elements are drawn in the order in which they lie in memory.
template <typename Draw>
Argument drawn(const Call& call, Draw&& draw) {
  const TensorMeta& result = result_meta(call);
  std::vector<std::invoke_result_t<Draw>> values(static_cast<size_t>(ref::count(ref::to_shape(result.sizes))));
  for (auto& value : values) value = draw();
  return ref::make_in_memory_order(result, values).argument();
}

void require(bool holds, std::string_view op, std::string_view wanted, double got) {
  if (!holds) fail_input(op, " expects ", wanted, ", but found ", got);
}
void require_floating(const Call& call) {
  DType dtype = Tensor(call.args[0]).dtype();
  if (!is_floating(dtype)) fail_dtype(call.op, dtype);
}

// median + sigma tan(pi (u - 1/2))
Argument cauchy(const Call& call) {
  double median = unbox_float(call.args[1]), sigma = unbox_float(call.args[2]);
  require_floating(call);
  require(sigma > 0, "cauchy_", "sigma > 0.0", sigma);
  return drawn(call, [&] { return median + sigma * std::tan(std::numbers::pi * (uniform() - 0.5)); });
}

// ceil(log u / log(1 - p))
Argument geometric(const Call& call) {
  double p = unbox_float(call.args[1]);
  DType dtype = Tensor(call.args[0]).dtype();
  if (is_complex(dtype) || dtype == DType::kBool) fail_dtype(call.op, dtype);
  require(p > 0 && p < 1, "geometric_", "p to be in (0, 1)", p);
  return drawn(call, [&] { return std::ceil(std::log(uniform()) / std::log1p(-p)); });
}

Argument log_normal(const Call& call) {
  double mean = unbox_float(call.args[1]), std = unbox_float(call.args[2]);
  require_floating(call);
  require(std > 0, "log_normal_", "std > 0.0", std);
  return drawn(call, [&] { return std::exp(default_generator().normal(mean, std)); });
}

// ---- integers

// Of all that the dtype holds exactly.
int64_t any_integer(DType dtype) {
  ref::Generator& generator = default_generator();
  auto below = [&](uint64_t end) { return static_cast<int64_t>(generator.random() % end); };
  switch (dtype) {
    case DType::kFloat64: return static_cast<int64_t>(generator.random64() % ((uint64_t{1} << 53) + 1));
    case DType::kFloat32: return below((1 << 24) + 1);
    case DType::kFloat16: return below((1 << 11) + 1);
    case DType::kBFloat16: return below((1 << 8) + 1);
    case DType::kInt64: return static_cast<int64_t>(generator.random64() & INT64_MAX);
    case DType::kBool: return generator.random() & 1;
    default: return below(static_cast<uint64_t>(meta::highest_value(dtype)) + 1);
  }
}
Argument random(const Call& call) {
  DType dtype = Tensor(call.args[0]).dtype();
  return drawn(call, [&] { return any_integer(dtype); });
}
Argument random_between(const Call& call, int64_t low, int64_t high) {
  if (high <= low) fail_input("random_ expects 'from' to be less than 'to', but got from=", low, " >= to=", high);
  uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return drawn(call, [&] { return default_generator().integer(low, range); });
}
Argument random_to(const Call& call) { return random_between(call, 0, unbox_int(call.args[1]).value()); }
Argument random_from(const Call& call) {
  int64_t low = unbox_int(call.args[1]).value();
  if (!call.args[2].is_none()) return random_between(call, low, unbox_int(call.args[2]).value());
  double highest = meta::highest_value(Tensor(call.args[0]).dtype());
  return random_between(call, low, highest >= 0x1p63 ? INT64_MAX : static_cast<int64_t>(highest) + 1);
}
Argument randint_like_tensor(const Call& call) {
  return random_between(call, 0, ref::values<int64_t>(Tensor(call.args[1])).at(0));
}

// ---- counts of events: by their definition where they are rare, else by Hoermann's transformed rejection

// How many factors u keep the product above e^-rate.
double rare_events(double rate) {
  double least = std::exp(-rate), product = 1;
  for (double count = 0;; ++count) {
    product *= uniform();
    if (product <= least) return count;
  }
}
// Hoermann 1993, algorithm PTRS
double frequent_events(double rate) {
  double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    double u = uniform() - 0.5, v = uniform(), us = 0.5 - std::fabs(u);
    double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= quick) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        -rate + k * std::log(rate) - std::lgamma(k + 1))
      return k;
  }
}
double poisson_number(double rate) {
  if (!(rate >= 0)) fail_input("invalid Poisson rate, expected rate to be non-negative, got ", rate);
  if (rate == 0) return 0;
  return rate >= 10 ? frequent_events(rate) : rare_events(rate);
}
Argument poisson(const Call& call) {
  require_floating(call);
  std::vector<double> values = ref::values<double>(Tensor(call.args[0]));
  for (double& value : values) value = poisson_number(value);
  return ref::make(result_meta(call), values).argument();
}

// How many geometric steps fit into the count.
double rare_successes(double count, double p) {
  double sum = 0;
  for (double successes = 0;; ++successes) {
    sum += std::ceil(std::log(uniform()) / std::log1p(-p));
    if (sum > count) return successes;
  }
}
// What Stirling's formula leaves of log k!
double stirling_rest(double k) {
  constexpr double kTable[] = {0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.0207906721037650,
                               0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                               0.0092554621827127, 0.0083305634333594};
  if (k <= 9) return kTable[static_cast<size_t>(k)];
  double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}
// Hoermann 1993, algorithm BTRS
double frequent_successes(double count, double p) {
  double deviation = std::sqrt(count * p * (1 - p));
  double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5;
  double quick = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
  double m = std::floor((count + 1) * p);
  while (true) {
    double u = uniform() - 0.5, v = uniform(), us = 0.5 - std::fabs(u);
    double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= quick) return k;
    if (k < 0 || k > count) continue;
    double bound = (m + 0.5) * std::log((m + 1) / (odds * (count - m + 1))) +
                   (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
                   (k + 0.5) * std::log(odds * (count - k + 1) / (k + 1)) + stirling_rest(m) +
                   stirling_rest(count - m) - stirling_rest(k) - stirling_rest(count - k);
    if (std::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
  }
}
double binomial_number(double count, double p) {
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  if (std::isnan(p) || std::isnan(count)) return std::numeric_limits<double>::quiet_NaN();
  if (p > 0.5) return count - binomial_number(count, 1 - p);
  return count * p >= 10 ? frequent_successes(count, p) : rare_successes(count, p);
}
Argument binomial(const Call& call) {
  Tensor count(call.args[0]), p(call.args[1]);
  if (count.dtype() != DType::kFloat32 && count.dtype() != DType::kFloat64) fail_dtype(call.op, count.dtype());
  const TensorMeta& result = result_meta(call);
  ref::Shape shape = ref::to_shape(result.sizes);
  std::vector<double> out = ref::broadcast_values<double>(count, shape), ps = ref::broadcast_values<double>(p, shape);
  for (size_t i = 0; i < out.size(); ++i) out[i] = binomial_number(out[i], ps[i]);
  return ref::make(result, out).argument();
}

// ---- indices by their weights

void check_weights(const Tensor& weights, int64_t samples, bool replacement) {
  if (!is_floating(weights.dtype()))
    fail_input("multinomial only supports floating-point dtypes for input, got: ", info(weights.dtype()).name);
  if (samples <= 0) fail_input("cannot sample n_sample <= 0 samples, got ", samples);
  int64_t categories = weights.size(-1).value();
  if (!replacement && samples > categories)
    fail_input("cannot sample n_sample > prob_dist.size(-1) samples without replacement: ", samples, " > ", categories);
  std::vector<double> values = ref::values<double>(weights);
  for (size_t row = 0; row * static_cast<size_t>(categories) < values.size(); ++row) {
    double sum = 0;
    for (int64_t i = 0; i < categories; ++i) {
      double value = values[row * static_cast<size_t>(categories) + static_cast<size_t>(i)];
      if (!(value >= 0) || std::isinf(value))
        fail_input("probability tensor contains either `inf`, `nan` or element < 0: ", value);
      sum += value;
    }
    if (!(sum > 0)) fail_input("invalid multinomial distribution (sum of probabilities <= 0): ", sum);
  }
}

// The largest of w / e with e exponential are drawn first.
Tensor without_replacement(const Tensor& weights, int64_t samples) {
  Tensor race = aten::div_Tensor(weights, aten::exponential_(aten::empty_like(weights), 1.0));
  if (samples == 1) return aten::argmax(race, -1, true);
  return std::get<1>(aten::topk(race, samples, -1));
}

// Where a uniform number falls among the sums of weights.
Tensor with_replacement(const Tensor& weights, int64_t samples, const TensorMeta& result) {
  std::vector<int64_t> out;
  std::vector<double> values = ref::values<double>(weights);
  auto categories = static_cast<size_t>(weights.size(-1).value());
  bool is_double = weights.dtype() == DType::kFloat64;
  for (size_t row = 0; row * categories < values.size(); ++row) {
    std::vector<double> sums(values.begin() + static_cast<ptrdiff_t>(row * categories),
                             values.begin() + static_cast<ptrdiff_t>((row + 1) * categories));
    auto rounded = [&](double x) { return is_double ? x : static_cast<double>(static_cast<float>(x)); };
    for (size_t i = 1; i < categories; ++i) sums[i] = rounded(sums[i] + sums[i - 1]);
    double all = sums.back();
    for (double& sum : sums) sum = rounded(sum / all);
    sums.back() = 1;
    for (int64_t i = 0; i < samples; ++i) out.push_back(std::ranges::lower_bound(sums, uniform()) - sums.begin());
  }
  return ref::make(result, out);
}

Argument multinomial(const Call& call) {
  Tensor weights(call.args[0]);
  int64_t samples = unbox_int(call.args[1]).value();
  bool replacement = unbox_bool(call.args[2]);
  check_weights(weights, samples, replacement);
  if (!replacement || samples == 1) return without_replacement(weights, samples).argument();
  return with_replacement(weights, samples, result_meta(call)).argument();
}

constexpr KernelRow kRows[] = {
    {"aten::binomial", binomial},
    {"aten::cauchy", cauchy},
    {"aten::geometric", geometric},
    {"aten::log_normal", log_normal},
    {"aten::multinomial", multinomial},
    {"aten::poisson", poisson},
    {"aten::randint_like.Tensor", randint_like_tensor},
    {"aten::random", random},
    {"aten::random.from", random_from},
    {"aten::random.to", random_to},
};

}  // namespace

const std::span<const KernelRow> kDistributionKernels = kRows;

}  // namespace rung::ops
