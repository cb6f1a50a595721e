// Reductions over dimensions: sums, means, variances, extremes, any and all.
#include <limits>

#include "meta/reduction.h"
#include "meta/reference.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using Dims = std::optional<SymInts>;
using meta::Promote;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- metas

DType sum_type(const Tensor& self, std::optional<DType> dtype) { return dtype.value_or(meta::sum_type(self.dtype())); }

const TensorMeta* meta_sum(Tensor self, Dims dims, bool keepdim, std::optional<DType> dtype) {
  return meta::reduction(self.meta(), dims, keepdim, sum_type(self, dtype));
}
// Here an empty list of dimensions reduces none.
const TensorMeta* meta_nansum(Tensor self, Dims dims, bool keepdim, std::optional<DType> dtype) {
  if (dims && dims->empty()) return meta::contiguous(self.sizes(), sum_type(self, dtype), self.device());
  return meta::reduced(self.meta(), dims, keepdim, sum_type(self, dtype));
}
const TensorMeta* meta_prod(Tensor self, std::optional<DType> dtype) {
  return meta::reduction(self.meta(), {}, false, sum_type(self, dtype));
}
const TensorMeta* meta_prod_dim(Tensor self, SymInt dim, bool keepdim, std::optional<DType> dtype) {
  return meta::reduction(self.meta(), SymInts(&dim, 1), keepdim, sum_type(self, dtype));
}

const TensorMeta* meta_mean_dim(Tensor self, Dims dims, bool keepdim, std::optional<DType> dtype) {
  DType type = dtype.value_or(self.dtype());
  if (is_integral_or_bool(type)) fail_input("mean: the dtype must be floating point or complex, got ", info(type).name);
  return meta::reduced(self.meta(), dims, keepdim, type);
}
const TensorMeta* meta_mean(Tensor self, std::optional<DType> dtype) { return meta_mean_dim(self, {}, false, dtype); }

const TensorMeta* meta_extreme(Tensor self, Dims dims, bool keepdim) {
  std::vector<bool> gone = meta::reduced_dims(self.meta(), dims);
  for (size_t i = 0; i < gone.size(); ++i)
    if (gone[i] && self.sizes()[i] == 0) fail_input("dimension ", i, " is empty, and its extreme has no value");
  return meta::reduction(self.meta(), dims, keepdim, self.dtype());
}

// Only the exclusive or of the bits of all elements is a hash.
const TensorMeta* meta_hash(Tensor self, Dims dims, bool keepdim, int64_t mode) {
  if (mode != 0) fail_input("Unknown hash_tensor mode: ", mode);
  std::vector<bool> gone = meta::reduced_dims(self.meta(), dims);
  for (size_t i = 0; i < gone.size(); ++i)
    if (gone[i] && self.sizes()[i] == 0) fail_input("hash_tensor: dimension ", i, " is empty, and has no hash");
  return meta::reduced(self.meta(), dims, keepdim, DType::kUInt64);
}

const TensorMeta* meta_var(Tensor self, Dims dims, std::optional<Scalar>, bool keepdim) {
  return meta::reduction(self.meta(), dims, keepdim, meta::real_type(self.dtype()));
}
std::vector<const TensorMeta*> meta_var_mean(Tensor self, Dims dims, std::optional<Scalar> correction, bool keepdim) {
  return {meta_var(self, dims, correction, keepdim), meta::reduced(self.meta(), dims, keepdim, self.dtype())};
}

// any and all of uint8 stay uint8; an empty list of dimensions reduces none.
DType truth_type(const Tensor& self) { return self.dtype() == DType::kUInt8 ? DType::kUInt8 : DType::kBool; }
const TensorMeta* meta_any(Tensor self) { return meta::reduced(self.meta(), {}, false, truth_type(self)); }
const TensorMeta* meta_any_dims(Tensor self, Dims dims, bool keepdim) {
  if (dims && dims->empty()) return meta::converted(*meta::like(self.meta(), DType::kBool), truth_type(self));
  return meta::reduced(self.meta(), dims, keepdim, truth_type(self));
}
const TensorMeta* meta_any_dim(Tensor self, SymInt dim, bool keepdim) {
  return meta::reduced(self.meta(), SymInts(&dim, 1), keepdim, truth_type(self));
}

const TensorMeta* meta_max(Tensor self) { return meta::reduced(self.meta(), {}, false, self.dtype()); }

