// Elementwise arithmetic of two and three tensors.
#include <cmath>
#include <limits>

#include "meta/pointwise.h"
#include "meta/reference.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/gen/prims.h"
#include "ops/number.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::pointwise;
using meta::Promote;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Meta kSameType = pointwise<Promote::kDefault>;
constexpr Meta kFloatType = pointwise<Promote::kIntToFloat>;

// ---- metas

// Operands are the tensors; a scale or a weight takes no part in promotion.
const TensorMeta* meta_addcmul(Tensor self, Tensor a, Tensor b) {
  DType dtype = meta::result_type({self, a, b});
  return meta::reference({self, a, b}, dtype, dtype);
}
const TensorMeta* meta_addcdiv(Tensor self, Tensor a, Tensor b) {
  DType dtype = meta::promoted(Promote::kIntToFloat, meta::result_type({self, a, b}));
  return meta::reference({self, a, b}, dtype, dtype);
}
const TensorMeta* meta_lerp_scalar(Tensor self, Tensor end) {
  DType dtype = meta::result_type({self, end});
  return meta::reference({self, end}, dtype, dtype);
}

// where(signbit(b), -|a|, |a|)
const TensorMeta* meta_copysign(Tensor self, Tensor other) {
  DType result = meta::promoted(Promote::kIntToFloat, meta::result_type({self, other})),
        compute = meta::opmath_type(result);
  meta::Sizes shape = meta::broadcast_sizes(std::array<Tensor, 2>{self, other});
  const TensorMeta* size = meta::primitive({meta::prepared(self, compute, shape)}, compute);
  if (other.is_number()) return meta::converted(*meta::primitive({size}, compute), result);
  const TensorMeta* sign = meta::primitive({meta::prepared(other, compute, shape)}, DType::kBool);
  return meta::converted(*meta::primitive({sign, size}, compute), result);
}

// ---- bodies

// Broadcasts of the reference implementations: 0-d tensors on the CPU stay as they are.
Tensor broadcast(const Tensor& x, SymInts shape) {
  if (x.is_number() || (x.dim() == 0 && x.device().type == "cpu")) return x;
  return std::ranges::equal(x.sizes(), shape) ? x : aten::expand(x, shape);
}

struct Pair {
  Tensor a, b;
};
Pair broadcast_pair(const Tensor& a, const Tensor& b) {
  meta::Sizes shape = meta::broadcast_sizes(std::array<Tensor, 2>{a, b});
  Tensor first = broadcast(a, shape);
  return {first, broadcast(b, shape)};
}

Tensor rsub_tensor(Tensor self, Tensor other, Scalar alpha) { return aten::sub_Tensor(other, self, alpha); }

// addcmul = self + value * a * b
Tensor addcmul(Tensor self, Tensor tensor1, Tensor tensor2, Scalar value) {
  ComputeTypes types = compute_types({self, tensor1, tensor2});
  Tensor base = types.up(self), a = types.up(tensor1), b = types.up(tensor2);
  Tensor scaled = aten::mul_Tensor(a, value);
  Tensor product = aten::mul_Tensor(scaled, b);
  return types.down(aten::add_Tensor(base, product));
}

// addcdiv = self + value * a / b
Tensor addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, Scalar value) {
  ComputeTypes types = compute_types({self, tensor1, tensor2}, Promote::kIntToFloat);
  Tensor base = types.up(self), a = types.up(tensor1), b = types.up(tensor2);
  Tensor scaled = aten::mul_Tensor(a, value);
  Tensor quotient = aten::div_Tensor(scaled, b);
  return types.down(aten::add_Tensor(base, quotient));
}

