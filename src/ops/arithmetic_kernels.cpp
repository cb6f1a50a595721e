// Elementwise operators that are computed as they stand.
#include <cmath>
#include <numbers>
#include <numeric>

#include "ops/elementwise.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using ref::Complex;
using ref::Shape;

// f(a, b) with b scaled by the op's alpha
template <auto f>
Argument scaled_binary(const Call& call) {
  Scalar alpha(operand(call.args[2]));
  if (!alpha.is_complex() && alpha.equals(1)) return map_binary<f>(call);
  Tensor a = unbox_tensor(call.args[0]), b = unbox_tensor(call.args[1]);
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::to_shape(result.sizes);
  return ref::with_carrier(result.dtype, [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> out = ref::broadcast_values<T>(a, shape), right = ref::broadcast_values<T>(b, shape);
    T factor = ref::number<T>(alpha);
    for (size_t i = 0; i < out.size(); ++i) out[i] = f(out[i], mul(factor, right[i]));
    return ref::make(result, out).argument();
  });
}
constexpr auto kAdd = [](auto a, auto b) { return add(a, b); };
constexpr auto kSub = [](auto a, auto b) { return sub(a, b); };

template <Inexact T>
T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

template <Inexact T>
T silu(T x) {
  return x / (T(1) + std::exp(-x));
}

Argument div_mode(const Call& call) {
  if (call.args[2].is_none()) return map_binary<[](Inexact auto a, auto b) { return div(a, b); }>(call);
  std::string_view mode = call.args[2].string_view();
  if (mode == "floor") return map_binary<[](Real auto a, auto b) { return floor_div(a, b); }>(call);
  if (mode != "trunc") fail_input("div: rounding_mode must be 'trunc' or 'floor', got '", mode, "'");
  return map_binary<[](Real auto a, auto b) {
    if constexpr (std::same_as<decltype(a), double>)
      return std::trunc(a / b);
    else
      return div(a, b);
  }>(call);
}

// Integers are whole already.
template <Real T>
T rounded_to_whole(T a) {
  if constexpr (std::same_as<T, double>)
    return std::nearbyint(a);
  else
    return a;
}

template <Carrier T>
bool is_infinite(T a) {
  if constexpr (std::same_as<T, Complex>)
    return std::isinf(a.real()) || std::isinf(a.imag());
  else
    return std::isinf(static_cast<double>(a));
}

int64_t least_common_multiple(int64_t a, int64_t b) {
  int64_t divisor = std::gcd(a, b);
  return divisor == 0 ? 0 : std::abs(a / divisor * b);
}

// Bounds may be absent; NaN stays.
Argument clamp(const Call& call) {
  Tensor self = unbox_tensor(call.args[0]), low = unbox_tensor(call.args[1]), high = unbox_tensor(call.args[2]);
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::to_shape(result.sizes);
  auto clamped = [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> out = ref::broadcast_values<T>(self, shape);
    auto bound = [&](const Tensor& limits, auto&& choose) {
      if (!limits.defined()) return;
      std::vector<T> limit = ref::broadcast_values<T>(limits, shape);
      for (size_t i = 0; i < out.size(); ++i) out[i] = choose(out[i], limit[i]);
    };
    bound(low, [](T a, T b) { return maximum(a, b); });
    bound(high, [](T a, T b) { return minimum(a, b); });
    return ref::make(result, out).argument();
  };
  return is_floating(result.dtype) ? clamped(double()) : clamped(int64_t());
}

template <auto f>
constexpr Kernel kTruth = map_binary<[](auto a, auto b) { return f(a != decltype(a)(), b != decltype(b)()); }>;

// Computed in the type that torch computes in, as its rounding decides which way a half goes.
template <typename F>
double rounded_to(F x, int64_t decimals) {
  F scale = static_cast<F>(std::pow(10.0, static_cast<double>(std::abs(decimals))));
  return decimals < 0 ? std::nearbyint(x / scale) * scale : std::nearbyint(x * scale) / scale;
}
Argument round_decimals(const Call& call) {
  Tensor self(call.args[0]);
  int64_t decimals = unbox_int(call.args[1]).value();
  const TensorMeta& result = result_meta(call);
  std::vector<double> out = ref::values<double>(self);
  for (double& x : out)
    x = self.dtype() == DType::kFloat64 ? rounded_to(x, decimals) : rounded_to(static_cast<float>(x), decimals);
  return ref::make(result, out).argument();
}

template <Carrier T>
double angle(T a) {
  if constexpr (std::same_as<T, Complex>)
    return std::arg(a);
  else
    return a != a ? static_cast<double>(a) : a < 0 ? std::numbers::pi : 0.0;
}

