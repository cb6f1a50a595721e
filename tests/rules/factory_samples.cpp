// Calls of ops that make tensors, copy them or change their type.
#include "ops/gen/aten.h"
#include "rules/samples.h"

namespace rung::rule_test {
namespace {

constexpr DType kTypes[] = {DType::kBool,    DType::kUInt8,   DType::kInt8,     DType::kInt16,
                            DType::kInt32,   DType::kInt64,   DType::kFloat16,  DType::kBFloat16,
                            DType::kFloat32, DType::kFloat64, DType::kComplex64};
constexpr MemoryFormat kFormats[] = {MemoryFormat::kContiguous, MemoryFormat::kPreserve};
const Device kCpu{"cpu"};

// ---- makers of constants

// Where no dtype is given the samples of all dtypes are the same.
bool is_first(const Samples& s) { return s.dtype() == DType::kFloat32; }

void number_alone(Samples& s) {
  for (const Scalar& number : s.numbers()) s.call({number}, {{"dtype", s.dtype()}});
  for (const Scalar& number : s.numbers())
    if (is_first(s)) s.call({number});
}
void full(Samples& s) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 1, 4}, Shape{0, 2}}) {
    for (const Scalar& number : s.numbers()) s.call({shape, number}, {{"dtype", s.dtype()}});
    for (const Scalar& number : s.numbers())
      if (is_first(s)) s.call({shape, number});
  }
}
void of_sizes(Samples& s) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 1, 4}, Shape{0, 2}}) {
    s.call({shape}, {{"dtype", s.dtype()}});
    if (is_first(s)) s.call({shape});
  }
}
void full_like(Samples& s) {
  for (const Scalar& number : s.numbers()) s.call({s.tensor({2, 3}), number});
  for (const Tensor& x : s.tensors()) {
    s.call({x, 2});
    s.call({x, 1}, {{"memory_format", MemoryFormat::kContiguous}});
    for (DType dtype : kTypes) s.call({x, 1.5}, {{"dtype", dtype}});
  }
}
void filled(Samples& s) {
  for (const Scalar& number : s.numbers()) s.call({s.tensor({2, 3}), number});
  for (const Tensor& x : s.tensors()) s.call({x, 2});
}
void empty_permuted(Samples& s) {
  s.call({Shape{2, 3, 4}, Shape{2, 0, 1}}, {{"dtype", s.dtype()}});
  s.call({Shape{2, 3}, Shape{0, 1}}, {{"dtype", s.dtype()}});
  s.call({Shape{0, 3}, Shape{1, 0}}, {{"dtype", s.dtype()}});
  s.call({Shape{}, Shape{}}, {{"dtype", s.dtype()}});
  if (is_first(s)) s.call({Shape{2, 3}, Shape{1, 0}});
}
// torch counts in no bools and in no complex numbers
template <void (*make)(Samples&)>
void countable(Samples& s) {
  if (s.dtype() != DType::kBool && !is_complex(s.dtype())) make(s);
}
void counted(Samples& s) {
  for (const Scalar& end : {Scalar(5), Scalar(0), Scalar(4.5), Scalar(1.0)}) {
    s.call({end}, {{"dtype", s.dtype()}});
    if (is_first(s)) s.call({end});
  }
}
void counted_from(Samples& s) {
  for (const Scalar& start : {Scalar(0), Scalar(2), Scalar(-3), Scalar(0.5), Scalar(0.0)})
    for (const Scalar& end : {Scalar(5), Scalar(4.5), Scalar(2)}) {
      s.call({start, end}, {{"dtype", s.dtype()}});
      if (is_first(s)) s.call({start, end});
    }
}
void counted_by(Samples& s) {
  for (const Scalar& start : {Scalar(0), Scalar(2), Scalar(-3), Scalar(0.5), Scalar(0.0)})
    for (const Scalar& step : {Scalar(1), Scalar(2), Scalar(1.0), Scalar(0.3)}) {
      s.call({start, 5, step}, {{"dtype", s.dtype()}});
      if (is_first(s)) s.call({start, 5, step});
      if (is_first(s)) s.call({start, 4.5, step});
    }
  s.call({5, 0, -2}, {{"dtype", s.dtype()}});
}

// ---- the same of prims

Named where_it_lies(DType dtype) { return {{"dtype", dtype}, {"device", kCpu}, {"requires_grad", false}}; }

