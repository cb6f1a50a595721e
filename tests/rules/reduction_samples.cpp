// Calls of reductions, of orders, and of reads at places.
#include "ops/gen/aten.h"
#include "rules/samples.h"

namespace rung::rule_test {
namespace {

// torch orders no complex numbers
template <void (*make)(Samples&)>
void ordered(Samples& s) {
  if (!is_complex(s.dtype())) make(s);
}

void of_all(Samples& s) {
  for (const Tensor& x : s.tensors()) s.call({x});
  s.call({s.tensor({4, 8}, Fill::kSpecial)});
}
void of_all_as(Samples& s) {
  of_all(s);
  for (DType dtype : {DType::kInt64, DType::kFloat32, DType::kFloat64})
    for (const Tensor& x : s.ordinary()) s.call({x}, {{"dtype", dtype}});
}
void of_dim(Samples& s) {
  for (bool keepdim : {false, true})
    for (const Tensor& x : s.tensors())
      for (int dim = -1; dim < static_cast<int>(x.dim()); ++dim) s.call({x, dim, keepdim});
}
void of_dim_or_all(Samples& s) {
  of_all(s);
  of_dim(s);
}

// What dimensions may be given for a tensor.
std::vector<Shape> dims_of(const Tensor& x) {
  if (x.dim() == 0) return {{}, {0}, {-1}};
  if (x.dim() == 1) return {{}, {0}, {-1}};
  if (x.dim() == 2) return {{}, {0}, {-1}, {0, 1}, {-1, 0}};
  return {{}, {1}, {-1}, {0, 2}, {2, -2}, {0, 1, 2}};
}
void of_dims(Samples& s) {
  for (bool keepdim : {false, true})
    for (const Tensor& x : s.tensors())
      for (const Shape& dims : dims_of(x)) s.call({x, dims, keepdim});
}
void of_dims_or_none(Samples& s) {
  of_dims(s);
  for (const Tensor& x : s.tensors()) s.call({x, nullptr, false});
  for (const Tensor& x : s.tensors()) s.call({x, nullptr, true});
}
void of_dims_as(Samples& s) {
  of_dims_or_none(s);
  for (DType dtype : {DType::kInt64, DType::kFloat32, DType::kFloat64})
    for (const Tensor& x : s.ordinary()) s.call({x, Shape{-1}, true}, {{"dtype", dtype}});
}
void variance(Samples& s) {
  for (const Given& correction : {Given(nullptr), Given(0), Given(1), Given(2), Given(0.5), Given(100)})
    for (bool keepdim : {false, true})
      for (const Tensor& x : s.tensors()) {
        for (const Shape& dims : dims_of(x)) s.call({x, dims}, {{"correction", correction}, {"keepdim", keepdim}});
        s.call({x, nullptr}, {{"correction", correction}, {"keepdim", keepdim}});
      }
}
void of_prims(Samples& s) {
  for (const Tensor& x : s.tensors())
    for (const Shape& dims : dims_of(x)) s.call({x, dims});
  s.call({s.tensor({2, 3}), nullptr});
  s.call({s.tensor({2, 3}), Shape{1}}, {{"output_dtype", s.dtype()}});
}
void variance_of_prims(Samples& s) {
  for (const Given& correction : {Given(0.0), Given(1.0), Given(0.5), Given(100.0), Given(nullptr)})
    for (const Tensor& x : s.tensors())
      for (const Shape& dims : dims_of(x)) s.call({x, dims, correction});
}

// ---- orders

void sorted(Samples& s) {
  for (bool descending : {false, true})
    for (const Tensor& x : s.tensors()) s.call({x, -1, descending});
  s.call({s.tensor({3, 4, 2}), 1, true});
}
void sorted_stably(Samples& s) {
  for (const Given& stable : {Given(true), Given(false), Given(nullptr)})
    for (const Tensor& x : s.tensors()) s.call({x}, {{"stable", stable}, {"dim", 0}, {"descending", true}});
  s.call({s.tensor({3, 40})}, {{"stable", false}});
}
// where elements are equal, which of them is taken is not said
void best(Samples& s) {
  for (bool largest : {true, false}) {
    for (int64_t k : {0, 1, 2}) s.call({s.distinct(s.dtype() == DType::kBool ? Shape{2} : Shape{7}), k, -1, largest});
    if (s.dtype() == DType::kBool) continue;
    s.call({s.distinct({3, 4, 5}), 2, 1, largest});
    s.call({aten::t(s.distinct({3, 4})), 3, 0, largest});
    s.call({s.distinct({3, 4}), 4, -1, largest, false});
    s.call({s.distinct({}), 1, -1, largest});
  }
}

// ---- places

void embedded(Samples& s) {
  for (DType dtype : {DType::kInt64, DType::kInt32}) {
    s.call({s.tensor({5, 3}), s.places({4}, 5, dtype)});
    s.call({s.tensor({5, 3}), s.places({2, 3}, 5, dtype)});
    s.call({s.tensor({5, 3}), s.places({}, 5, dtype), 2});
    s.call({s.tensor({5, 3}), s.places({0}, 5, dtype), -1, true});
    s.call({aten::t(s.tensor({3, 5})), s.places({2, 2}, 5, dtype)});
    s.call({s.tensor({5, 3}), aten::t(s.places({2, 3}, 5, dtype))});
  }
}
Tensor from_end(Samples& s, const Shape& shape, int64_t limit) {
  return aten::sub_Tensor(s.places(shape, 2 * limit), Tensor(limit));
}
void at_indices(Samples& s) {
  const Tensor none = Tensor();
  Tensor cube = s.tensor({3, 4, 5});
  s.call({cube, std::vector{from_end(s, {4}, 3)}});
  s.call({cube, std::vector{from_end(s, {2, 2}, 3)}});
  s.call({cube, std::vector{from_end(s, {}, 3)}});
  s.call({cube, std::vector{none, from_end(s, {3}, 4)}});
  s.call({cube, std::vector{none, none, from_end(s, {2, 3}, 5)}});
  s.call({cube, std::vector{from_end(s, {3}, 3), from_end(s, {3}, 4)}});
  s.call({cube, std::vector{from_end(s, {2, 1}, 3), from_end(s, {3}, 4)}});
  s.call({cube, std::vector{none, from_end(s, {2, 3}, 4), from_end(s, {3}, 5)}});
  s.call({cube, std::vector{none, none, from_end(s, {}, 5)}});
  s.call({cube, std::vector{from_end(s, {3}, 3), none, from_end(s, {3}, 5)}});
  s.call({cube, std::vector{s.places({0}, 3)}});
  s.call({cube, std::vector{none, s.places({3}, 4, DType::kInt32)}});
  s.call({cube, std::vector{s.places({3}, 3, DType::kInt32), s.places({3}, 4, DType::kInt64)}});
  s.call({cube, std::vector{s.tensor_of(DType::kBool, {3})}});
  s.call({cube, std::vector{none, s.tensor_of(DType::kBool, {4})}});
  s.call({aten::t(s.tensor({3, 4})), std::vector{none, from_end(s, {2}, 3)}});
  s.call({aten::permute(cube, {2, 0, 1}), std::vector{none, from_end(s, {2}, 3)}});
}
void put(Samples& s) {
  Tensor places = aten::arange_start(-1, 2);
  s.call({s.tensor({3, 4}), std::vector{places}, s.tensor({3, 4})});
  s.call({s.tensor({3, 4}), std::vector{places}, s.tensor({4}), true});
  s.call({s.tensor({3, 4}), std::vector{places}, s.tensor({})});
}
void chosen(Samples& s) {
  for (DType dtype : {DType::kInt64, DType::kInt32}) {
    s.call({s.tensor({5, 3}), 0, s.places({4}, 5, dtype)});
    s.call({s.tensor({5, 3}), -1, s.places({2}, 3, dtype)});
    s.call({s.tensor({2, 5, 3}), 1, s.places({4}, 5, dtype)});
    s.call({aten::t(s.tensor({5, 3})), 1, s.places({4}, 5, dtype)});
    s.call({s.tensor({5}), 0, s.places({}, 5, dtype)});
    s.call({s.tensor({}), 0, s.places({1}, 1, dtype)});
    s.call({s.tensor({5, 3}), 0, s.places({0}, 5, dtype)});
  }
}
void gathered(Samples& s) {
  s.call({s.tensor({5, 3}), 0, s.places({4, 3}, 5)});
  s.call({s.tensor({5, 3}), 0, s.places({4, 2}, 5)});
  s.call({s.tensor({5, 3}), -1, s.places({5, 7}, 3)});
  s.call({s.tensor({2, 4, 3}), 1, s.places({1, 6, 2}, 4)});
  s.call({aten::t(s.tensor({5, 3})), 1, s.places({2, 4}, 5)});
  s.call({s.tensor({}), 0, s.places({}, 1)});
  s.call({s.tensor({5, 3}), 0, s.places({0, 3}, 5)});
}

// ---- places among sorted values, and elements that a mask picks

// Of numbers: NaN has no place among them.
Tensor sorted(Samples& s, const Shape& shape, Fill fill = Fill::kOrdinary) {
  const Tensor values = s.tensor(shape, fill);
  return std::get<0>(aten::sort(is_floating(s.dtype()) ? aten::nan_to_num(values) : values));
}
void bucketized(Samples& s) {
  for (bool right : {false, true})
    for (Fill fill : {Fill::kOrdinary, Fill::kSpecial}) {
      for (const Tensor& x : s.tensors()) s.call({x, sorted(s, {5}, fill)}, {{"right", right}});
      s.call({s.tensor({2, 3}, fill), sorted(s, {7}, fill)}, {{"right", right}, {"out_int32", true}});
      s.call({s.tensor({3}), sorted(s, {0})}, {{"right", right}});
    }
}
void searched(Samples& s) {
  for (bool right : {false, true})
    for (Fill fill : {Fill::kOrdinary, Fill::kSpecial}) {
      for (const Tensor& x : s.tensors()) s.call({sorted(s, {5}, fill), x}, {{"right", right}});
      s.call({sorted(s, {2, 5}, fill), s.tensor({2, 3}, fill)}, {{"right", right}, {"out_int32", true}});
      s.call({sorted(s, {2, 4, 5}, fill), s.tensor({2, 4, 3}, fill)}, {{"side", right ? "right" : "left"}});
    }
}
void picked(Samples& s) {
  for (const Tensor& x : s.tensors()) s.call({x, s.tensor_of(DType::kBool, ref::shape_of(x))});
  s.call({s.tensor({2, 3}), s.tensor_of(DType::kBool, {3})});
  s.call({s.tensor({3}), s.tensor_of(DType::kBool, {2, 3})});
  s.call({s.tensor({2, 3}), s.tensor_of(DType::kBool, {})});
}

constexpr Maker kMakers[] = {
    {"aten::any", of_all},
    {"aten::max", ordered<of_all>},
    {"aten::min", ordered<of_all>},
    {"aten::sum", of_all_as},
    {"aten::mean", of_all_as},
    {"aten::any.dim", of_dim},
    {"aten::max.dim", ordered<of_dim>},
    {"aten::min.dim", ordered<of_dim>},
    {"aten::argmax", ordered<of_dim_or_all>},
    {"aten::argmin", ordered<of_dim_or_all>},
    {"aten::amax", ordered<of_dims>},
    {"aten::amin", ordered<of_dims>},
    {"aten::any.dims", of_dims_or_none},
    {"aten::sum.dim_IntList", of_dims_as},
    {"aten::mean.dim", of_dims_as},
    {"aten::var.correction", variance},
    {"aten::var_mean.correction", variance},
    {"prims::sum", of_prims},
    {"prims::amax", ordered<of_prims>},
    {"prims::amin", ordered<of_prims>},
    {"prims::var", variance_of_prims},
    {"aten::sort", ordered<sorted>},
    {"aten::sort.stable", ordered<sorted_stably>},
    {"aten::topk", ordered<best>},
    {"aten::bucketize.Tensor", bucketized},
    {"aten::searchsorted.Tensor", searched},
    {"aten::masked_select", picked},
    {"aten::embedding", embedded},
    {"aten::index.Tensor", at_indices},
    {"aten::_unsafe_index.Tensor", at_indices},
    {"aten::_unsafe_index_put", put},
    {"aten::index_select", chosen},
    {"aten::gather", gathered},
};

}  // namespace

const std::span<const Maker> kReductionMakers = kMakers;

}  // namespace rung::rule_test
