// Activations: the functions between the layers of a network.
#include "meta/pointwise.h"
#include "meta/view.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::pointwise;
using meta::Promote;
using meta::Sizes;

// ---- metas

// Numbers beside the tensor (slopes, bounds) do not change its dtype.
template <Promote rule>
ValueMeta unary(const Call& call) {
  Tensor self(call.args[0]);
  return ValueMeta::of(meta::elementwise({self}, meta::promoted(rule, self.dtype())));
}
constexpr Meta kSameDType = unary<Promote::kDefault>;
constexpr Meta kFloating = unary<Promote::kIntToFloat>;

void require_floating(const Tensor& self, std::string_view op) {
  if (!is_floating(self.dtype())) fail_input(op, " is not defined for ", info(self.dtype()).name);
}

const TensorMeta* meta_floating(Tensor self) {
  require_floating(self, "the activation");
  return meta::elementwise({self}, self.dtype());
}

std::array<const TensorMeta*, 2> meta_log_sigmoid_forward(Tensor self) {
  require_floating(self, "log_sigmoid");
  return {meta::like(self.meta(), self.dtype()), meta::contiguous(self.sizes(), self.dtype(), self.device())};
}

std::array<const TensorMeta*, 2> meta_rrelu_with_noise(Tensor self, Tensor noise) {
  require_floating(self, "rrelu");
  return {meta::like(self.meta(), self.dtype()), meta::like(noise.meta(), noise.dtype())};
}

// ---- bodies

// A number may stand for a type no higher than the tensor's: no float slope for an integer tensor.
void require_fits(const Scalar& number, const Tensor& self, std::string_view name) {
  if (number.category() > category(self.dtype()))
    fail_input("the ", name, " cannot be safely cast to ", info(self.dtype()).name);
}

// relu(x) = x <= 0 ? 0 : x
Tensor relu(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  Tensor negative = aten::le_Scalar(x, 0);
  return types.down(aten::where_ScalarSelf(negative, 0, x));
}

// hardtanh(x) = min(max(x, low), high); the bounds do not change an integer type
Tensor hardtanh(Tensor self, Scalar low, Scalar high) {
  if (self.dtype() == DType::kBool) fail_input("hardtanh is not defined for bool");
  if (is_integral_or_bool(self.dtype())) low = low.to_int(), high = high.to_int();
  if (self.dtype() == DType::kUInt8 && (low.to_double() < 0 || high.to_double() < 0))
    fail_input("hardtanh of an unsigned type takes no negative bounds");
  if (low.to_double() > high.to_double())
    fail_input("hardtanh: min_val ", low.to_double(), " is larger than max_val ", high.to_double());
  ComputeTypes types = compute_types({self});
  return types.down(aten::clamp(types.up(self), low, high));
}

// silu(x) = x * sigmoid(x)
Tensor silu(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  Tensor gate = aten::sigmoid(x);
  return types.down(aten::mul_Tensor(x, gate));
}

// gelu(x) = x cdf(x); in the tanh form 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
Tensor gelu(Tensor self, std::string_view approximate) {
  constexpr double kSqrt2 = 1.41421356237309504880, kHalfSqrt2 = 0.70710678118654752440,
                   kTwoOverSqrtPi = 1.12837916709551257390;
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  if (approximate == "none") {
    Tensor half = aten::mul_Tensor(x, 0.5);
    Tensor erf = aten::mul_Tensor(x, kHalfSqrt2);
    erf = aten::erf(erf);
    erf = aten::add_Tensor(erf, 1);
    return types.down(aten::mul_Tensor(half, erf));
  }
  if (approximate != "tanh") fail_input("gelu: approximate must be 'none' or 'tanh', got '", approximate, "'");
  Tensor cube = aten::mul_Tensor(x, x);
  cube = aten::mul_Tensor(cube, x);
  Tensor inner = aten::mul_Tensor(cube, 0.044715);
  inner = aten::add_Tensor(x, inner);
  inner = aten::mul_Tensor(inner, kSqrt2 * kTwoOverSqrtPi * 0.5);
  Tensor half = aten::mul_Tensor(x, 0.5);
  Tensor tanh = aten::tanh(inner);
  tanh = aten::add_Tensor(tanh, 1);
  return types.down(aten::mul_Tensor(half, tanh));
}

