// Views: ops whose result shares the memory of an argument, how writes through them reach their base, and the copies of
// views.
#include "meta/view.h"

#include "meta/promote.h"
#include "ops/box.h"
#include "ops/call.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"
#include "schema/gen/op_ids.h"
#include "trace/dispatch.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- metas of the leaves

const TensorMeta* meta_alias(Tensor self) {
  return meta::view_of(self.meta(), self.sizes(), self.strides(), self.storage_offset());
}
const TensorMeta* meta_view(Tensor self, SymInts size) { return meta::view(self.meta(), size); }
const TensorMeta* meta_expand(Tensor self, SymInts size) { return meta::expand(self.meta(), size); }
const TensorMeta* meta_permute(Tensor self, SymInts dims) { return meta::permute(self.meta(), dims); }
const TensorMeta* meta_select(Tensor self, int64_t dim, SymInt index) { return meta::select(self.meta(), dim, index); }
const TensorMeta* meta_unsqueeze(Tensor self, int64_t dim) { return meta::unsqueeze(self.meta(), dim); }
const TensorMeta* meta_squeeze(Tensor self) { return meta::squeeze(self.meta(), std::nullopt); }
const TensorMeta* meta_squeeze_dims(Tensor self, SymInts dims) { return meta::squeeze(self.meta(), dims); }
const TensorMeta* meta_transpose(Tensor self, int64_t dim0, int64_t dim1) {
  return meta::transpose(self.meta(), dim0, dim1);
}
const TensorMeta* meta_slice(Tensor self, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end,
                             SymInt step) {
  return meta::slice(self.meta(), dim, start, end, step);
}
const TensorMeta* meta_squeeze_dim(Tensor self, SymInt dim) { return meta::squeeze(self.meta(), SymInts(&dim, 1)); }
const TensorMeta* meta_t(Tensor self) {
  if (self.dim() > 2) fail_input("t expects a tensor with at most 2 dimensions, got ", self.dim());
  return self.dim() < 2 ? meta_alias(self) : meta::transpose(self.meta(), 0, 1);
}
const TensorMeta* meta_as_strided(Tensor self, SymInts size, SymInts stride, std::optional<SymInt> offset) {
  return meta::view_of(self.meta(), size, stride, offset.value_or(self.storage_offset()));
}
const TensorMeta* meta_unfold(Tensor self, int64_t dimension, SymInt size, SymInt step) {
  if (self.dim() == 0) return meta::view_of(self.meta(), Sizes{size}, Sizes{1}, self.storage_offset());
  size_t dim = static_cast<size_t>(wrap_dim(dimension, self.dim()));
  if (size > self.sizes()[dim])
    fail_input("unfold size ", size.str(), " is larger than dimension ", dim, " of size ", self.sizes()[dim].str());
  if (step <= 0) fail_input("unfold step must be positive, got ", step.str());
  Sizes sizes(self.sizes().begin(), self.sizes().end()), strides(self.strides().begin(), self.strides().end());
  sizes[dim] = (sizes[dim] - size) / step + 1;
  sizes.push_back(size);
  strides.push_back(strides[dim]);
  strides[dim] *= step;
  return meta::view_of(self.meta(), sizes, strides, self.storage_offset());
}

const TensorMeta* meta_diagonal(Tensor self, int64_t offset, int64_t dim1, int64_t dim2) {
  size_t a = static_cast<size_t>(wrap_dim(dim1, self.dim())), b = static_cast<size_t>(wrap_dim(dim2, self.dim()));
  if (a == b || self.dim() < 2) fail_input("diagonal needs two different dimensions, got ", dim1, " and ", dim2);
  Sizes sizes, strides;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (i == a || i == b) continue;
    sizes.push_back(self.sizes()[i]);
    strides.push_back(self.strides()[i]);
  }
  SymInt rows = self.sizes()[a], columns = self.sizes()[b];
  sizes.push_back(max(offset >= 0 ? min(rows, columns - offset) : min(rows + offset, columns), 0));
  SymInt start = offset >= 0 ? self.storage_offset() + SymInt(offset) * self.strides()[b]
                             : self.storage_offset() - SymInt(offset) * self.strides()[a];
  strides.push_back(self.strides()[a] + self.strides()[b]);
  return meta::view_of(self.meta(), sizes, strides, start);
}

