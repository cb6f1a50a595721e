// What is unique, where something is not zero, segments: results whose sizes or pieces depend on data.
#include <algorithm>
#include <limits>
#include <numeric>

#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/gen/aten.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using dims::Around;
using ref::Shape;

// ---- unique: elements, or slices along a dimension, each a row of numbers

template <typename T>
using Rows = std::vector<std::vector<T>>;

struct Found {
  std::vector<int64_t> first;    // of each group, a row that stands for it
  std::vector<int64_t> inverse;  // of each row, its group
  std::vector<int64_t> counts;
};

// Rows in this order, where neighbours that are equal are one group. NaN equals nothing.
template <typename T>
Found grouped(const Rows<T>& rows, const std::vector<int64_t>& order) {
  Found found;
  found.inverse.resize(rows.size());
  auto row = [&](int64_t i) -> const std::vector<T>& { return rows[static_cast<size_t>(i)]; };
  for (int64_t i : order) {
    bool starts = found.first.empty() || row(found.first.back()) != row(i);
    if (starts) {
      found.first.push_back(i);
      found.counts.push_back(0);
    }
    ++found.counts.back();
    found.inverse[static_cast<size_t>(i)] = static_cast<int64_t>(found.first.size()) - 1;
  }
  return found;
}

std::vector<int64_t> as_they_come(size_t count) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), int64_t(0));
  return order;
}
// Of single elements NaN is the largest; in slices a NaN says nothing, and the next element decides.
template <typename T>
std::vector<int64_t> sorted(const Rows<T>& rows, bool nan_is_largest) {
  std::vector<int64_t> order = as_they_come(rows.size());
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    const std::vector<T>&left = rows[static_cast<size_t>(a)], &right = rows[static_cast<size_t>(b)];
    for (size_t i = 0; i < left.size(); ++i) {
      if (left[i] < right[i]) return true;
      if (left[i] > right[i]) return false;
      if (nan_is_largest && is_nan(left[i]) != is_nan(right[i])) return is_nan(right[i]);
    }
    return false;
  });
  return order;
}

// Slices along `dim`; without one, the elements of the flat tensor.
template <typename T>
Rows<T> rows_of(const Tensor& self, std::optional<int64_t> dim) {
  std::vector<T> all = ref::values<T>(self);
  if (!dim) {
    Rows<T> rows;
    for (T each : all) rows.push_back({each});
    return rows;
  }
  Around around(ref::shape_of(self), *dim);
  Rows<T> rows(static_cast<size_t>(around.length));
  for (int64_t o = 0; o < around.outer; ++o)
    for (int64_t i = 0; i < around.length; ++i)
      for (int64_t n = 0; n < around.inner; ++n) rows[static_cast<size_t>(i)].push_back(all[around.at(o, i, n)]);
  return rows;
}

Tensor vector_of(const std::vector<int64_t>& values, const Shape& shape) {
  Tensor out = ref::make(shape, DType::kInt64);
  ref::store(out, values);
  return out;
}

Tensor picked(const Tensor& self, std::optional<int64_t> dim, const std::vector<int64_t>& places) {
  Tensor index = vector_of(places, {static_cast<int64_t>(places.size())});
  return dim ? aten::index_select(self, *dim, index) : aten::index_select(aten::reshape(self, {-1}), 0, index);
}

struct Wanted {
  std::optional<int64_t> dim = {};
  bool sorts = true, inverse = true, counts = true;
};

Argument unique(const Call& call, const Wanted& wanted) {
  Tensor self(call.args[0]);
  if (is_complex(self.dtype())) fail_dtype(call.op, self.dtype());
  if (wanted.dim && self.dim() == 0)
    fail_input("Dimension specified as ", *wanted.dim, " but tensor has no dimensions");
  if (wanted.dim && self.size(*wanted.dim) != 0 && self.numel() == 0)
    fail_input("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  auto run = [&](auto zero) {
    Rows<decltype(zero)> rows = rows_of<decltype(zero)>(self, wanted.dim);
    return grouped(rows, wanted.sorts ? sorted(rows, !wanted.dim) : as_they_come(rows.size()));
  };
  Found found = is_floating(self.dtype()) ? run(double()) : run(int64_t());
  int64_t groups = static_cast<int64_t>(found.first.size());
  Shape places = wanted.dim ? Shape{static_cast<int64_t>(found.inverse.size())} : ref::shape_of(self);
  const Tensor results[] = {picked(self, wanted.dim, found.first),
                            wanted.inverse ? vector_of(found.inverse, places) : vector_of({}, {0}),
                            wanted.counts ? vector_of(found.counts, {groups}) : vector_of({}, {0})};
  return box_list(results);
}

// torch sorts whether it is asked to or not.
Argument unique2(const Call& call) {
  return unique(call, {.inverse = unbox_bool(call.args[2]), .counts = unbox_bool(call.args[3])});
}
Argument unique_dim(const Call& call) { return unique(call, {.dim = unbox_int(call.args[1]).value()}); }
Argument unique_consecutive(const Call& call) {
  if (!call.args[3].is_none()) return unique(call, {.dim = unbox_int(call.args[3]).value(), .sorts = false});
  return unique(call, {.sorts = false, .inverse = unbox_bool(call.args[1]), .counts = unbox_bool(call.args[2])});
}
Argument unique_dim_consecutive(const Call& call) {
  return unique(call, {.dim = unbox_int(call.args[1]).value(), .sorts = false});
}

// ---- the first places that are not zero, then the fill value

