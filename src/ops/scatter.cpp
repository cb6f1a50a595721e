// Writing by indices: index_put, scatter, index_add and their kin, and the scatters that undo views.
#include "meta/index.h"
#include "meta/pointwise.h"
#include "meta/view.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/closed.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/prims.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- metas

const TensorMeta* meta_index_put(Tensor self, TensorList, Tensor) {
  return meta::empty_like(self.meta(), self.dtype());
}
const TensorMeta* meta_put(Tensor self, Tensor, Tensor) { return meta::empty_like(self.meta(), self.dtype()); }
const TensorMeta* meta_dense(Tensor self) { return meta::contiguous(self.sizes(), self.dtype(), self.device()); }
const TensorMeta* meta_masked_scatter(Tensor self, Tensor mask, Tensor source) {
  if (self.dtype() != source.dtype())
    fail_input("masked_scatter: types ", info(self.dtype()).name, " and ", info(source.dtype()).name, " differ");
  return meta::contiguous(meta::broadcast_sizes(self.sizes(), mask.sizes()), self.dtype(), self.device());
}
const TensorMeta* meta_part_scatter(Tensor self, Tensor) { return meta::with_strides_kept(self.meta()); }
const TensorMeta* meta_copy_strided(Tensor self, SymInts strides) {
  return meta::make(self.sizes(), strides, self.dtype(), self.device());
}

// Index and source may be smaller than self, but no larger; along `dim` the index may be longer than self.
void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor* source) {
  if (index.numel() == 0) return;
  if (index.dtype() != DType::kInt64 && index.dtype() != DType::kInt32)
    fail_input("scatter: the index must be int32 or int64, got ", info(index.dtype()).name);
  int64_t at = wrap_dim(dim, self.dim()), rank = std::max<int64_t>(self.dim(), 1);
  auto size = [](const Tensor& t, int64_t i) { return t.dim() == 0 ? SymInt(1) : t.size(i); };
  auto check_rank = [&](const Tensor& t) {
    if (std::max<int64_t>(t.dim(), 1) != rank) fail_input("scatter: ranks ", self.dim(), " and ", t.dim(), " differ");
  };
  check_rank(index);
  if (source != nullptr) check_rank(*source);
  if (source != nullptr && source->dtype() != self.dtype())
    fail_input("scatter: types ", info(self.dtype()).name, " and ", info(source->dtype()).name, " differ");
  for (int64_t i = 0; i < rank; ++i) {
    bool fits =
        (i == at || size(index, i) <= size(self, i)) && (source == nullptr || size(index, i) <= size(*source, i));
    if (!fits) fail_input("scatter: an index of size ", size(index, i).str(), " in dimension ", i, " is too large");
  }
}
const TensorMeta* meta_scatter_src(Tensor self, int64_t dim, Tensor index, Tensor source) {
  check_scatter(self, dim, index, &source);
  return meta_dense(self);
}
const TensorMeta* meta_scatter_value(Tensor self, int64_t dim, Tensor index) {
  check_scatter(self, dim, index, nullptr);
  return meta_dense(self);
}

// ---- bodies

Tensor unsafe_index_put(Tensor self, TensorList indices, Tensor values, bool accumulate) {
  return aten::index_put(self, indices, values, accumulate);
}

// [None] * dim + [index]
std::vector<Tensor> index_at(int64_t dim, const Tensor& index) {
  std::vector<Tensor> indices(static_cast<size_t>(dim));
  indices.push_back(index);
  return indices;
}

// self with values put at index along a dimension; a 0-d self counts as a vector.
Tensor put_along(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& values, bool accumulate) {
  bool zero_dim = self.dim() == 0;
  Tensor base = zero_dim ? aten::unsqueeze(self, 0) : self;
  Tensor placed = index;
  if (!accumulate && index.dim() == 0) placed = aten::unsqueeze(index, 0);
  Tensor out = aten::index_put(base, index_at(dim, placed), values, accumulate);
  return zero_dim ? aten::squeeze_dim(out, 0) : aten::contiguous(out);
}