std::vector<const TensorMeta*> with_indices(const Tensor& self, SymInt dim, bool keepdim) {
  SymInts dims(&dim, 1);
  return {meta::reduced(self.meta(), dims, keepdim, self.dtype()),
          meta::reduced(self.meta(), dims, keepdim, DType::kInt64)};
}
std::vector<const TensorMeta*> meta_max_dim(Tensor self, SymInt dim, bool keepdim) {
  if (self.dim() > 0 && self.size(dim.value()) == 0)
    fail_input("dimension ", dim.str(), " is empty, and its extreme has no value");
  return with_indices(self, dim, keepdim);
}
std::vector<const TensorMeta*> meta_median_dim(Tensor self, SymInt dim, bool keepdim) {
  return with_indices(self, dim, keepdim);
}
std::vector<const TensorMeta*> meta_kthvalue(Tensor self, SymInt k, SymInt dim, bool keepdim) {
  SymInt size = self.dim() > 0 ? self.size(dim.value()) : SymInt(1);
  if (k < 1 || k > size)
    fail_input("kthvalue: ", k.str(), " is out of range for dimension ", dim.str(), " of size ", size.str());
  return with_indices(self, dim, keepdim);
}

const TensorMeta* meta_argmax(Tensor self, std::optional<SymInt> dim, bool keepdim) {
  return meta::reduced(self.meta(), dim ? Dims(SymInts(&*dim, 1)) : Dims(), keepdim, DType::kInt64);
}

// ---- bodies

Tensor sum(Tensor self, std::optional<DType> dtype) { return aten::sum_dim_IntList(self, IntList(), false, dtype); }

// nansum: NaN counts as 0
Tensor nansum(Tensor self, std::optional<IntList> dims, bool keepdim, std::optional<DType> dtype) {
  Tensor is_nan = aten::isnan(self);
  Tensor numbers = aten::where_ScalarSelf(is_nan, 0, self);
  return aten::sum_dim_IntList(numbers, dims, keepdim, dtype);
}

// nanmean = nansum / how many are not NaN
Tensor nanmean(Tensor self, std::optional<IntList> dims, bool keepdim, std::optional<DType> dtype) {
  if (is_integral_or_bool(self.dtype()))
    fail_input("nanmean expects floating point or complex, got ", info(self.dtype()).name);
  Tensor values = aten::detach(self);
  Tensor is_nan = aten::ne_Tensor(values, values);
  Tensor is_number = aten::logical_not_(is_nan);
  Tensor count = aten::sum_dim_IntList(is_number, dims, keepdim);
  Tensor total = aten::nansum(self, dims, keepdim, dtype);
  return aten::div_Tensor(total, count);
}

Tensor count_nonzero(const Tensor& self, std::optional<IntList> dims) {
  Tensor nonzero = aten::ne_Scalar(self, 0);
  return aten::sum_dim_IntList(nonzero, dims);
}
Tensor count_nonzero_dim(Tensor self, std::optional<SymInt> dim) {
  return dim ? count_nonzero(self, IntList({*dim})) : count_nonzero(self, std::nullopt);
}

// all = not any of not
template <typename Any>
Tensor not_any(const Tensor& self, Any any) {
  Tensor negated = aten::logical_not(self);
  Tensor found = any(negated);
  Tensor result = aten::logical_not(found);
  return self.dtype() == DType::kUInt8 ? to_dtype(result, DType::kUInt8) : result;
}
Tensor all(Tensor self) {
  return not_any(self, [](const Tensor& x) { return aten::any_dims(x); });
}
Tensor all_dim(Tensor self, SymInt dim, bool keepdim) {
  return not_any(self, [&](const Tensor& x) { return aten::any_dim(x, dim, keepdim); });
}
Tensor all_dims(Tensor self, std::optional<IntList> dims, bool keepdim) {
  return not_any(self, [&](const Tensor& x) { return aten::any_dims(x, dims, keepdim); });
}

std::tuple<Tensor, Tensor> aminmax(Tensor self, std::optional<SymInt> dim, bool keepdim) {
  IntList dims = dim ? IntList(SymInts(&*dim, 1)) : IntList();
  Tensor least = aten::amin(self, dims, keepdim);
  Tensor most = aten::amax(self, dims, keepdim);
  return {least, most};
}

// ---- variance and standard deviation