// Near the end for weights of at least one half: (w - 1) (end - start) + end, else w (end - start) + start.
Tensor lerp(Tensor self, Tensor end, Tensor weight) {
  ComputeTypes types = compute_types({self, end, weight});
  Tensor from = types.up(self), to = types.up(end), w = convert(weight, types.computation);
  std::vector<Tensor> inputs = {from, to};
  if (w.is_number())
    w = aten::new_full(from, {}, w.number());
  else
    inputs.push_back(w);
  Tensor size = aten::abs(w);
  Tensor is_far = aten::ge_Scalar(size, 0.5);
  Tensor rest = aten::sub_Tensor(w, 1);
  Tensor factor = aten::where_self(is_far, rest, w);
  Tensor base = aten::where_self(is_far, to, from);
  Tensor distance = aten::sub_Tensor(to, from);
  Tensor step = aten::mul_Tensor(factor, distance);
  Tensor out = aten::add_Tensor(step, base);
  // the result is laid out as the kernel would lay it out
  meta::Sizes shape = meta::broadcast_sizes(inputs);
  std::vector<const TensorMeta*> expanded;
  for (const Tensor& input : inputs) expanded.push_back(&broadcast(input, shape).meta());
  SymInts strides = meta::output_strides(expanded);
  if (!std::ranges::equal(out.strides(), strides)) out = prims::copy_strided(out, strides);
  return types.down(out);
}

// A number becomes a 0-d tensor of the other operand's type.
Tensor as_tensor(const Tensor& x, const Tensor& like) {
  return x.is_number() ? prims::scalar_tensor(x.number(), like.dtype(), like.device()) : x;
}

// x * log(y), 0 where x is 0, NaN where y is
template <Tensor (*logarithm)(const Tensor&)>
Tensor x_times_log(Tensor self, Tensor other) {
  ComputeTypes types = compute_types({self, other}, Promote::kIntToFloat);
  Tensor x = convert(self, types.computation), y = convert(other, types.computation);
  x = as_tensor(x, y);
  y = as_tensor(y, x);
  Tensor is_zero = aten::eq_Scalar(x, 0);
  Tensor log = logarithm(y);
  Tensor product = aten::mul_Tensor(x, log);
  Tensor value = aten::where_ScalarSelf(is_zero, 0, product);
  Tensor is_nan = aten::isnan(y);
  return types.down(aten::where_ScalarSelf(is_nan, kNan, value));
}

// log(e^a + e^b) for complex numbers: NaN where the smaller is, and exact where the real parts are equal and infinite.
Tensor logaddexp_complex(const Tensor& larger, const Tensor& smaller, const Tensor& is_infinite) {
  Tensor is_negative = aten::lt_Scalar(aten::real(smaller), 0);
  Tensor exp_small = aten::exp(smaller);
  Tensor exp_large = aten::exp(larger);
  Tensor total = aten::add_Tensor(exp_small, exp_large);
  Tensor log = aten::log(total);
  Tensor infinite = aten::where_self(is_negative, smaller, log);
  Tensor difference = aten::sub_Tensor(smaller, larger);
  Tensor ratio = aten::exp(difference);
  Tensor rest = aten::log1p(ratio);
  Tensor finite = aten::add_Tensor(larger, rest);
  Tensor value = aten::where_self(is_infinite, infinite, finite);
  Tensor is_nan = aten::isnan(smaller);
  const ComplexNumber* nan = current_arena().make<ComplexNumber>(ComplexNumber{kNan, kNan});
  return aten::where_ScalarSelf(is_nan, Scalar(Argument::of(nan)), value);
}

