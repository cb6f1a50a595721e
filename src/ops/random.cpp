// Random numbers.
#include <algorithm>
#include <cmath>

#include "meta/layout.h"
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"
#include "ops/reference.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- fresh tensors of a given size

const TensorMeta* fresh(SymInts size, std::optional<DType> dtype, std::optional<Device> device, DType otherwise) {
  return meta::contiguous(size, dtype.value_or(otherwise), device.value_or(Device{}));
}
const TensorMeta* meta_rand(SymInts size, std::optional<DType> dtype, std::optional<Layout>,
                            std::optional<Device> device) {
  return fresh(size, dtype, device, DType::kFloat32);
}
const TensorMeta* meta_randint(SymInt, SymInts size, std::optional<DType> dtype, std::optional<Layout>,
                               std::optional<Device> device) {
  return fresh(size, dtype, device, DType::kInt64);
}
const TensorMeta* meta_randint_low(SymInt, SymInt, SymInts size, std::optional<DType> dtype, std::optional<Layout>,
                                   std::optional<Device> device) {
  return fresh(size, dtype, device, DType::kInt64);
}
const TensorMeta* meta_randperm(SymInt n, std::optional<DType> dtype, std::optional<Layout>,
                                std::optional<Device> device) {
  return fresh(Sizes{n}, dtype, device, DType::kInt64);
}
const TensorMeta* meta_normal_float(double, double, SymInts size, std::optional<SymInt> /*generator*/,
                                    std::optional<DType> dtype, std::optional<Layout>, std::optional<Device> device) {
  return fresh(size, dtype, device, DType::kFloat32);
}

// ---- tensors like another

const TensorMeta* like(const Tensor& self, std::optional<DType> dtype, std::optional<Device> device,
                       std::optional<MemoryFormat> format) {
  const TensorMeta* meta =
      meta::like(self.meta(), dtype.value_or(self.dtype()), format.value_or(MemoryFormat::kPreserve));
  return device && *device != meta->device ? meta::make(meta->sizes, meta->strides, meta->dtype, *device) : meta;
}
const TensorMeta* meta_rand_like(Tensor self, std::optional<DType> dtype, std::optional<Layout>,
                                 std::optional<Device> device, std::optional<bool>,
                                 std::optional<MemoryFormat> format) {
  return like(self, dtype, device, format);
}
const TensorMeta* meta_randint_like(Tensor self, SymInt, std::optional<DType> dtype, std::optional<Layout>,
                                    std::optional<Device> device, std::optional<bool>,
                                    std::optional<MemoryFormat> format) {
  return like(self, dtype, device, format);
}
const TensorMeta* meta_randint_like_tensor(Tensor self, Tensor, std::optional<DType> dtype, std::optional<Layout>,
                                           std::optional<Device> device, std::optional<bool>,
                                           std::optional<MemoryFormat> format) {
  return like(self, dtype, device, format);
}
const TensorMeta* meta_randint_like_low(Tensor self, SymInt, SymInt, std::optional<DType> dtype, std::optional<Layout>,
                                        std::optional<Device> device, std::optional<bool>,
                                        std::optional<MemoryFormat> format) {
  return like(self, dtype, device, format);
}

// ---- distributions

// The functional twins of normal_, uniform_, ...: a value for each element of the tensor.
const TensorMeta* meta_same(Tensor self) { return meta::like(self.meta(), self.dtype()); }
const TensorMeta* meta_contiguous(Tensor self) { return meta::contiguous(self.sizes(), self.dtype(), self.device()); }
const TensorMeta* meta_normal_std(double, Tensor std) { return meta::like(std.meta(), std.dtype()); }
const TensorMeta* meta_normal_both(Tensor mean, Tensor std) {
  return meta::contiguous(meta::broadcast_sizes(mean.sizes(), std.sizes()), mean.dtype(), mean.device());
}
const TensorMeta* meta_binomial(Tensor count, Tensor prob) { return meta::elementwise({count, prob}, count.dtype()); }

const TensorMeta* meta_multinomial(Tensor self, SymInt num_samples) {
  if (self.dim() < 1 || self.dim() > 2)
    fail_input("multinomial: the probabilities must be a vector or a matrix, got ", self.dim(), " dimensions");
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  sizes.back() = num_samples;
  return meta::contiguous(sizes, DType::kInt64, self.device());
}

// bernoulli(p) = rand < p
Tensor bernoulli(Tensor self) {
  Tensor random = aten::rand(self.sizes(), DType::kFloat32, std::nullopt, self.device(), false);
  Tensor below = aten::lt_Tensor(random, self);
  return to_dtype(below, self.dtype());
}

// ---- references: every distribution from a uniform or a normal one

Tensor uniform(Tensor self, double low, double high) {
  return prims::uniform(self.sizes(), low, high, self.dtype(), self.device(), self.strides());
}

Tensor standard_normal(SymInts size, DType dtype, const Device& device) {
  return prims::normal(size, 0.0, 1.0, dtype, device, false);
}

