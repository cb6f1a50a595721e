// Gradients of the normalizations. Each may be asked for some of its results only; the others are None.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using TensorTuple3 = std::tuple<Tensor, Tensor, Tensor>;

Tensor optional_cast(const Tensor& x, DType dtype) { return x ? to_dtype(x, dtype) : x; }

// x.to(dtype, memory_format=torch.contiguous_format): a copy also where the strides suggest another format.
Tensor to_contiguous_dtype(const Tensor& x, DType dtype) {
  if (!x) return x;
  bool same = x.dtype() == dtype && meta::suggest_memory_format(x.meta()) == MemoryFormat::kContiguous;
  return same ? x
              : aten::_to_copy(x, dtype, std::nullopt, std::nullopt, std::nullopt, false, MemoryFormat::kContiguous);
}

Tensor unsqueeze_to(Tensor x, int64_t rank) {
  while (x.dim() < rank) x = aten::unsqueeze(x, -1);
  return x;
}

Tensor zeros_of(const Tensor& x, SymInts sizes) {
  return aten::new_zeros(x, sizes, std::nullopt, std::nullopt, std::nullopt, false);
}

void require_mask(SymInts mask, size_t results) {
  if (mask.size() != results) fail_input("output_mask must have ", results, " items, it has ", mask.size());
}

// The dimensions outside and inside of the normalized shape.
struct NormDims {
  Sizes outer, inner;
  SymInts outer_sizes, inner_sizes;
};
NormDims norm_dims(const Tensor& input, SymInts normalized_shape) {
  NormDims dims;
  if (normalized_shape.size() > input.sizes().size()) fail_input("normalized_shape has more dimensions than the input");
  size_t axis = input.sizes().size() - normalized_shape.size();
  for (size_t i = 0; i < input.sizes().size(); ++i) (i < axis ? dims.outer : dims.inner).push_back(i);
  dims.outer_sizes = input.sizes().first(axis);
  dims.inner_sizes = input.sizes().subspan(axis);
  return dims;
}

Tensor sum_over(const Tensor& x, const Sizes& dims, bool keepdim) {
  return aten::sum_dim_IntList(x, IntList(dims), keepdim);
}

// dx = rstd / N * (N g - sum g - x_hat sum(g x_hat)) with g = grad * weight
TensorTuple3 native_layer_norm_backward(Tensor grad_out, Tensor input, SymInts normalized_shape, Tensor mean,
                                        Tensor rstd, Tensor weight, Tensor bias, SymInts mask) {
  require_mask(mask, 3);
  DType computation = meta::opmath_type(input.dtype());
  Tensor grad = to_contiguous_dtype(grad_out, computation);
  Tensor x = to_contiguous_dtype(input, computation);
  Tensor scale = to_contiguous_dtype(weight, computation);
  Tensor shift = to_contiguous_dtype(bias, computation);
  NormDims dims = norm_dims(input, normalized_shape);
  SymInt count = meta::numel(dims.inner_sizes);
  TensorTuple3 results;
  auto& [d_input, d_weight, d_bias] = results;
  if (count == 0 || meta::numel(dims.outer_sizes) == 0) {
    if (mask[0] != 0) d_input = zeros_of(input, input.sizes());
    if (mask[1] != 0) d_weight = zeros_of(input, dims.inner_sizes);
    if (mask[2] != 0) d_bias = zeros_of(input, dims.inner_sizes);
    return results;
  }
  mean = unsqueeze_to(mean, x.dim());
  rstd = unsqueeze_to(rstd, x.dim());
  Tensor x_hat = aten::sub_Tensor(x, mean);
  x_hat = aten::mul_Tensor(x_hat, rstd);
  Tensor grad_x_hat = scale ? aten::mul_Tensor(grad, scale) : grad;
  Tensor a = aten::mul_Tensor(grad_x_hat, Tensor(Scalar(count)));
  Tensor b = sum_over(grad_x_hat, dims.inner, true);
  Tensor c = aten::mul_Tensor(grad_x_hat, x_hat);
  c = sum_over(c, dims.inner, true);
  c = aten::mul_Tensor(x_hat, c);
  Tensor inner = aten::sub_Tensor(a, b);
  inner = aten::sub_Tensor(inner, c);
  if (mask[0] != 0) {
    Tensor factor = aten::div_Tensor(rstd, Tensor(Scalar(count)));
    d_input = aten::mul_Tensor(factor, inner);
  }
  if (mask[1] != 0 && scale) {
    d_weight = aten::mul_Tensor(grad, x_hat);
    if (!dims.outer.empty()) d_weight = sum_over(d_weight, dims.outer, false);
  }
  if (mask[2] != 0 && shift) d_bias = dims.outer.empty() ? aten::clone(grad) : sum_over(grad, dims.outer, false);
  d_input = optional_cast(d_input, input.dtype());
  d_weight = weight ? optional_cast(d_weight, weight.dtype()) : d_weight;
  d_bias = bias ? optional_cast(d_bias, bias.dtype()) : d_bias;
  return results;
}

