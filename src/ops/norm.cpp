// Layer, group and root-mean-square normalization, vector norms, and weights rescaled by them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "meta/layout.h"
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/gen/prims.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using TensorTuple3 = std::tuple<Tensor, Tensor, Tensor>;

Tensor contiguous(const Tensor& x) {
  if (!x || meta::is_contiguous(x.meta())) return x;
  return aten::clone(x, MemoryFormat::kContiguous);
}

// Dimensions from `first` on: what a norm is taken over.
Sizes dims_from(int64_t first, int64_t rank) {
  Sizes dims;
  for (int64_t i = first; i < rank; ++i) dims.push_back(i);
  return dims;
}

// ---- layer norm

void require_normalized_shape(const Tensor& input, SymInts shape, const Tensor& weight, const Tensor& bias) {
  if (shape.empty()) fail_input("layer_norm: normalized_shape must have at least one dimension");
  for (const Tensor* x : {&weight, &bias})
    if (*x && !std::ranges::equal(x->sizes(), shape))
      fail_input("layer_norm: weight and bias must have the shape of normalized_shape");
  if (input.sizes().size() < shape.size() || !std::ranges::equal(input.sizes().last(shape.size()), shape))
    fail_input("layer_norm: the last dimensions of the input are not normalized_shape");
}

Tensor layer_norm(Tensor input, SymInts normalized_shape, Tensor weight, Tensor bias, double eps) {
  return std::get<0>(aten::native_layer_norm(input, normalized_shape, weight, bias, eps));
}

struct Normalized {
  Tensor value, mean, inverse_deviation;
};

// (x - mean) / sqrt(var + eps), the variance biased
Normalized normalize(const Tensor& x, const Sizes& dims, double eps) {
  auto [variance, mean] = aten::var_mean_dim(x, IntList(dims), false, true);
  Tensor shifted = aten::add_Tensor(variance, eps);
  Tensor inverse = aten::rsqrt(shifted);
  Tensor centered = aten::sub_Tensor(x, mean);
  return {aten::mul_Tensor(centered, inverse), mean, inverse};
}

// The kernel makes all its operands contiguous, and so are its results.
std::array<const TensorMeta*, 3> kernel_layer_norm(Tensor input, SymInts normalized_shape, Tensor weight, Tensor bias) {
  require_normalized_shape(input, normalized_shape, weight, bias);
  if (is_complex(input.dtype())) fail_input("layer_norm does not support complex inputs");
  Sizes sizes(input.sizes().begin(), input.sizes().end());
  std::fill(sizes.end() - static_cast<ptrdiff_t>(normalized_shape.size()), sizes.end(), SymInt(1));
  bool on_cpu = input.device().type == "cpu";
  DType dtype = on_cpu ? input.dtype() : meta::opmath_type(input.dtype());
  const TensorMeta* statistics = meta::contiguous(sizes, dtype, input.device());
  return {meta::contiguous(input.sizes(), input.dtype(), input.device()), statistics, statistics};
}

// torch's reference takes an input that is contiguous as it is, and its dimensions of size 1 keep their place in
// memory.
std::array<const TensorMeta*, 3> meta_native_layer_norm(Tensor input, SymInts normalized_shape, Tensor weight,
                                                        Tensor bias) {
  auto metas = kernel_layer_norm(input, normalized_shape, weight, bias);
  auto is_symbolic = [](SymInt item) { return item.is_symbolic(); };
  bool is_static =
      std::ranges::none_of(input.sizes(), is_symbolic) && std::ranges::none_of(input.strides(), is_symbolic);
  if (is_static && meta::is_contiguous(input.meta()))
    metas[0] = meta::make(input.sizes(), meta::dense_strides_like(input.sizes(), input.strides()), input.dtype(),
                          input.device());
  return metas;
}

TensorTuple3 native_layer_norm(Tensor input, SymInts normalized_shape, Tensor weight, Tensor bias, double eps) {
  require_normalized_shape(input, normalized_shape, weight, bias);
  if (is_complex(input.dtype())) fail_input("layer_norm does not support complex inputs");
  Tensor x = contiguous(input);
  weight = contiguous(weight);
  bias = contiguous(bias);
  x = to_dtype(x, meta::opmath_type(input.dtype()));
  Normalized out = normalize(x, dims_from(x.dim() - static_cast<int64_t>(normalized_shape.size()), x.dim()), eps);
  if (weight) out.value = aten::mul_Tensor(out.value, weight);
  if (bias) out.value = aten::add_Tensor(out.value, bias);
  Tensor result = to_dtype(out.value, input.dtype());
  if (input.device().type != "cpu") return {result, out.mean, out.inverse_deviation};
  Tensor mean = to_dtype(out.mean, input.dtype());
  return {result, mean, to_dtype(out.inverse_deviation, input.dtype())};
}

