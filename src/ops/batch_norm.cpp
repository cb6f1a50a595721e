// Batch and instance normalization, with running statistics that training updates.
#include <algorithm>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using TensorTuple3 = std::tuple<Tensor, Tensor, Tensor>;
using TensorTuple4 = std::tuple<Tensor, Tensor, Tensor, Tensor>;
using TensorTuple5 = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

// ---- metas

void require_channels(const Tensor& input) {
  if (input.dim() < 2) fail_input("batch_norm: expected at least 2 dimensions, got ", input.dim());
}

const TensorMeta* meta_output(const Tensor& input) {
  require_channels(input);
  return meta::like(input.meta(), input.dtype());
}

// The saved statistics: none in evaluation on a CPU.
const TensorMeta* meta_saved(const Tensor& input, bool training) {
  bool on_cpu = input.device().type == "cpu";
  Sizes sizes = {!training && on_cpu ? SymInt(0) : input.size(1)};
  return meta::contiguous(sizes, on_cpu ? input.dtype() : meta::opmath_type(input.dtype()), input.device());
}

// New running statistics are in the type of the computation.
const TensorMeta* meta_running(const Tensor& input, const Tensor& running, bool training) {
  DType computation = meta::opmath_type(input.dtype());
  DType dtype = training ? meta::promote_types(computation, running.dtype()) : computation;
  return meta::contiguous(running.sizes(), dtype, running.device());
}

const TensorMeta* meta_reserve(const Tensor& input) {
  return meta::contiguous(Sizes{0}, DType::kUInt8, input.device());
}

std::array<const TensorMeta*, 3> meta_no_training(Tensor input) {
  return {meta_output(input), meta_saved(input, false), meta_saved(input, false)};
}
std::array<const TensorMeta*, 3> meta_no_stats(Tensor input, Tensor, Tensor, bool training) {
  return {meta_output(input), meta_saved(input, training), meta_saved(input, training)};
}
std::array<const TensorMeta*, 3> meta_batch_norm(Tensor input, Tensor, Tensor, Tensor, Tensor, bool training) {
  return {meta_output(input), meta_saved(input, training), meta_saved(input, training)};
}
// Without them, torch's kernel for the CPU ends the process.
void require_running(const Tensor& running_mean, const Tensor& running_var, bool training) {
  if (!training && (!running_mean || !running_var))
    fail_input("batch_norm: ", !running_mean ? "running_mean" : "running_var",
               " is missing, which evaluation (training=False) normalizes by");
}
std::array<const TensorMeta*, 3> meta_native_batch_norm(Tensor input, Tensor, Tensor, Tensor running_mean,
                                                        Tensor running_var, bool training) {
  require_running(running_mean, running_var, training);
  return {meta_output(input), meta_saved(input, training), meta_saved(input, training)};
}
std::array<const TensorMeta*, 5> meta_functional(Tensor input, Tensor, Tensor, Tensor running_mean, Tensor running_var,
                                                 bool training) {
  const TensorMeta* saved = meta_saved(input, training);
  return {meta_output(input), saved, saved, meta_running(input, running_mean, training),
          meta_running(input, running_var, training)};
}
// torch's fake tensor keeps the input's strides; its CPU kernel allocates by the memory format that they suggest.
const TensorMeta* kernel_output(const Tensor& input) {
  if (input.device().type != "cpu") return meta_output(input);
  return meta::formatted(input.sizes(), input.dtype(), input.device(), meta::suggest_memory_format(input.meta()));
}
std::array<const TensorMeta*, 3> kernel_no_training(Tensor input) {
  return {kernel_output(input), meta_saved(input, false), meta_saved(input, false)};
}
std::array<const TensorMeta*, 3> kernel_no_stats(Tensor input, Tensor, Tensor, bool training) {
  return {kernel_output(input), meta_saved(input, training), meta_saved(input, training)};
}
std::array<const TensorMeta*, 5> kernel_functional(Tensor input, Tensor, Tensor, Tensor running_mean,
                                                   Tensor running_var, bool training) {
  std::array<const TensorMeta*, 5> metas = meta_functional(input, {}, {}, running_mean, running_var, training);
  metas[0] = kernel_output(input);
  return metas;
}
std::array<const TensorMeta*, 4> meta_no_update(Tensor input) {
  return {meta_output(input), meta_saved(input, false), meta_saved(input, false), meta_reserve(input)};
}
std::array<const TensorMeta*, 6> meta_with_update(Tensor input, Tensor, Tensor, Tensor running_mean,
                                                  Tensor running_var) {
  const TensorMeta* saved = meta_saved(input, true);
  return {meta_output(input),
          saved,
          saved,
          meta_reserve(input),
          meta_running(input, running_mean, true),
          meta_running(input, running_var, true)};
}