// What the references make of the two ways to say it: 1 unless told otherwise, as a float.
double correction_of(const std::optional<Scalar>& correction) { return correction ? correction->to_double() : 1.0; }

Scalar bessel(bool unbiased) { return unbiased ? 1 : 0; }

Tensor var(Tensor self, bool unbiased) { return aten::var_correction(self, std::nullopt, bessel(unbiased)); }
Tensor var_dim(Tensor self, std::optional<IntList> dims, bool unbiased, bool keepdim) {
  return aten::var_correction(self, dims, bessel(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> var_mean(Tensor self, bool unbiased) {
  return aten::var_mean_correction(self, std::nullopt, bessel(unbiased));
}
std::tuple<Tensor, Tensor> var_mean_dim(Tensor self, std::optional<IntList> dims, bool unbiased, bool keepdim) {
  return aten::var_mean_correction(self, dims, bessel(unbiased), keepdim);
}
Tensor std_all(Tensor self, bool unbiased) { return aten::std_correction(self, std::nullopt, bessel(unbiased)); }
Tensor std_dim(Tensor self, std::optional<IntList> dims, bool unbiased, bool keepdim) {
  return aten::std_correction(self, dims, bessel(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> std_mean(Tensor self, bool unbiased) {
  return aten::std_mean_correction(self, std::nullopt, bessel(unbiased));
}
std::tuple<Tensor, Tensor> std_mean_dim(Tensor self, std::optional<IntList> dims, bool unbiased, bool keepdim) {
  return aten::std_mean_correction(self, dims, bessel(unbiased), keepdim);
}

// std = sqrt(var)
Tensor std_correction(Tensor self, std::optional<IntList> dims, std::optional<Scalar> correction, bool keepdim) {
  Tensor x = to_dtype(self, meta::opmath_type(self.dtype()));
  Tensor variance = aten::var_correction(x, dims, correction_of(correction), keepdim);
  return to_dtype(aten::sqrt(variance), meta::real_type(self.dtype()));
}
std::tuple<Tensor, Tensor> std_mean_correction(Tensor self, std::optional<IntList> dims,
                                               std::optional<Scalar> correction, bool keepdim) {
  Tensor x = to_dtype(self, meta::opmath_type(self.dtype()));
  auto [variance, mean] = aten::var_mean_correction(x, dims, correction_of(correction), keepdim);
  Tensor deviation = to_dtype(aten::sqrt(variance), meta::real_type(self.dtype()));
  return {deviation, to_dtype(mean, self.dtype())};
}

// ---- logsumexp

// log(sum(e^x)) = m + log(sum(e^(x - m))), m the largest x, or 0 where that is infinite
Tensor logsumexp(Tensor self, IntList dims, bool keepdim) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor x = types.up(self);
  if (self.numel() == 0) {
    Tensor powers = aten::exp(x);
    Tensor none = aten::sum_dim_IntList(powers, dims, keepdim);
    return types.down(aten::log(none));
  }
  Tensor largest = aten::amax(aten::real(x), dims, true);
  Tensor size = aten::abs(largest);
  Tensor is_infinite = aten::eq_Scalar(size, kInfinity);
  largest = aten::masked_fill_Scalar(largest, is_infinite, 0);
  Tensor shift = keepdim ? largest : aten::squeeze_dims(largest, dims);
  Tensor shifted = aten::sub_Tensor(x, largest);
  Tensor powers = aten::exp(shifted);
  Tensor total = aten::sum_dim_IntList(powers, dims, keepdim);
  Tensor log = aten::log(total);
  return types.down(aten::add_Tensor(log, shift));
}

// The sum of the diagonal.
Tensor trace(Tensor self) {
  if (self.dim() != 2) fail_input("trace expects a matrix, got a tensor with ", self.dim(), " dimensions");
  Tensor diagonal = aten::diag(self, 0);
  return aten::sum(diagonal);
}

// Sums over what broadcasting to self's shape would repeat.
Tensor sum_to_size(Tensor self, IntList size) {
  SymInts shape = size;
  if (shape.empty()) return aten::sum(self);
  int64_t leading = self.dim() - static_cast<int64_t>(shape.size());
  meta::Sizes dims;
  for (int64_t i = 0; i < leading; ++i) dims.push_back(i);
  for (int64_t i = std::max<int64_t>(leading, 0); i < self.dim(); ++i) {
    SymInt wanted = shape[static_cast<size_t>(i - leading)];
    if (wanted != self.size(i) && wanted != 1) fail_input("sum_to_size: sizes differ at dimension ", i);
    if (wanted == 1 && self.size(i) != 1) dims.push_back(i);
  }
  if (leading < 0) fail_input("sum_to_size: the size has more dimensions than the tensor");
  Tensor out = dims.empty() ? self : aten::sum_dim_IntList(self, dims, true);
  return leading > 0 ? aten::view(out, shape) : out;
}

// ---- gradients of reductions that chose an element

Tensor cummaxmin_backward(Tensor grad, Tensor input, Tensor indices, int64_t dim) {
  if (input.numel() == 0) return input;
  Tensor zeros = aten::zeros(input.sizes(), input.dtype(), input.layout(), input.device());
  return aten::scatter_add(zeros, dim, indices, grad);
}

// The gradient goes to the elements that were chosen.
Tensor value_selecting_reduction_backward(Tensor grad, int64_t dim, Tensor indices, IntList sizes, bool keepdim) {
  if (!keepdim && !sizes.span().empty()) {
    grad = aten::unsqueeze(grad, dim);
    indices = aten::unsqueeze(indices, dim);
  }
  Tensor zeros = aten::new_zeros(grad, sizes);
  return aten::scatter_src(zeros, dim, indices, grad);
}

// The gradient fills the diagonal, which is every (columns + 1)th element.
Tensor trace_backward(Tensor grad, SymInts sizes) {
  if (sizes.size() != 2) fail_input("trace_backward expects the sizes of a matrix, got ", sizes.size());
  SymInt step = sizes[1] + 1, end = min(sizes[0], sizes[1]) * step;
  Tensor zeros = aten::zeros({sizes[0] * sizes[1]}, grad.dtype(), grad.layout(), grad.device());
  Tensor index = aten::arange_start_step(0, end, step, DType::kInt64, grad.layout(), grad.device());
  return aten::view(aten::index_fill_int_Tensor(zeros, 0, index, grad), sizes);
}

// ---- references

// Whether the sum of the truths is not 0; an empty list of dimensions reduces none.
Tensor reference_any(const Tensor& self, std::optional<SymInts> dims, bool keepdim) {
  bool keeps_all = dims && dims->empty();
  Tensor truth = reference::converted(self, DType::kBool);
  if (keeps_all) {
    truth = aten::clone(truth);
  } else {
    Tensor count = aten::sum_dim_IntList(truth, dims ? std::optional<IntList>(*dims) : std::nullopt, keepdim);
    truth = aten::ne_Scalar(count, Scalar(false));
  }
  return reference::converted(truth, truth_type(self));
}
Tensor reference_any_all(Tensor self) { return reference_any(self, std::nullopt, false); }
Tensor reference_any_dim(Tensor self, SymInt dim, bool keepdim) {
  return reference_any(self, SymInts(&dim, 1), keepdim);
}
Tensor reference_any_dims(Tensor self, Dims dims, bool keepdim) { return reference_any(self, dims, keepdim); }

Tensor reference_mean(Tensor self, std::optional<DType> dtype) {
  return reference::mean(self, std::nullopt, false, dtype);
}
Tensor reference_prod(Tensor self, std::optional<DType> dtype) {
  return reference::prod(self, std::nullopt, false, dtype);
}
Tensor reference_prod_dim(Tensor self, SymInt dim, bool keepdim, std::optional<DType> dtype) {
  return reference::prod(self, SymInts(&dim, 1), keepdim, dtype);
}
std::tuple<Tensor, Tensor> reference_var_mean(Tensor self, Dims dims, std::optional<Scalar> correction, bool keepdim) {
  Tensor variance = reference::var(self, dims, correction, keepdim);
  return {variance, reference::mean(self, dims, keepdim, std::nullopt)};
}

constexpr OpDef kRows[] = {
    {.op = "aten::all", .body = box<all>},
    {.op = "aten::all.dim", .body = box<all_dim>},
    {.op = "aten::all.dims", .body = box<all_dims>},
    {.op = "aten::amax", .meta = box_meta<meta_extreme>, .reference = box<reference::amax>},
    {.op = "aten::amin", .meta = box_meta<meta_extreme>, .reference = box<reference::amin>},
    {.op = "aten::aminmax", .body = box<aminmax>},
    {.op = "aten::any", .meta = box_meta<meta_any>, .reference = box<reference_any_all>},
    {.op = "aten::any.dim", .meta = box_meta<meta_any_dim>, .reference = box<reference_any_dim>},
    {.op = "aten::any.dims", .meta = box_meta<meta_any_dims>, .reference = box<reference_any_dims>},
    {.op = "aten::argmax", .meta = box_meta<meta_argmax>, .reference = box<closed::argmax>},
    {.op = "aten::argmin", .meta = box_meta<meta_argmax>, .reference = box<closed::argmin>},
    {.op = "aten::count_nonzero", .body = box<count_nonzero_dim>},
    {.op = "aten::count_nonzero.dim_IntList", .body = box<count_nonzero>},
    {.op = "aten::cummaxmin_backward", .body = box<cummaxmin_backward>},
    {.op = "aten::hash_tensor", .meta = box_meta<meta_hash>, .reference = box<reference::hash_tensor>},
    {.op = "aten::kthvalue", .meta = box_meta<meta_kthvalue>},
    {.op = "aten::logsumexp", .hidden_rule = "logsumexp", .body = box<logsumexp>},
    {.op = "aten::max", .meta = box_meta<meta_max>, .reference = box<closed::max>},
    {.op = "aten::max.dim", .meta = box_meta<meta_max_dim>, .reference = box<closed::max_dim>},
    {.op = "aten::mean", .meta = box_meta<meta_mean>, .reference = box<reference_mean>},
    {.op = "aten::mean.dim", .meta = box_meta<meta_mean_dim>, .reference = box<reference::mean>},
    {.op = "aten::median", .meta = box_meta<meta_max>, .reference = box<closed::median>},
    {.op = "aten::median.dim", .meta = box_meta<meta_median_dim>, .reference = box<closed::median_dim>},
    {.op = "aten::min", .meta = box_meta<meta_max>, .reference = box<closed::min>},
    {.op = "aten::min.dim", .meta = box_meta<meta_max_dim>, .reference = box<closed::min_dim>},
    {.op = "aten::mode", .meta = box_meta<meta_median_dim>},
    {.op = "aten::nanmean", .body = box<nanmean>},
    {.op = "aten::nanmedian", .meta = box_meta<meta_max>, .reference = box<closed::nanmedian>},
    {.op = "aten::nanmedian.dim", .meta = box_meta<meta_median_dim>, .reference = box<closed::nanmedian_dim>},
    {.op = "aten::nansum", .meta = box_meta<meta_nansum>, .body = box<nansum>},
    {.op = "aten::prod", .meta = box_meta<meta_prod>, .reference = box<reference_prod>},
    {.op = "aten::prod.dim_int", .meta = box_meta<meta_prod_dim>, .reference = box<reference_prod_dim>},
    {.op = "aten::special_logsumexp", .body = box<aten::logsumexp>},
    {.op = "aten::std", .body = box<std_all>},
    {.op = "aten::std.correction", .body = box<std_correction>},
    {.op = "aten::std.dim", .body = box<std_dim>},
    {.op = "aten::std_mean", .body = box<std_mean>},
    {.op = "aten::std_mean.correction", .body = box<std_mean_correction>},
    {.op = "aten::std_mean.dim", .body = box<std_mean_dim>},
    {.op = "aten::sum", .body = box<sum>},
    {.op = "aten::sum.dim_IntList", .meta = box_meta<meta_sum>, .reference = box<reference::sum>},
    {.op = "aten::sum_to_size", .body = box<sum_to_size>},
    {.op = "aten::trace", .body = box<trace>},
    {.op = "aten::trace_backward", .body = box<trace_backward>},
    {.op = "aten::value_selecting_reduction_backward", .body = box<value_selecting_reduction_backward>},
    {.op = "aten::var", .body = box<var>},
    {.op = "aten::var.correction", .meta = box_meta<meta_var>, .reference = box<reference::var>},
    {.op = "aten::var.dim", .body = box<var_dim>},
    {.op = "aten::var_mean", .body = box<var_mean>},
    {.op = "aten::var_mean.correction", .meta = box_meta<meta_var_mean>, .reference = box<reference_var_mean>},
    {.op = "aten::var_mean.dim", .body = box<var_mean_dim>},
};

}  // namespace

const std::span<const OpDef> kReductionOps = kRows;

}  // namespace rung::ops