// ---- group norm

std::array<const TensorMeta*, 3> meta_native_group_norm(Tensor input, Tensor, Tensor, SymInt batch, SymInt, SymInt,
                                                        SymInt groups) {
  const TensorMeta* statistics = meta::contiguous(Sizes{batch, groups}, input.dtype(), input.device());
  return {meta::like(input.meta(), input.dtype()), statistics, statistics};
}

Tensor group_norm(Tensor input, SymInt num_groups, Tensor weight, Tensor bias, double eps) {
  if (input.dim() < 2) fail_input("group_norm: expected at least 2 dimensions, got ", input.dim());
  SymInt channels = input.size(1);
  if (num_groups <= 0 || channels % num_groups != 0)
    fail_input("group_norm: ", channels.str(), " channels are not divisible by ", num_groups.str(), " groups");
  for (const Tensor* x : {&weight, &bias})
    if (*x && (x->dim() != 1 || x->numel() != channels))
      fail_input("group_norm: weight and bias must be vectors of ", channels.str(), " elements");
  SymInt inner = meta::numel(input.sizes().subspan(2));
  MemoryFormat format =
      input.device().type == "cpu" ? meta::suggest_memory_format(input.meta()) : MemoryFormat::kContiguous;
  Tensor x = aten::contiguous(input, format);
  if (weight) weight = aten::contiguous(weight);
  if (bias) bias = aten::contiguous(bias);
  return std::get<0>(aten::native_group_norm(x, weight, bias, x.size(0), channels, inner, num_groups, eps));
}

Tensor unsqueeze_inner(Tensor x, int64_t rank) {
  for (int64_t i = 2; i < rank; ++i) x = aten::unsqueeze(x, i);
  return x;
}

struct GroupSizes {
  SymInt batch, channels, inner, groups;
};

// A CPU applies mean and deviation as one scale and one shift a channel.
Tensor group_norm_by_channel(const Tensor& x, const Tensor& mean, const Tensor& inverse, const Tensor& weight,
                             const Tensor& bias, const GroupSizes& g) {
  auto by_group = [&](const Tensor& v) { return aten::reshape(v, {1, g.groups, g.channels / g.groups, 1}); };
  auto by_channel = [&](const Tensor& v) {
    Tensor dense = contiguous(v);
    return aten::as_strided(dense, {g.batch, g.channels}, {g.channels, 1});
  };
  Tensor scale = by_group(weight);
  scale = aten::mul_Tensor(inverse, scale);
  Tensor shift = aten::neg(mean);
  shift = aten::mul_Tensor(shift, scale);
  if (bias) {
    Tensor added = by_group(bias);
    shift = aten::add_Tensor(shift, added);
  }
  scale = by_channel(scale);
  shift = by_channel(shift);
  scale = unsqueeze_inner(scale, x.dim());
  shift = unsqueeze_inner(shift, x.dim());
  Tensor out = aten::mul_Tensor(x, scale);
  return aten::add_Tensor(out, shift);
}

// Elsewhere, or without a weight, the groups are normalized, then the channels scaled.
Tensor group_norm_by_element(const Tensor& grouped, const Tensor& mean, const Tensor& inverse, const Tensor& weight,
                             const Tensor& bias, SymInts sizes) {
  Tensor out = aten::sub_Tensor(grouped, mean);
  out = aten::mul_Tensor(out, inverse);
  out = aten::view(out, sizes);
  auto spread = [&](const Tensor& v) {
    Tensor first = aten::unsqueeze(v, 0);
    return unsqueeze_inner(first, static_cast<int64_t>(sizes.size()));
  };
  if (weight) {
    Tensor scale = spread(weight);
    out = aten::mul_Tensor(out, scale);
  }
  if (!bias) return out;
  Tensor shift = spread(bias);
  return aten::add_Tensor(out, shift);
}