Tensor randn(SymInts size, std::optional<DType> dtype, std::optional<Layout>, std::optional<Device> device) {
  return standard_normal(size, dtype.value_or(DType::kFloat32), device.value_or(Device{}));
}

// std * z + mean
Tensor normal(const Tensor& mean, const Tensor& std, const Tensor& z) {
  Tensor scaled = std.is_number() ? aten::mul_Tensor(z, std) : aten::mul_Tensor(std, z);
  return aten::add_Tensor(scaled, mean);
}
void check_deviation(double std) {
  if (!(std >= 0)) fail_input("normal: the standard deviation must not be negative, got ", std);
}
Tensor normal_of_size(double mean, double std, SymInts size, std::optional<SymInt> /*generator*/,
                      std::optional<DType> dtype, std::optional<Layout>, std::optional<Device> device) {
  check_deviation(std);
  return normal(mean, std, randn(size, dtype, std::nullopt, device));
}
Tensor normal_of_tensors(Tensor mean, Tensor std) {
  reference::Types types = reference::types_of({mean, std}, meta::Promote::kDefault);
  if (std.is_number()) check_deviation(std.number().to_double());
  Tensor centre = reference::converted(mean, types.computation);
  Tensor spread = reference::converted(std, types.computation);
  const Tensor& first = centre.is_number() ? spread : centre;
  Sizes size = meta::broadcast_sizes(std::array<Tensor, 2>{centre, spread});
  Tensor z = standard_normal(size, first.dtype(), first.device());
  return reference::converted(normal(centre, spread, z), types.result);
}

Tensor like_uniform(const Tensor& x) { return aten::rand_like(x, std::nullopt, std::nullopt, std::nullopt, false); }

void require_floating(const Tensor& self, std::string_view name) {
  if (!is_floating(self.dtype())) fail_input(name, " is not defined for ", info(self.dtype()).name);
}
void require_positive(double number, std::string_view name) {
  if (!(number > 0)) fail_input(name, " must be positive, got ", number);
}

// median + sigma * tan(pi (u - 1/2))
Tensor cauchy(Tensor self, double median, double sigma) {
  require_floating(self, "cauchy");
  require_positive(sigma, "sigma of cauchy");
  ComputeTypes types = compute_types({self});
  Tensor u = like_uniform(types.up(self));
  Tensor centred = aten::sub_Tensor(u, 0.5);
  Tensor tangent = aten::tan(aten::mul_Tensor(centred, M_PI));
  Tensor scaled = aten::mul_Tensor(tangent, sigma);
  return types.down(aten::add_Tensor(scaled, median));
}

// -log(u) / rate; where u is nearly 1, its logarithm is taken as -epsilon / 2, so that no result is 0
Tensor exponential(Tensor self, double rate) {
  require_floating(self, "exponential");
  require_positive(rate, "rate of exponential");
  ComputeTypes types = compute_types({self});
  Tensor u = like_uniform(types.up(self));
  double epsilon = types.computation == DType::kFloat64 ? std::numeric_limits<double>::epsilon()
                                                        : std::numeric_limits<float>::epsilon();
  Tensor is_high = aten::ge_Scalar(u, 1.0 - epsilon / 2);
  Tensor log = aten::log(u);
  log = aten::where_ScalarSelf(is_high, -epsilon / 2, log);
  return types.down(aten::mul_Tensor(log, -1 / rate));
}

// floor(log(1 - u) / log(1 - p)) + 1
Tensor geometric(Tensor self, double p) {
  if (is_complex(self.dtype()) || self.dtype() == DType::kBool)
    fail_input("geometric is not defined for ", info(self.dtype()).name);
  if (!(p > 0 && p < 1)) fail_input("p of geometric must lie between 0 and 1, got ", p);
  ComputeTypes types = compute_types({self});
  Tensor like = types.up(self);
  if (!is_like_torch() && !is_floating(like.dtype())) like = to_dtype(like, DType::kFloat32);
  Tensor negative = aten::neg(like_uniform(like));
  Tensor log = aten::log1p(negative);
  Tensor trials = aten::floor(aten::div_Tensor(log, std::log1p(-p)));
  return types.down(aten::add_Tensor(trials, 1));
}

// exp(std * z + mean)
Tensor log_normal(Tensor self, double mean, double std) {
  require_floating(self, "log_normal");
  require_positive(std, "std of log_normal");
  ComputeTypes types = compute_types({self});
  Tensor z = aten::randn_like(types.up(self), std::nullopt, std::nullopt, std::nullopt, false);
  return types.down(aten::exp(normal(mean, std, z)));
}

// ---- references of rung's own: torch leaves these whole

using MaybeType = std::optional<DType>;
using MaybeDevice = std::optional<Device>;

// Fresh values in the layout of another tensor.
Tensor laid_out(const Tensor& values, const TensorMeta& wanted) {
  bool fits = std::ranges::equal(values.strides(), wanted.strides);
  return fits ? values : prims::copy_strided(values, wanted.strides);
}