Tensor index_add(Tensor self, int64_t dim, Tensor index, Tensor source, Scalar alpha) {
  int64_t at = wrap_dim(dim, self.dim());
  if (index.dim() > 1) fail_input("index_add: the index must be a vector, got rank ", index.dim());
  SymInt rows = source.dim() > 0 ? source.size(at) : SymInt(1);
  if (index.numel() != rows) fail_input("index_add: ", index.numel().str(), " indices for ", rows.str(), " rows");
  Tensor values = alpha.equals(1) ? source : aten::mul_Tensor(source, alpha);
  return put_along(self, at, index, values, true);
}

Tensor index_copy(Tensor self, int64_t dim, Tensor index, Tensor source) {
  int64_t at = wrap_dim(dim, self.dim());
  if (index.dim() > 1) fail_input("index_copy: the index must be a vector, got rank ", index.dim());
  if (source.dim() != 0 && self.dim() != 0 && source.dim() != self.dim())
    fail_input("index_copy: ranks ", self.dim(), " and ", source.dim(), " differ");
  SymInt rows = source.dim() > 0 ? source.size(at) : SymInt(1);
  if (index.numel() != rows) fail_input("index_copy: ", index.numel().str(), " indices for ", rows.str(), " rows");
  return put_along(self, at, index, source, false);
}

Tensor fill_along(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  if (index.dim() > 1) fail_input("index_fill: the index must be a vector, got rank ", index.dim());
  bool zero_dim = self.dim() == 0;
  Tensor base = zero_dim ? aten::unsqueeze(self, 0) : self;
  Sizes shape(base.sizes().begin(), base.sizes().end());
  shape[static_cast<size_t>(wrap_dim(dim, base.dim()))] = index.numel();
  Tensor out = aten::index_copy(base, dim, index, aten::expand(value, shape));
  if (zero_dim) out = aten::clone(aten::squeeze_dim(out, 0));
  bool strides_differ = !std::ranges::equal(out.strides(), self.strides());
  return strides_differ && meta::is_non_overlapping_and_dense(self.meta()) ? prims::copy_strided(out, self.strides())
                                                                           : out;
}
Tensor index_fill_Scalar(Tensor self, int64_t dim, Tensor index, Scalar value) {
  Tensor filler = aten::scalar_tensor(value, self.dtype(), self.layout(), self.device(), false);
  return fill_along(self, dim, index, filler);
}
Tensor index_fill_Tensor(Tensor self, int64_t dim, Tensor index, Tensor value) {
  if (value.dim() != 0) fail_input("index_fill takes a 0-d value, got rank ", value.dim());
  return fill_along(self, dim, index, value);
}

// where(position == index, src, self)
Tensor select_scatter(Tensor self, Tensor src, int64_t dim, SymInt index) {
  int64_t at = wrap_dim(dim, self.dim());
  Sizes along(self.sizes().size(), 1);
  along[static_cast<size_t>(at)] = -1;
  SymInt selected = index < 0 ? index + self.size(at) : index;
  Tensor positions = arange(self.size(at), self.device());
  positions = aten::view(positions, along);
  Tensor mask = aten::eq_Scalar(positions, selected);
  Tensor spread = aten::unsqueeze(src, at);
  spread = aten::expand(spread, self.sizes());
  return aten::where_self(mask, spread, self);
}