// leaky_relu(x) = x > 0 ? x : slope * x
Tensor leaky_relu(Tensor self, Scalar negative_slope) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  require_fits(negative_slope, x, "negative_slope of leaky_relu");
  Tensor positive = aten::gt_Scalar(x, 0);
  Tensor scaled = aten::mul_Tensor(x, negative_slope);
  return types.down(aten::where_self(positive, x, scaled));
}

// elu(x) = x > 0 ? scale x : alpha scale expm1(input_scale x); the defaults, integers in the schema, count as 1.0
Tensor elu(Tensor self, Scalar alpha, Scalar scale, Scalar input_scale) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  for (Scalar* factor : {&alpha, &scale, &input_scale}) {
    if (factor->is_int() && factor->equals(1)) *factor = 1.0;
    require_fits(*factor, x, "factor of elu");
  }
  bool integers = alpha.is_int() && scale.is_int();
  Scalar low_scale = integers ? Scalar(alpha.to_int() * scale.to_int()) : Scalar(alpha.to_double() * scale.to_double());
  Tensor positive = aten::gt_Scalar(x, 0);
  Tensor high = aten::mul_Tensor(x, scale);
  Tensor low = aten::mul_Tensor(x, input_scale);
  low = aten::expm1(low);
  low = aten::mul_Tensor(low, low_scale);
  return types.down(aten::where_self(positive, high, low));
}

// softplus(x) = log(1 + exp(beta x)) / beta, and x itself where beta x is beyond the threshold
Tensor softplus_of(const Tensor& x, const Scalar& beta, const Scalar& threshold) {
  // torch leaves the scaling out where beta is the default: the integer 1
  bool scaled = !(beta.is_int() && beta.equals(1));
  if (scaled) require_fits(beta, x, "beta of softplus");
  Tensor input = scaled ? aten::mul_Tensor(x, beta) : x;
  Tensor exp = aten::exp(input);
  Tensor rest = aten::log1p(exp);
  if (scaled) rest = aten::div_Tensor(rest, beta);
  Tensor is_linear = aten::gt_Scalar(input, threshold);
  return aten::where_self(is_linear, x, rest);
}

Tensor softplus(Tensor self, Scalar beta, Scalar threshold) {
  ComputeTypes types = compute_types({self});
  return types.down(softplus_of(types.up(self), beta, threshold));
}

// mish(x) = x * tanh(softplus(x))
Tensor mish(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  Tensor soft = aten::softplus(x);
  Tensor gate = aten::tanh(soft);
  return types.down(aten::mul_Tensor(x, gate));
}

// celu(x) = x > 0 ? x : alpha * expm1(x / alpha)
Tensor celu(Tensor self, Scalar alpha) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  bool scaled = !(alpha.is_float() && alpha.equals(1));  // the default is left out
  if (scaled) require_fits(alpha, x, "alpha of celu");
  Tensor low = scaled ? aten::div_Tensor(x, alpha) : x;
  low = aten::expm1(low);
  if (scaled) low = aten::mul_Tensor(low, alpha);
  Tensor positive = aten::gt_Scalar(x, 0);
  return types.down(aten::where_self(positive, x, low));
}

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;
Tensor selu(Tensor self) { return aten::elu(self, kSeluAlpha, kSeluScale); }
Tensor selu_(Tensor self) { return aten::elu_(self, kSeluAlpha, kSeluScale); }

Tensor relu6(Tensor self) { return aten::hardtanh(self, 0, 6); }
Tensor relu6_(Tensor self) { return aten::hardtanh_(self, 0, 6); }