// A complex number is two real ones in a last dimension of size 2.
const TensorMeta* meta_view_as_real(Tensor self) {
  if (!is_complex(self.dtype())) fail_input("view_as_real needs a complex tensor, got ", info(self.dtype()).name);
  Sizes sizes(self.sizes().begin(), self.sizes().end()), strides;
  for (SymInt stride : self.strides()) strides.push_back(stride * 2);
  sizes.push_back(2);
  strides.push_back(1);
  return meta::make(sizes, strides, meta::real_type(self.dtype()), self.device(), self.storage_offset() * 2);
}

const TensorMeta* meta_view_as_complex(Tensor self) {
  bool pairs = self.dim() > 0 && self.size(-1) == 2 && self.stride(-1) == 1 && self.storage_offset() % 2 == 0;
  Sizes sizes, strides;
  for (int64_t i = 0; pairs && i + 1 < self.dim(); ++i) {
    pairs = self.stride(i) % 2 == 0;
    sizes.push_back(self.size(i));
    strides.push_back(self.stride(i) / 2);
  }
  if (!pairs) fail_input("view_as_complex needs a dense last dimension of size 2 and even strides in the others");
  return meta::make(sizes, strides, meta::complex_type(self.dtype()), self.device(), self.storage_offset() / 2);
}

// Another type over the same bytes: the last dimension grows or shrinks by the ratio of the types' sizes.
const TensorMeta* meta_view_dtype(Tensor self, DType dtype) {
  SymInt old_bytes(static_cast<int64_t>(info(self.dtype()).bytes)), new_bytes(static_cast<int64_t>(info(dtype).bytes));
  Sizes sizes(self.sizes().begin(), self.sizes().end()), strides(self.strides().begin(), self.strides().end());
  SymInt offset = self.storage_offset();
  if (old_bytes != new_bytes) {
    if (sizes.empty()) fail_input("view as ", info(dtype).name, " of a 0-d tensor of ", info(self.dtype()).name);
    if (strides.back() != 1)
      fail_input("view as ", info(dtype).name, " needs a last dimension of stride 1, got ", strides.back().str());
    auto scaled = [&](SymInt value) {
      if (value * old_bytes % new_bytes != 0)
        fail_input("view as ", info(dtype).name, ": ", value.str(), " elements of ", info(self.dtype()).name,
                   " cannot be divided");
      return value * old_bytes / new_bytes;
    };
    sizes.back() = scaled(sizes.back());
    for (size_t i = 0; i + 1 < strides.size(); ++i) strides[i] = scaled(strides[i]);
    offset = scaled(offset);
  }
  return meta::make(sizes, strides, dtype, self.device(), offset);
}

void check_split(const Tensor& self, SymInts split_sizes, int64_t dim) {
  SymInt total = 0;
  for (SymInt size : split_sizes) {
    if (size < 0) fail_input("split_with_sizes: sizes must not be negative, got ", size.str());
    total += size;
  }
  if (total != self.size(dim))
    fail_input("split_with_sizes: sizes add up to ", total.str(), ", the dimension has ", self.size(dim).str());
}

std::vector<const TensorMeta*> meta_split_with_sizes(Tensor self, SymInts split_sizes, int64_t dim) {
  check_split(self, split_sizes, dim);
  std::vector<const TensorMeta*> parts;
  size_t at = static_cast<size_t>(wrap_dim(dim, self.dim()));
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  SymInt start = 0;
  for (SymInt size : split_sizes) {
    sizes[at] = size;
    parts.push_back(
        meta::view_of(self.meta(), sizes, self.strides(), self.storage_offset() + start * self.strides()[at]));
    start += size;
  }
  return parts;
}