Tensor select_backward(Tensor grad, SymInts sizes, int64_t dim, SymInt index) {
  Tensor zero = aten::new_zeros(grad, sizes, std::nullopt, std::nullopt, std::nullopt, false);
  return aten::select_scatter(zero, grad, dim, index);
}
Tensor slice_backward(Tensor grad, SymInts sizes, int64_t dim, SymInt start, SymInt end, SymInt step) {
  Tensor zero = aten::new_zeros(grad, sizes, std::nullopt, std::nullopt, std::nullopt, false);
  return aten::slice_scatter(zero, grad, dim, start, end, step);
}
Tensor diagonal_backward(Tensor grad, SymInts sizes, int64_t offset, int64_t dim1, int64_t dim2) {
  Tensor zero = aten::new_zeros(grad, sizes, std::nullopt, std::nullopt, std::nullopt, false);
  return aten::diagonal_scatter(zero, grad, offset, dim1, dim2);
}

// The gradient of the windows' elements at one offset, spread over input_size with `count` windows.
Tensor spread_windows(const Tensor& part, const Sizes& target, int64_t dim) {
  int64_t rank = static_cast<int64_t>(target.size()), missing = rank - part.dim();
  Sizes shape(target.size(), 1);
  for (int64_t i = 0; i < part.dim(); ++i) {
    int64_t to = i == dim ? dim : i + missing;
    if (missing < 0 || to < 0 || to >= rank) return aten::expand(part, target);
    SymInt& size = shape[static_cast<size_t>(to)];
    if (size != 1 && part.size(i) != 1)
      fail_input("unfold_backward: the gradient's shape cannot be spread over the input's");
    if (size == 1) size = part.size(i);
  }
  return aten::expand(aten::reshape(part, shape), target);
}

SymInt smaller(SymInt a, SymInt b) {
  if (statically_known(SymOp::kLe, a, b)) return a;
  return statically_known(SymOp::kLe, b, a) ? b : min(a, b);
}
SymInt larger(SymInt a, SymInt b) {
  if (statically_known(SymOp::kGe, a, b)) return a;
  return statically_known(SymOp::kGe, b, a) ? b : max(a, b);
}

// A gradient that must be spread is added offset by offset, the last one first.
Tensor unfold_backward_by_offset(Tensor total, const Tensor& grad, SymInts input_size, int64_t dim, SymInt size,
                                 SymInt step) {
  SymInt length = input_size[static_cast<size_t>(dim)];
  for (int64_t offset = specialize(size) - 1; offset >= 0; --offset) {
    SymInt count = smaller(grad.size(dim), larger((length - offset + step - 1) / step, 0));
    Tensor places = arange(count, grad.device(), DType::kInt32);
    places = aten::mul_Tensor(places, Scalar(step));
    places = aten::add_Tensor(places, Scalar(offset));
    Tensor part = aten::select_int(grad, -1, offset);
    part = aten::narrow(part, dim, 0, count);
    Sizes target(input_size.begin(), input_size.end());
    target[static_cast<size_t>(dim)] = count;
    total = aten::index_add(total, dim, places, spread_windows(part, target, dim));
  }
  return aten::contiguous(total);
}

// The gradient that unfold itself would have: the windows counted along `dim`, their elements last.
bool fits_windows(const Tensor& grad, SymInts input_size, int64_t dim, SymInt size, SymInt step) {
  if (grad.dim() != static_cast<int64_t>(input_size.size()) + 1) return false;
  if (!statically_known(SymOp::kEq, grad.size(-1), size)) return false;
  for (int64_t i = 0; i + 1 < grad.dim(); ++i) {
    SymInt wanted = input_size[static_cast<size_t>(i)];
    if (i == dim) wanted = (wanted - size) / step + 1;
    if (!statically_known(SymOp::kEq, grad.size(i), wanted)) return false;
  }
  return true;
}