TensorTuple3 native_group_norm(Tensor input, Tensor weight, Tensor bias, SymInt batch, SymInt channels, SymInt inner,
                               SymInt groups, double eps) {
  if (groups <= 0 || channels % groups != 0)
    fail_input("group_norm: ", channels.str(), " channels are not divisible by ", groups.str(), " groups");
  GroupSizes g = {batch, channels, inner, groups};
  Tensor x = to_dtype(input, meta::opmath_type(input.dtype()));
  Tensor grouped = aten::reshape(x, {batch, groups, channels / groups, inner});
  auto [variance, mean] = aten::var_mean_dim(grouped, IntList{2, 3}, false, true);
  Tensor shifted = aten::add_Tensor(variance, eps);
  Tensor inverse = aten::rsqrt(shifted);
  bool by_channel = input.device().type == "cpu" && weight;
  Tensor out = by_channel ? group_norm_by_channel(x, mean, inverse, weight, bias, g)
                          : group_norm_by_element(grouped, mean, inverse, weight, bias, input.sizes());
  out = to_dtype(out, input.dtype());
  mean = to_dtype(mean, input.dtype());
  inverse = to_dtype(inverse, input.dtype());
  mean = aten::squeeze_dims(mean, {2, 3});
  return {out, mean, aten::squeeze_dims(inverse, {2, 3})};
}

// ---- rms norm