// log(e^a + e^b) = max + log(1 + e^(min - max))
Tensor logaddexp(Tensor self, Tensor other) {
  ComputeTypes types = compute_types({self, other});
  Tensor up_self = types.up(self), up_other = types.up(other);
  auto [a, b] = broadcast_pair(up_self, up_other);
  Tensor real_a = aten::real(a), real_b = aten::real(b);
  Tensor mask = aten::ge_Tensor(real_a, real_b);
  Tensor larger = aten::where_self(mask, a, b);
  Tensor smaller = aten::where_self(mask, b, a);
  Tensor is_finite = aten::isfinite(aten::real(a));
  Tensor not_finite = aten::logical_not(is_finite);
  real_a = aten::real(a), real_b = aten::real(b);
  Tensor equal = aten::eq_Tensor(real_a, real_b);
  Tensor is_infinite = aten::logical_and(not_finite, equal);
  if (is_complex(a.dtype())) return types.down(logaddexp_complex(larger, smaller, is_infinite));
  Tensor difference = aten::sub_Tensor(smaller, larger);
  Tensor ratio = aten::exp(difference);
  Tensor rest = aten::log1p(ratio);
  Tensor sum = aten::add_Tensor(larger, rest);
  return types.down(aten::where_self(is_infinite, a, sum));
}

// log2(2^a + 2^b) = max + log(1 + 2^(min - max)) / log(2)
Tensor logaddexp2(Tensor self, Tensor other) {
  ComputeTypes types = compute_types({self, other});
  if (is_complex(types.result)) fail_input("logaddexp2 does not support complex dtypes");
  Tensor up_self = types.up(self), up_other = types.up(other);
  auto [a, b] = broadcast_pair(up_self, up_other);
  Tensor mask = aten::ge_Tensor(a, b);
  Tensor larger = aten::where_self(mask, a, b);
  Tensor smaller = aten::where_self(mask, b, a);
  Tensor infinite = aten::isinf(a);
  Tensor equal = aten::eq_Tensor(a, b);
  Tensor is_infinite = aten::logical_and(infinite, equal);
  Tensor difference = aten::sub_Tensor(smaller, larger);
  Tensor ratio = aten::exp2(difference);
  Tensor rest = aten::log1p(ratio);
  Tensor scaled = aten::mul_Tensor(rest, 1.0 / std::log(2.0));
  Tensor sum = aten::add_Tensor(larger, scaled);
  return types.down(aten::where_self(is_infinite, a, sum));
}

// 0 below zero and for NaN, 1 above, `values` at zero
Tensor heaviside(Tensor self, Tensor values) {
  ComputeTypes types = compute_types({self, values});
  Tensor up_self = types.up(self), up_values = types.up(values);
  auto [x, at_zero] = broadcast_pair(up_self, up_values);
  Tensor is_zero = aten::eq_Scalar(x, 0);
  Tensor is_negative = aten::lt_Scalar(x, 0);
  Tensor is_nan = aten::isnan(x);
  Tensor is_below = aten::logical_or(is_negative, is_nan);
  Tensor steps = aten::where_Scalar(is_below, 0, 1);
  return types.down(aten::where_self(is_zero, at_zero, steps));
}

// ---- references

// self + alpha * other, self - alpha * other
template <Tensor (*primitive)(const Tensor&, const Tensor&)>
Tensor with_scaled_operand(const Tensor& self, const Tensor& other, const Scalar& alpha, bool is_scaled) {
  reference::Types types = reference::types_of({self, other}, Promote::kDefault);
  Tensor a = reference::converted(self, types.computation);
  Tensor b = reference::converted(other, types.computation);
  auto [left, right] = reference::broadcast(a, b);
  DType type = left.is_number() ? right.dtype() : left.dtype();
  if (is_scaled && type != DType::kBool && alpha.category() > category(type))
    fail_input("alpha cannot be safely cast to ", info(type).name);
  if (is_scaled) right = right.is_number() ? Tensor(product(right.number(), alpha)) : prims::mul(right, alpha);
  return reference::converted(primitive(left, right), types.result);
}

// torch leaves out an alpha that is the schema's own 1, and multiplies by 1.0.
Tensor add(Tensor self, Tensor other, Scalar alpha) {
  bool is_default = same_argument(alpha.argument(), Scalar(1).argument());
  return with_scaled_operand<prims::add>(self, other, alpha, !is_default);
}