void full_of_prims(Samples& s) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 1, 4}, Shape{0, 2}})
    for (const Scalar& number : s.numbers()) s.call({shape, number}, where_it_lies(s.dtype()));
}
void full_like_of_prims(Samples& s) {
  for (const Tensor& x : s.tensors())
    for (const Scalar& number : {Scalar(2), Scalar(0.5), Scalar(true)}) s.call({x, number}, where_it_lies(s.dtype()));
  for (DType dtype : kTypes) s.call({s.tensor({2, 3}), 1.5}, where_it_lies(dtype));
}
void number_of_prims(Samples& s) {
  for (const Scalar& number : s.numbers()) s.call({number}, {{"dtype", s.dtype()}, {"device", kCpu}});
}
void iota(Samples& s) {
  for (int64_t length : {0, 1, 5})
    for (int64_t step : {1, 3, -2})
      s.call({length},
             {{"start", 7}, {"step", step}, {"dtype", s.dtype()}, {"device", kCpu}, {"requires_grad", false}});
}
void empty_strided(Samples& s) {
  s.call({Shape{2, 3}, Shape{1, 2}}, where_it_lies(s.dtype()));
  s.call({Shape{2, 0}, Shape{1, 2}}, where_it_lies(s.dtype()));
}
void permuted_of_prims(Samples& s) {
  s.call({Shape{2, 3, 4}, Shape{2, 0, 1}}, where_it_lies(s.dtype()));
  s.call({Shape{}, Shape{}}, where_it_lies(s.dtype()));
}

// ---- copies and casts

void unary(Samples& s) {
  for (const Tensor& x : s.tensors()) s.call({x});
}
void copied(Samples& s) {
  for (const Tensor& x : s.tensors()) {
    s.call({x});
    for (MemoryFormat format : kFormats) s.call({x}, {{"memory_format", format}});
  }
  s.call({s.tensor({2, 3, 4, 5})}, {{"memory_format", MemoryFormat::kChannelsLast}});
}
void cast(Samples& s) {
  for (const Tensor& x : s.tensors()) {
    s.call({x});
    for (DType dtype : kTypes) s.call({x}, {{"dtype", dtype}});
    for (DType dtype : kTypes) s.call({x}, {{"dtype", dtype}, {"memory_format", MemoryFormat::kContiguous}});
    s.call({x}, {{"dtype", DType::kFloat32}, {"device", kCpu}});
  }
}
void cast_to(Samples& s) {
  for (const Tensor& x : s.tensors())
    for (DType dtype : kTypes) s.call({x, dtype});
}
void cast_or_copied(Samples& s) {
  cast_to(s);
  for (const Tensor& x : s.tensors()) s.call({x, s.dtype(), false, true});
}
void asserted(Samples& s) {
  s.call({s.tensor({2, 3})}, {{"dtype", s.dtype()}});
  s.call({s.tensor({2, 3}), Shape{2, 3}, Shape{3, 1}, s.dtype()});
}

constexpr Maker kMakers[] = {
    {"aten::scalar_tensor", number_alone},
    {"aten::full", full},
    {"aten::zeros", of_sizes},
    {"aten::ones", of_sizes},
    {"aten::full_like", full_like},
    {"aten::fill.Scalar", filled},
    {"aten::empty.memory_format", of_sizes},
    {"aten::empty_permuted", empty_permuted},
    {"aten::arange", countable<counted>},
    {"aten::arange.start", countable<counted_from>},
    {"aten::arange.start_step", countable<counted_by>},
    {"prims::full", full_of_prims},
    {"prims::full_like", full_like_of_prims},
    {"prims::scalar_tensor", number_of_prims},
    {"prims::iota", countable<iota>},
    {"prims::empty_strided", empty_strided},
    {"prims::empty_permuted", permuted_of_prims},
    {"aten::clone", copied},
    {"prims::clone", copied},
    {"aten::alias", unary},
    {"aten::detach", unary},
    {"aten::lift_fresh_copy", unary},
    {"prims::view_of", unary},
    {"aten::_assert_tensor_metadata", asserted},
    {"aten::_to_copy", cast},
    {"aten::to.dtype", cast_or_copied},
    {"prims::convert_element_type", cast_to},
};

}  // namespace

const std::span<const Maker> kFactoryMakers = kMakers;

}  // namespace rung::rule_test