// min(max(x + 3, 0), 6)
Tensor clamped_ramp(const Tensor& x) {
  Tensor shifted = aten::add_Tensor(x, 3);
  Tensor positive = aten::clamp(shifted, Scalar(0));
  return aten::clamp(positive, std::nullopt, Scalar(6));
}

// hardsigmoid(x) = min(max(x + 3, 0), 6) / 6
Tensor hardsigmoid(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor ramp = clamped_ramp(types.up(self));
  return types.down(aten::div_Tensor(ramp, 6));
}

// hardswish(x) = x * min(max(x + 3, 0), 6) / 6
Tensor hardswish(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  Tensor ramp = clamped_ramp(x);
  Tensor product = aten::mul_Tensor(x, ramp);
  return types.down(aten::div_Tensor(product, 6));
}

// hardshrink(x) = |x| <= lambda ? 0 : x
Tensor hardshrink(Tensor self, Scalar lambda) {
  Tensor size = aten::abs(self);
  Tensor small = aten::le_Scalar(size, lambda);
  return aten::where_ScalarSelf(small, 0, self);
}

// softshrink(x) = |x| > lambda ? x - sign(x) * lambda : 0; the product x * 0 keeps NaN
Tensor softshrink(Tensor self, Scalar lambda) {
  if (lambda.to_double() < 0 || lambda.to_double() > meta::highest_value(self.dtype()))
    fail_input("lambda of softshrink must be in the range of ", info(self.dtype()).name, " and not negative, got ",
               lambda.to_double());
  Tensor size = aten::abs(self);
  Tensor large = aten::gt_Scalar(size, lambda);
  Tensor sign = aten::sign(self);
  Tensor shift = aten::mul_Tensor(sign, lambda);
  Tensor shrunk = aten::sub_Tensor(self, shift);
  Tensor zero = aten::mul_Tensor(self, 0);
  return aten::where_self(large, shrunk, zero);
}

// threshold(x) = x <= t ? value : x
Tensor threshold(Tensor self, Scalar limit, Scalar value) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  Tensor below = aten::le_Scalar(x, limit);
  return types.down(aten::where_ScalarSelf(below, value, x));
}

// glu(a, b) = a * sigmoid(b) for the two halves of a dimension
Tensor glu(Tensor self, int64_t dim) {
  int64_t axis = wrap_dim(dim, self.dim());
  SymInt size = self.size(axis);
  if (size % 2 != 0) fail_input("glu: dimension ", axis, " must be even, its size is ", size.str());
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  std::vector<Tensor> halves = aten::tensor_split_sections(x, 2, axis);
  Tensor gate = aten::sigmoid(halves[1]);
  return types.down(aten::mul_Tensor(halves[0], gate));
}

// prelu(x) = x > 0 ? x : weight * x, with one weight a channel
Tensor prelu(Tensor self, Tensor weight) {
  int64_t rank = self.dim();
  if (self.dtype() != weight.dtype())
    fail_input("prelu: the weight has dtype ", info(weight.dtype()).name, ", the input ", info(self.dtype()).name);
  if (weight.dim() > 1) fail_input("prelu: the weight must be a scalar or a vector, its rank is ", weight.dim());
  if (weight.numel() != 1) {
    if (rank == 0) fail_input("prelu: a 0-dimensional input takes one weight, got ", weight.numel().str());
    SymInt channels = rank > 1 ? self.size(1) : SymInt(1);
    if (channels != weight.numel())
      fail_input("prelu: ", weight.numel().str(), " weights for ", channels.str(), " channels");
  }
  if (rank != weight.dim()) {
    Sizes shape(static_cast<size_t>(rank), 1);
    if (rank > 1) shape[1] = weight.numel();
    weight = aten::reshape(weight, shape);
  }
  return aten::_prelu_kernel(self, weight);
}

Tensor prelu_kernel(Tensor self, Tensor weight) {
  Tensor positive = aten::gt_Scalar(self, 0);
  Tensor scaled = aten::mul_Tensor(weight, self);
  return aten::where_self(positive, self, scaled);
}