Tensor sub(Tensor self, Tensor other, Scalar alpha) {
  auto is_bool = [](const Tensor& x) { return !x.is_number() && x.dtype() == DType::kBool; };
  if (is_bool(self) && is_bool(other)) fail_input("subtraction of two bool tensors is not supported, use logical_xor");
  bool is_one = !alpha.is_symbolic() && alpha.equals(1);
  return with_scaled_operand<prims::sub>(self, other, alpha, !is_one);
}

// |self| with the sign of other
Tensor copysign(Tensor self, Tensor other) {
  reference::Types types = reference::types_of({self, other}, Promote::kIntToFloat);
  Tensor a = reference::converted(self, types.computation);
  Tensor b = reference::converted(other, types.computation);
  auto [size_of, sign_of] = reference::broadcast(a, b);
  if (sign_of.is_number()) sign_of = prims::scalar_tensor(sign_of.number(), size_of.dtype(), size_of.device());
  Tensor is_negative = aten::signbit(sign_of);
  Tensor negative = aten::neg(aten::abs(size_of));
  Tensor positive = aten::abs(size_of);
  return reference::converted(aten::where_self(is_negative, negative, positive), types.result);
}

// lcm(a, b) = |a / gcd(a, b) * b|, in int32 at least
Tensor lcm(Tensor self, Tensor other) {
  reference::Types types = reference::types_of({self, other}, Promote::kDefault);
  Tensor typed_self = reference::converted(self, types.computation);
  Tensor typed_other = reference::converted(other, types.computation);
  auto [a, b] = reference::broadcast(typed_self, typed_other);
  bool is_narrow = types.result == DType::kInt8 || types.result == DType::kInt16;
  if (is_narrow) {
    a = prims::convert_element_type(a, DType::kInt32);
    b = prims::convert_element_type(b, DType::kInt32);
  }
  Tensor divisor = aten::gcd(a, b);
  Tensor is_zero = aten::eq_Scalar(divisor, 0);
  divisor = aten::where_ScalarSelf(is_zero, 1, divisor);
  Tensor quotient = prims::div(a, divisor);
  Tensor multiple = aten::abs(aten::mul_Tensor(quotient, b));
  return is_narrow ? prims::convert_element_type(multiple, types.result) : multiple;
}

// self * 2 ^ other
Tensor ldexp(Tensor self, Tensor other) {
  DType type = meta::promoted(Promote::kIntToFloat, self.dtype());
  Tensor two = aten::new_full(self, {}, 2.0, type, std::nullopt, std::nullopt, false);
  Tensor power = aten::pow_Tensor_Tensor(two, other);
  return aten::mul_Tensor(self, power);
}

// Computes in its operands' own type, however narrow.
Tensor nextafter(Tensor self, Tensor other) {
  DType type = meta::result_type({self, other});
  Tensor a = reference::converted(self, type);
  Tensor b = reference::converted(other, type);
  auto [from, towards] = reference::broadcast(a, b);
  return prims::nextafter(from, towards);
}