template <auto f>
Argument complex_of(const Call& call) {
  Tensor a(call.args[0]), b(call.args[1]);
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::to_shape(result.sizes);
  std::vector<double> left = ref::broadcast_values<double>(a, shape), right = ref::broadcast_values<double>(b, shape);
  std::vector<Complex> out(left.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = f(left[i], right[i]);
  return ref::make(result, out).argument();
}

constexpr auto kPow = [](auto a, auto b) { return pow(a, b); };
constexpr auto kRemainder = [](Real auto a, auto b) { return remainder(a, b); };
constexpr auto kAnd = [](std::same_as<int64_t> auto a, int64_t b) { return a & b; };
constexpr auto kOr = [](std::same_as<int64_t> auto a, int64_t b) { return a | b; };
constexpr auto kXor = [](std::same_as<int64_t> auto a, int64_t b) { return a ^ b; };
constexpr auto kCopySign = [](std::same_as<double> auto a, double b) { return std::copysign(a, b); };

constexpr auto kEqual = [](auto a, auto b) { return a == b; };
constexpr auto kUnequal = [](auto a, auto b) { return a != b; };
constexpr auto kLess = [](Real auto a, auto b) { return a < b; };
constexpr auto kLessOrEqual = [](Real auto a, auto b) { return a <= b; };
constexpr auto kGreater = [](Real auto a, auto b) { return a > b; };
constexpr auto kGreaterOrEqual = [](Real auto a, auto b) { return a >= b; };

// Comparisons have kernels since torch's round a number to the tensor's type: 0.1 equals what float16 makes of it. Its
// references do not.
constexpr KernelRow kRows[] = {
    {"aten::eq.Tensor", map_binary<kEqual>},
    {"aten::eq.Scalar", map_binary<kEqual>},
    {"aten::ne.Tensor", map_binary<kUnequal>},
    {"aten::ne.Scalar", map_binary<kUnequal>},
    {"aten::lt.Tensor", map_binary<kLess>},
    {"aten::lt.Scalar", map_binary<kLess>},
    {"aten::le.Tensor", map_binary<kLessOrEqual>},
    {"aten::le.Scalar", map_binary<kLessOrEqual>},
    {"aten::gt.Tensor", map_binary<kGreater>},
    {"aten::gt.Scalar", map_binary<kGreater>},
    {"aten::ge.Tensor", map_binary<kGreaterOrEqual>},
    {"aten::ge.Scalar", map_binary<kGreaterOrEqual>},
    {"aten::add.Tensor", scaled_binary<kAdd>},
    {"aten::add.Scalar", scaled_binary<kAdd>},
    {"aten::sub.Tensor", scaled_binary<kSub>},
    {"aten::sub.Scalar", scaled_binary<kSub>},
    {"aten::mul.Tensor", map_binary<[](auto a, auto b) { return mul(a, b); }>},
    {"aten::div.Tensor", map_binary<[](Inexact auto a, auto b) { return div(a, b); }>},
    {"aten::div.Tensor_mode", div_mode},
    {"aten::div.Scalar_mode", div_mode},
    {"aten::remainder.Scalar_Tensor", map_binary<kRemainder>},
    {"aten::pow.Tensor_Tensor", map_binary<kPow>},
    {"aten::pow.Tensor_Scalar", map_binary<kPow>},
    {"aten::pow.Scalar", map_binary<kPow>},
    {"aten::copysign.Tensor", map_binary<kCopySign>},
    {"aten::copysign.Scalar", map_binary<kCopySign>},
    {"aten::lcm", map_binary<[](std::same_as<int64_t> auto a, int64_t b) { return least_common_multiple(a, b); }>},
    {"aten::ldexp.Tensor", map_binary<[](Inexact auto a, auto b) { return a * std::pow(decltype(a)(2), b); }>},
    {"aten::complex", complex_of<[](double a, double b) { return Complex(a, b); }>},
    {"aten::polar", complex_of<[](double a, double b) { return std::polar(a, b); }>},
    {"aten::sigmoid", map_unary<[](Inexact auto a) { return sigmoid(a); }>},
    {"aten::silu", map_unary<[](Inexact auto a) { return silu(a); }>},
    {"aten::angle", map_unary<[](auto a) { return angle(a); }>},
    {"aten::_conj_physical", map_unary<[](std::same_as<Complex> auto a) { return std::conj(a); }>},
    {"aten::i0", map_unary<[](std::same_as<double> auto a) { return std::cyl_bessel_i(0.0, std::abs(a)); }>},
    {"aten::isnan", map_unary<[](auto a) { return a != a; }>},
    {"aten::isinf", map_unary<[](auto a) { return is_infinite(a); }>},
    {"aten::round", map_unary<[](Real auto a) { return rounded_to_whole(a); }>},
    {"aten::round.decimals", round_decimals},
    {"aten::clamp", clamp},
    {"aten::clamp.Tensor", clamp},
    {"aten::logical_and", kTruth<[](bool a, bool b) { return a && b; }>},
    {"aten::logical_or", kTruth<[](bool a, bool b) { return a || b; }>},
    {"aten::logical_xor", kTruth<[](bool a, bool b) { return a != b; }>},
    {"aten::logical_not", map_unary<[](auto a) { return a == decltype(a)(); }>},
    {"aten::bitwise_and.Scalar_Tensor", map_binary<kAnd>},
    {"aten::bitwise_or.Scalar_Tensor", map_binary<kOr>},
    {"aten::bitwise_xor.Scalar_Tensor", map_binary<kXor>},
    {"aten::bitwise_left_shift.Tensor", map_binary<kShiftLeft>},
    {"aten::bitwise_left_shift.Tensor_Scalar", map_binary<kShiftLeft>},
    {"aten::bitwise_left_shift.Scalar_Tensor", map_binary<kShiftLeft>},
    {"aten::bitwise_right_shift.Tensor", map_binary<kShiftRight>},
    {"aten::bitwise_right_shift.Tensor_Scalar", map_binary<kShiftRight>},
    {"aten::bitwise_right_shift.Scalar_Tensor", map_binary<kShiftRight>},
    {"aten::__lshift__.Scalar", map_binary<kShiftLeft>},
    {"aten::__lshift__.Tensor", map_binary<kShiftLeft>},
    {"aten::__rshift__.Scalar", map_binary<kShiftRight>},
    {"aten::__rshift__.Tensor", map_binary<kShiftRight>},
};

}  // namespace

const std::span<const KernelRow> kArithmeticKernels = kRows;

}  // namespace rung::ops
