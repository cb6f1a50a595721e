// Elements picked by indices, and written by them.
#include <algorithm>

#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/gen/aten.h"
#include "ops/indexing.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using ref::Index;
using ref::Shape;

Argument index_tensor(const Call& call) {
  Tensor self(call.args[0]);
  Picked picked = picked_elements(ref::shape_of(self), unbox_tensors(call.args[1]));
  Tensor out = picked.by_mask ? ref::make(picked.shape, self.dtype()) : ref::make(result_meta(call));
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> from = ref::values<T>(self), values;
    for (int64_t place : picked.places) values.push_back(from[static_cast<size_t>(place)]);
    ref::store(out, values);
    return out.argument();
  });
}

Argument index_put(const Call& call) {
  Tensor self(call.args[0]), source(call.args[2]);
  Picked picked = picked_elements(ref::shape_of(self), unbox_tensors(call.args[1]));
  bool accumulate = unbox_bool(call.args[3]);
  const TensorMeta& result = result_meta(call);
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> out = ref::values<T>(self), values = ref::broadcast_values<T>(source, picked.shape);
    for (size_t i = 0; i < values.size(); ++i) {
      T& target = out[static_cast<size_t>(picked.places[i])];
      target = accumulate ? add(target, values[i]) : values[i];
    }
    return ref::make(result, out).argument();
  });
}

// For each element of `index`, in order: where it points to in a tensor of `shape`, along `dim`.
std::vector<size_t> places_along(const Shape& shape, int64_t dim, const Tensor& index) {
  Shape index_shape = ref::shape_of(index), strides = ref::row_major_strides(shape);
  std::vector<size_t> places;
  if (shape.empty()) return places_along({1}, 0, index);  // a number counts as one element
  if (index_shape.empty()) index_shape = {1};
  size_t axis = static_cast<size_t>(wrap_dim(dim, static_cast<int64_t>(shape.size())));
  Index each(index_shape);
  for (int64_t at : ref::values<int64_t>(index)) {
    if (at < 0 || at >= shape[axis])
      fail_input("index ", at, " is out of bounds for dimension ", axis, " with size ", shape[axis]);
    int64_t place = each.offset(strides) + (at - each[axis]) * strides[axis];
    places.push_back(static_cast<size_t>(place));
    each.next();
  }
  return places;
}

Argument gather(const Call& call) {
  Tensor self(call.args[0]);
  std::vector<size_t> places = places_along(ref::shape_of(self), unbox_int(call.args[1]).value(), Tensor(call.args[2]));
  const TensorMeta& result = result_meta(call);
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> from = ref::values<T>(self), out;
    for (size_t place : places) out.push_back(from[place]);
    return ref::make(result, out).argument();
  });
}

// ---- scatter: values written where an index tensor points

enum class Combine { kReplace, kSum, kProduct, kMean, kMaximum, kMinimum };

Combine combine_of(std::string_view name) {
  if (name == "add" || name == "sum") return Combine::kSum;
  if (name == "multiply" || name == "prod") return Combine::kProduct;
  if (name == "mean") return Combine::kMean;
  if (name == "amax") return Combine::kMaximum;
  if (name == "amin") return Combine::kMinimum;
  fail_input("scatter: reduce must be sum, prod, mean, amax or amin, got '", name, "'");
}

template <typename T>
T combined(Combine combine, T old, T value) {
  switch (combine) {
    case Combine::kReplace: return value;
    case Combine::kSum:
    case Combine::kMean: return add(old, value);
    case Combine::kProduct: return mul(old, value);
    default: break;
  }
  if constexpr (std::same_as<T, ref::Complex>)
    fail_input("scatter: complex numbers have no order");
  else
    return combine == Combine::kMaximum ? maximum(old, value) : minimum(old, value);
}

// sources[i] goes to places[i]. Without include_self the old value of a place that is written to does not count.
template <typename T>
void scatter_values(std::vector<T>& out, const std::vector<size_t>& places, const std::vector<T>& sources,
                    Combine combine, bool include_self) {
  std::vector<int64_t> count(out.size(), include_self ? 1 : 0);
  for (size_t i = 0; i < places.size(); ++i) {
    T& target = out[places[i]];
    bool is_first = count[places[i]]++ == 0;
    target = is_first ? sources[i] : combined(combine, target, sources[i]);
  }
  if (combine != Combine::kMean) return;
  for (size_t i = 0; i < out.size(); ++i) {
    if (count[i] < 2) continue;
    T divisor = ref::carry<T>(count[i]);
    if constexpr (std::same_as<T, int64_t>)
      out[i] = floor_div(out[i], divisor);
    else
      out[i] /= divisor;
  }
}