// The sizes of the parts of a dimension cut every `split_size`; one empty part for an empty dimension.
Sizes split_sizes(SymInt dim_size, SymInt split_size) {
  if (split_size < 0 || (split_size == 0 && dim_size != 0))
    fail_input("split size must be positive, got ", split_size.str());
  if (split_size == 0) return {0};
  SymInt count = max((dim_size + split_size - 1) / split_size, 1);
  int64_t parts = specialize(count);
  Sizes sizes(static_cast<size_t>(parts), split_size);
  sizes.back() = split_size - (split_size * parts - dim_size);
  return sizes;
}

std::vector<const TensorMeta*> meta_split(Tensor self, SymInt split_size, int64_t dim) {
  return meta_split_with_sizes(self, split_sizes(self.size(dim), split_size), dim);
}

std::vector<const TensorMeta*> meta_unbind(Tensor self, int64_t dim) {
  std::vector<const TensorMeta*> parts;
  int64_t count = specialize(self.size(dim));
  for (int64_t i = 0; i < count; ++i) parts.push_back(meta::select(self.meta(), dim, i));
  return parts;
}

// ---- what a write through a view does to its base

Tensor undo_alias(const Tensor&, const Tensor& written, const Call&, uint32_t) { return aten::alias(written); }
Tensor undo_detach(const Tensor&, const Tensor& written, const Call&, uint32_t) { return written; }
Tensor undo_view(const Tensor& base, const Tensor& written, const Call&, uint32_t) {
  return aten::view(written, base.sizes());
}
Tensor undo_unsafe_view(const Tensor& base, const Tensor& written, const Call&, uint32_t) {
  return aten::_unsafe_view(written, base.sizes());
}
Tensor undo_t(const Tensor&, const Tensor& written, const Call&, uint32_t) { return aten::t(written); }
Tensor undo_transpose(const Tensor&, const Tensor& written, const Call& view, uint32_t) {
  return aten::transpose_int(written, unbox_int(view.args[1]), unbox_int(view.args[2]));
}
Tensor undo_permute(const Tensor& base, const Tensor& written, const Call& view, uint32_t) {
  std::vector<int64_t> dims = wrap_dims(unbox_ints(view.args[1]), base.dim());
  Sizes inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) inverse[static_cast<size_t>(dims[i])] = i;
  return aten::permute(written, inverse);
}
Tensor undo_slice(const Tensor& base, const Tensor& written, const Call& view, uint32_t) {
  auto optional_int = [](const Argument& a) {
    return a.is_none() ? std::nullopt : std::optional<SymInt>(unbox_int(a));
  };
  return aten::slice_scatter(base, written, unbox_int(view.args[1]), optional_int(view.args[2]),
                             optional_int(view.args[3]), unbox_int(view.args[4]));
}
Tensor undo_select(const Tensor& base, const Tensor& written, const Call& view, uint32_t) {
  return aten::select_scatter(base, written, unbox_int(view.args[1]), unbox_int(view.args[2]));
}
Tensor undo_unsqueeze(const Tensor&, const Tensor& written, const Call& view, uint32_t) {
  return aten::squeeze_dim(written, unbox_int(view.args[1]));
}
Tensor undo_as_strided(const Tensor& base, const Tensor& written, const Call& view, uint32_t) {
  std::optional<SymInt> offset = view.args[3].is_none() ? std::nullopt : std::optional<SymInt>(unbox_int(view.args[3]));
  return aten::as_strided_scatter(base, written, unbox_ints(view.args[1]), unbox_ints(view.args[2]), offset);
}
Tensor undo_unfold(const Tensor& base, const Tensor& written, const Call& view, uint32_t) {
  return aten::unfold_backward(written, base.sizes(), unbox_int(view.args[1]), unbox_int(view.args[2]),
                               unbox_int(view.args[3]));
}
Tensor undo_unbind(const Tensor& base, const Tensor& written, const Call& view, uint32_t out_index) {
  return aten::select_scatter(base, written, wrap_dim(specialize(unbox_int(view.args[1])), base.dim()),
                              static_cast<int64_t>(out_index));
}

