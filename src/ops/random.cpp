// Random numbers: leaves, all but Bernoulli's.
#include "meta/layout.h"
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

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

constexpr OpDef kRows[] = {
    {.op = "aten::rand", .meta = box_meta<meta_rand>},
    {.op = "aten::randn", .meta = box_meta<meta_rand>},
    {.op = "aten::randint", .meta = box_meta<meta_randint>},
    {.op = "aten::randint.low", .meta = box_meta<meta_randint_low>},
    {.op = "aten::randperm", .meta = box_meta<meta_randperm>},
    {.op = "aten::rand_like", .meta = box_meta<meta_rand_like>},
    {.op = "aten::randn_like", .meta = box_meta<meta_rand_like>},
    {.op = "aten::randint_like", .meta = box_meta<meta_randint_like>},
    {.op = "aten::randint_like.Tensor", .meta = box_meta<meta_randint_like_tensor>},
    {.op = "aten::randint_like.low_dtype", .meta = box_meta<meta_randint_like_low>},
    {.op = "aten::normal.float_float", .meta = box_meta<meta_normal_float>},
    {.op = "aten::normal.Tensor_float", .meta = box_meta<meta_contiguous>},
    {.op = "aten::normal.float_Tensor", .meta = box_meta<meta_normal_std>},
    {.op = "aten::normal.Tensor_Tensor", .meta = box_meta<meta_normal_both>},
    {.op = "aten::normal_functional", .meta = box_meta<meta_same>},
    {.op = "aten::uniform", .meta = box_meta<meta_same>},
    {.op = "aten::exponential", .meta = box_meta<meta_same>},
    {.op = "aten::cauchy", .meta = box_meta<meta_same>},
    {.op = "aten::geometric", .meta = box_meta<meta_same>},
    {.op = "aten::log_normal", .meta = box_meta<meta_same>},
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