// The elements of `source` at the indices of a tensor of `shape`, which may be smaller.
template <typename T>
std::vector<T> leading_values(const Tensor& source, const Shape& shape) {
  if (source.is_number()) return ref::broadcast_values<T>(source, shape);
  std::vector<T> all = ref::values<T>(source), out;
  Shape strides = ref::row_major_strides(ref::shape_of(source));
  if (strides.size() != shape.size()) return all;
  Index each(shape);
  for (int64_t i = 0; i < ref::count(shape); ++i, each.next())
    out.push_back(all[static_cast<size_t>(each.offset(strides))]);
  return out;
}

Argument scattered(const Call& call, const Tensor& index, const Tensor& source, Combine combine, bool include_self) {
  Tensor self(call.args[0]);
  std::vector<size_t> places = places_along(ref::shape_of(self), unbox_int(call.args[1]).value(), index);
  const TensorMeta& result = result_meta(call);
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> out = ref::values<T>(self), sources = leading_values<T>(source, ref::shape_of(index));
    scatter_values(out, places, sources, combine, include_self);
    return ref::make(result, out).argument();
  });
}

Argument scatter(const Call& call) {
  return scattered(call, Tensor(call.args[2]), unbox_tensor(call.args[3]), Combine::kReplace, true);
}
Argument scatter_reduce(const Call& call) {
  bool include_self = call.args.size() < 6 || unbox_bool(call.args[5]);
  return scattered(call, Tensor(call.args[2]), unbox_tensor(call.args[3]), combine_of(call.args[4].string_view()),
                   include_self);
}
// One index for each slice of `source`: the index spread over the slices.
Argument index_reduce(const Call& call) {
  Tensor index(call.args[2]), source(call.args[3]);
  Shape shape = ref::shape_of(source);
  dims::Around around(shape, unbox_int(call.args[1]).value());
  require_equal(call.op, "indices", around.length, index.numel().value());
  std::vector<int64_t> positions = ref::values<int64_t>(index), spread(static_cast<size_t>(ref::count(shape)));
  for (int64_t o = 0; o < around.outer; ++o)
    for (int64_t i = 0; i < around.length; ++i)
      for (int64_t n = 0; n < around.inner; ++n) spread[around.at(o, i, n)] = positions[static_cast<size_t>(i)];
  Tensor spread_index = ref::make(shape, DType::kInt64);
  ref::store(spread_index, spread);
  return scattered(call, spread_index, source, combine_of(call.args[4].string_view()), unbox_bool(call.args[5]));
}

Argument masked_scatter(const Call& call) {
  Tensor self(call.args[0]), mask(call.args[1]), source(call.args[2]);
  const TensorMeta& result = result_meta(call);
  Shape shape = ref::to_shape(result.sizes);
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> out = ref::broadcast_values<T>(self, shape), from = ref::values<T>(source);
    std::vector<int64_t> holds = ref::broadcast_values<int64_t>(mask, shape);
    size_t next = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      if (holds[i] == 0) continue;
      if (next == from.size()) fail_input("masked_scatter: the source has only ", from.size(), " elements");
      out[i] = from[next++];
    }
    return ref::make(result, out).argument();
  });
}

// ---- results whose size depends on the values

Argument nonzero(const Call& call) {
  Tensor self(call.args[0]);
  Shape shape = ref::shape_of(self);
  std::vector<int64_t> found;
  int64_t rows = 0;
  Index index(shape);
  for (ref::Complex value : ref::values<ref::Complex>(self)) {
    if (value != ref::Complex()) {
      found.insert(found.end(), index.at().begin(), index.at().end());
      ++rows;
    }
    index.next();
  }
  Tensor out = ref::make({rows, self.dim()}, DType::kInt64);
  ref::store(out, found);
  return out.argument();
}