const TensorMeta* meta_instance_norm(Tensor input) {
  require_channels(input);
  return meta::contiguous(input.sizes(), input.dtype(), input.device());
}

// ---- the composites

struct BatchNormResult {
  Tensor output, save_mean, save_deviation, reserve;
};

Tensor empty_of(const Tensor& input, SymInt size, DType dtype) {
  return aten::empty_memory_format({size}, dtype, input.layout(), input.device());
}

// As C++ reads it: what lies beyond the last dimension of an empty tensor has no elements.
SymInt channel_count(const Tensor& input) { return input.dim() > 1 ? input.size(1) : SymInt(0); }

// An empty batch keeps its place in the gradient: it is multiplied with the first weight.
BatchNormResult empty_batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  Tensor reserve = empty_of(input, 0, DType::kUInt8);
  // torch's kernel for the CPU adds up in double, and says so even of nothing
  bool is_wide = follows_kernels() && input.dtype() == DType::kFloat32 && input.device().type == "cpu";
  DType computation = is_wide ? DType::kFloat64 : meta::opmath_type(input.dtype());
  Tensor mean = empty_of(input, channel_count(input), computation);
  Tensor deviation = empty_of(input, channel_count(input), computation);
  Tensor out = aten::clone(input);
  if (weight) {
    Tensor first = aten::select_int(weight, 0, 0);
    out = aten::mul_Tensor(out, first);
  }
  if (bias) {
    Tensor first = aten::select_int(bias, 0, 0);
    out = aten::add_Tensor(out, first);
  }
  return {out, mean, deviation, reserve};
}

Argument batch_norm_impl_index(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var,
                               bool training, double momentum, double eps) {
  BatchNormResult result;
  if (input.numel() == 0) {
    result = empty_batch_norm(input, weight, bias);
  } else {
    require_channels(input);
    require_running(running_mean, running_var, training);
    for (const Tensor* x : {&weight, &bias, &running_mean, &running_var})
      if (*x && x->numel() != input.size(1))
        fail_input("batch_norm: ", x->numel().str(), " statistics or weights for ", input.size(1).str(), " channels");
    result.reserve = empty_of(input, 0, DType::kUInt8);
    std::tie(result.output, result.save_mean, result.save_deviation) =
        aten::native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
  }
  const Tensor results[] = {result.output, result.save_mean, result.save_deviation, result.reserve, 0};
  return box_list(results);
}

Tensor batch_norm(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var, bool training,
                  double momentum, double eps, bool cudnn_enabled) {
  return std::get<0>(aten::_batch_norm_impl_index(input, weight, bias, running_mean, running_var, training, momentum,
                                                  eps, cudnn_enabled));
}

TensorTuple3 native_batch_norm(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var,
                               bool training, double momentum, double eps) {
  require_running(running_mean, running_var, training);
  if (!running_mean && !running_var)
    return aten::_native_batch_norm_legit_no_stats(input, weight, bias, training, momentum, eps);
  if (!running_mean || !running_var)
    fail_input("batch_norm: running_mean and running_var must both be given, or neither");
  if (training)
    return aten::_native_batch_norm_legit(input, weight, bias, running_mean, running_var, training, momentum, eps);
  return aten::_native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps);
}

TensorTuple4 cudnn_batch_norm(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var,
                              bool training, double momentum, double eps) {
  auto [output, mean, deviation] =
      aten::native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
  auto none_of = [](const Tensor& x, std::optional<DType> dtype) {
    return aten::new_zeros(x, {0}, dtype, std::nullopt, std::nullopt, false);
  };
  if (!training) {
    mean = none_of(weight, std::nullopt);
    deviation = none_of(weight, std::nullopt);
  }
  return {output, mean, deviation, none_of(input, DType::kUInt8)};
}

