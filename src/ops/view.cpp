// Views: ops whose result shares the memory of an argument, and the composites that end in one.
#include "meta/view.h"

#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- metas of the leaves

const TensorMeta* meta_alias(Tensor self) { return meta::view_of(self.meta(), self.sizes(), self.strides(), self.storage_offset()); }
const TensorMeta* meta_view(Tensor self, SymInts size) { return meta::view(self.meta(), size); }
const TensorMeta* meta_expand(Tensor self, SymInts size) { return meta::expand(self.meta(), size); }
const TensorMeta* meta_permute(Tensor self, SymInts dims) { return meta::permute(self.meta(), dims); }
const TensorMeta* meta_select(Tensor self, int64_t dim, SymInt index) { return meta::select(self.meta(), dim, index); }
const TensorMeta* meta_unsqueeze(Tensor self, int64_t dim) { return meta::unsqueeze(self.meta(), dim); }
const TensorMeta* meta_squeeze(Tensor self) { return meta::squeeze(self.meta(), std::nullopt); }
const TensorMeta* meta_squeeze_dims(Tensor self, SymInts dims) { return meta::squeeze(self.meta(), dims); }
const TensorMeta* meta_transpose(Tensor self, int64_t dim0, int64_t dim1) { return meta::transpose(self.meta(), dim0, dim1); }
const TensorMeta* meta_slice(Tensor self, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end, SymInt step) {
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
  if (size > self.sizes()[dim]) fail_input("unfold size ", size.str(), " is larger than dimension ", dim, " of size ", self.sizes()[dim].str());
  if (step <= 0) fail_input("unfold step must be positive, got ", step.str());
  Sizes sizes(self.sizes().begin(), self.sizes().end()), strides(self.strides().begin(), self.strides().end());
  sizes[dim] = (sizes[dim] - size) / step + 1;
  sizes.push_back(size);
  strides.push_back(strides[dim]);
  strides[dim] *= step;
  return meta::view_of(self.meta(), sizes, strides, self.storage_offset());
}

std::vector<const TensorMeta*> meta_split_with_sizes(Tensor self, SymInts split_sizes, int64_t dim) {
  std::vector<const TensorMeta*> parts;
  SymInt start = 0;
  for (SymInt size : split_sizes) {
    parts.push_back(meta::slice(self.meta(), dim, start, start + size, 1));
    start += size;
  }
  if (start != self.size(dim)) fail_input("split_with_sizes: sizes add up to ", start.str(), ", the dimension has ", self.size(dim).str());
  return parts;
}

// The sizes of the parts of a dimension cut every `split_size`; one empty part for an empty dimension.
Sizes split_sizes(SymInt dim_size, SymInt split_size) {
  if (split_size < 0 || (split_size == 0 && dim_size != 0)) fail_input("split size must be positive, got ", split_size.str());
  if (split_size == 0) return {0};
  SymInt count = max((dim_size + split_size - 1) / split_size, 1);
  Sizes sizes(static_cast<size_t>(count.value()), split_size);
  sizes.back() = split_size - (split_size * count - dim_size);
  return sizes;
}

std::vector<const TensorMeta*> meta_split(Tensor self, SymInt split_size, int64_t dim) {
  return meta_split_with_sizes(self, split_sizes(self.size(dim), split_size), dim);
}

std::vector<const TensorMeta*> meta_unbind(Tensor self, int64_t dim) {
  std::vector<const TensorMeta*> parts;
  for (int64_t i = 0; i < self.size(dim).value(); ++i) parts.push_back(meta::select(self.meta(), dim, i));
  return parts;
}

// ---- what a write through a view does to its base

Tensor undo_alias(const Tensor&, const Tensor& written, const Call&, uint32_t) { return aten::alias(written); }
Tensor undo_detach(const Tensor&, const Tensor& written, const Call&, uint32_t) { return written; }
Tensor undo_view(const Tensor& base, const Tensor& written, const Call&, uint32_t) { return aten::view(written, base.sizes()); }
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
  auto optional_int = [](const Argument& a) { return a.is_none() ? std::nullopt : std::optional<SymInt>(unbox_int(a)); };
  return aten::slice_scatter(base, written, unbox_int(view.args[1]), optional_int(view.args[2]), optional_int(view.args[3]), unbox_int(view.args[4]));
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
  return aten::unfold_backward(written, base.sizes(), unbox_int(view.args[1]), unbox_int(view.args[2]), unbox_int(view.args[3]));
}
Tensor undo_unbind(const Tensor& base, const Tensor& written, const Call& view, uint32_t out_index) {
  return aten::select_scatter(base, written, wrap_dim(unbox_int(view.args[1]).value(), base.dim()), static_cast<int64_t>(out_index));
}