Tensor rand_like(Tensor self, MaybeType dtype, std::optional<Layout>, MaybeDevice device, std::optional<bool>,
                 std::optional<MemoryFormat> format) {
  const TensorMeta& wanted = *like(self, dtype, device, format);
  return laid_out(aten::rand(wanted.sizes, wanted.dtype, std::nullopt, wanted.device, false), wanted);
}
Tensor randn_like(Tensor self, MaybeType dtype, std::optional<Layout>, MaybeDevice device, std::optional<bool>,
                  std::optional<MemoryFormat> format) {
  const TensorMeta& wanted = *like(self, dtype, device, format);
  return laid_out(aten::randn(wanted.sizes, wanted.dtype, std::nullopt, wanted.device, false), wanted);
}

Tensor randint(SymInt high, SymInts size, MaybeType dtype, std::optional<Layout> layout, MaybeDevice device,
               std::optional<bool> pin_memory) {
  return aten::randint_low(0, high, size, dtype, layout, device, pin_memory);
}
Tensor randint_like_low(Tensor self, SymInt low, SymInt high, MaybeType dtype, std::optional<Layout>,
                        MaybeDevice device, std::optional<bool>, std::optional<MemoryFormat> format) {
  const TensorMeta& wanted = *like(self, dtype, device, format);
  return laid_out(aten::randint_low(low, high, wanted.sizes, wanted.dtype, std::nullopt, wanted.device, false), wanted);
}
Tensor randint_like(Tensor self, SymInt high, MaybeType dtype, std::optional<Layout> layout, MaybeDevice device,
                    std::optional<bool> pin_memory, std::optional<MemoryFormat> format) {
  return randint_like_low(self, 0, high, dtype, layout, device, pin_memory, format);
}

Tensor normal_functional(Tensor self, double mean, double std) {
  check_deviation(std);
  return normal(mean, std, aten::randn_like(self));
}

constexpr OpDef kRows[] = {
    {.op = "aten::rand", .meta = box_meta<meta_rand>},
    {.op = "aten::randn", .meta = box_meta<meta_rand>, .reference = box<randn>},
    {.op = "aten::randint", .meta = box_meta<meta_randint>, .reference = box<randint>},
    {.op = "aten::randint.low", .meta = box_meta<meta_randint_low>},
    {.op = "aten::randperm", .meta = box_meta<meta_randperm>},
    {.op = "aten::rand_like", .meta = box_meta<meta_rand_like>, .reference = box<rand_like>},
    {.op = "aten::randn_like", .meta = box_meta<meta_rand_like>, .reference = box<randn_like>},
    {.op = "aten::randint_like", .meta = box_meta<meta_randint_like>, .reference = box<randint_like>},
    {.op = "aten::randint_like.Tensor", .meta = box_meta<meta_randint_like_tensor>},
    {.op = "aten::randint_like.low_dtype", .meta = box_meta<meta_randint_like_low>, .reference = box<randint_like_low>},
    {.op = "aten::normal.float_float", .meta = box_meta<meta_normal_float>, .reference = box<normal_of_size>},
    {.op = "aten::normal.Tensor_float", .meta = box_meta<meta_contiguous>, .reference = box<normal_of_tensors>},
    {.op = "aten::normal.float_Tensor", .meta = box_meta<meta_normal_std>, .reference = box<normal_of_tensors>},
    {.op = "aten::normal.Tensor_Tensor", .meta = box_meta<meta_normal_both>, .reference = box<normal_of_tensors>},
    {.op = "aten::normal_functional", .meta = box_meta<meta_same>, .reference = box<normal_functional>},
    {.op = "aten::uniform", .meta = box_meta<meta_same>, .reference = box<uniform>},
    {.op = "aten::exponential", .meta = box_meta<meta_same>, .reference = box<exponential>},
    {.op = "aten::cauchy", .meta = box_meta<meta_same>, .reference = box<cauchy>},
    {.op = "aten::geometric", .meta = box_meta<meta_same>, .reference = box<geometric>},
    {.op = "aten::log_normal", .meta = box_meta<meta_same>, .reference = box<log_normal>},
    {.op = "aten::random", .meta = box_meta<meta_same>},
    {.op = "aten::random.from", .meta = box_meta<meta_same>},
    {.op = "aten::random.to", .meta = box_meta<meta_same>},
    {.op = "aten::poisson", .meta = box_meta<meta_same>},
    {.op = "aten::binomial", .meta = box_meta<meta_binomial>},
    {.op = "aten::bernoulli", .meta = box_meta<meta_contiguous>, .body = box<bernoulli>},
    {.op = "aten::bernoulli.p", .meta = box_meta<meta_contiguous>},
    {.op = "aten::bernoulli.Tensor", .meta = box_meta<meta_same>},
    {.op = "aten::multinomial", .meta = box_meta<meta_multinomial>},
};

}  // namespace

const std::span<const OpDef> kRandomOps = kRows;

}  // namespace rung::ops
