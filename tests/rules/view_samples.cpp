// Calls of views.
#include "ops/gen/aten.h"
#include "rules/samples.h"

namespace rung::rule_test {
namespace {

void unary(Samples& s) {
  for (const Tensor& x : s.tensors()) s.call({x});
}
void reshaped(Samples& s) {
  s.call({s.tensor({2, 3, 4}), Shape{6, 4}});
  s.call({s.tensor({2, 3, 4}), Shape{-1}});
  s.call({s.tensor({2, 3, 4}), Shape{2, 3, 2, 2}});
  s.call({s.tensor({}), Shape{1, 1}});
  s.call({s.tensor({1}), Shape{}});
  s.call({s.tensor({0, 3}), Shape{3, 0}});
  s.call({aten::t(s.tensor({3, 4})), Shape{4, 3, 1}});
  s.call({aten::t(s.tensor({3, 4})), Shape{12}});
  s.call({aten::slice_Tensor(s.tensor({4, 6}), 0, 1, 3), Shape{2, 2, 3}});
}
void with_dim(Samples& s) {
  for (const Tensor& x : s.ordinary())
    for (int dim = -1; dim < static_cast<int>(x.dim()); ++dim) s.call({x, dim});
}
void with_dims(Samples& s) {
  s.call({s.tensor({2, 1, 3, 1}), Shape{1, 3}});
  s.call({s.tensor({2, 1, 3, 1}), Shape{-1, 0}});
  s.call({s.tensor({2, 1, 3, 1}), Shape{}});
  s.call({s.tensor({}), Shape{0}});
  s.call({aten::transpose_int(s.tensor({2, 1, 3}), 0, 2), Shape{1, 2}});
  s.call({s.tensor({1, 0, 1}), Shape{0, 2}});
}
void selected(Samples& s) {
  for (int index : {0, 1, -1}) {
    s.call({s.tensor({2, 3, 4}), 1, index});
    s.call({s.tensor({2, 3, 4}), -1, index});
    s.call({aten::t(s.tensor({3, 4})), 0, index});
    s.call({s.tensor({5}), 0, index});
  }
}
void sliced(Samples& s) {
  for (const Tensor& x : {s.tensor({5}), s.tensor({6, 4}), aten::t(s.tensor({3, 6}))})
    for (int dim : {0, -1}) {
      s.call({x, dim});
      s.call({x, dim, 0, INT64_MAX});
      s.call({x, dim, 1, 3});
      s.call({x, dim, -3, -1});
      s.call({x, dim, 2, 100});
      s.call({x, dim, -100, 2});
      s.call({x, dim, 3, 1});
      s.call({x, dim, nullptr, 2});
      s.call({x, dim, 1, nullptr, 2});
    }
  s.call({s.tensor({0, 3}), 0, 0, 2});
}
void narrowed(Samples& s) {
  for (const Tensor& x : {s.tensor({5}), s.tensor({5, 4}), aten::t(s.tensor({3, 5}))}) {
    s.call({x, 0, 1, 2});
    s.call({x, 0, -2, 2});
    s.call({x, 0, -3, 2});
    s.call({x, -1, 0, 3});
    s.call({x, 0, 2, 0});
    s.call({x, 0, 5, 0});
    s.call({x, 0, 0, 5});
  }
}
void split(Samples& s) {
  s.call({s.tensor({6, 2}), Shape{1, 3, 2}});
  s.call({s.tensor({2, 6}), Shape{1, 3, 2}, -1});
  s.call({s.tensor({4}), Shape{0, 4}});
  s.call({aten::t(s.tensor({2, 6})), Shape{5, 1}});
}
void split_evenly(Samples& s) {
  s.call({s.tensor({5, 2}), 2});
  s.call({s.tensor({2, 6}), 3, -1});
}
void expanded(Samples& s) {
  s.call({s.tensor({1, 3}), Shape{2, 3}});
  s.call({s.tensor({1, 3}), Shape{4, -1, -1}});
  s.call({s.tensor({}), Shape{2, 2}});
  s.call({s.tensor({3}), Shape{0, 3}});
  s.call({aten::t(s.tensor({1, 3})), Shape{3, 2}});
  s.call({s.tensor({2, 3}), Shape{2, 3}});
}
void permuted(Samples& s) {
  s.call({s.tensor({2, 3}), Shape{1, 0}});
  s.call({s.tensor({2, 3, 4}), Shape{0, 2, 1}});
  s.call({s.tensor({2, 3, 4}), Shape{2, 0, 1}});
  s.call({s.tensor({2, 3, 4}), Shape{-1, 1, 0}});
  s.call({s.tensor({2, 3, 4}), Shape{0, 1, 2}});
  s.call({s.tensor({}), Shape{}});
  s.call({aten::t(s.tensor({0, 2})), Shape{1, 0}});
}
void strided(Samples& s) {
  s.call({s.tensor({2, 3}), Shape{2, 3}, Shape{3, 1}});
  s.call({s.tensor({2, 3}), Shape{2, 3}, Shape{3, 1}, 0});
  s.call({s.tensor({2, 3}), Shape{3, 2}, Shape{1, 3}});
  s.call({s.tensor({2, 3}), Shape{3, 2}, Shape{2, 1}});
  s.call({s.tensor({2, 3, 4}), Shape{4, 2, 3}, Shape{1, 12, 4}});
  s.call({s.tensor({2, 3}), Shape{2, 2}, Shape{1, 1}, 1});
  s.call({s.tensor({6}), Shape{3}, Shape{2}});
  s.call({aten::slice_Tensor(s.tensor({4, 3}), 0, 1, 3), Shape{2, 3}, Shape{3, 1}});
  s.call({aten::slice_Tensor(s.tensor({4, 3}), 0, 1, 3), Shape{2, 3}, Shape{3, 1}, 0});
  s.call({aten::slice_Tensor(s.tensor({4, 3}), 0, 1, 3), Shape{3, 2}, Shape{1, 3}, 3});
}
void transposed(Samples& s) {
  s.call({s.tensor({2, 3, 4}), 0, -1});
  s.call({s.tensor({2, 3}), 1, 0});
  s.call({s.tensor({}), 0, -1});
}
void turned(Samples& s) {
  s.call({s.tensor({2, 3})});
  s.call({s.tensor({3})});
  s.call({s.tensor({})});
}
void diagonal(Samples& s) {
  s.call({s.tensor({3, 4})});
  s.call({s.tensor({3, 4}), -1});
  s.call({s.tensor({2, 3, 4}), 1, 0, 2});
  s.call({s.tensor({1, 3})});
}
void unfolded(Samples& s) {
  s.call({s.tensor({7}), 0, 3, 2});
  s.call({s.tensor({2, 7}), -1, 2, 1});
  s.call({s.tensor({3}), 0, 3, 1});
}
void of_dtype(Samples& s) {
  s.call({s.tensor({2, 4}), s.dtype()});
  s.call({s.tensor({2, 4}), info(s.dtype()).bytes == 4 ? DType::kInt32 : DType::kUInt8});
}
// torch has no others for complex numbers
void as_complex(Samples& s) {
  if (is_floating(s.dtype())) s.call({s.tensor({3, 2})});
}

// ---- of prims

void broadcast(Samples& s) {
  s.call({s.tensor({3}), Shape{2, 3}, Shape{1}});
  s.call({s.tensor({2}), Shape{2, 3}, Shape{0}});
  s.call({s.tensor({1, 3}), Shape{2, 3}, Shape{0, 1}});
  s.call({s.tensor({2, 3}), Shape{2, 4, 3}, Shape{0, 2}});
  s.call({aten::t(s.tensor({3, 2})), Shape{2, 4, 3}, Shape{0, 2}});
  s.call({s.tensor({}), Shape{2, 2}, Shape{}});
  s.call({s.tensor({0}), Shape{2, 0}, Shape{1}});
}

constexpr Maker kMakers[] = {
    {"aten::view", reshaped},          {"aten::_unsafe_view", reshaped},       {"aten::reshape", reshaped},
    {"prims::reshape", reshaped},      {"aten::unsqueeze", with_dim},          {"aten::squeeze", unary},
    {"aten::squeeze.dim", with_dim},   {"aten::squeeze.dims", with_dims},      {"prims::squeeze", with_dims},
    {"aten::select.int", selected},    {"aten::slice.Tensor", sliced},         {"aten::narrow", narrowed},
    {"aten::split_with_sizes", split}, {"aten::split.Tensor", split_evenly},   {"aten::unbind.int", with_dim},
    {"aten::expand", expanded},        {"prims::broadcast_in_dim", broadcast}, {"aten::permute", permuted},
    {"prims::transpose", permuted},    {"aten::transpose.int", transposed},    {"aten::t", turned},
    {"aten::as_strided", strided},     {"aten::diagonal", diagonal},           {"aten::unfold", unfolded},
    {"aten::view.dtype", of_dtype},    {"aten::view_as_complex", as_complex},  {"aten::view_as_real", unary},
};

}  // namespace

const std::span<const Maker> kViewMakers = kMakers;

}  // namespace rung::rule_test