// A part of a split is a slice of its base.
Tensor undo_part(const Tensor& base, const Tensor& written, int64_t dim, const Sizes& sizes, uint32_t out_index) {
  SymInt start = 0;
  for (uint32_t i = 0; i < out_index; ++i) start += sizes[i];
  return aten::slice_scatter(base, written, dim, start, start + sizes[out_index], 1);
}
Tensor undo_split(const Tensor& base, const Tensor& written, const Call& view, uint32_t out_index) {
  int64_t dim = wrap_dim(unbox_int(view.args[2]).value(), base.dim());
  return undo_part(base, written, dim, split_sizes(base.size(dim), unbox_int(view.args[1])), out_index);
}
Tensor undo_split_with_sizes(const Tensor& base, const Tensor& written, const Call& view, uint32_t out_index) {
  SymInts sizes = unbox_ints(view.args[1]);
  return undo_part(base, written, wrap_dim(unbox_int(view.args[2]).value(), base.dim()), Sizes(sizes.begin(), sizes.end()), out_index);
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

// t() is permute with the dimensions spelt out; of a vector, nothing to do.
Tensor t(Tensor self) {
  if (self.dim() < 2) return self;
  return aten::permute(self, {1, 0});
}

Tensor transpose_int(Tensor self, int64_t dim0, int64_t dim1) {
  int64_t a = wrap_dim(dim0, self.dim()), b = wrap_dim(dim1, self.dim());
  if (self.dim() <= 1 || a == b) return aten::alias(self);
  Sizes order;
  for (int64_t i = 0; i < self.dim(); ++i) order.push_back(i == a ? b : i == b ? a : i);
  return aten::permute(self, order);
}

Tensor reshape(Tensor self, SymInts shape) {
  Sizes sizes = meta::infer_size(shape, self.meta());
  if (meta::view_strides(self.meta(), sizes)) return aten::view(self, sizes);
  Tensor copied = aten::clone(self, MemoryFormat::kContiguous);
  return aten::_unsafe_view(copied, sizes);
}

Tensor contiguous(Tensor self, MemoryFormat format) {
  if (format == MemoryFormat::kPreserve) fail_input("contiguous: preserve_format is not a format to bring a tensor to");
  return meta::is_contiguous(self.meta(), format) ? self : aten::clone(self, format);
}

constexpr OpDef kRows[] = {
    {.op = "aten::alias", .meta = box_meta<meta_alias>, .inverse = undo_alias},
    {.op = "aten::detach", .meta = box_meta<meta_alias>, .inverse = undo_detach},
    {.op = "aten::view", .meta = box_meta<meta_view>, .inverse = undo_view},
    {.op = "aten::_unsafe_view", .meta = box_meta<meta_view>},
    {.op = "aten::t", .meta = box_meta<meta_t>, .body = box<t>, .inverse = undo_t},
    {.op = "aten::transpose.int", .meta = box_meta<meta_transpose>, .body = box<transpose_int>, .inverse = undo_transpose},
    {.op = "aten::permute", .meta = box_meta<meta_permute>, .inverse = undo_permute},
    {.op = "aten::expand", .meta = box_meta<meta_expand>},
    {.op = "aten::slice.Tensor", .meta = box_meta<meta_slice>, .inverse = undo_slice},
    {.op = "aten::select.int", .meta = box_meta<meta_select>, .inverse = undo_select},
    {.op = "aten::unsqueeze", .meta = box_meta<meta_unsqueeze>, .inverse = undo_unsqueeze},
    {.op = "aten::squeeze", .meta = box_meta<meta_squeeze>, .inverse = undo_squeeze},
    {.op = "aten::squeeze.dim", .meta = box_meta<meta_squeeze_dim>, .inverse = undo_squeeze_dims},
    {.op = "aten::squeeze.dims", .meta = box_meta<meta_squeeze_dims>, .inverse = undo_squeeze_dims},
    {.op = "aten::as_strided", .meta = box_meta<meta_as_strided>, .inverse = undo_as_strided},
    {.op = "aten::unfold", .meta = box_meta<meta_unfold>, .inverse = undo_unfold},
    {.op = "aten::split.Tensor", .meta = box_meta<meta_split>, .inverse = undo_split},
    {.op = "aten::split_with_sizes", .meta = box_meta<meta_split_with_sizes>, .inverse = undo_split_with_sizes},
    {.op = "aten::unbind.int", .meta = box_meta<meta_unbind>, .inverse = undo_unbind},
    {.op = "aten::reshape", .body = box<reshape>},
    {.op = "aten::contiguous", .body = box<contiguous>},
};

}  // namespace

const std::span<const OpDef> kViewOps = kRows;

}  // namespace rung::ops
