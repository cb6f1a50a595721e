// What the primitives compute. Floats of 32 bits and less are computed in double and rounded once.
#include <cmath>
#include <numeric>

#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/gen/aten.h"
#include "ops/kernels.h"
#include "ops/number.h"
#include "ops/special_functions.h"
#include "ref/half.h"
#include "schema/gen/op_ids.h"
#include "trace/dispatch.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using ref::Complex;
using ref::Shape;

// Integers are whole already.
template <double (*round)(double), Real T>
T rounded(T a) {
  if constexpr (std::same_as<T, double>)
    return round(a);
  else
    return a;
}

template <Inexact T>
T expm1(T a) {
  if constexpr (std::same_as<T, double>)
    return std::expm1(a);
  else  // (e^x - 1) + e^x (e^iy - 1), with cos y - 1 = -2 sin^2(y / 2)
    return Complex(std::expm1(a.real()) - std::exp(a.real()) * 2 * std::pow(std::sin(a.imag() / 2), 2),
                   std::exp(a.real()) * std::sin(a.imag()));
}
template <Inexact T>
T log1p(T a) {
  if constexpr (std::same_as<T, double>)
    return std::log1p(a);
  else
    return std::log(1.0 + a);
}
template <Inexact T>
T log2(T a) {
  if constexpr (std::same_as<T, double>)
    return std::log2(a);
  else
    return std::log(a) / std::log(2.0);
}

Argument bitwise_not(const Call& call) {
  if (common_type(unbox_tensor(call.args[0])) == DType::kBool)
    return map_unary<[](std::same_as<int64_t> auto a) { return int64_t(a == 0); }>(call);
  return map_unary<[](std::same_as<int64_t> auto a) { return ~a; }>(call);
}

// ---- results that are not elementwise

// Any op whose meta is a view of its first argument.
Argument view(const Call& call) { return ref::make_view(Tensor(call.args[0]), result_meta(call)).argument(); }

Argument convert(const Call& call) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  return ref::with_carrier(
      self.dtype(), [&](auto carrier) { return ref::make(result, ref::values<decltype(carrier)>(self)).argument(); });
}

Argument where(const Call& call) {
  Tensor condition = unbox_tensor(call.args[0]), a = unbox_tensor(call.args[1]), b = unbox_tensor(call.args[2]);
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::to_shape(result.sizes);
  return ref::with_carrier(result.dtype, [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<int64_t> holds = ref::broadcast_values<int64_t>(condition, shape);
    std::vector<T> out = ref::broadcast_values<T>(a, shape), other = ref::broadcast_values<T>(b, shape);
    for (size_t i = 0; i < out.size(); ++i)
      if (holds[i] == 0) out[i] = other[i];
    return ref::make(result, out).argument();
  });
}

Argument cat(const Call& call) {
  TensorList tensors = unbox_tensors(call.args[0]);
  const TensorMeta& result = result_meta(call);
  Tensor out = ref::make(result);
  size_t dim = static_cast<size_t>(wrap_dim(unbox_int(call.args[1]).value(), out.dim()));
  std::vector<SymInt> sizes(result.sizes.begin(), result.sizes.end());
  SymInt offset = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() == 1 && tensor.size(0) == 0 && out.dim() != 1) continue;  // an empty vector fits everywhere
    TensorMeta part = out.meta();
    sizes[dim] = tensor.sizes()[dim];
    part.sizes = sizes;
    part.storage_offset = offset;
    offset += sizes[dim] * out.strides()[dim];
    Tensor target = ref::make_view(out, part);
    ref::with_carrier(tensor.dtype(), [&](auto carrier) {
      ref::store(target, ref::values<decltype(carrier)>(tensor));
      return 0;
    });
  }
  return out.argument();
}

// Elements in reverse along some dimensions.
Argument rev(const Call& call) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::shape_of(self), strides = ref::row_major_strides(shape);
  int64_t start = 0;
  for (int64_t dim : wrap_dims(unbox_ints(call.args[1]), self.dim())) {
    size_t at = static_cast<size_t>(dim);
    start += (shape[at] - 1) * strides[at];
    strides[at] = -strides[at];
  }
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> from = ref::values<T>(self), out;
    ref::Index index(shape);
    for (size_t i = 0; i < from.size(); ++i, index.next())
      out.push_back(from[static_cast<size_t>(start + index.offset(strides))]);
    return ref::make(result, out).argument();
  });
}