// A part of a split is a slice of its base.
Tensor undo_part(const Tensor& base, const Tensor& written, int64_t dim, const Sizes& sizes, uint32_t out_index) {
  SymInt start = 0;
  for (uint32_t i = 0; i < out_index; ++i) start += sizes[i];
  return aten::slice_scatter(base, written, dim, start, start + sizes[out_index], 1);
}
Tensor undo_split(const Tensor& base, const Tensor& written, const Call& view, uint32_t out_index) {
  int64_t dim = wrap_dim(specialize(unbox_int(view.args[2])), base.dim());
  return undo_part(base, written, dim, split_sizes(base.size(dim), unbox_int(view.args[1])), out_index);
}
Tensor undo_split_with_sizes(const Tensor& base, const Tensor& written, const Call& view, uint32_t out_index) {
  SymInts sizes = unbox_ints(view.args[1]);
  return undo_part(base, written, wrap_dim(specialize(unbox_int(view.args[2])), base.dim()),
                   Sizes(sizes.begin(), sizes.end()), out_index);
}

Tensor undo_diagonal(const Tensor& base, const Tensor& written, const Call& view, uint32_t) {
  return aten::diagonal_scatter(base, written, specialize(unbox_int(view.args[1])), specialize(unbox_int(view.args[2])),
                                specialize(unbox_int(view.args[3])));
}
Tensor undo_view_as_real(const Tensor&, const Tensor& written, const Call&, uint32_t) {
  return aten::view_as_complex(written);
}
Tensor undo_view_as_complex(const Tensor&, const Tensor& written, const Call&, uint32_t) {
  return aten::view_as_real(written);
}
Tensor undo_view_dtype(const Tensor& base, const Tensor& written, const Call&, uint32_t) {
  return aten::view_dtype(written, base.dtype());
}

// What was spread is summed up.
// The base takes up the sum of what each of its copies changed by.
Tensor undo_expand(const Tensor& base, const Tensor& written, const Call&, uint32_t) {
  Tensor change = aten::sub_Tensor(written, base);
  if (base.dim() == 0) return aten::add_Tensor(base, aten::sum(change));
  int64_t added = written.dim() - base.dim();
  Sizes dims;
  for (int64_t i = 0; i < written.dim(); ++i)
    if (i < added || (base.size(i - added) == 1 && written.size(i) != 1)) dims.push_back(i);
  if (!dims.empty()) change = aten::sum_dim_IntList(change, dims, true);
  if (added > 0) change = aten::view(change, base.sizes());
  return aten::add_Tensor(base, change);
}

// Dimensions of size 1 put back where the base has them, from the front.
Tensor undo_squeeze(const Tensor& base, const Tensor& written, const Call&, uint32_t) {
  Tensor value = written;
  for (int64_t i = 0; i < base.dim(); ++i)
    if (base.size(i) == 1) value = aten::unsqueeze(value, i);
  return value;
}
Tensor undo_squeeze_dims(const Tensor& base, const Tensor& written, const Call& view, uint32_t) {
  const Argument& given = view.args[1];
  SymInt one = given.kind == Argument::Kind::kList ? SymInt(0) : unbox_int(given);
  SymInts dims = given.kind == Argument::Kind::kList ? unbox_ints(given) : SymInts(&one, 1);
  std::vector<bool> squeezed(static_cast<size_t>(base.dim()));
  if (base.dim() == 0) return written;
  for (int64_t dim : wrap_dims(dims, base.dim())) squeezed[static_cast<size_t>(dim)] = true;
  Tensor value = written;
  for (int64_t i = 0; i < base.dim(); ++i)
    if (squeezed[static_cast<size_t>(i)] && base.size(i) == 1) value = aten::unsqueeze(value, i);
  return value;
}

// ---- bodies

Tensor view_of_shape(Tensor self, SymInts size) { return aten::view(self, size); }
Tensor reshape_alias(Tensor self, SymInts size, SymInts) { return aten::view(self, size); }
Tensor t(Tensor self) {
  if (self.dim() > 2) fail_input("t expects a tensor with at most 2 dimensions, got ", self.dim());
  return aten::transpose_int(self, 0, self.dim() < 2 ? 0 : 1);
}