// log(sigmoid(x)) = min(0, x) - log(1 + exp(-|x|)), and z = exp(-|x|) for the backward pass
TensorTuple2 log_sigmoid_forward(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  Tensor zero = aten::new_zeros(x, {}, std::nullopt, std::nullopt, std::nullopt, false);
  Tensor low = aten::minimum(zero, x);
  Tensor size = aten::abs(x);
  Tensor negative = aten::neg(size);
  Tensor z = aten::exp(negative);
  bool on_cpu = self.device().type == "cpu";
  Tensor buffer = on_cpu ? z : aten::new_zeros(x, {0}, std::nullopt, std::nullopt, std::nullopt, false);
  Tensor rest = aten::log1p(z);
  Tensor result = types.down(aten::sub_Tensor(low, rest));
  return {result, types.down(buffer)};
}
Tensor log_sigmoid(Tensor self) { return std::get<0>(aten::log_sigmoid_forward(self)); }

// logit(x) = log(x / (1 - x)), x clamped to [eps, 1 - eps]; without eps the bounds are where log gives NaN anyway
Tensor logit(Tensor self, std::optional<double> eps) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor x = types.up(self);
  double low = eps.value_or(-1.0), high = 1 - low;
  Tensor below = aten::lt_Scalar(x, low);
  Tensor above = aten::gt_Scalar(x, high);
  x = aten::where_ScalarSelf(above, high, x);
  x = aten::where_ScalarSelf(below, low, x);
  Tensor rest = aten::sub_Tensor(1, x);
  Tensor odds = aten::div_Tensor(x, rest);
  return types.down(aten::log(odds));
}

// The noise holds the slopes that were drawn.
Tensor rrelu(Tensor self, Scalar lower, Scalar upper, bool training) {
  Tensor noise =
      aten::empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt, MemoryFormat::kContiguous);
  return aten::rrelu_with_noise(self, noise, lower, upper, training);
}
Tensor rrelu_(Tensor self, Scalar lower, Scalar upper, bool training) {
  Tensor noise =
      aten::empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt, MemoryFormat::kContiguous);
  return aten::rrelu_with_noise_(self, noise, lower, upper, training);
}

// ---- references

// sigmoid(x) = 1 / (1 + exp(-x))
Tensor sigmoid(Tensor self) {
  ComputeTypes types = compute_types({self}, Promote::kIntToFloat);
  Tensor negative = aten::neg(types.up(self));
  Tensor exp = aten::exp(negative);
  Tensor sum = reference::binary<prims::add>(1, exp);
  return types.down(reference::binary<prims::div, Promote::kIntToFloat>(1, sum));
}

// scale * (x > 0 ? x : alpha * expm1(x))
Tensor reference_selu(Tensor self) {
  ComputeTypes types = compute_types({self});
  Tensor x = types.up(self);
  Tensor low = aten::mul_Tensor(aten::expm1(x), kSeluAlpha);
  Tensor positive = aten::gt_Scalar(x, 0);
  Tensor chosen = aten::where_self(positive, x, low);
  return types.down(aten::mul_Tensor(chosen, kSeluScale));
}

Tensor reference_prelu(Tensor self, Tensor weight) {
  if (weight.dim() > 1) fail_input("prelu: the weight must be a scalar or a vector, its rank is ", weight.dim());
  if (weight.numel() != 1) {
    if (self.dim() == 0) fail_input("prelu: a 0-dimensional input takes one weight, got ", weight.numel().str());
    SymInt channels = self.dim() > 1 ? self.size(1) : SymInt(1);
    if (channels != weight.numel())
      fail_input("prelu: ", weight.numel().str(), " weights for ", channels.str(), " channels");
  }
  ComputeTypes types = compute_types({self, weight});
  Tensor x = types.up(self), slope = types.up(weight);
  Sizes channel_dim;
  if (slope.dim() == 1) channel_dim.push_back(x.dim() > 1 ? 1 : 0);
  if (x.dim() > 0)
    slope = prims::broadcast_in_dim(slope, x.sizes(), channel_dim);
  else if (slope.dim() == 1)
    slope = aten::select_int(slope, 0, 0);
  Tensor positive = aten::gt_Scalar(x, 0);
  Tensor scaled = aten::mul_Tensor(x, slope);
  return types.down(aten::where_self(positive, x, scaled));
}