// A copy of the first argument, with the second one written through a view of it.
Argument as_strided_scatter(const Call& call) {
  Tensor self(call.args[0]), source(call.args[1]);
  Tensor out = ref::make(result_meta(call));
  TensorMeta window = out.meta();
  SymInts sizes = unbox_ints(call.args[2]), strides = unbox_ints(call.args[3]);
  window.sizes = sizes;
  window.strides = strides;
  window.storage_offset = call.args[4].is_none() ? SymInt(0) : unbox_int(call.args[4]);
  Tensor target = ref::make_view(out, window);
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    ref::store(out, ref::values<T>(self));
    ref::store(target, ref::values<T>(source));
    return out.argument();
  });
}

Argument copy_to(const Call& call) {
  Tensor target(call.args[0]), source(call.args[1]);
  return ref::with_carrier(source.dtype(), [&](auto carrier) {
    ref::store(target, ref::broadcast_values<decltype(carrier)>(source, ref::shape_of(target)));
    return target.argument();
  });
}

// x = fraction 2^exponent, the fraction in [1/2, 1)
Argument frexp(const Call& call) {
  Tensor self(call.args[0]);
  std::vector<const TensorMeta*> results = result_metas(call);
  std::vector<double> fractions = ref::values<double>(self);
  std::vector<int64_t> exponents;
  for (double& x : fractions) {
    int exponent = 0;
    if (std::isfinite(x)) x = std::frexp(x, &exponent);
    exponents.push_back(exponent);
  }
  const Tensor both[] = {ref::make(*results[0], fractions), ref::make(*results[1], exponents)};
  return box_list(both);
}

// Of 16 bits: the bits of positive numbers count upwards.
template <typename Bits>
double next_of(double from, double to, Bits (*round)(float)) {
  if (std::isnan(from) || std::isnan(to)) return std::numeric_limits<double>::quiet_NaN();
  if (from == to) return to;
  if (from == 0) return static_cast<double>(to_float(Bits{static_cast<uint16_t>(to > 0 ? 0x0001 : 0x8001)}));
  Bits bits = round(static_cast<float>(from));
  bits.bits = static_cast<uint16_t>(bits.bits + ((from < to) == (from > 0) ? 1 : -1));
  return static_cast<double>(to_float(bits));
}

double next_in(DType dtype, double from, double to) {
  if (dtype == DType::kFloat16) return next_of<ref::Half>(from, to, ref::to_half);
  if (dtype == DType::kBFloat16) return next_of<ref::BFloat16>(from, to, ref::to_bfloat16);
  if (dtype == DType::kFloat32)
    return static_cast<double>(std::nextafter(static_cast<float>(from), static_cast<float>(to)));
  return std::nextafter(from, to);
}

// The next number of the dtype itself.
Argument nextafter(const Call& call) {
  Tensor a(call.args[0]), b(call.args[1]);
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::to_shape(result.sizes);
  std::vector<double> from = ref::broadcast_values<double>(a, shape), to = ref::broadcast_values<double>(b, shape);
  if (!is_floating(result.dtype) || info(result.dtype).bytes < 2) fail_dtype(call.op, result.dtype);
  for (size_t i = 0; i < from.size(); ++i) from[i] = next_in(result.dtype, from[i], to[i]);
  return ref::make(result, from).argument();
}