Tensor transpose_int(Tensor self, int64_t dim0, int64_t dim1) {
  int64_t a = wrap_dim(dim0, self.dim()), b = wrap_dim(dim1, self.dim());
  if (self.dim() <= 1 || dim0 == dim1) return aten::alias(self);
  Sizes order;
  for (int64_t i = 0; i < self.dim(); ++i) order.push_back(i == a ? b : i == b ? a : i);
  return aten::permute(self, order);
}

Tensor detach(Tensor self) { return aten::alias(self); }

Tensor squeeze(Tensor self) {
  Sizes dims;
  for (int64_t i = 0; i < self.dim(); ++i) dims.push_back(i);
  return aten::squeeze_dims(self, dims);
}
Tensor squeeze_dim(Tensor self, SymInt dim) { return aten::squeeze_dims(self, {dim}); }

std::vector<Tensor> split(Tensor self, SymInt split_size, int64_t dim) {
  SymInt size = self.size(dim);
  Sizes sizes = split_sizes(size, split_size);
  if (size == 0) return {aten::detach(self)};
  return aten::split_with_sizes(self, sizes, dim);
}
std::vector<Tensor> unsafe_split(Tensor self, SymInt split_size, int64_t dim) {
  return aten::split_Tensor(self, split_size, dim);
}
std::vector<Tensor> unsafe_split_with_sizes(Tensor self, SymInts sizes, int64_t dim) {
  return aten::split_with_sizes(self, sizes, dim);
}

// Slices of size 1, then each without its dimension.
std::vector<Tensor> unbind(Tensor self, int64_t dim) {
  if (self.dim() == 0) fail_input("unbind of a 0-d tensor");
  int64_t at = wrap_dim(dim, self.dim());
  if (self.size(at) == 0) return {};
  std::vector<Tensor> parts = aten::tensor_split_sections(self, self.size(at), at);
  for (Tensor& part : parts) part = aten::squeeze_dim(part, at);
  return parts;
}

const TensorMeta* meta_narrow_copy(Tensor self, int64_t dim, SymInt start, SymInt length) {
  SymInt from = start < 0 ? start + self.size(dim) : start;
  const TensorMeta* part = meta::slice(self.meta(), dim, from, from + length, 1);
  return meta::contiguous(part->sizes, part->dtype, part->device);
}

const TensorMeta* meta_resize(Tensor self, SymInts size, std::optional<MemoryFormat> format) {
  return meta::formatted(size, self.dtype(), self.device(), format.value_or(MemoryFormat::kContiguous));
}
const TensorMeta* meta_resize_as(Tensor self, Tensor other, std::optional<MemoryFormat> format) {
  return meta_resize(self, other.sizes(), format);
}
Tensor resize_as(Tensor self, Tensor other, std::optional<MemoryFormat> format) {
  MemoryFormat wanted = format.value_or(MemoryFormat::kContiguous);
  return aten::resize(self, other.sizes(),
                      wanted == MemoryFormat::kPreserve ? meta::suggest_memory_format(other.meta()) : wanted);
}

// ---- references: strides and an offset say all of a view

Tensor by_strides(const Tensor& self, const TensorMeta& part) {
  return aten::as_strided(self, part.sizes, part.strides, part.storage_offset);
}

Tensor diagonal_by_strides(Tensor self, int64_t offset, int64_t dim1, int64_t dim2) {
  return by_strides(self, *meta_diagonal(self, offset, dim1, dim2));
}

// The offset stays, and so is not named.
Tensor unfold_by_strides(Tensor self, int64_t dimension, SymInt size, SymInt step) {
  const TensorMeta& windows = *meta_unfold(self, dimension, size, step);
  return aten::as_strided(self, windows.sizes, windows.strides, std::nullopt);
}

std::vector<Tensor> split_by_strides(Tensor self, SymInts sizes, int64_t dim) {
  check_split(self, sizes, dim);
  int64_t at = wrap_dim(dim, self.dim());
  Sizes shape(self.sizes().begin(), self.sizes().end());
  SymInt offset = self.storage_offset();
  std::vector<Tensor> parts;
  for (SymInt size : sizes) {
    shape[static_cast<size_t>(at)] = size;
    parts.push_back(aten::as_strided(self, shape, self.strides(), offset));
    offset += self.stride(at) * size;
  }
  return parts;
}