// Each channel of each sample becomes a channel of one sample.
Tensor instance_norm(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var,
                     bool use_input_stats, double momentum, double eps, bool cudnn_enabled) {
  require_channels(input);
  if (!use_input_stats && (!running_mean || !running_var))
    fail_input("instance_norm: running_mean and running_var are needed when use_input_stats is false");
  SymInt batch = input.size(0), channels = input.size(1);
  Sizes shape(input.sizes().begin(), input.sizes().end());
  shape[0] = 1;
  shape[1] = batch * channels;
  auto repeated = [&](const Tensor& x) { return x ? aten::repeat(x, {batch}) : x; };
  weight = repeated(weight);
  bias = repeated(bias);
  Tensor mean = repeated(running_mean);
  Tensor variance = repeated(running_var);
  Tensor dense = aten::contiguous(input);
  dense = aten::view(dense, shape);
  Tensor out = aten::batch_norm(dense, weight, bias, mean, variance, use_input_stats, momentum, eps, cudnn_enabled);
  auto take_back = [&](const Tensor& running, const Tensor& all) {
    if (!running || !use_input_stats) return;
    Tensor target = aten::alias(running);
    Tensor by_sample = aten::view(all, {batch, channels});
    Tensor average = aten::mean_dim(by_sample, IntList{0});
    aten::copy_(target, average);
  };
  take_back(running_mean, mean);
  take_back(running_var, variance);
  return aten::view(out, input.sizes());
}

// ---- the mathematics

Tensor unsqueeze_to(Tensor x, int64_t rank) {
  while (x.dim() < rank) x = aten::unsqueeze(x, -1);
  return x;
}

// All dimensions but that of the channels.
Sizes reduced_dims(const Tensor& input) {
  Sizes dims = {0};
  for (int64_t i = 2; i < input.dim(); ++i) dims.push_back(i);
  return dims;
}

struct Statistics {
  Tensor normalized, save_mean, save_deviation, running_mean, running_var;
};

// momentum * new + (1 - momentum) * old
Tensor moving_average(const Tensor& fresh, const Tensor& old, double momentum) {
  Tensor left = aten::mul_Tensor(fresh, momentum);
  Tensor right = aten::mul_Tensor(old, 1 - momentum);
  return aten::add_Tensor(left, right);
}

Statistics train_statistics(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, double momentum,
                            double eps) {
  Statistics out;
  Sizes dims = reduced_dims(input);
  Tensor x = to_dtype(input, meta::opmath_type(input.dtype()));
  auto [variance, mean] = aten::var_mean_correction(x, IntList(dims), Scalar(0), true);
  Tensor shifted = aten::add_Tensor(variance, eps);
  Tensor inverse = aten::rsqrt(shifted);
  Tensor centered = aten::sub_Tensor(input, mean);
  out.normalized = aten::mul_Tensor(centered, inverse);
  out.save_mean = aten::squeeze_dims(mean, dims);
  out.save_deviation = aten::squeeze_dims(inverse, dims);
  if (running_mean) out.running_mean = moving_average(out.save_mean, running_mean, momentum);
  if (running_var) {
    SymFloat count = true_div(input.numel(), input.size(1));
    Tensor biased = aten::squeeze_dims(variance, dims);
    SymFloat correction = count / (count - 1);
    Tensor unbiased = aten::mul_Tensor(biased, Scalar(correction));
    out.running_var = moving_average(unbiased, running_var, momentum);
  }
  return out;
}

Statistics eval_statistics(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, double eps) {
  if (!running_mean || !running_var) fail_input("batch_norm: evaluation needs running_mean and running_var");
  Statistics out;
  DType computation = meta::opmath_type(input.dtype());
  out.running_mean = aten::_to_copy(running_mean, computation);
  out.running_var = aten::_to_copy(running_var, computation);
  Tensor shifted = aten::add_Tensor(out.running_var, eps);
  Tensor deviation = aten::sqrt(shifted);
  Tensor inverse = aten::reciprocal(deviation);
  inverse = aten::mul_Tensor(inverse, 1);
  if (input.device().type == "cpu") {
    out.save_mean = aten::new_zeros(input, {0}, std::nullopt, std::nullopt, std::nullopt, false);
    out.save_deviation = aten::new_zeros(input, {0}, std::nullopt, std::nullopt, std::nullopt, false);
  } else {
    out.save_mean = out.running_mean;
    out.save_deviation = inverse;
  }
  Tensor mean = unsqueeze_to(out.running_mean, input.dim() - 1);
  inverse = unsqueeze_to(inverse, input.dim() - 1);
  Tensor centered = aten::sub_Tensor(input, mean);
  out.normalized = aten::mul_Tensor(centered, inverse);
  return out;
}

