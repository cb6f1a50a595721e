// Primitives by the operators of ATen that do the same, as their rows or their names say.
#include <algorithm>
#include <atomic>

#include "ir/bind.h"
#include "ops/factory.h"
#include "rules/body.h"
#include "rules/families.h"
#include "trace/dispatch.h"

namespace rung::rules {
namespace {

// ---- primitives whose operator of ATen has other arguments

Tensor convert(Tensor self, DType dtype) { return self.dtype() == dtype ? self : aten::_to_copy(self, dtype); }
// New dimensions of length 1, then spread.
Tensor broadcast(Tensor self, SymInts shape, SymInts places) {
  std::vector<SymInt> ones(shape.size(), 1);
  for (size_t i = 0; i < places.size(); ++i) ones[static_cast<size_t>(places[i].value())] = self.sizes()[i];
  Tensor shaped = shape.size() == places.size() ? self : aten::view(self, ones);
  return aten::expand(shaped, shape);
}
MaybeTensor sum(Tensor self, std::optional<SymInts> dims, std::optional<DType> dtype) {
  return aten::sum_dim_IntList(self, dims, false, dtype.value_or(self.dtype()));
}
MaybeTensor var(Tensor self, std::optional<SymInts> dims, std::optional<double> correction,
                std::optional<DType> dtype) {
  if (dtype && *dtype != self.dtype()) return std::nullopt;
  return aten::var_correction(self, dims, Scalar(correction.value_or(1)), false);
}
template <Tensor (*extreme)(const Tensor&, IntList, bool)>
MaybeTensor reduced(Tensor self, std::optional<SymInts> dims, std::optional<DType> dtype) {
  if (!dims || (dtype && *dtype != self.dtype())) return std::nullopt;
  return extreme(self, *dims, false);
}
Tensor full(SymInts shape, Scalar value, DType dtype, Device device) {
  return aten::full(shape, value, dtype, std::nullopt, device, false);
}
Tensor full_like(Tensor self, Scalar value, DType dtype, Device device) {
  return aten::full_like(self, value, dtype, std::nullopt, device, false);
}
Tensor scalar_tensor(Scalar value, std::optional<DType> dtype, std::optional<Device> device) {
  return aten::scalar_tensor(value, dtype, std::nullopt, device, false);
}
MaybeTensor iota(SymInt length, SymInt start, SymInt step, DType dtype, Device device) {
  if (!is_integral_or_bool(dtype)) return std::nullopt;  // torch has it of integers alone
  return aten::arange_start_step(Scalar(start), Scalar(start + length * step), Scalar(step), dtype, std::nullopt,
                                 device, false);
}
Tensor transpose(Tensor self, SymInts order) { return aten::permute(self, order); }
Tensor squeeze(Tensor self, SymInts dims) { return aten::squeeze_dims(self, dims); }
MaybeTensor reshape(Tensor self, SymInts shape) { return aten::reshape(self, shape); }
MaybeTensor clone(Tensor self, std::optional<MemoryFormat> format) { return aten::clone(self, format); }
Tensor empty_strided(SymInts shape, SymInts strides, DType dtype, Device device) {
  return aten::empty_strided(shape, strides, dtype, std::nullopt, device, false);
}
Tensor empty_permuted(SymInts shape, SymInts order, DType dtype, Device device) {
  return aten::empty_permuted(shape, order, dtype, std::nullopt, device, false);
}
// the primitive divides integers towards zero
MaybeTensor quotient(Tensor self, Tensor other) {
  if (self.is_number() || !(is_floating(self.dtype()) || is_complex(self.dtype()))) return std::nullopt;
  return aten::div_Tensor(self, other);
}

// ---- the same arguments under another name

OpId look_up_namesake(OpId primitive) {
  const std::string name = cat("aten::", schema_of(primitive).packet());
  for (std::string_view overload : {".Tensor", ".self", ".Tensor_Tensor", ""})
    if (const OpId found = find_op(cat(name, overload)); found != kNoOp) return found;
  return kNoOp;
}

// aten::exp of prims::exp, aten::mul.Tensor of prims::mul, aten::pow.Tensor_Tensor of prims::pow. Names are looked up
// once: it takes as long as a call.
OpId named_alike(OpId primitive) {
  constexpr uint32_t kNotYet = 0;  // else the namesake and one, kNoOp too
  static std::vector<std::atomic<uint32_t>> known(all_ops().size());
  std::atomic<uint32_t>& namesake = known[primitive];
  if (namesake == kNotYet) namesake = uint32_t{look_up_namesake(primitive)} + 1;
  return static_cast<OpId>(namesake - 1);
}
// Of these, torch's operators take a number for a tensor, as all primitives do.
constexpr std::string_view kTakeNumbers[] = {"add", "sub", "mul", "div"};

// Numbers in the place of tensors become tensors, of the type of the last operand that is one.
void put_constants(std::vector<Argument>& args, std::span<const ArgDef> wanted) {
  const auto beside =
      std::ranges::find_if(args.rbegin(), args.rend(), [](const Argument& arg) { return arg.is_tensor(); });
  for (size_t i = 0; i < args.size(); ++i)
    if (wanted[i].type == ArgType::kTensor && args[i].is_number() && beside != args.rend())
      args[i] = constant_beside(Tensor(*beside), Tensor(args[i]).number()).argument();
}

Argument by_name(const Call& call) {
  const OpId twin = named_alike(call.op);
  std::vector<Argument> args(call.args.begin(), call.args.end());
  const std::span<const ArgDef> wanted = schema_of(twin).args;
  if (std::ranges::find(kTakeNumbers, schema_of(twin).packet()) == std::end(kTakeNumbers)) put_constants(args, wanted);
  while (args.size() < wanted.size()) args.push_back(default_argument(wanted[args.size()], current_arena()));
  return dispatch(twin, args);
}

constexpr LateralRule kRows[] = {
    {"prims::convert_element_type", {"cast", lateral<convert>, -1, true}},
    {"prims::broadcast_in_dim", {"expand", lateral<broadcast>}},
    {"prims::sum", {"sum of ATen", lateral<sum>}},
    {"prims::var", {"variance of ATen", lateral<var>}},
    {"prims::amax", {"amax of ATen", lateral<reduced<aten::amax>>, -1, true}},
    {"prims::amin", {"amin of ATen", lateral<reduced<aten::amin>>, -1, true}},
    {"prims::full", {"full of ATen", lateral<full>}},
    {"prims::full_like", {"full_like of ATen", lateral<full_like>}},
    {"prims::scalar_tensor", {"scalar_tensor of ATen", lateral<scalar_tensor>}},
    {"prims::iota", {"arange", lateral<iota>}},
    {"prims::transpose", {"permute", lateral<transpose>}},
    {"prims::squeeze", {"squeeze of ATen", lateral<squeeze>}},
    {"prims::reshape", {"reshape of ATen", lateral<reshape>}},
    {"prims::clone", {"clone of ATen", lateral<clone>, -1, true}},
    {"prims::empty_strided", {"empty_strided of ATen", lateral<empty_strided>}},
    {"prims::empty_permuted", {"empty_permuted of ATen", lateral<empty_permuted>}},
    {"prims::div", {"quotient of ATen", lateral<quotient>}},
};

// Elementwise primitives that compute in the type of their operands, as their namesakes do on one type and shape.
constexpr std::string_view kNamesakes[] = {
    "prims::abs",         "prims::acos",        "prims::acosh",      "prims::add",     "prims::asin",
    "prims::asinh",       "prims::atan",        "prims::atan2",      "prims::atanh",   "prims::ceil",
    "prims::cos",         "prims::cosh",        "prims::eq",         "prims::erf",     "prims::exp",
    "prims::floor",       "prims::fmod",        "prims::ge",         "prims::gt",      "prims::le",
    "prims::log",         "prims::log1p",       "prims::lt",         "prims::maximum", "prims::mul",
    "prims::ne",          "prims::minimum",     "prims::neg",        "prims::pow",     "prims::reciprocal",
    "prims::sin",         "prims::rsqrt",       "prims::remainder",  "prims::round",   "prims::sign",
    "prims::sinh",        "prims::sqrt",        "prims::sub",        "prims::tan",     "prims::tanh",
    "prims::trunc",       "prims::where",       "prims::log2",       "prims::log10",   "prims::expm1",
    "prims::erfc",        "prims::bitwise_and", "prims::bitwise_or", "prims::exp2",    "prims::bitwise_not",
    "prims::bitwise_xor",
};

}  // namespace

const std::span<const LateralRule> kTwinRules = kRows;

std::optional<Rule> namesake_rule(OpId op) {
  if (std::ranges::find(kNamesakes, schema_of(op).name) == std::end(kNamesakes)) return std::nullopt;
  return Rule{"namesake of ATen", by_name};
}

}  // namespace rung::rules