// The view that an op named like "permute_copy" copies.
OpId copied_view(OpId op) {
  std::string name(schema_of(op).name);
  size_t at = name.rfind("_copy");
  return find_op(name.erase(at, 5));
}

// A *_copy op is its view in fresh contiguous memory.
ValueMeta meta_view_copy(const Call& call) {
  const OpDef* view = op_def(copied_view(call.op));
  auto fresh = [](const TensorMeta* view_meta) {
    return meta::contiguous(view_meta->sizes, view_meta->dtype, view_meta->device);
  };
  if (call.op == op::aten_view_copy) {
    Tensor self = unbox_tensor(call.args[0]);
    Sizes sizes = meta::infer_size(unbox_ints(call.args[1]), self.meta());
    if (auto seen = meta::reference_view(self.meta(), sizes)) sizes = seen->sizes;
    return ValueMeta::of(meta::contiguous(sizes, self.dtype(), self.device()));
  }
  ValueMeta viewed = view->meta({copied_view(call.op), call.args});
  if (viewed.kind != ValueMeta::Kind::kList) return ValueMeta::of(fresh(viewed.tensor));
  std::vector<const TensorMeta*> parts;
  for (const ValueMeta& part : *viewed.list) parts.push_back(fresh(part.tensor));
  return meta_list(parts);
}

Argument view_copy(const Call& call) {
  Argument viewed = dispatch(copied_view(call.op), call.args);
  if (viewed.kind != Argument::Kind::kList) return aten::clone(Tensor(viewed), MemoryFormat::kContiguous).argument();
  std::vector<Tensor> parts = tensors_of(viewed);
  for (Tensor& part : parts) part = aten::clone(part, MemoryFormat::kContiguous);
  return box_list(parts);
}

// Each complex number in a dimension of its own is two real ones.
Tensor reference_view_as_real(Tensor self) {
  return prims::view_of_dtype(aten::unsqueeze(self, -1), meta::real_type(self.dtype()));
}
Tensor reference_view_as_complex(Tensor self) {
  return aten::squeeze_dim(prims::view_of_dtype(self, meta::complex_type(self.dtype())), -1);
}