// Every window is added where it was read.
Tensor unfold_backward(Tensor grad, SymInts input_size, int64_t dimension, SymInt size, SymInt step) {
  if (step <= 0) fail_input("unfold step must be positive, got ", step.str());
  if (input_size.empty()) return aten::squeeze_copy_dim(grad, 0);
  int64_t dim = wrap_dim(dimension, static_cast<int64_t>(input_size.size()));
  Tensor zero = aten::new_zeros(grad, input_size, std::nullopt, std::nullopt, std::nullopt, false);
  if (step < size && !fits_windows(grad, input_size, dim, size, step))
    return unfold_backward_by_offset(zero, grad, input_size, dim, size, step);
  Tensor places = arange(input_size[static_cast<size_t>(dim)], grad.device(), DType::kInt32);
  places = aten::unfold(places, 0, size, step);
  places = aten::flatten_using_ints(places);
  Tensor source = aten::movedim_int(grad, -1, dim + 1);
  source = aten::flatten_using_ints(source, dim, dim + 1);
  return aten::contiguous(aten::_unsafe_index_put(zero, index_at(dim, places), source, true));
}

// The diagonal is every element at the sum of the strides; below a tall matrix it may start again.
Tensor fill_diagonal_(Tensor self, Scalar fill_value, bool wrap) {
  if (self.dim() < 2) fail_input("fill_diagonal_ needs at least 2 dimensions, got ", self.dim());
  for (SymInt size : self.sizes())
    if (self.dim() > 2 && size != self.size(0)) fail_input("fill_diagonal_ needs equal sizes beyond 2 dimensions");
  SymInt height = self.size(0), width = self.size(1), length = min(height, width), step = 0;
  for (SymInt stride : self.strides()) step += stride;
  SymInt offset = self.storage_offset();
  aten::fill__Scalar(aten::as_strided(self, {length}, {step}, offset), fill_value);
  if (wrap && self.dim() == 2 && height > width + 1) {
    SymInt block = width + 1, rest = (self.numel() + width) / block - length;
    SymInt start = offset + self.stride(0) * block;
    aten::fill__Scalar(aten::as_strided(self, {rest}, {step}, start), fill_value);
  }
  return self;
}

// ---- references of the scatters that undo views

// Where the slice reads, its source; elsewhere what was there.
Tensor reference_slice_scatter(Tensor self, Tensor src, int64_t dim, std::optional<SymInt> from,
                               std::optional<SymInt> to, SymInt step) {
  int64_t at = wrap_dim(dim, self.dim());
  SymInt size = self.size(at);
  auto clamped = [&](std::optional<SymInt> place, SymInt low, SymInt otherwise) {
    if (!place) return otherwise;
    SymInt counted = *place < 0 ? *place + size : *place;
    counted = counted < low ? low : counted;
    return size < counted ? size : counted;
  };
  SymInt start = clamped(from, 0, 0), end = clamped(to, start, size);
  Sizes shape(self.sizes().begin(), self.sizes().end());
  shape[static_cast<size_t>(at)] = (end - start + (step - 1)) / step;
  Tensor part = aten::expand(src, shape);
  if (start == 0 && end == size && step == 1) return aten::clone(part);
  Tensor places = arange(size, self.device());
  Tensor offsets = aten::sub_Tensor(places, Scalar(start));
  std::vector<Tensor> indices(self.sizes().size());
  indices[static_cast<size_t>(at)] = aten::floor_divide(offsets, Scalar(step));
  Tensor mask = aten::ones({size}, DType::kBool, std::nullopt, self.device(), false);
  if (start != 0) mask = aten::logical_and(mask, aten::ge_Scalar(places, start));
  if (end != size) mask = aten::logical_and(mask, aten::lt_Scalar(places, end));
  if (step != 1) {
    Tensor rest = aten::remainder_Scalar(aten::sub_Tensor(places, Scalar(start)), step);
    mask = aten::logical_and(mask, aten::eq_Scalar(rest, 0));
  }
  Sizes along(self.sizes().size(), 1);
  along[static_cast<size_t>(at)] = -1;
  mask = aten::view(mask, along);
  Tensor read = aten::_unsafe_masked_index(part, mask, indices, 0);
  return aten::where_self(mask, read, self);
}