Argument masked_select(const Call& call) {
  Tensor self(call.args[0]), mask(call.args[1]);
  Shape shape = ref::to_shape(meta::broadcast_sizes(self.sizes(), mask.sizes()));
  std::vector<int64_t> holds = ref::broadcast_values<int64_t>(mask, shape);
  return ref::with_carrier(self.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> all = ref::broadcast_values<T>(self, shape), out;
    for (size_t i = 0; i < all.size(); ++i)
      if (holds[i] != 0) out.push_back(all[i]);
    Tensor result = ref::make({static_cast<int64_t>(out.size())}, self.dtype());
    ref::store(result, out);
    return result.argument();
  });
}

Argument bincount(const Call& call) {
  Tensor self(call.args[0]), weights = unbox_tensor(call.args[1]);
  std::vector<int64_t> values = ref::values<int64_t>(self);
  int64_t size = unbox_int(call.args[2]).value();
  for (int64_t value : values) {
    if (value < 0) fail_input("bincount only supports 1-d non-negative integral inputs, got ", value);
    size = std::max(size, value + 1);
  }
  bool weighted = weights.defined();
  if (weighted) require_equal(call.op, "weights", self.numel().value(), weights.numel().value());
  DType dtype = !weighted ? DType::kInt64 : weights.dtype() == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64;
  std::vector<double> by = weighted ? ref::values<double>(weights) : std::vector<double>(values.size(), 1.0);
  std::vector<double> out(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i) out[static_cast<size_t>(values[i])] += by[i];
  Tensor result = ref::make({size}, dtype);
  ref::store(result, out);
  return result.argument();
}

Argument repeat_interleave(const Call& call) {
  std::vector<int64_t> repeats = ref::values<int64_t>(Tensor(call.args[0])), out;
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0) fail_input("repeat_interleave: repeats can not be negative, got ", repeats[i]);
    out.insert(out.end(), static_cast<size_t>(repeats[i]), static_cast<int64_t>(i));
  }
  Tensor result = ref::make({static_cast<int64_t>(out.size())}, Tensor(call.args[0]).dtype());
  ref::store(result, out);
  return result.argument();
}

// ---- ops that take indices apart, in a way that lets negative ones through: torch refuses those here

template <size_t dim_at, size_t index_at>
Argument checked(const Call& call) {
  Tensor self(call.args[0]);
  int64_t dim = dim_at == SIZE_MAX ? 0 : unbox_int(call.args[dim_at == SIZE_MAX ? 0 : dim_at]).value();
  int64_t size = self.dim() == 0 ? 1 : self.size(dim).value();
  for (int64_t index : ref::values<int64_t>(Tensor(call.args[index_at])))
    if (index < 0 || index >= size)
      fail_input("index out of range in self: index ", index, " in a dimension of size ", size);
  const OpDef* row = op_def(call.op);
  return row->reference != nullptr ? row->reference(call) : row->body(call);
}

// Here negative ones count from the end.
Argument index_fill(const Call& call) {
  Tensor self(call.args[0]), index(call.args[2]);
  SymInt size = self.dim() == 0 ? SymInt(1) : self.size(unbox_int(call.args[1]).value());
  Tensor from_end = aten::add_Scalar(index, size);
  std::vector<Argument> args(call.args.begin(), call.args.end());
  args[2] = aten::where_self(aten::lt_Scalar(index, 0), from_end, index).argument();
  return op_def(call.op)->body({call.op, args});
}

constexpr KernelRow kRows[] = {
    {"aten::embedding", checked<SIZE_MAX, 1>},
    {"aten::index_add", checked<1, 2>},
    {"aten::index_copy", checked<1, 2>},
    {"aten::index_fill.int_Scalar", index_fill},
    {"aten::index_fill.int_Tensor", index_fill},
    {"aten::index_select", checked<1, 2>},
    {"aten::index.Tensor", index_tensor},
    {"aten::index_put", index_put},
    {"aten::gather", gather},
    {"aten::scatter.src", scatter},
    {"aten::scatter.value", scatter},
    {"aten::scatter.reduce", scatter_reduce},
    {"aten::scatter.value_reduce", scatter_reduce},
    {"aten::scatter_reduce.two", scatter_reduce},
    {"aten::index_reduce", index_reduce},
    {"aten::masked_scatter", masked_scatter},
    {"aten::nonzero", nonzero},
    {"aten::masked_select", masked_select},
    {"aten::bincount", bincount},
    {"aten::repeat_interleave.Tensor", repeat_interleave},
};

}  // namespace

const std::span<const KernelRow> kIndexKernels = kRows;

}  // namespace rung::ops