constexpr OpDef kRows[] = {
    {.op = "aten::alias", .meta = box_meta<meta_alias>, .reference = box<reference::alias>, .inverse = undo_alias},
    {.op = "aten::detach", .meta = box_meta<meta_alias>, .body = box<detach>, .inverse = undo_detach},
    {.op = "aten::view", .meta = box_meta<meta_view>, .reference = box<reference::view>, .inverse = undo_view},
    {.op = "aten::_unsafe_view", .meta = box_meta<meta_view>, .body = box<view_of_shape>, .inverse = undo_unsafe_view},
    {.op = "aten::_reshape_alias", .meta = box_meta<meta_view>, .body = box<reshape_alias>, .inverse = undo_view},
    {.op = "aten::view.dtype",
     .meta = box_meta<meta_view_dtype>,
     .reference = box<prims::view_of_dtype>,
     .inverse = undo_view_dtype},
    {.op = "aten::view_as_real",
     .meta = box_meta<meta_view_as_real>,
     .reference = box<reference_view_as_real>,
     .inverse = undo_view_as_real},
    {.op = "aten::view_as_complex",
     .meta = box_meta<meta_view_as_complex>,
     .reference = box<reference_view_as_complex>,
     .inverse = undo_view_as_complex},
    {.op = "aten::t", .meta = box_meta<meta_t>, .body = box<t>, .inverse = undo_t},
    {.op = "aten::transpose.int",
     .meta = box_meta<meta_transpose>,
     .body = box<transpose_int>,
     .inverse = undo_transpose},
    {.op = "aten::permute",
     .meta = box_meta<meta_permute>,
     .reference = box<reference::permute>,
     .inverse = undo_permute},
    {.op = "aten::expand", .meta = box_meta<meta_expand>, .reference = box<reference::expand>, .inverse = undo_expand},
    {.op = "aten::slice.Tensor",
     .meta = box_meta<meta_slice>,
     .reference = box<reference::slice>,
     .inverse = undo_slice},
    {.op = "aten::select.int", .meta = box_meta<meta_select>, .reference = box<closed::select>, .inverse = undo_select},
    {.op = "aten::diagonal",
     .meta = box_meta<meta_diagonal>,
     .reference = box<diagonal_by_strides>,
     .inverse = undo_diagonal},
    {.op = "aten::unsqueeze",
     .meta = box_meta<meta_unsqueeze>,
     .reference = box<reference::unsqueeze>,
     .inverse = undo_unsqueeze},
    {.op = "aten::squeeze", .meta = box_meta<meta_squeeze>, .body = box<squeeze>, .inverse = undo_squeeze},
    {.op = "aten::squeeze.dim",
     .meta = box_meta<meta_squeeze_dim>,
     .body = box<squeeze_dim>,
     .inverse = undo_squeeze_dims},
    {.op = "aten::squeeze.dims",
     .meta = box_meta<meta_squeeze_dims>,
     .reference = box<reference::squeeze_dims>,
     .inverse = undo_squeeze_dims},
    {.op = "aten::as_strided", .meta = box_meta<meta_as_strided>, .inverse = undo_as_strided},
    {.op = "aten::unfold", .meta = box_meta<meta_unfold>, .reference = box<unfold_by_strides>, .inverse = undo_unfold},
    {.op = "aten::split.Tensor", .meta = box_meta<meta_split>, .body = box<split>, .inverse = undo_split},
    {.op = "aten::split_with_sizes",
     .meta = box_meta<meta_split_with_sizes>,
     .reference = box<split_by_strides>,
     .inverse = undo_split_with_sizes},
    {.op = "aten::unsafe_split.Tensor", .meta = box_meta<meta_split>, .body = box<unsafe_split>},
    {.op = "aten::unsafe_split_with_sizes",
     .meta = box_meta<meta_split_with_sizes>,
     .body = box<unsafe_split_with_sizes>},
    {.op = "aten::unbind.int", .meta = box_meta<meta_unbind>, .body = box<unbind>, .inverse = undo_unbind},
    {.op = "aten::resize", .meta = box_meta<meta_resize>, .reference = box<closed::resize>},
    {.op = "aten::resize_as", .meta = box_meta<meta_resize_as>, .body = box<resize_as>},
    {.op = "aten::alias_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::as_strided_copy", .meta = meta_view_copy, .reference = view_copy},
    {.op = "aten::detach_copy", .meta = meta_view_copy},
    {.op = "aten::diagonal_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::expand_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::narrow_copy", .meta = box_meta<meta_narrow_copy>, .reference = view_copy},
    {.op = "aten::permute_copy", .meta = meta_view_copy, .reference = view_copy},
    {.op = "aten::select_copy.int", .meta = meta_view_copy},
    {.op = "aten::slice_copy.Tensor", .meta = meta_view_copy},
    {.op = "aten::split_copy.Tensor", .meta = meta_view_copy},
    {.op = "aten::split_with_sizes_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::squeeze_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::squeeze_copy.dim", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::squeeze_copy.dims", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::t_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::transpose_copy.int", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::unbind_copy.int", .meta = meta_view_copy, .reference = view_copy},
    {.op = "aten::unfold_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::unsqueeze_copy", .meta = meta_view_copy, .body = view_copy},
    {.op = "aten::view_as_complex_copy", .meta = meta_view_copy},
    {.op = "aten::view_as_real_copy", .meta = meta_view_copy},
    {.op = "aten::view_copy", .meta = meta_view_copy, .reference = view_copy},
    {.op = "aten::view_copy.dtype", .meta = meta_view_copy, .reference = view_copy},
    {.op = "prims::view_of_dtype", .meta = box_meta<meta_view_dtype>},
};

}  // namespace

const std::span<const OpDef> kViewOps = kRows;

}  // namespace rung::ops
