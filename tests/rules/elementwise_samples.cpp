// Calls of ops that go element by element.
#include "ops/gen/aten.h"
#include "rules/samples.h"

namespace rung::rule_test {
namespace {

void unary(Samples& s) {
  for (const Tensor& x : s.tensors()) s.call({x});
}
void with_number(Samples& s) {
  for (const Scalar& number : s.numbers()) {
    s.call({s.tensor({2, 3}), number});
    s.call({s.tensor({}), number});
    s.call({s.tensor({4, 8}, Fill::kSpecial), number});
  }
  for (const Tensor& x : s.tensors()) s.call({x, 3});
  for (const Tensor& x : s.tensors()) s.call({x, -0.5});
}
void number_with(Samples& s) {
  for (const Scalar& number : s.numbers()) {
    s.call({number, s.tensor({2, 3})});
    s.call({number, s.tensor({})});
    s.call({number, s.tensor({4, 8}, Fill::kSpecial)});
  }
  for (const Tensor& x : s.tensors()) s.call({2, x});
}
void by_tensor(Samples& s) {
  for (const auto& [x, y] : s.pairs()) s.call({x, y});
  for (const Scalar& number : s.numbers()) s.call({s.tensor({2, 3}), number});
  for (const Scalar& number : s.numbers()) s.call({s.tensor({}), number});
  for (const Scalar& number : s.numbers()) s.call({s.tensor({4, 8}, Fill::kSpecial), number});
  for (const Scalar& number : s.numbers())
    for (DType dtype : {s.dtype(), DType::kInt64, DType::kFloat32, DType::kFloat64})
      for (const Tensor& x : {s.tensor({2, 3}), s.tensor({})}) {
        s.call({x, s.constant(number, dtype)});
        s.call({x, s.constant(number, dtype, {3})});
      }
}
void with_tensor(Samples& s) {
  by_tensor(s);
  s.call({2, s.tensor({2, 3})});
}
void with_tensors(Samples& s) {
  for (const auto& [x, y] : s.pairs()) s.call({x, y});
}
// of one type and shape
void of_alike(Samples& s) {
  for (const Tensor& x : s.tensors()) s.call({x, s.tensor(ref::shape_of(x))});
  for (Fill fill : {Fill::kSpecial, Fill::kHuge, Fill::kTiny}) s.call({s.tensor({4, 8}, fill), s.tensor({4, 8}, fill)});
}
void with_scaled_number(Samples& s) {
  with_number(s);
  for (const Scalar& alpha : {Scalar(2), Scalar(-1), Scalar(0), Scalar(0.5)}) {
    s.call({s.tensor({2, 3}), 3, alpha});
    s.call({s.tensor({2, 3}), 0.25, alpha});
    s.call({s.tensor({4, 8}, Fill::kSpecial), 3, alpha});
  }
}
void with_scaled_tensor(Samples& s) {
  with_tensor(s);
  for (const Scalar& alpha : {Scalar(2), Scalar(-1), Scalar(0), Scalar(3), Scalar(0.5)}) {
    for (const auto& [x, y] : s.pairs()) s.call({x, y}, {{"alpha", alpha}});
    s.call({s.tensor({2, 3}), 3}, {{"alpha", alpha}});
    s.call({s.tensor({2, 3}), 2.5}, {{"alpha", alpha}});
  }
}
void divided(Samples& s) {
  for (const Given& mode : {Given(nullptr), Given("floor"), Given("trunc")}) {
    for (const auto& [x, y] : s.pairs()) s.call({x, y}, {{"rounding_mode", mode}});
    for (const Scalar& number : s.numbers()) {
      s.call({s.tensor({2, 3}), number}, {{"rounding_mode", mode}});
      s.call({s.tensor({4, 8}, Fill::kSpecial), number}, {{"rounding_mode", mode}});
    }
  }
}

void shifted(Samples& s) {
  with_tensors(s);
  for (int places : {0, 1, 5, 7, 8, 31, 63, 64, -1})
    s.call({s.tensor({4, 8}, Fill::kSpecial), aten::full({4, 8}, places, s.dtype())});
}

// ---- choices

void chosen(Samples& s) {
  for (const auto& [x, y] : s.pairs()) s.call({s.tensor_of(DType::kBool, ref::shape_of(x)), x, y});
  for (const Scalar& number : s.numbers())
    for (DType dtype : {s.dtype(), DType::kInt64, DType::kFloat32, DType::kFloat64}) {
      s.call({s.tensor_of(DType::kBool, {2, 3}), s.constant(number, dtype), s.tensor({3})});
      s.call({s.tensor_of(DType::kBool, {2, 3}), s.tensor({3}), s.constant(number, dtype)});
      s.call({s.tensor_of(DType::kBool, {3}), s.tensor({}), s.constant(number, dtype)});
      s.call({s.tensor_of(DType::kBool, {2, 3}), s.constant(number, dtype, {3}), s.tensor({2, 3})});
      s.call({s.tensor_of(DType::kBool, {3}), s.tensor({}), s.constant(number, dtype, {2, 1})});
    }
}
void chosen_alike(Samples& s) {
  for (const Tensor& x : s.tensors())
    s.call({s.tensor_of(DType::kBool, ref::shape_of(x)), x, s.tensor(ref::shape_of(x))});
}
void chosen_or_number(Samples& s) {
  for (const Scalar& number : s.numbers()) s.call({s.tensor_of(DType::kBool, {2, 3}), s.tensor({3}), number});
  for (const Scalar& number : s.numbers()) s.call({s.tensor_of(DType::kBool, {2, 3}), s.tensor({}), number});
  for (const Tensor& x : s.tensors()) s.call({s.tensor_of(DType::kBool, ref::shape_of(x)), x, 1});
  for (const Tensor& x : s.tensors()) s.call({s.tensor_of(DType::kBool, {}), x, 0});
  s.call({s.tensor_of(DType::kUInt8, {2, 3}), s.tensor({2, 3}), 1});
}
void number_chosen(Samples& s) {
  for (const Scalar& number : s.numbers()) s.call({s.tensor_of(DType::kBool, {2, 3}), number, s.tensor({3})});
  for (const Scalar& number : s.numbers()) s.call({s.tensor_of(DType::kBool, {2, 3}), number, s.tensor({})});
  for (const Tensor& x : s.tensors()) s.call({s.tensor_of(DType::kBool, ref::shape_of(x)), 1, x});
}
void filled_where(Samples& s) {
  for (const Scalar& number : s.numbers()) {
    s.call({s.tensor({2, 3}), s.tensor_of(DType::kBool, {3}), number});
    s.call({s.tensor({3}), s.tensor_of(DType::kBool, {2, 3}), number});
    s.call({s.tensor({}), s.tensor_of(DType::kBool, {}), number});
  }
  for (const Tensor& x : s.tensors()) s.call({x, s.tensor_of(DType::kBool, ref::shape_of(x)), 1});
}

constexpr Maker kMakers[] = {
    {"aten::add.Scalar", with_scaled_number},
    {"aten::sub.Scalar", with_scaled_number},
    {"aten::rsub.Scalar", with_scaled_number},
    {"aten::mul.Scalar", with_number},
    {"aten::div.Scalar", with_number},
    {"aten::eq.Scalar", with_number},
    {"aten::ne.Scalar", with_number},
    {"aten::lt.Scalar", with_number},
    {"aten::le.Scalar", with_number},
    {"aten::gt.Scalar", with_number},
    {"aten::ge.Scalar", with_number},
    {"aten::pow.Tensor_Scalar", with_number},
    {"aten::pow.Scalar", number_with},
    {"aten::bitwise_and.Scalar", with_number},
    {"aten::bitwise_or.Scalar", with_number},
    {"aten::bitwise_xor.Scalar", with_number},
    {"aten::remainder.Scalar", with_number},
    {"aten::fmod.Scalar", with_number},
    {"aten::add.Tensor", with_scaled_tensor},
    {"aten::sub.Tensor", with_scaled_tensor},
    {"aten::rsub.Tensor", with_scaled_tensor},
    {"aten::mul.Tensor", with_tensor},
    {"aten::div.Tensor", with_tensor},
    {"aten::div.Tensor_mode", divided},
    {"aten::floor_divide", by_tensor},
    {"aten::fmax", with_tensors},
    {"aten::fmin", with_tensors},
    {"aten::bitwise_left_shift.Tensor", shifted},
    {"aten::eq.Tensor", with_tensor},
    {"aten::ne.Tensor", with_tensor},
    {"aten::lt.Tensor", with_tensor},
    {"aten::le.Tensor", with_tensor},
    {"aten::gt.Tensor", with_tensor},
    {"aten::ge.Tensor", with_tensor},
    {"aten::pow.Tensor_Tensor", with_tensor},
    {"aten::bitwise_and.Tensor", with_tensor},
    {"aten::bitwise_or.Tensor", with_tensor},
    {"aten::bitwise_xor.Tensor", with_tensor},
    {"aten::logical_and", with_tensors},
    {"aten::logical_or", with_tensors},
    {"aten::logical_xor", with_tensors},
    {"aten::where.self", chosen},
    {"aten::where.ScalarOther", chosen_or_number},
    {"aten::where.ScalarSelf", number_chosen},
    {"aten::masked_fill.Scalar", filled_where},
    {"aten::neg", unary},
    {"aten::reciprocal", unary},
    {"aten::rsqrt", unary},
    {"aten::square", unary},
    {"aten::abs", unary},
    {"aten::exp", unary},
    {"aten::exp2", unary},
    {"aten::log", unary},
    {"aten::log1p", unary},
    {"aten::floor", unary},
    {"aten::logical_not", unary},
    {"aten::bitwise_not", unary},
    {"prims::abs", unary},
    {"prims::acos", unary},
    {"prims::acosh", unary},
    {"prims::asin", unary},
    {"prims::asinh", unary},
    {"prims::atan", unary},
    {"prims::atanh", unary},
    {"prims::bitwise_not", unary},
    {"prims::ceil", unary},
    {"prims::cos", unary},
    {"prims::cosh", unary},
    {"prims::erf", unary},
    {"prims::erfc", unary},
    {"prims::exp", unary},
    {"prims::exp2", unary},
    {"prims::expm1", unary},
    {"prims::floor", unary},
    {"prims::log", unary},
    {"prims::log10", unary},
    {"prims::log1p", unary},
    {"prims::log2", unary},
    {"prims::neg", unary},
    {"prims::reciprocal", unary},
    {"prims::round", unary},
    {"prims::rsqrt", unary},
    {"prims::sign", unary},
    {"prims::sin", unary},
    {"prims::sinh", unary},
    {"prims::sqrt", unary},
    {"prims::tan", unary},
    {"prims::tanh", unary},
    {"prims::trunc", unary},
    {"prims::add", of_alike},
    {"prims::atan2", of_alike},
    {"prims::bitwise_and", of_alike},
    {"prims::bitwise_or", of_alike},
    {"prims::bitwise_xor", of_alike},
    {"prims::div", of_alike},
    {"prims::eq", of_alike},
    {"prims::fmod", of_alike},
    {"prims::ge", of_alike},
    {"prims::gt", of_alike},
    {"prims::le", of_alike},
    {"prims::lt", of_alike},
    {"prims::maximum", of_alike},
    {"prims::minimum", of_alike},
    {"prims::mul", of_alike},
    {"prims::ne", of_alike},
    {"prims::pow", of_alike},
    {"prims::remainder", of_alike},
    {"prims::sub", of_alike},
    {"prims::where", chosen_alike},
};

}  // namespace

const std::span<const Maker> kElementwiseMakers = kMakers;

}  // namespace rung::rule_test