Argument iota(const Call& call) {
  int64_t start = unbox_int(call.args[1]).value(), step = unbox_int(call.args[2]).value();
  std::vector<int64_t> out(static_cast<size_t>(unbox_int(call.args[0]).value()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = start + static_cast<int64_t>(i) * step;
  return ref::make(result_meta(call), out).argument();
}

template <size_t value_at>
Argument full(const Call& call) {
  const TensorMeta& result = result_meta(call);
  Scalar value = ops::convert(Scalar(operand(call.args[value_at])), result.dtype);
  return ref::with_carrier(result.dtype, [&](auto carrier) {
    using T = decltype(carrier);
    auto elements = static_cast<size_t>(ref::count(ref::to_shape(result.sizes)));
    return ref::make(result, std::vector<T>(elements, ref::number<T>(value))).argument();
  });
}

Argument empty(const Call& call) { return ref::make(result_meta(call)).argument(); }

// ---- one number

Argument item(const Call& call) { return dispatch(op::aten__local_scalar_dense, call.args); }

// The largest or the smallest number of a dtype, which is finite.
template <bool is_max>
Argument extreme_value(const Call& call) {
  DType dtype = unbox_dtype(call.args[0]);
  if (dtype == DType::kBool) return Argument::of(is_max);
  double value = is_max ? meta::highest_value(meta::real_type(dtype)) : meta::lowest_value(meta::real_type(dtype));
  if (!is_integral_or_bool(dtype)) return Argument::of(value);
  bool is_wide =
      is_max && value >= 0x1p63;  // a double does not hold the largest of 64 bits, nor an int64 that of uint64
  if (is_wide && dtype == DType::kUInt64) fail_unsupported("the largest uint64 is no int64");
  return Argument::of(is_wide ? INT64_MAX : static_cast<int64_t>(value));
}

std::vector<Tensor> svd(Tensor a, bool full_matrices) {
  auto [u, s, vh] = aten::_linalg_svd(a, full_matrices, true);
  return {u, s, vh};
}

Tensor resize(Tensor a, SymInts shape) { return aten::resize_(a, shape); }

// From starts to limits, by steps.
Tensor slice(Tensor a, SymInts starts, SymInts limits, std::optional<SymInts> steps) {
  if (starts.size() != limits.size() || starts.size() != static_cast<size_t>(a.dim()))
    fail_input("slice: ", starts.size(), " starts and ", limits.size(), " limits for a tensor of rank ", a.dim());
  Tensor out = a;
  for (size_t dim = 0; dim < starts.size(); ++dim) {
    int64_t size = a.sizes()[dim].value();
    if (starts[dim] < 0 || starts[dim].value() > limits[dim].value() || limits[dim].value() > size)
      fail_input("slice: ", starts[dim].value(), " to ", limits[dim].value(), " is no part of a dimension of size ",
                 size);
    out = aten::slice_Tensor(out, static_cast<int64_t>(dim), starts[dim], limits[dim], steps ? (*steps)[dim] : 1);
  }
  return out;
}
Tensor slice_in_dim(Tensor a, SymInt start, SymInt limit, int64_t step, int64_t axis) {
  std::vector<SymInt> starts(static_cast<size_t>(a.dim())), limits(a.sizes().begin(), a.sizes().end()),
      steps(starts.size(), 1);
  size_t at = static_cast<size_t>(wrap_dim(axis, a.dim()));
  starts[at] = start, limits[at] = limit, steps[at] = step;
  return slice(a, starts, limits, steps);
}

Argument make_token(const Call&) { return ref::make(ref::Shape{0}, DType::kFloat32).argument(); }
Argument nothing(const Call&) { return Argument::none(); }

// ---- reductions

// reduce(group) for the elements that each result is made of
template <typename T, typename R, typename Reduce>
Argument reduced(const Call& call, Reduce&& reduce) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  std::optional<SymInts> dims = Unbox<std::optional<SymInts>>::from(call.args[1]);
  std::vector<std::vector<T>> groups = dims::groups<T>(self, dims::reduced(self, dims));
  std::vector<R> out;
  for (const std::vector<T>& group : groups) out.push_back(reduce(group));
  return ref::make(result, out).argument();
}

template <auto f, bool needs_elements = false>
Argument fold(const Call& call, auto first) {
  using T = decltype(first);
  return reduced<T, T>(call, [&](const std::vector<T>& group) {
    if (needs_elements && group.empty()) fail_input(schema_of(call.op).name, " of no elements has no value");
    T all = needs_elements ? group[0] : first;
    for (T each : group) all = f(all, each);
    return all;
  });
}

Argument sum(const Call& call) {
  return ref::with_carrier(Tensor(call.args[0]).dtype(), [&](auto carrier) {
    return fold<[](auto a, auto b) { return add(a, b); }>(call, decltype(carrier)(0));
  });
}
Argument prod(const Call& call) {
  return ref::with_carrier(Tensor(call.args[0]).dtype(), [&](auto carrier) {
    return fold<[](auto a, auto b) { return mul(a, b); }>(call, decltype(carrier)(1));
  });
}
Argument amax(const Call& call) {
  if (is_floating(Tensor(call.args[0]).dtype())) return fold<maximum<double>, true>(call, 0.0);
  return fold<maximum<int64_t>, true>(call, int64_t(0));
}
Argument amin(const Call& call) {
  if (is_floating(Tensor(call.args[0]).dtype())) return fold<minimum<double>, true>(call, 0.0);
  return fold<minimum<int64_t>, true>(call, int64_t(0));
}

template <typename T>
double variance(const std::vector<T>& group, double correction) {
  T mean = 0;
  for (T each : group) mean += each;
  mean /= static_cast<double>(group.size());
  double squares = 0;
  for (T each : group) squares += std::norm(each - mean);
  return squares / std::max(0.0, static_cast<double>(group.size()) - correction);
}
Argument var(const Call& call) {
  double correction = call.args[2].is_none() ? 1.0 : unbox_float(call.args[2]);
  if (is_complex(Tensor(call.args[0]).dtype()))
    return reduced<Complex, double>(call, [&](const auto& group) { return variance(group, correction); });
  return reduced<double, double>(call, [&](const auto& group) { return variance(group, correction); });
}

constexpr KernelRow kRows[] = {
    {"prims::_make_token", make_token},
    {"prims::_sink_tokens", nothing},
    {"prims::abs", map_unary<[](Carrier auto a) { return abs(a); }>},
    {"prims::acos", map_unary<[](Inexact auto a) { return std::acos(a); }>},
    {"prims::acosh", map_unary<[](Inexact auto a) { return std::acosh(a); }>},
    {"prims::add", map_binary<[](auto a, auto b) { return add(a, b); }>},
    {"prims::amax", amax},
    {"prims::amin", amin},
    {"prims::as_strided", view},
    {"prims::as_strided_scatter", as_strided_scatter},
    {"prims::asin", map_unary<[](Inexact auto a) { return std::asin(a); }>},
    {"prims::asinh", map_unary<[](Inexact auto a) { return std::asinh(a); }>},
    {"prims::atan", map_unary<[](Inexact auto a) { return std::atan(a); }>},
    {"prims::atan2", map_binary<[](std::same_as<double> auto a, double b) { return std::atan2(a, b); }>},
    {"prims::atanh", map_unary<[](Inexact auto a) { return std::atanh(a); }>},
    {"prims::bitwise_and", map_binary<[](std::same_as<int64_t> auto a, int64_t b) { return a & b; }>},
    {"prims::bitwise_not", bitwise_not},
    {"prims::bitwise_or", map_binary<[](std::same_as<int64_t> auto a, int64_t b) { return a | b; }>},
    {"prims::bitwise_xor", map_binary<[](std::same_as<int64_t> auto a, int64_t b) { return a ^ b; }>},
    {"prims::broadcast_in_dim", view},
    {"prims::cat", cat},
    {"prims::cbrt", map_unary<[](std::same_as<double> auto a) { return std::cbrt(a); }>},
    {"prims::ceil", map_unary<[](Real auto a) { return rounded<std::ceil>(a); }>},
    {"prims::clone", convert},
    {"prims::collapse", convert},
    {"prims::collapse_view", view},
    {"prims::conj", view},
    {"prims::conj_physical", map_unary<[](std::same_as<Complex> auto a) { return std::conj(a); }>},
    {"prims::convert_element_type", convert},
    {"prims::copy_strided", convert},
    {"prims::copy_to", copy_to},
    {"prims::cos", map_unary<[](Inexact auto a) { return std::cos(a); }>},
    {"prims::cosh", map_unary<[](Inexact auto a) { return std::cosh(a); }>},
    {"prims::device_put", convert},
    {"prims::digamma", map_unary<[](std::same_as<double> auto a) { return special::digamma(a); }>},
    {"prims::div", map_binary<[](auto a, auto b) { return div(a, b); }>},
    {"prims::empty", empty},
    {"prims::empty_permuted", empty},
    {"prims::empty_strided", empty},
    {"prims::eq", map_binary<[](auto a, auto b) { return a == b; }>},
    {"prims::erf", map_unary<[](std::same_as<double> auto a) { return std::erf(a); }>},
    {"prims::erf_inv", map_unary<[](std::same_as<double> auto a) { return special::erf_inv(a); }>},
    {"prims::erfc", map_unary<[](std::same_as<double> auto a) { return std::erfc(a); }>},
    {"prims::exp", map_unary<[](Inexact auto a) { return std::exp(a); }>},
    {"prims::exp2", map_unary<[](Inexact auto a) { return std::pow(decltype(a)(2), a); }>},
    {"prims::expm1", map_unary<[](Inexact auto a) { return expm1(a); }>},
    {"prims::fill", full<1>},
    {"prims::floor", map_unary<[](Real auto a) { return rounded<std::floor>(a); }>},
    {"prims::fmax", map_binary<[](Real auto a, auto b) { return is_nan(a)   ? b
                                                                : is_nan(b) ? a
                                                                            : maximum(a, b); }>},
    {"prims::fmin", map_binary<[](Real auto a, auto b) { return is_nan(a)   ? b
                                                                : is_nan(b) ? a
                                                                            : minimum(a, b); }>},
    {"prims::fmod", map_binary<[](Real auto a, auto b) { return fmod(a, b); }>},
    {"prims::frexp", frexp},
    {"prims::full", full<1>},
    {"prims::full_like", full<1>},
    {"prims::scalar_tensor", full<0>},
    {"prims::gcd", map_binary<[](std::same_as<int64_t> auto a, int64_t b) { return std::gcd(a, b); }>},
    {"prims::ge", map_binary<[](Real auto a, auto b) { return a >= b; }>},
    {"prims::gt", map_binary<[](Real auto a, auto b) { return b < a; }>},
    {"prims::hypot", map_binary<[](std::same_as<double> auto a, double b) { return std::hypot(a, b); }>},
    {"prims::imag", view},
    {"prims::iota", iota},
    {"prims::isfinite", map_unary<[](Inexact auto a) { return is_finite(a); }>},
    {"prims::item", item},
    {"prims::le", map_binary<[](Real auto a, auto b) { return a <= b; }>},
    {"prims::lgamma", map_unary<[](std::same_as<double> auto a) { return std::lgamma(a); }>},
    {"prims::log", map_unary<[](Inexact auto a) { return std::log(a); }>},
    {"prims::log10", map_unary<[](Inexact auto a) { return std::log10(a); }>},
    {"prims::log1p", map_unary<[](Inexact auto a) { return log1p(a); }>},
    {"prims::log2", map_unary<[](Inexact auto a) { return log2(a); }>},
    {"prims::lt", map_binary<[](Real auto a, auto b) { return a < b; }>},
    {"prims::maximum", map_binary<[](Real auto a, auto b) { return maximum(a, b); }>},
    {"prims::maximum_value", extreme_value<true>},
    {"prims::minimum", map_binary<[](Real auto a, auto b) { return minimum(a, b); }>},
    {"prims::minimum_value", extreme_value<false>},
    {"prims::mul", map_binary<[](auto a, auto b) { return mul(a, b); }>},
    {"prims::ne", map_binary<[](auto a, auto b) { return a != b; }>},
    {"prims::neg", map_unary<[](auto a) { return neg(a); }>},
    {"prims::nextafter", nextafter},
    {"prims::pow", map_binary<[](auto a, auto b) { return pow(a, b); }>},
    {"prims::prod", prod},
    {"prims::real", view},
    {"prims::reciprocal", map_unary<[](Inexact auto a) { return reciprocal(a); }>},
    {"prims::remainder", map_binary<[](Real auto a, auto b) { return remainder(a, b); }>},
    {"prims::reshape", convert},
    {"prims::resize", box<resize>},
    {"prims::rev", rev},
    {"prims::round", map_unary<[](Real auto a) { return rounded<std::nearbyint>(a); }>},
    {"prims::rsqrt", map_unary<[](Inexact auto a) { return reciprocal(std::sqrt(a)); }>},
    {"prims::shift_left", map_binary<kShiftLeft>},
    {"prims::shift_right_arithmetic", map_binary<kShiftRight>},
    {"prims::sign", map_unary<[](auto a) { return sign(a); }>},
    {"prims::signbit", map_unary<[](Real auto a) { return std::signbit(static_cast<double>(a)); }>},
    {"prims::sin", map_unary<[](Inexact auto a) { return std::sin(a); }>},
    {"prims::sinh", map_unary<[](Inexact auto a) { return std::sinh(a); }>},
    {"prims::slice", box<slice>},
    {"prims::slice_in_dim", box<slice_in_dim>},
    {"prims::split_dim", view},
    {"prims::sqrt", map_unary<[](Inexact auto a) { return std::sqrt(a); }>},
    {"prims::squeeze", view},
    {"prims::sub", map_binary<[](auto a, auto b) { return sub(a, b); }>},
    {"prims::sum", sum},
    {"prims::svd", box<svd>},
    {"prims::tan", map_unary<[](Inexact auto a) { return std::tan(a); }>},
    {"prims::tanh", map_unary<[](Inexact auto a) { return std::tanh(a); }>},
    {"prims::transpose", view},
    {"prims::trunc", map_unary<[](Real auto a) { return rounded<std::trunc>(a); }>},
    {"prims::var", var},
    {"prims::view_of", view},
    {"prims::where", where},
};

}  // namespace

const std::span<const KernelRow> kPrimKernels = kRows;

}  // namespace rung::ops