// dx = (g - x_hat / N sum(x_hat g)) rstd with g = grad * weight
TensorTuple2 fused_rms_norm_backward(Tensor grad_out, Tensor input, SymInts normalized_shape, Tensor rstd,
                                     Tensor weight, SymInts mask) {
  require_mask(mask, 2);
  DType computation = meta::opmath_type(input.dtype());
  Tensor grad = to_contiguous_dtype(grad_out, computation);
  Tensor x = to_contiguous_dtype(input, computation);
  Tensor scale = to_contiguous_dtype(weight, computation);
  NormDims dims = norm_dims(input, normalized_shape);
  SymInt count = meta::numel(dims.inner_sizes);
  TensorTuple2 results;
  auto& [d_input, d_weight] = results;
  if (count == 0 || meta::numel(dims.outer_sizes) == 0) {
    if (mask[0] != 0) d_input = zeros_of(input, input.sizes());
    if (mask[1] != 0) d_weight = zeros_of(input, dims.inner_sizes);
    return results;
  }
  rstd = unsqueeze_to(rstd, x.dim());
  Tensor grad_x_hat = scale ? aten::mul_Tensor(grad, scale) : grad;
  Tensor x_hat = aten::mul_Tensor(x, rstd);
  if (mask[0] != 0) {
    Tensor sum = aten::mul_Tensor(x_hat, grad_x_hat);
    sum = sum_over(sum, dims.inner, true);
    Tensor share = aten::div_Tensor(x_hat, Tensor(Scalar(count)));
    share = aten::mul_Tensor(share, sum);
    d_input = aten::sub_Tensor(grad_x_hat, share);
    d_input = aten::mul_Tensor(d_input, rstd);
  }
  if (mask[1] != 0 && scale) {
    d_weight = aten::mul_Tensor(grad, x_hat);
    if (!dims.outer.empty()) d_weight = sum_over(d_weight, dims.outer, false);
  }
  d_input = optional_cast(d_input, input.dtype());
  d_weight = optional_cast(d_weight, input.dtype());
  return results;
}

// ---- group norm

struct Groups {
  SymInt batch, channels, inner, groups, channels_per_group;
};

// dx = grad c1 + x c2 + c3, the coefficients a group each
Tensor group_norm_input_grad(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& rstd,
                             const Tensor& gamma, const Tensor& ds, const Tensor& db, const Groups& g) {
  Scalar s = 1.0 / SymFloat(g.inner * g.channels_per_group);
  auto by_group = [&](const Tensor& v) {
    Tensor grouped = aten::reshape(v, {g.batch, g.groups, g.channels_per_group});
    return aten::sum_dim_IntList(grouped, IntList{2});
  };
  auto weighted = [&](const Tensor& v) {
    Tensor scale = aten::unsqueeze(gamma, 0);
    return by_group(aten::mul_Tensor(v, scale));
  };
  Tensor ds_value = gamma ? weighted(ds) : by_group(ds);
  Tensor db_value = gamma ? weighted(db) : by_group(db);
  Tensor c1 = aten::unsqueeze(rstd, -1);
  Tensor scale =
      gamma ? aten::reshape(gamma, {1, g.groups, g.channels_per_group})
            : aten::ones({1, g.groups, g.channels_per_group}, std::nullopt, std::nullopt, rstd.device(), false);
  c1 = aten::mul_Tensor(c1, scale);
  Tensor c2 = aten::mul_Tensor(db_value, mean);
  c2 = aten::sub_Tensor(c2, ds_value);
  for (int i = 0; i < 3; ++i) c2 = aten::mul_Tensor(c2, rstd);
  c2 = aten::mul_Tensor(c2, s);
  Tensor c3 = aten::neg(c2);
  c3 = aten::mul_Tensor(c3, mean);
  Tensor rest = aten::mul_Tensor(db_value, rstd);
  rest = aten::mul_Tensor(rest, s);
  c3 = aten::sub_Tensor(c3, rest);
  c1 = aten::unsqueeze(c1, -1);
  c2 = unsqueeze_to(c2, 4);
  c3 = unsqueeze_to(c3, 4);
  auto grouped = [&](const Tensor& v) { return aten::reshape(v, {g.batch, g.groups, g.channels_per_group, g.inner}); };
  Tensor result = grouped(grad);
  result = aten::mul_Tensor(result, c1);
  Tensor second = grouped(input);
  second = aten::mul_Tensor(second, c2);
  result = aten::add_Tensor(result, second);
  result = aten::add_Tensor(result, c3);
  result = aten::reshape(result, input.sizes());
  return to_dtype(result, input.dtype());
}