// As torch does it, by a write to a copy with the same strides; torch then refuses the graph.
Tensor diagonal_scatter_by_writing(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  SymInt elements = 1;
  for (size_t i = 0; i < self.sizes().size(); ++i) elements += self.strides()[i] * (self.sizes()[i] - 1);
  Tensor memory = aten::clone(aten::as_strided(self, {elements}, {1}, 0));
  Tensor copied = aten::as_strided(memory, self.sizes(), self.strides(), self.storage_offset());
  prims::copy_to(aten::diagonal(copied, offset, dim1, dim2), src);
  return copied;
}

// A diagonal is a matter of strides.
Tensor reference_diagonal_scatter(Tensor self, Tensor src, int64_t offset, int64_t dim1, int64_t dim2) {
  if (is_like_torch()) return diagonal_scatter_by_writing(self, src, offset, dim1, dim2);
  Tensor diagonal = aten::diagonal(self, offset, dim1, dim2);
  return prims::as_strided_scatter(self, src, diagonal.sizes(), diagonal.strides(), diagonal.storage_offset());
}

Tensor reference_as_strided_scatter(Tensor self, Tensor src, SymInts size, SymInts stride,
                                    std::optional<SymInt> offset) {
  return prims::as_strided_scatter(self, src, size, stride, offset.value_or(0));
}

constexpr OpDef kRows[] = {
    {.op = "aten::fill_diagonal_", .body = box<fill_diagonal_>},
    {.op = "aten::index_put", .meta = box_meta<meta_index_put>},
    {.op = "aten::_unsafe_index_put", .meta = box_meta<meta_index_put>, .body = box<unsafe_index_put>},
    {.op = "aten::index_add", .body = box<index_add>},
    {.op = "aten::index_copy", .body = box<index_copy>},
    {.op = "aten::index_fill.int_Scalar", .body = box<index_fill_Scalar>},
    {.op = "aten::index_fill.int_Tensor", .body = box<index_fill_Tensor>},
    {.op = "aten::index_reduce", .meta = box_meta<meta_dense>, .reference = box<closed::index_reduce>},
    {.op = "aten::put", .meta = box_meta<meta_put>, .reference = box<closed::put>},
    {.op = "aten::masked_scatter", .meta = box_meta<meta_masked_scatter>},
    {.op = "aten::scatter.src", .meta = box_meta<meta_scatter_src>},
    {.op = "aten::scatter.value", .meta = box_meta<meta_scatter_value>},
    {.op = "aten::scatter.reduce", .meta = box_meta<meta_scatter_src>, .reference = box<closed::scatter_reduced>},
    {.op = "aten::scatter.value_reduce",
     .meta = box_meta<meta_scatter_value>,
     .reference = box<closed::scatter_value_reduced>},
    {.op = "aten::scatter_add", .meta = box_meta<meta_scatter_src>, .reference = box<closed::scatter_add>},
    {.op = "aten::scatter_reduce.two", .meta = box_meta<meta_scatter_src>},
    {.op = "aten::slice_scatter", .meta = box_meta<meta_part_scatter>, .reference = box<reference_slice_scatter>},
    {.op = "aten::select_scatter", .meta = box_meta<meta_part_scatter>, .body = box<select_scatter>},
    {.op = "aten::diagonal_scatter", .meta = box_meta<meta_part_scatter>, .reference = box<reference_diagonal_scatter>},
    {.op = "aten::as_strided_scatter",
     .meta = box_meta<meta_part_scatter>,
     .reference = box<reference_as_strided_scatter>},
    {.op = "aten::select_backward", .body = box<select_backward>},
    {.op = "aten::slice_backward", .body = box<slice_backward>},
    {.op = "aten::diagonal_backward", .body = box<diagonal_backward>},
    {.op = "aten::unfold_backward", .body = box<unfold_backward>},
    {.op = "prims::copy_strided", .meta = box_meta<meta_copy_strided>},
};

}  // namespace

const std::span<const OpDef> kScatterOps = kRows;

}  // namespace rung::ops