Statistics batch_norm_of(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                         const Tensor& running_var, bool training, double momentum, double eps) {
  Statistics out = training ? train_statistics(input, running_mean, running_var, momentum, eps)
                            : eval_statistics(input, running_mean, running_var, eps);
  if (weight) {
    Tensor scale = aten::flatten_using_ints(weight);
    scale = unsqueeze_to(scale, input.dim() - 1);
    out.normalized = aten::mul_Tensor(out.normalized, scale);
  }
  if (bias) {
    Tensor shift = aten::flatten_using_ints(bias);
    shift = unsqueeze_to(shift, input.dim() - 1);
    out.normalized = aten::add_Tensor(out.normalized, shift);
  }
  if (input.device().type == "cpu") {
    out.save_mean = to_dtype(out.save_mean, input.dtype());
    out.save_deviation = to_dtype(out.save_deviation, input.dtype());
  }
  out.normalized = to_dtype(out.normalized, input.dtype());
  return out;
}

TensorTuple3 no_training(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var,
                         double momentum, double eps) {
  Statistics out = batch_norm_of(input, weight, bias, running_mean, running_var, false, momentum, eps);
  return {out.normalized, out.save_mean, out.save_deviation};
}

TensorTuple3 no_stats(Tensor input, Tensor weight, Tensor bias, bool training, double momentum, double eps) {
  Statistics out = batch_norm_of(input, weight, bias, {}, {}, training, momentum, eps);
  return {out.normalized, out.save_mean, out.save_deviation};
}

TensorTuple5 functional(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var,
                        bool training, double momentum, double eps) {
  Statistics out = batch_norm_of(input, weight, bias, running_mean, running_var, training, momentum, eps);
  return {out.normalized, out.save_mean, out.save_deviation, out.running_mean, out.running_var};
}

// ---- references of the variants with a reserve, which only cudnn fills

Tensor no_reserve(const Tensor& input) {
  return aten::empty_memory_format({0}, DType::kUInt8, input.layout(), input.device(), false);
}

TensorTuple4 reference_no_update(Tensor input, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var,
                                 double momentum, double eps) {
  Statistics out = batch_norm_of(input, weight, bias, running_mean, running_var, false, momentum, eps);
  return {out.normalized, out.save_mean, out.save_deviation, no_reserve(input)};
}

std::vector<Tensor> reference_with_update(Tensor input, Tensor weight, Tensor bias, Tensor running_mean,
                                          Tensor running_var, double momentum, double eps) {
  Statistics out = batch_norm_of(input, weight, bias, running_mean, running_var, true, momentum, eps);
  return {out.normalized, out.save_mean, out.save_deviation, no_reserve(input), out.running_mean, out.running_var};
}

constexpr OpDef kRows[] = {
    {.op = "aten::batch_norm", .body = box<batch_norm>},
    {.op = "aten::_batch_norm_impl_index", .body = box<batch_norm_impl_index>},
    {.op = "aten::native_batch_norm", .meta = box_meta<meta_native_batch_norm>, .body = box<native_batch_norm>},
    {.op = "aten::cudnn_batch_norm", .body = box<cudnn_batch_norm>},
    {.op = "aten::instance_norm", .meta = box_meta<meta_instance_norm>, .body = box<instance_norm>},
    {.op = "aten::_native_batch_norm_legit", .meta = box_meta<meta_batch_norm>},
    {.op = "aten::_native_batch_norm_legit_no_training",
     .meta = box_meta<meta_no_training>,
     .kernel_meta = box_meta<kernel_no_training>,
     .body = box<no_training>},
    {.op = "aten::_native_batch_norm_legit.no_stats",
     .meta = box_meta<meta_no_stats>,
     .kernel_meta = box_meta<kernel_no_stats>,
     .body = box<no_stats>},
    {.op = "aten::_native_batch_norm_legit_functional",
     .meta = box_meta<meta_functional>,
     .kernel_meta = box_meta<kernel_functional>,
     .body = box<functional>},
    {.op = "aten::_batch_norm_no_update", .meta = box_meta<meta_no_update>, .reference = box<reference_no_update>},
    {.op = "aten::_batch_norm_with_update_functional",
     .meta = box_meta<meta_with_update>,
     .reference = box<reference_with_update>},
};

}  // namespace

const std::span<const OpDef> kBatchNormOps = kRows;

}  // namespace rung::ops