double least_above_one(DType dtype) {
  bool is_single = dtype == DType::kFloat32 || dtype == DType::kComplex64;
  return is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

// The last dimensions, as many as the shape has, from the last on.
Sizes normalized_dims(const Tensor& input, SymInts normalized_shape) {
  Sizes dims = dims_from(input.dim() - static_cast<int64_t>(normalized_shape.size()), input.dim());
  std::reverse(dims.begin(), dims.end());
  return dims;
}

// x / sqrt(mean(x^2) + eps) * weight
Tensor kernel_rms_norm(const Tensor& input, SymInts normalized_shape, const Tensor& weight, std::optional<double> eps) {
  DType computation = meta::opmath_type(input.dtype());
  Tensor x = to_dtype(input, computation);
  Tensor mean = aten::mean_dim(aten::pow_Tensor_Scalar(x, 2), IntList(normalized_dims(input, normalized_shape)), true);
  mean = aten::add__Scalar(mean, eps.value_or(least_above_one(computation)));
  Tensor out = aten::mul_Tensor(x, aten::rsqrt(mean));
  if (weight) out = aten::mul_Tensor(out, weight);
  return aten::type_as(out, input);
}

Tensor rms_norm(Tensor input, SymInts normalized_shape, Tensor weight, std::optional<double> eps) {
  require_normalized_shape(input, normalized_shape, weight, {});
  if (follows_kernels()) return kernel_rms_norm(input, normalized_shape, weight, eps);
  return std::get<0>(aten::_fused_rms_norm(input, normalized_shape, weight, eps));
}

// x / sqrt(mean(x^2) + eps) * weight
TensorTuple2 fused_rms_norm(Tensor input, SymInts normalized_shape, Tensor weight, std::optional<double> eps) {
  if (normalized_shape.size() > input.sizes().size())
    fail_input("rms_norm: normalized_shape has more dimensions than the input");
  DType computation = meta::opmath_type(input.dtype());
  Tensor x = to_dtype(input, computation);
  Tensor square = aten::pow_Tensor_Scalar(x, 2);
  Tensor mean = aten::mean_dim(square, IntList(normalized_dims(input, normalized_shape)), true);
  mean = aten::add_Scalar(mean, eps.value_or(least_above_one(computation)));
  Tensor inverse = aten::rsqrt(mean);
  Tensor out = aten::mul_Tensor(x, inverse);
  if (weight) out = aten::mul_Tensor(out, weight);
  if (meta::suggest_memory_format(input.meta()) == MemoryFormat::kContiguous) {
    out = contiguous(out);
    inverse = contiguous(inverse);
  }
  return {aten::type_as(out, input), inverse};
}

// ---- vector norms

void require_floating_or_complex(const Tensor& self, std::string_view op) {
  if (is_integral_or_bool(self.dtype()))
    fail_input(op, ": expected a floating point or complex tensor, got ", info(self.dtype()).name);
}

// The shape after a reduction over `dims`; all dimensions for nullopt and an empty list.
Sizes reduced_sizes(const Tensor& self, std::optional<SymInts> dims, bool keepdim) {
  std::vector<bool> reduced(static_cast<size_t>(self.dim()), !dims || dims->empty());
  if (dims && self.dim() > 0)
    for (int64_t dim : wrap_dims(*dims, self.dim())) reduced[static_cast<size_t>(dim)] = true;
  Sizes sizes;
  for (size_t i = 0; i < reduced.size(); ++i)
    if (!reduced[i] || keepdim) sizes.push_back(reduced[i] ? SymInt(1) : self.sizes()[i]);
  return sizes;
}

const TensorMeta* meta_vector_norm(Tensor self, Scalar, std::optional<SymInts> dim, bool keepdim,
                                   std::optional<DType> dtype) {
  require_floating_or_complex(self, "vector_norm");
  return meta::contiguous(reduced_sizes(self, dim, keepdim), meta::real_type(dtype.value_or(self.dtype())),
                          self.device());
}

// Along dimensions of size 1 a norm is the absolute value.
Tensor norm_of_single(const Tensor& x, std::optional<SymInts> dim, bool keepdim, DType result) {
  Tensor size = aten::abs(x);
  if (dim && !keepdim && x.dim() > 0) {
    Tensor rest = aten::view(size, reduced_sizes(x, dim, false));
    return contiguous(to_dtype(rest, result));
  }
  Tensor cast = to_dtype(size, result);
  if (keepdim || x.dim() == 0) return contiguous(cast);
  Tensor flat = aten::flatten_using_ints(cast);
  return aten::select_int(flat, 0, 0);
}

// norm_p(x) = (sum |x|^p)^(1/p); 0 counts, infinities take the extremes
Tensor linalg_vector_norm(Tensor self, Scalar ord, std::optional<SymInts> dim, bool keepdim,
                          std::optional<DType> dtype) {
  require_floating_or_complex(self, "vector_norm");
  DType computation = meta::opmath_type(dtype.value_or(self.dtype())),
        result = meta::real_type(dtype.value_or(self.dtype()));
  double p = ord.to_double();
  std::optional<IntList> dims = dim ? std::optional<IntList>(*dim) : std::nullopt;
  if (p == 0) {
    Tensor nonzero = aten::ne_Scalar(self, 0.0);
    return aten::sum_dim_IntList(nonzero, dims, keepdim, result);
  }
  if (std::isinf(p)) {
    Tensor size = aten::abs(self);
    IntList over = dim ? IntList(*dim) : IntList();
    return to_dtype(p > 0 ? aten::amax(size, over, keepdim) : aten::amin(size, over, keepdim), result);
  }
  Tensor x = to_dtype(self, computation);
  if (dim && dim->empty()) dim = std::nullopt;
  bool single = !dim && x.numel() == 1;
  if (dim && x.dim() > 0) {
    single = true;
    for (int64_t d : wrap_dims(*dim, x.dim())) single = single && x.size(d) == 1;
  }
  if (single) return norm_of_single(x, dim, keepdim, result);
  if (std::fmod(p, 2) != 0 || !is_floating(x.dtype())) x = aten::abs(x);
  Tensor powers = aten::pow_Tensor_Scalar(x, ord);
  Tensor sum = aten::sum_dim_IntList(powers, dims, keepdim);
  return to_dtype(aten::pow_Tensor_Scalar(sum, 1.0 / p), result);
}

// The older interface: no order means the Euclidean norm.
Tensor norm_of(const Tensor& self, std::optional<Scalar> p, std::optional<SymInts> dim, bool keepdim,
               std::optional<DType> dtype) {
  return aten::linalg_vector_norm(self, p.value_or(Scalar(2)), dim ? std::optional<IntList>(*dim) : std::nullopt,
                                  keepdim, dtype);
}
Tensor norm_scalar(Tensor self, Scalar p) { return norm_of(self, p, std::nullopt, false, std::nullopt); }
Tensor norm_dtype(Tensor self, std::optional<Scalar> p, DType dtype) {
  return norm_of(self, p, std::nullopt, false, dtype);
}
Tensor norm_dim(Tensor self, std::optional<Scalar> p, SymInts dim, bool keepdim) {
  return norm_of(self, p, dim, keepdim, std::nullopt);
}
Tensor norm_dim_dtype(Tensor self, std::optional<Scalar> p, SymInts dim, bool keepdim, DType dtype) {
  return norm_of(self, p, dim, keepdim, dtype);
}

// Slices along `dim` scaled down to norm `maxnorm` where they are larger.
Tensor renorm(Tensor self, Scalar p, int64_t dim, Scalar maxnorm) {
  if (p.is_complex() || p.to_double() <= 0) fail_input("renorm: the order must be real and positive");
  if (maxnorm.is_complex() || maxnorm.to_double() < 0) fail_input("renorm: expected maxnorm to be at least 0");
  if (self.dim() < 2) fail_input("renorm: the input needs at least 2 dimensions, got ", self.dim());
  Sizes dims = dims_from(0, self.dim());
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(wrap_dim(dim, self.dim())));
  DType computation = meta::opmath_type(self.dtype());
  bool widens = computation != self.dtype();
  Tensor norm =
      aten::linalg_vector_norm(self, p, IntList(dims), true, widens ? std::optional(computation) : std::nullopt);
  Tensor too_large = aten::gt_Scalar(norm, maxnorm);
  Tensor factor = aten::add_Tensor(norm, 1e-7);
  factor = aten::reciprocal(factor);
  factor = aten::mul_Tensor(factor, maxnorm);
  factor = aten::where_ScalarOther(too_large, factor, 1.0);
  if (widens) factor = prims::convert_element_type(factor, self.dtype());
  return contiguous(aten::mul_Tensor(self, factor));
}