TensorTuple3 native_group_norm_backward(Tensor grad_output, Tensor input_, Tensor mean_, Tensor rstd_, Tensor gamma_,
                                        SymInt batch, SymInt channels, SymInt inner, SymInt groups, SymInts mask) {
  require_mask(mask, 3);
  if (groups <= 0 || channels % groups != 0)
    fail_input("group_norm: ", channels.str(), " channels are not divisible by ", groups.str(), " groups");
  if (input_.numel() != batch * channels * inner)
    fail_input("group_norm: the input does not have ", (batch * channels * inner).str(), " elements");
  ComputeTypes types = compute_types({grad_output, input_, mean_, rstd_, gamma_});
  Tensor grad = types.up(grad_output);
  Tensor input = types.up(input_);
  Tensor mean = types.up(mean_);
  Tensor rstd = types.up(rstd_);
  Tensor gamma = types.up(gamma_);
  Groups g = {batch, channels, inner, groups, channels / groups};
  auto by_channel = [&](const Tensor& x) {
    Tensor flat = aten::view(x, {batch, channels, inner});
    return aten::sum_dim_IntList(flat, IntList{2});
  };
  Tensor ds = by_channel(aten::mul_Tensor(grad, input));
  Tensor db = by_channel(grad);
  TensorTuple3 results;
  auto& [d_input, d_gamma, d_bias] = results;
  if (mask[0] != 0) d_input = group_norm_input_grad(grad, input, mean, rstd, gamma, ds, db, g);
  if (mask[1] != 0) {
    Tensor left = aten::view(ds, {batch, groups, g.channels_per_group});
    Tensor right = aten::view(db, {batch, groups, g.channels_per_group});
    Tensor column = aten::unsqueeze(mean, -1);
    right = aten::mul_Tensor(right, column);
    left = aten::sub_Tensor(left, right);
    column = aten::unsqueeze(rstd, -1);
    left = aten::mul_Tensor(left, column);
    left = aten::sum_dim_IntList(left, IntList{0});
    d_gamma = aten::reshape(left, {channels});
  }
  if (mask[2] != 0) d_bias = aten::sum_dim_IntList(db, IntList{0});
  d_input = optional_cast(d_input, types.result);
  d_gamma = optional_cast(d_gamma, types.result);
  d_bias = optional_cast(d_bias, types.result);
  return results;
}

// ---- batch norm

// A vector of channels seen as the shape (1, C, 1, ...).
Tensor spread(Tensor x, const Tensor& input) {
  for (int64_t axis = 0; axis < input.dim(); ++axis) {
    bool is_one = axis != 1 || input.size(1) == 1;
    if (is_one && !(axis < x.dim() && x.size(axis) == 1)) x = aten::unsqueeze(x, axis);
  }
  return x;
}

struct BatchNormSaved {
  Tensor running_mean, running_var, mean, inverse;
};

// What the three gradients share, in the type of the computation.
struct BatchNormSums {
  Tensor mean, inverse, grad_sum, dot;
  Scalar norm;  // one over the number of elements of a channel
};

// sum(grad) and sum(grad * (x - mean)) over all but the channels
BatchNormSums batch_norm_sums(const Tensor& grad, const Tensor& x, const BatchNormSaved& saved, bool train,
                              double eps) {
  SymFloat count = true_div(meta::numel(x.sizes()), x.size(1));
  DType computation = x.dtype();
  Tensor running_mean = optional_cast(saved.running_mean, computation);
  Tensor running_var = optional_cast(saved.running_var, computation);
  BatchNormSums sums;
  sums.mean = optional_cast(saved.mean, computation);
  sums.inverse = optional_cast(saved.inverse, computation);
  if (!train) {
    if (!running_mean || !running_var) fail_input("batch_norm: evaluation needs running_mean and running_var");
    sums.mean = running_mean;
    Tensor shifted = aten::add_Tensor(running_var, eps);
    sums.inverse = aten::rsqrt(shifted);
  } else if (!sums.mean || !sums.inverse) {
    fail_input("batch_norm: training needs the saved mean and deviation");
  }
  Sizes dims;
  for (int64_t i = 0; i < x.dim(); ++i)
    if (i != 1) dims.push_back(i);
  sums.mean = spread(sums.mean, x);
  sums.norm = 1.0 / count;
  sums.grad_sum = sum_over(grad, dims, false);
  Tensor centered = aten::sub_Tensor(x, sums.mean);
  Tensor product = aten::mul_Tensor(grad, centered);
  sums.dot = sum_over(product, dims, false);
  return sums;
}