Tensor nonzero_static(Tensor self, SymInt size, int64_t fill_value) {
  if (size < 0) fail_input("nonzero_static: 'size' must be an non-negative integer, got ", size.value());
  Tensor found = aten::nonzero(self), out = ref::make({size.value(), self.dim()}, DType::kInt64);
  SymInt kept = std::min(size.value(), found.size(0).value());
  aten::fill__Scalar(out, fill_value);
  aten::copy_(aten::slice_Tensor(out, 0, 0, kept), aten::slice_Tensor(found, 0, 0, kept));
  return out;
}

// ---- segments of the elements along an axis

struct Reduction {
  std::string_view name;
  double start;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Reduction kReductions[] = {{"sum", 0}, {"mean", 0}, {"prod", 1}, {"max", -kInfinity}, {"min", kInfinity}};

double reduced(std::string_view name, double a, double b) {
  if (name == "max") return maximum(b, a);
  if (name == "min") return minimum(b, a);
  return name == "prod" ? a * b : a + b;
}

// The mean of nothing is NaN, or the initial value.
double segment_value(const Reduction& reduction, std::optional<double> initial, const std::vector<double>& segment) {
  double value = initial.value_or(reduction.start);
  for (double each : segment) value = reduced(reduction.name, value, each);
  if (reduction.name != "mean") return value;
  return segment.empty() && initial ? value : value / static_cast<double>(segment.size());
}

// Where each segment starts and the last one ends, for every row of lengths.
std::vector<int64_t> offsets_of_lengths(const std::vector<int64_t>& lengths, size_t per_row, int64_t length,
                                        bool unsafe) {
  std::vector<int64_t> offsets;
  for (size_t row = 0; row * per_row < lengths.size(); ++row) {
    offsets.push_back(0);
    for (size_t i = 0; i < per_row; ++i) {
      int64_t each = lengths[row * per_row + i];
      if (each < 0) fail_input("segment_reduce: lengths contains the negative value ", each);
      offsets.push_back(offsets.back() + each);
    }
    if (offsets.back() > length || (!unsafe && offsets.back() != length))
      fail_input("segment_reduce: expected all rows of lengths to sum to ", length, ", got ", offsets.back());
  }
  return offsets;
}

Argument segment_reduce(const Call& call) {
  Tensor data(call.args[0]), lengths = unbox_tensor(call.args[2]), given = unbox_tensor(call.args[4]);
  auto reduction = std::ranges::find(kReductions, call.args[1].string_view(), &Reduction::name);
  if (reduction == std::end(kReductions)) fail_input("segment_reduce: unknown reduction ", call.args[1].string_view());
  if (!is_floating(data.dtype())) fail_dtype(call.op, data.dtype());
  const TensorMeta& result = result_meta(call);
  int64_t axis = wrap_dim(unbox_int(call.args[5]).value(), data.dim());
  const Tensor& pieces = lengths.defined() ? lengths : given;
  if (pieces.dim() != axis + 1)
    fail_input("segment_reduce: expected axis to be the last dimension of lengths, which is ", pieces.dim() - 1,
               ", but got ", axis);
  std::optional<double> initial;
  if (!call.args[7].is_none()) initial = Scalar(call.args[7]).to_double();
  Around from(ref::shape_of(data), axis), to(ref::to_shape(result.sizes), axis);
  std::vector<int64_t> offsets = ref::values<int64_t>(pieces);
  if (lengths.defined())
    offsets = offsets_of_lengths(offsets, static_cast<size_t>(to.length), from.length, unbox_bool(call.args[6]));
  require_equal(call.op, "bounds of segments", to.outer * (to.length + 1), static_cast<int64_t>(offsets.size()));
  std::vector<double> all = ref::values<double>(data), out(static_cast<size_t>(to.outer * to.length * to.inner));
  for (int64_t o = 0; o < to.outer; ++o) {
    for (int64_t s = 0; s < to.length; ++s) {
      const int64_t* bounds = &offsets[static_cast<size_t>(o * (to.length + 1) + s)];
      if (bounds[0] < 0 || bounds[1] > from.length)
        fail_input("segment_reduce: offset ", bounds[1], " is out of bounds for ", from.length, " elements");
      for (int64_t n = 0; n < to.inner; ++n) {
        std::vector<double> segment;
        for (int64_t i = bounds[0]; i < bounds[1]; ++i) segment.push_back(all[from.at(o, i, n)]);
        out[to.at(o, s, n)] = segment_value(*reduction, initial, segment);
      }
    }
  }
  return ref::make(result, out).argument();
}

// ---- pieces, their number or their places read from a tensor

std::vector<Tensor> tensor_split(Tensor self, Tensor places, int64_t dim) {
  if (places.dim() > 1)
    fail_input(
        "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, "
        "but got a tensor with ",
        places.dim(), " dims");
  if (places.dtype() != DType::kInt64)
    fail_input("tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
               info(places.dtype()).name);
  std::vector<int64_t> values = ref::values<int64_t>(places);
  if (places.dim() == 0) return aten::tensor_split_sections(self, values[0], dim);
  return aten::tensor_split_indices(self, std::vector<SymInt>(values.begin(), values.end()), dim);
}

constexpr KernelRow kRows[] = {
    {"aten::_unique2", unique2},
    {"aten::nonzero_static", box<nonzero_static>},
    {"aten::segment_reduce", segment_reduce},
    {"aten::tensor_split.tensor_indices_or_sections", box<tensor_split>},
    {"aten::unique_consecutive", unique_consecutive},
    {"aten::unique_dim", unique_dim},
    {"aten::unique_dim_consecutive", unique_dim_consecutive},
};

}  // namespace

const std::span<const KernelRow> kDataDependentKernels = kRows;

}  // namespace rung::ops
