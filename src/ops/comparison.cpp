// Comparisons, logic, and what chooses between values: minimum, clamp, where, masked_fill, isin.
#include <cmath>

#include "meta/pointwise.h"
#include "meta/reference.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/number.h"
#include "ops/reference.h"
#include "trace/like_torch.h"
#include "trace/without_reference.h"

namespace rung::ops {
namespace {

using meta::pointwise;
using meta::Promote;

constexpr Meta kSameType = pointwise<Promote::kDefault>;
constexpr Meta kBoolType = pointwise<Promote::kBool>;

// ---- metas

const TensorMeta* meta_where(Tensor condition, Tensor self, Tensor other) {
  DType dtype = meta::result_type({self, other});
  meta::Sizes shape = meta::broadcast_sizes(std::array<Tensor, 3>{condition, self, other});
  std::vector<const TensorMeta*> operands = {meta::broadcast(&condition.meta(), shape)};
  for (const Tensor& choice : {self, other})
    if (!choice.is_number()) operands.push_back(meta::broadcast(meta::converted(choice.meta(), dtype), shape));
  return meta::primitive(operands, dtype);
}

// What is not bool is compared with 0 first.
const TensorMeta* meta_logical(Tensor self, Tensor other) {
  DType compute = meta::opmath_type(meta::result_type({self, other}));
  meta::Sizes shape = meta::broadcast_sizes(self.sizes(), other.sizes());
  std::vector<const TensorMeta*> operands;
  for (const Tensor& operand : {self, other}) {
    const TensorMeta* ready = meta::prepared(operand, compute, shape);
    operands.push_back(compute == DType::kBool ? ready : meta::primitive({ready}, DType::kBool));
  }
  return meta::primitive(operands, DType::kBool);
}

// Always contiguous, of the common shape.
const TensorMeta* meta_masked_fill(Tensor self, Tensor mask) {
  return meta::contiguous(meta::broadcast_sizes(self.sizes(), mask.sizes()), self.dtype(), self.device());
}

// ---- bodies

Tensor clamp_min(Tensor self, Scalar min) { return aten::clamp(self, min); }
Tensor clamp_min_tensor(Tensor self, Tensor min) { return aten::clamp_Tensor(self, min); }
Tensor clamp_max(Tensor self, Scalar max) { return aten::clamp(self, std::nullopt, max); }
Tensor clamp_max_tensor(Tensor self, Tensor max) { return aten::clamp_Tensor(self, {}, max); }

// A number in where() becomes a 0-d tensor of the type that both choices promote to.
Tensor choice(const Tensor& number, DType dtype, const Tensor& like) {
  return aten::scalar_tensor(number.number(), dtype, like.layout(), like.device());
}

Tensor where_scalar(Tensor condition, Tensor self, Tensor other) {
  DType dtype = meta::result_type({self, other});
  Tensor b = choice(other, dtype, condition);
  Tensor a = choice(self, dtype, condition);
  return aten::where_self(condition, a, b);
}
Tensor where_scalar_self(Tensor condition, Tensor self, Tensor other) {
  DType dtype = meta::result_type({other, self});
  Tensor a = choice(self, dtype, other);
  Tensor b = aten::to_dtype(other, dtype);
  return aten::where_self(condition, a, b);
}
Tensor where_scalar_other(Tensor condition, Tensor self, Tensor other) {
  DType dtype = meta::result_type({self, other});
  Tensor b = choice(other, dtype, self);
  Tensor a = aten::to_dtype(self, dtype);
  return aten::where_self(condition, a, b);
}

// The fresh result of masked_fill is contiguous whatever the layouts of its operands.
Tensor masked_fill(Tensor self, Tensor mask, Tensor value) {
  bool is_tensor = !value.is_number();
  if (is_tensor && value.dim() != 0)
    fail_input("masked_fill only supports a 0-dimensional value tensor, got ", value.dim(), " dimensions");
  bool from_complex = is_tensor ? is_complex(value.dtype()) : value.number().is_complex();
  if (from_complex && !is_complex(self.dtype()))
    fail_input("masked_fill: a complex value does not fit a ", info(self.dtype()).name, " tensor");
  Tensor filler = convert(value, self.dtype());
  Tensor out = is_tensor ? aten::where_self(mask, filler, self) : aten::where_ScalarSelf(mask, filler.number(), self);
  return aten::contiguous(out);
}

// a == b, or |a - b| finite and <= atol + |rtol * b|
Tensor isclose(Tensor self, Tensor other, double rtol, double atol, bool equal_nan) {
  if (self.dtype() != other.dtype())
    fail_input("isclose of different types: ", info(self.dtype()).name, " and ", info(other.dtype()).name);
  if (rtol < 0 || atol < 0) fail_input("isclose: rtol and atol must not be negative");
  bool in_place = follows_kernels() && !goes_to_references();  // as torch's kernel does it
  Tensor close = aten::eq_Tensor(self, other);
  if (equal_nan && !is_integral_or_bool(self.dtype())) {
    Tensor self_nan = aten::isnan(self), other_nan = aten::isnan(other);
    Tensor both_nan = aten::and__Tensor(self_nan, other_nan);
    close = in_place ? aten::bitwise_or__Tensor(close, both_nan) : aten::or__Tensor(close, both_nan);
  }
  if (rtol == 0 && atol == 0) return close;
  Tensor a = self, b = other;
  if (self.dtype() == DType::kBool) a = aten::to_dtype(self, DType::kFloat32);
  if (is_integral_or_bool(other.dtype())) b = aten::to_dtype(other, DType::kFloat32);
  Tensor scaled = aten::mul_Scalar(b, rtol);
  Tensor relative = aten::abs(scaled);
  Tensor allowed = aten::add_Scalar(relative, atol);
  Tensor difference = aten::sub_Tensor(a, b);
  Tensor actual = aten::abs(difference);
  Tensor finite = aten::isfinite(actual);
  Tensor within = aten::le_Tensor(actual, allowed);
  if (in_place) {
    aten::bitwise_and__Tensor(finite, within);
    return aten::bitwise_or__Tensor(close, finite);
  }
  Tensor near = aten::and__Tensor(finite, within);
  return aten::or__Tensor(close, near);
}

// ---- isin

// Few test elements: every pair is compared.
Tensor isin_by_pairs(const Tensor& elements, const Tensor& tests, bool invert) {
  if (elements.numel() == 0) return aten::empty_like(elements, DType::kBool);
  Tensor found;
  if (tests.dim() == 0) {
    found = aten::eq_Tensor(elements, tests);
  } else {
    meta::Sizes shape(elements.sizes().begin(), elements.sizes().end()), dims;
    shape.insert(shape.end(), tests.sizes().size(), 1);
    for (int64_t i = 1; i <= tests.dim(); ++i) dims.push_back(-i);
    Tensor spread = aten::view(elements, shape);
    Tensor equal = aten::eq_Tensor(spread, tests);
    found = aten::any_dims(equal, dims);
  }
  return invert ? aten::bitwise_not(found) : found;
}

// Without repeats, an element that equals its neighbour in sorted order is in both.
Tensor isin_by_neighbours(const Tensor& elements, const Tensor& flat, const Tensor& tests, bool invert) {
  Tensor all = aten::cat(std::array<Tensor, 2>{flat, tests});
  auto [sorted, order] = aten::sort_stable(all, true);
  Tensor later = aten::slice_Tensor(sorted, 0, 1, INT64_MAX);
  Tensor earlier = aten::slice_Tensor(sorted, 0, 0, -1);
  Tensor repeated = aten::eq_Tensor(later, earlier);
  repeated = aten::constant_pad_nd(repeated, {0, 1}, Scalar(false));
  if (invert) repeated = aten::logical_not(repeated);
  Tensor mask = aten::empty_like(repeated);
  mask = aten::index_copy(mask, 0, order, repeated);
  Tensor ours = aten::slice_Tensor(mask, 0, 0, elements.numel());
  return aten::reshape(ours, elements.sizes());
}

// Each element is compared with the test element at its place in sorted order.
Tensor isin_by_search(const Tensor& elements, const Tensor& flat, const Tensor& tests, bool invert) {
  Tensor sorted = std::get<0>(aten::sort(tests));
  Tensor place = aten::searchsorted_Tensor(sorted, flat);
  Tensor inside = aten::lt_Scalar(place, sorted.numel());
  Tensor index = aten::where_ScalarOther(inside, place, 0);
  Tensor found = aten::index_Tensor(sorted, std::array<Tensor, 1>{index});
  Tensor equal = aten::eq_Tensor(found, flat);
  if (invert) equal = aten::logical_not(equal);
  return aten::reshape(equal, elements.sizes());
}

Tensor isin(Tensor elements, Tensor tests, bool assume_unique, bool invert) {
  if (elements.is_number())
    elements = aten::scalar_tensor(elements.number(), std::nullopt, std::nullopt, tests.device(), false);
  if (tests.is_number())
    return invert ? aten::ne_Scalar(elements, tests.number()) : aten::eq_Scalar(elements, tests.number());
  SymFloat few = 10.0 * pow(SymFloat(elements.numel()), 0.145);
  if (SymFloat(tests.numel()) < few) return isin_by_pairs(elements, tests, invert);
  Tensor flat = aten::flatten_using_ints(elements);
  Tensor flat_tests = aten::flatten_using_ints(tests);
  return assume_unique ? isin_by_neighbours(elements, flat, flat_tests, invert)
                       : isin_by_search(elements, flat, flat_tests, invert);
}

// ---- references

// NaN stays: it is neither above nor below a bound.
Tensor clamp(Tensor self, Tensor min, Tensor max) {
  if (!min && !max) fail_input("clamp: at least one of min and max must be given");
  ComputeTypes types = compute_types({self, min, max});
  Tensor x = types.up(self), low = convert(min, types.computation), high = convert(max, types.computation);
  if (low) {
    Tensor is_nan = aten::isnan(x);
    Tensor above = reference::binary<prims::ge, Promote::kBool>(x, low);
    Tensor stays = aten::bitwise_or_Tensor(above, is_nan);
    x = reference::where(stays, x, low);
  }
  if (high) {
    Tensor is_nan = aten::isnan(x);
    Tensor below = reference::binary<prims::le, Promote::kBool>(x, high);
    Tensor stays = aten::bitwise_or_Tensor(below, is_nan);
    x = reference::where(stays, x, high);
  }
  return types.down(x);
}

Tensor as_bool(const Tensor& x) { return x.dtype() == DType::kBool ? x : aten::ne_Scalar(x, 0); }

template <Tensor (*primitive)(const Tensor&, const Tensor&)>
Tensor logical(Tensor self, Tensor other) {
  ComputeTypes types = compute_types({self, other});
  Tensor up_self = types.up(self), up_other = types.up(other);
  auto [a, b] = reference::broadcast(up_self, up_other);
  Tensor left = as_bool(a);
  return reference::binary<primitive>(left, as_bool(b));
}

Tensor logical_not(Tensor self) {
  if (self.dtype() == DType::kBool) return aten::bitwise_not(self);
  return aten::eq_Scalar(compute_types({self}).up(self), 0);
}

constexpr OpDef kRows[] = {
    {.op = "aten::clamp", .meta = kSameType, .reference = box<clamp>},
    {.op = "aten::clamp.Tensor", .meta = kSameType, .reference = box<clamp>},
    {.op = "aten::clamp_max", .body = box<clamp_max>},
    {.op = "aten::clamp_max.Tensor", .body = box<clamp_max_tensor>},
    {.op = "aten::clamp_min", .body = box<clamp_min>},
    {.op = "aten::clamp_min.Tensor", .body = box<clamp_min_tensor>},
    {.op = "aten::clip", .body = box<aten::clamp>},
    {.op = "aten::clip.Tensor", .body = box<aten::clamp_Tensor>},
    {.op = "aten::clip_", .body = box<aten::clamp_>},
    {.op = "aten::clip_.Tensor", .body = box<aten::clamp__Tensor>},
    {.op = "aten::eq.Scalar", .meta = kBoolType, .reference = box<reference::binary<prims::eq, Promote::kBool>>},
    {.op = "aten::eq.Tensor", .meta = kBoolType, .reference = box<reference::binary<prims::eq, Promote::kBool>>},
    {.op = "aten::fmax", .meta = kSameType, .reference = box<reference::binary<prims::fmax>>},
    {.op = "aten::fmin", .meta = kSameType, .reference = box<reference::binary<prims::fmin>>},
    {.op = "aten::ge.Scalar", .meta = kBoolType, .reference = box<reference::binary<prims::ge, Promote::kBool>>},
    {.op = "aten::ge.Tensor", .meta = kBoolType, .reference = box<reference::binary<prims::ge, Promote::kBool>>},
    {.op = "aten::greater.Scalar", .body = box<aten::gt_Scalar>},
    {.op = "aten::greater.Tensor", .body = box<aten::gt_Tensor>},
    {.op = "aten::greater_.Scalar", .body = box<aten::gt__Scalar>},
    {.op = "aten::greater_.Tensor", .body = box<aten::gt__Tensor>},
    {.op = "aten::greater_equal.Scalar", .body = box<aten::ge_Scalar>},
    {.op = "aten::greater_equal.Tensor", .body = box<aten::ge_Tensor>},
    {.op = "aten::greater_equal_.Scalar", .body = box<aten::ge__Scalar>},
    {.op = "aten::greater_equal_.Tensor", .body = box<aten::ge__Tensor>},
    {.op = "aten::gt.Scalar", .meta = kBoolType, .reference = box<reference::binary<prims::gt, Promote::kBool>>},
    {.op = "aten::gt.Tensor", .meta = kBoolType, .reference = box<reference::binary<prims::gt, Promote::kBool>>},
    {.op = "aten::isclose", .body = box<isclose>},
    {.op = "aten::isin.Scalar_Tensor", .body = box<isin>},
    {.op = "aten::isin.Tensor_Scalar", .body = box<isin>},
    {.op = "aten::isin.Tensor_Tensor", .body = box<isin>},
    {.op = "aten::le.Scalar", .meta = kBoolType, .reference = box<reference::binary<prims::le, Promote::kBool>>},
    {.op = "aten::le.Tensor", .meta = kBoolType, .reference = box<reference::binary<prims::le, Promote::kBool>>},
    {.op = "aten::less.Scalar", .body = box<aten::lt_Scalar>},
    {.op = "aten::less.Tensor", .body = box<aten::lt_Tensor>},
    {.op = "aten::less_.Scalar", .body = box<aten::lt__Scalar>},
    {.op = "aten::less_.Tensor", .body = box<aten::lt__Tensor>},
    {.op = "aten::less_equal.Scalar", .body = box<aten::le_Scalar>},
    {.op = "aten::less_equal.Tensor", .body = box<aten::le_Tensor>},
    {.op = "aten::less_equal_.Scalar", .body = box<aten::le__Scalar>},
    {.op = "aten::less_equal_.Tensor", .body = box<aten::le__Tensor>},
    {.op = "aten::logical_and", .meta = box_meta<meta_logical>, .reference = box<logical<prims::bitwise_and>>},
    {.op = "aten::logical_not", .meta = kBoolType, .reference = box<logical_not>},
    {.op = "aten::logical_or", .meta = box_meta<meta_logical>, .reference = box<logical<prims::bitwise_or>>},
    {.op = "aten::logical_xor", .meta = box_meta<meta_logical>, .reference = box<logical<prims::bitwise_xor>>},
    {.op = "aten::lt.Scalar", .meta = kBoolType, .reference = box<reference::binary<prims::lt, Promote::kBool>>},
    {.op = "aten::lt.Tensor", .meta = kBoolType, .reference = box<reference::binary<prims::lt, Promote::kBool>>},
    {.op = "aten::masked_fill.Scalar", .meta = box_meta<meta_masked_fill>, .body = box<masked_fill>},
    {.op = "aten::masked_fill.Tensor", .meta = box_meta<meta_masked_fill>, .body = box<masked_fill>},
    {.op = "aten::max.other", .body = box<aten::maximum>},
    {.op = "aten::maximum", .meta = kSameType, .reference = box<reference::binary<prims::maximum>>},
    {.op = "aten::min.other", .body = box<aten::minimum>},
    {.op = "aten::minimum", .meta = kSameType, .reference = box<reference::binary<prims::minimum>>},
    {.op = "aten::ne.Scalar", .meta = kBoolType, .reference = box<reference::binary<prims::ne, Promote::kBool>>},
    {.op = "aten::ne.Tensor", .meta = kBoolType, .reference = box<reference::binary<prims::ne, Promote::kBool>>},
    {.op = "aten::not_equal.Scalar", .body = box<aten::ne_Scalar>},
    {.op = "aten::not_equal.Tensor", .body = box<aten::ne_Tensor>},
    {.op = "aten::not_equal_.Scalar", .body = box<aten::ne__Scalar>},
    {.op = "aten::not_equal_.Tensor", .body = box<aten::ne__Tensor>},
    {.op = "aten::where.self", .meta = box_meta<meta_where>, .reference = box<reference::where>},
    {.op = "aten::where.Scalar", .body = box<where_scalar>, .reference = box<reference::where>},
    {.op = "aten::where.ScalarOther", .body = box<where_scalar_other>, .reference = box<reference::where>},
    {.op = "aten::where.ScalarSelf", .body = box<where_scalar_self>, .reference = box<reference::where>},
};

}  // namespace

const std::span<const OpDef> kComparisonOps = kRows;

}  // namespace rung::ops