constexpr OpDef kRows[] = {
    {.op = "aten::add.Tensor", .meta = meta::binary<Promote::kDefault>, .reference = box<add>},
    {.op = "aten::add.Scalar", .meta = kSameType, .reference = box<add>},
    {.op = "aten::addcdiv", .hidden_rule = "addcdiv", .meta = box_meta<meta_addcdiv>, .body = box<addcdiv>},
    {.op = "aten::addcmul", .hidden_rule = "addcmul", .meta = box_meta<meta_addcmul>, .body = box<addcmul>},
    {.op = "aten::atan2", .meta = kFloatType, .reference = box<reference::binary<prims::atan2, Promote::kIntToFloat>>},
    {.op = "aten::arctan2", .body = box<aten::atan2>},
    {.op = "aten::arctan2_", .body = box<aten::atan2_>},
    {.op = "aten::copysign.Tensor", .meta = box_meta<meta_copysign>, .reference = box<copysign>},
    {.op = "aten::copysign.Scalar", .meta = box_meta<meta_copysign>, .reference = box<copysign>},
    {.op = "aten::gcd", .meta = kSameType, .reference = box<reference::binary<prims::gcd>>},
    {.op = "aten::heaviside", .hidden_rule = "_ref", .body = box<heaviside>},
    {.op = "aten::hypot", .meta = kSameType, .reference = box<reference::binary<prims::hypot>>},
    {.op = "aten::igamma",
     .meta = kFloatType,
     .reference = box<reference::binary<prims::igamma, Promote::kIntToFloat>>},
    {.op = "aten::igammac",
     .meta = kFloatType,
     .reference = box<reference::binary<prims::igammac, Promote::kIntToFloat>>},
    {.op = "aten::lcm", .meta = kSameType, .reference = box<lcm>},
    {.op = "aten::ldexp.Tensor", .meta = kFloatType, .reference = box<ldexp>},
    {.op = "aten::lerp.Scalar", .hidden_rule = "lerp", .meta = box_meta<meta_lerp_scalar>, .body = box<lerp>},
    {.op = "aten::lerp.Tensor", .hidden_rule = "lerp", .meta = kSameType, .body = box<lerp>},
    {.op = "aten::logaddexp", .hidden_rule = "_ref", .body = box<logaddexp>},
    {.op = "aten::logaddexp2", .hidden_rule = "_ref", .body = box<logaddexp2>},
    {.op = "aten::mul.Tensor",
     .meta = meta::binary<Promote::kDefault>,
     .reference = box<reference::binary<prims::mul>>},
    {.op = "aten::mul.Scalar", .meta = kSameType, .reference = box<reference::binary<prims::mul>>},
    {.op = "aten::multiply.Tensor", .body = box<aten::mul_Tensor>},
    {.op = "aten::multiply.Scalar", .body = box<aten::mul_Scalar>},
    {.op = "aten::multiply_.Tensor", .body = box<aten::mul__Tensor>},
    {.op = "aten::multiply_.Scalar", .body = box<aten::mul__Scalar>},
    {.op = "aten::nextafter", .meta = kSameType, .reference = box<nextafter>},
    {.op = "aten::rsub.Scalar", .body = box<rsub_tensor>},
    {.op = "aten::rsub.Tensor", .body = box<rsub_tensor>},
    {.op = "aten::sub.Tensor", .meta = meta::binary<Promote::kDefault>, .reference = box<sub>},
    {.op = "aten::sub.Scalar", .meta = kSameType, .reference = box<sub>},
    {.op = "aten::subtract.Tensor", .body = box<aten::sub_Tensor>},
    {.op = "aten::subtract.Scalar", .body = box<aten::sub_Scalar>},
    {.op = "aten::subtract_.Tensor", .body = box<aten::sub__Tensor>},
    {.op = "aten::subtract_.Scalar", .body = box<aten::sub__Scalar>},
    {.op = "aten::special_xlog1py", .hidden_rule = "xlog1py", .body = box<x_times_log<aten::log1p>>},
    {.op = "aten::special_xlog1py.other_scalar", .hidden_rule = "xlog1py", .body = box<x_times_log<aten::log1p>>},
    {.op = "aten::special_xlog1py.self_scalar", .hidden_rule = "xlog1py", .body = box<x_times_log<aten::log1p>>},
    {.op = "aten::xlogy.Tensor", .hidden_rule = "xlogy", .body = box<x_times_log<aten::log>>},
    {.op = "aten::xlogy.Scalar_Other", .hidden_rule = "xlogy", .body = box<x_times_log<aten::log>>},
    {.op = "aten::xlogy.Scalar_Self", .hidden_rule = "xlogy", .body = box<x_times_log<aten::log>>},
};

}  // namespace

const std::span<const OpDef> kArithmeticOps = kRows;

}  // namespace rung::ops