// dx = (grad - (x - mean) proj - mean(grad)) * invstd * weight in training, grad * invstd * weight in evaluation
Tensor batch_norm_input_grad(const Tensor& grad, const Tensor& x, const Tensor& scale, const BatchNormSums& sums,
                             bool train) {
  Tensor grad_mean = spread(aten::mul_Tensor(sums.grad_sum, sums.norm), x);
  Tensor projection = aten::mul_Tensor(sums.dot, sums.norm);
  Tensor square = aten::mul_Tensor(sums.inverse, sums.inverse);
  projection = spread(aten::mul_Tensor(projection, square), x);
  Tensor factor =
      scale ? spread(aten::mul_Tensor(sums.inverse, scale), x) : aten::mul_Tensor(spread(sums.inverse, x), 1.0);
  if (!train) return aten::mul_Tensor(grad, factor);
  Tensor projected = aten::sub_Tensor(x, sums.mean);
  projected = aten::mul_Tensor(projected, projection);
  Tensor result = aten::sub_Tensor(grad, projected);
  result = aten::sub_Tensor(result, grad_mean);
  return aten::mul_Tensor(result, factor);
}

TensorTuple3 batch_norm_backward(const Tensor& grad_out, const Tensor& input, const Tensor& weight,
                                 const BatchNormSaved& saved, bool train, double eps, SymInts mask) {
  require_mask(mask, 3);
  if (input.dim() < 2) fail_input("batch_norm: the input must have at least 2 dimensions, got ", input.dim());
  DType computation = meta::opmath_type(input.dtype()), weight_dtype = weight ? weight.dtype() : input.dtype();
  Tensor grad = to_dtype(grad_out, computation);
  Tensor x = to_dtype(input, computation);
  Tensor scale = optional_cast(weight, computation);
  BatchNormSums sums = batch_norm_sums(grad, x, saved, train, eps);
  Tensor d_input = batch_norm_input_grad(grad, x, scale, sums, train), d_weight, d_bias;
  if (mask[1] != 0) d_weight = aten::mul_Tensor(sums.dot, sums.inverse);
  if (mask[2] != 0) d_bias = sums.grad_sum;
  d_input = to_dtype(d_input, input.dtype());
  d_weight = optional_cast(d_weight, weight_dtype);
  return {d_input, d_weight, optional_cast(d_bias, weight_dtype)};
}

TensorTuple3 native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, Tensor running_mean,
                                        Tensor running_var, Tensor save_mean, Tensor save_invstd, bool train,
                                        double eps, SymInts mask) {
  return batch_norm_backward(grad_out, input, weight, {running_mean, running_var, save_mean, save_invstd}, train, eps,
                             mask);
}

// cuDNN's and MIOpen's are the same mathematics, always in training.
TensorTuple3 cudnn_batch_norm_backward(Tensor input, Tensor grad_output, Tensor weight, Tensor running_mean,
                                       Tensor running_var, Tensor save_mean, Tensor save_var, double eps) {
  return aten::native_batch_norm_backward(grad_output, input, weight, running_mean, running_var, save_mean, save_var,
                                          true, eps, {true, true, true});
}

constexpr OpDef kRows[] = {
    {.op = "aten::native_layer_norm_backward", .body = box<native_layer_norm_backward>},
    {.op = "aten::_fused_rms_norm_backward", .body = box<fused_rms_norm_backward>},
    {.op = "aten::native_group_norm_backward", .body = box<native_group_norm_backward>},
    {.op = "aten::native_batch_norm_backward", .body = box<native_batch_norm_backward>},
    {.op = "aten::batch_norm_backward", .body = box<native_batch_norm_backward>},
    {.op = "aten::cudnn_batch_norm_backward", .body = box<cudnn_batch_norm_backward>},
    {.op = "aten::miopen_batch_norm_backward", .body = box<cudnn_batch_norm_backward>},
};

}  // namespace

const std::span<const OpDef> kNormBackwardOps = kRows;

}  // namespace rung::ops