// Slopes drawn for what is not positive, 1 for the rest; without training, the one slope in their middle.
TensorTuple2 reference_rrelu_with_noise(Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training) {
  require_floating(self, "rrelu");
  double low = lower.to_double(), high = upper.to_double();
  if (!training) return {aten::leaky_relu(self, (low + high) / 2), aten::clone(noise)};
  Tensor drawn = aten::rand_like(self);
  Tensor slopes = aten::add_Tensor(aten::mul_Tensor(drawn, high - low), low);
  Tensor is_low = aten::le_Scalar(self, 0);
  slopes = aten::where_ScalarOther(is_low, slopes, 1);
  return {aten::mul_Tensor(self, slopes), slopes};
}

constexpr OpDef kRows[] = {
    {.op = "aten::sigmoid", .meta = kFloating, .reference = box<sigmoid>},
    {.op = "aten::tanh", .meta = kFloating, .reference = box<reference::unary<prims::tanh, Promote::kIntToFloat>>},
    {.op = "aten::relu", .body = box<relu>},
    {.op = "aten::gelu", .meta = box_meta<meta_floating>, .body = box<gelu>},
    {.op = "aten::silu", .meta = kSameDType, .body = box<silu>},
    {.op = "aten::mish", .hidden_rule = "mish", .meta = kSameDType, .body = box<mish>},
    {.op = "aten::softplus", .hidden_rule = "softplus", .meta = kSameDType, .body = box<softplus>},
    {.op = "aten::elu", .meta = kSameDType, .body = box<elu>},
    {.op = "aten::celu", .hidden_rule = "celu", .meta = kSameDType, .body = box<celu>},
    {.op = "aten::selu", .meta = kSameDType, .body = box<selu>, .reference = box<reference_selu>},
    {.op = "aten::selu_", .body = box<selu_>},
    {.op = "aten::leaky_relu", .meta = kSameDType, .body = box<leaky_relu>},
    {.op = "aten::relu6", .body = box<relu6>},
    {.op = "aten::relu6_", .body = box<relu6_>},
    {.op = "aten::hardtanh", .body = box<hardtanh>},
    {.op = "aten::hardsigmoid", .meta = kSameDType, .body = box<hardsigmoid>},
    {.op = "aten::hardswish", .meta = kSameDType, .body = box<hardswish>},
    {.op = "aten::hardshrink", .body = box<hardshrink>},
    {.op = "aten::softshrink", .meta = kSameDType, .body = box<softshrink>},
    {.op = "aten::threshold", .hidden_rule = "threshold", .body = box<threshold>},
    {.op = "aten::glu", .hidden_rule = "glu", .body = box<glu>},
    {.op = "aten::prelu", .meta = kSameDType, .body = box<prelu>, .reference = box<reference_prelu>},
    {.op = "aten::_prelu_kernel", .meta = pointwise<Promote::kDefault>, .body = box<prelu_kernel>},
    {.op = "aten::log_sigmoid", .meta = kSameDType, .body = box<log_sigmoid>},
    {.op = "aten::log_sigmoid_forward", .meta = box_meta<meta_log_sigmoid_forward>, .body = box<log_sigmoid_forward>},
    {.op = "aten::logit", .hidden_rule = "logit", .meta = kFloating, .body = box<logit>},
    {.op = "aten::rrelu", .meta = kSameDType, .body = box<rrelu>},
    {.op = "aten::rrelu_", .body = box<rrelu_>},
    {.op = "aten::rrelu_with_noise_functional",
     .meta = box_meta<meta_rrelu_with_noise>,
     .reference = box<reference_rrelu_with_noise>},
};

}  // namespace

const std::span<const OpDef> kActivationOps = kRows;

}  // namespace rung::ops
