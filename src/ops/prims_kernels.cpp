// What the primitives compute. Floats of 32 bits and less are computed in double and rounded once.
#include <cmath>
#include <numbers>

#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/kernels.h"
#include "ops/special_functions.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using ref::Complex;
using ref::Shape;

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

Argument iota(const Call& call) {
  int64_t start = unbox_int(call.args[1]).value(), step = unbox_int(call.args[2]).value();
  std::vector<int64_t> out(static_cast<size_t>(unbox_int(call.args[0]).value()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = start + static_cast<int64_t>(i) * step;
  return ref::make(result_meta(call), out).argument();
}

Argument full(const Call& call) {
  const TensorMeta& result = result_meta(call);
  Scalar value = Scalar(operand(call.args[1]));
  return ref::with_carrier(result.dtype, [&](auto carrier) {
    using T = decltype(carrier);
    auto elements = static_cast<size_t>(ref::count(ref::to_shape(result.sizes)));
    return ref::make(result, std::vector<T>(elements, ref::number<T>(value))).argument();
  });
}

Argument empty(const Call& call) { return ref::make(result_meta(call)).argument(); }

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
    {"prims::abs", map_unary<[](Carrier auto a) { return abs(a); }>},
    {"prims::acos", map_unary<[](Inexact auto a) { return std::acos(a); }>},
    {"prims::acosh", map_unary<[](Inexact auto a) { return std::acosh(a); }>},
    {"prims::add", map_binary<[](auto a, auto b) { return add(a, b); }>},
    {"prims::amax", amax},
    {"prims::amin", amin},
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
    {"prims::ceil", map_unary<[](std::same_as<double> auto a) { return std::ceil(a); }>},
    {"prims::clone", convert},
    {"prims::collapse_view", view},
    {"prims::convert_element_type", convert},
    {"prims::cos", map_unary<[](Inexact auto a) { return std::cos(a); }>},
    {"prims::cosh", map_unary<[](Inexact auto a) { return std::cosh(a); }>},
    {"prims::digamma", map_unary<[](std::same_as<double> auto a) { return special::digamma(a); }>},
    {"prims::div", map_binary<[](auto a, auto b) { return div(a, b); }>},
    {"prims::empty_strided", empty},
    {"prims::eq", map_binary<[](auto a, auto b) { return a == b; }>},
    {"prims::erf", map_unary<[](std::same_as<double> auto a) { return std::erf(a); }>},
    {"prims::erf_inv", map_unary<[](std::same_as<double> auto a) { return special::erf_inv(a); }>},
    {"prims::erfc", map_unary<[](std::same_as<double> auto a) { return std::erfc(a); }>},
    {"prims::exp", map_unary<[](Inexact auto a) { return std::exp(a); }>},
    {"prims::exp2", map_unary<[](Inexact auto a) { return std::pow(decltype(a)(2), a); }>},
    {"prims::expm1", map_unary<[](std::same_as<double> auto a) { return std::expm1(a); }>},
    {"prims::floor", map_unary<[](std::same_as<double> auto a) { return std::floor(a); }>},
    {"prims::fmax", map_binary<[](Real auto a, auto b) { return is_nan(a)   ? b
                                                                : is_nan(b) ? a
                                                                            : maximum(a, b); }>},
    {"prims::fmin", map_binary<[](Real auto a, auto b) { return is_nan(a)   ? b
                                                                : is_nan(b) ? a
                                                                            : minimum(a, b); }>},
    {"prims::fmod", map_binary<[](Real auto a, auto b) { return fmod(a, b); }>},
    {"prims::full", full},
    {"prims::ge", map_binary<[](Real auto a, auto b) { return a >= b; }>},
    {"prims::gt", map_binary<[](Real auto a, auto b) { return b < a; }>},
    {"prims::iota", iota},
    {"prims::isfinite", map_unary<[](Inexact auto a) { return is_finite(a); }>},
    {"prims::le", map_binary<[](Real auto a, auto b) { return a <= b; }>},
    {"prims::lgamma", map_unary<[](std::same_as<double> auto a) { return std::lgamma(a); }>},
    {"prims::log", map_unary<[](Inexact auto a) { return std::log(a); }>},
    {"prims::log10", map_unary<[](Inexact auto a) { return std::log10(a); }>},
    {"prims::log1p", map_unary<[](std::same_as<double> auto a) { return std::log1p(a); }>},
    {"prims::log2", map_unary<[](std::same_as<double> auto a) { return std::log2(a); }>},
    {"prims::lt", map_binary<[](Real auto a, auto b) { return a < b; }>},
    {"prims::maximum", map_binary<[](Real auto a, auto b) { return maximum(a, b); }>},
    {"prims::minimum", map_binary<[](Real auto a, auto b) { return minimum(a, b); }>},
    {"prims::mul", map_binary<[](auto a, auto b) { return mul(a, b); }>},
    {"prims::ne", map_binary<[](auto a, auto b) { return a != b; }>},
    {"prims::neg", map_unary<[](auto a) { return neg(a); }>},
    {"prims::pow", map_binary<[](auto a, auto b) { return pow(a, b); }>},
    {"prims::prod", prod},
    {"prims::reciprocal", map_unary<[](Inexact auto a) { return reciprocal(a); }>},
    {"prims::remainder", map_binary<[](Real auto a, auto b) { return remainder(a, b); }>},
    {"prims::round", map_unary<[](std::same_as<double> auto a) { return std::nearbyint(a); }>},
    {"prims::rsqrt", map_unary<[](Inexact auto a) { return reciprocal(std::sqrt(a)); }>},
    {"prims::sign", map_unary<[](auto a) { return sign(a); }>},
    {"prims::signbit", map_unary<[](Real auto a) { return std::signbit(static_cast<double>(a)); }>},
    {"prims::sin", map_unary<[](Inexact auto a) { return std::sin(a); }>},
    {"prims::sinh", map_unary<[](Inexact auto a) { return std::sinh(a); }>},
    {"prims::split_dim", view},
    {"prims::sqrt", map_unary<[](Inexact auto a) { return std::sqrt(a); }>},
    {"prims::squeeze", view},
    {"prims::sub", map_binary<[](auto a, auto b) { return sub(a, b); }>},
    {"prims::sum", sum},
    {"prims::tan", map_unary<[](Inexact auto a) { return std::tan(a); }>},
    {"prims::tanh", map_unary<[](Inexact auto a) { return std::tanh(a); }>},
    {"prims::transpose", view},
    {"prims::trunc", map_unary<[](std::same_as<double> auto a) { return std::trunc(a); }>},
    {"prims::var", var},
    {"prims::view_of", view},
    {"prims::where", where},
};

}  // namespace

const std::span<const KernelRow> kPrimKernels = kRows;

}  // namespace rung::ops