// ---- weight norm: w = g * v / |v|

// The norm of each slice along `dim`, of all of v for -1.
Tensor norm_except_dim(Tensor v, int64_t power, int64_t dim) {
  int64_t last = v.dim() - 1;
  if (dim == -1) return aten::norm_Scalar(v, power);
  if (dim != 0 && dim != last) {
    Tensor turned = aten::transpose_int(v, 0, dim);
    Tensor norm = aten::norm_except_dim(turned, power, 0);
    return aten::transpose_int(norm, 0, dim);
  }
  Sizes out(static_cast<size_t>(v.dim()), 1);
  out[static_cast<size_t>(dim)] = v.size(dim);
  Tensor dense = aten::contiguous(v);
  Tensor matrix = dim == 0 ? aten::view(dense, {v.size(0), -1}) : aten::view(dense, {-1, v.size(last)});
  Tensor norm = aten::norm_ScalarOpt_dim(matrix, Scalar(power), {dim == 0 ? 1 : 0});
  return aten::view(norm, out);
}

Tensor weight_norm(Tensor v_in, Tensor g_in, int64_t dim) {
  Tensor v = aten::contiguous(v_in);
  Tensor g = aten::contiguous(g_in);
  bool has_half = v.dtype() == DType::kFloat16 || g.dtype() == DType::kFloat16;
  if (!has_half && (dim == 0 || dim == v.dim() - 1)) return std::get<0>(aten::_weight_norm_interface(v, g, dim));
  Tensor norm = aten::norm_except_dim(v, 2, dim);
  Tensor factor = aten::div_Tensor(g, norm);
  return aten::mul_Tensor(v, factor);
}

TensorTuple2 weight_norm_interface(Tensor v, Tensor g, int64_t dim) {
  Sizes dims;
  for (int64_t i = 0; i < v.dim(); ++i)
    if (i != dim) dims.push_back(i);
  std::optional<DType> dtype = g.dtype() == DType::kBFloat16 ? std::optional(DType::kFloat32) : std::nullopt;
  Tensor norm = aten::linalg_vector_norm(v, 2, IntList(dims), true, dtype);
  Tensor cast = to_dtype(norm, g.dtype());
  Tensor factor = aten::div_Tensor(g, cast);
  return {aten::mul_Tensor(v, factor), norm};
}

constexpr OpDef kRows[] = {
    {.op = "aten::layer_norm", .body = box<layer_norm>},
    {.op = "aten::native_layer_norm",
     .meta = box_meta<meta_native_layer_norm>,
     .kernel_meta = box_meta<kernel_layer_norm>,
     .body = box<native_layer_norm>},
    {.op = "aten::group_norm", .body = box<group_norm>},
    {.op = "aten::native_group_norm", .meta = box_meta<meta_native_group_norm>, .body = box<native_group_norm>},
    {.op = "aten::rms_norm", .body = box<rms_norm>},
    {.op = "aten::_fused_rms_norm", .body = box<fused_rms_norm>},
    {.op = "aten::linalg_vector_norm", .meta = box_meta<meta_vector_norm>, .body = box<linalg_vector_norm>},
    {.op = "aten::norm.Scalar", .body = box<norm_scalar>},
    {.op = "aten::norm.ScalarOpt_dtype", .body = box<norm_dtype>},
    {.op = "aten::norm.ScalarOpt_dim", .body = box<norm_dim>},
    {.op = "aten::norm.ScalarOpt_dim_dtype", .body = box<norm_dim_dtype>},
    {.op = "aten::renorm", .body = box<renorm>},
    {.op = "aten::norm_except_dim", .body = box<norm_except_dim>},
    {.op = "aten::_weight_norm", .body = box<weight_norm>},
    {.op = "aten::_weight_norm_interface", .body = box<weight_norm_interface>},
};

}  // namespace

const std::span<const OpDef> kNormOps = kRows;

}  // namespace rung::ops
