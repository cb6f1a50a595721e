// Composites that end in views, or leave a tensor as it is: they are opened before functionalization.
#include <numeric>

#include "meta/pointwise.h"
#include "meta/view.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/gen/prims.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;

Sizes to_sizes(SymInts items) { return Sizes(items.begin(), items.end()); }

// ---- reshaping

// A view where the strides allow one; a contiguous tensor keeps a -1 in the shape.
Tensor reshape(Tensor self, SymInts shape) {
  if (meta::is_contiguous(self.meta())) return aten::view(self, shape);
  // while views are followed, torch counts the elements anew; else the count is a size of the tensor
  bool is_followed = self.argument().kind == Argument::Kind::kFunctional;
  SymInt total = is_followed ? meta::numel(self.sizes()) : self.numel();
  Sizes sizes = meta::infer_size(shape, self.meta(), total);
  if (meta::view_strides(self.meta(), sizes)) return aten::view(self, sizes);
  Tensor copied = aten::clone(self, MemoryFormat::kContiguous);
  return aten::_unsafe_view(copied, sizes);
}

Tensor contiguous(Tensor self, MemoryFormat format) {
  if (format == MemoryFormat::kPreserve) fail_input("contiguous: preserve_format is not a format to bring a tensor to");
  return meta::is_contiguous(self.meta(), format) ? self : aten::clone(self, format);
}

Tensor flatten(Tensor self, int64_t start_dim, int64_t end_dim) {
  int64_t start = wrap_dim(start_dim, self.dim()), end = wrap_dim(end_dim, self.dim());
  if (start > end) fail_input("flatten: dimension ", start_dim, " comes after ", end_dim);
  if (self.dim() == 0) return aten::reshape(self, {1});
  if (start == end) return self;
  Sizes sizes;
  SymInt merged = 1;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (i < start || i > end) sizes.push_back(self.size(i));
    if (i >= start && i <= end) merged *= self.size(i);
    if (i == end) sizes.push_back(merged);
  }
  return aten::reshape(self, sizes);
}

Tensor unflatten(Tensor self, int64_t dim, SymInts sizes) {
  if (sizes.empty()) fail_input("unflatten needs at least one size");
  int64_t at = wrap_dim(dim, self.dim());
  SymInt whole = self.size(at);
  Sizes parts = meta::infer_size(sizes, *meta::contiguous(Sizes{whole}, self.dtype(), self.device()));
  Sizes shape = to_sizes(self.sizes());
  shape.erase(shape.begin() + at);
  shape.insert(shape.begin() + at, parts.begin(), parts.end());
  return aten::view(self, shape);
}

Tensor ravel(Tensor self) {
  Tensor dense = aten::contiguous(self);
  return aten::view(dense, {-1});
}

Tensor view_as(Tensor self, Tensor other) { return aten::view(self, other.sizes()); }
Tensor reshape_as(Tensor self, Tensor other) { return aten::reshape(self, other.sizes()); }
Tensor expand_as(Tensor self, Tensor other) { return aten::expand(self, other.sizes()); }
Tensor broadcast_to(Tensor self, SymInts size) { return aten::expand(self, size); }

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  Sizes shape = meta::broadcast_sizes(tensors);
  std::vector<Tensor> out;
  for (const Tensor& tensor : tensors)
    out.push_back(std::ranges::equal(tensor.sizes(), shape) ? tensor : aten::expand(tensor, shape));
  return out;
}

// Each vector along its own dimension, spread over all others.
std::vector<Tensor> meshgrid_indexing(TensorList tensors, std::string_view indexing) {
  if (indexing != "ij" && indexing != "xy") fail_input("meshgrid: indexing must be 'ij' or 'xy', got '", indexing, "'");
  std::vector<Tensor> grids(tensors.begin(), tensors.end());
  bool swapped = indexing == "xy" && grids.size() >= 2;
  if (swapped) std::swap(grids[0], grids[1]);
  Sizes shape, place(grids.size(), 1);
  for (const Tensor& tensor : grids) {
    if (tensor.dim() > 1) fail_input("meshgrid expects 0-d or 1-d tensors, got rank ", tensor.dim());
    shape.push_back(tensor.numel());
  }
  for (size_t i = 0; i < grids.size(); ++i) {
    place[i] = -1;
    Tensor placed = aten::view(grids[i], place);
    grids[i] = aten::expand(placed, shape);
    place[i] = 1;
  }
  if (swapped) std::swap(grids[0], grids[1]);
  return grids;
}
std::vector<Tensor> meshgrid(TensorList tensors) { return meshgrid_indexing(tensors, "ij"); }

// torch's reference makes grids by a primitive whose results are views, which it then cannot follow.
std::vector<Tensor> reference_meshgrid_indexing(TensorList tensors, std::string_view indexing) {
  if (!is_like_torch()) return meshgrid_indexing(tensors, indexing);
  std::vector<Tensor> grids(tensors.begin(), tensors.end());
  bool swapped = indexing == "xy" && grids.size() >= 2;
  if (swapped) std::swap(grids[0], grids[1]);
  Sizes shape;
  for (const Tensor& tensor : grids) shape.push_back(tensor.numel());
  for (size_t i = 0; i < grids.size(); ++i) {
    if (grids[i].dim() == 0) grids[i] = aten::view(grids[i], {1});
    grids[i] = prims::broadcast_in_dim(grids[i], shape, {static_cast<int64_t>(i)});
  }
  if (swapped) std::swap(grids[0], grids[1]);
  return grids;
}
std::vector<Tensor> reference_meshgrid(TensorList tensors) { return reference_meshgrid_indexing(tensors, "ij"); }

Tensor atleast_1d(Tensor self) { return self.dim() == 0 ? aten::reshape(self, {1}) : self; }
Tensor atleast_2d(Tensor self) {
  if (self.dim() == 0) return aten::reshape(self, {1, 1});
  return self.dim() == 1 ? aten::unsqueeze(self, 0) : self;
}
Tensor atleast_3d(Tensor self) {
  if (self.dim() == 0) return aten::reshape(self, {1, 1, 1});
  if (self.dim() == 2) return aten::unsqueeze(self, -1);
  if (self.dim() > 2) return self;
  Tensor row = aten::unsqueeze(self, 0);
  return aten::unsqueeze(row, -1);
}
template <auto single>
std::vector<Tensor> of_each(TensorList tensors) {
  std::vector<Tensor> out;
  for (const Tensor& tensor : tensors) out.push_back(single(tensor));
  return out;
}

// ---- order of dimensions

// Named sources go to their destinations, the others keep their order in the places that are left.
Tensor movedim_intlist(Tensor self, SymInts source, SymInts destination) {
  if (source.size() != destination.size())
    fail_input("movedim: ", source.size(), " source dimensions but ", destination.size(), " destinations");
  std::vector<int64_t> from = wrap_dims(source, self.dim()), to = wrap_dims(destination, self.dim());
  if (self.dim() == 0) return aten::alias(self);
  size_t rank = static_cast<size_t>(self.dim());
  std::vector<int64_t> order(rank, -1);
  std::vector<bool> moved(rank);
  for (size_t i = 0; i < from.size(); ++i) {
    order[static_cast<size_t>(to[i])] = from[i];
    moved[static_cast<size_t>(from[i])] = true;
  }
  size_t next = 0;
  for (int64_t& place : order) {
    if (place >= 0) continue;
    while (moved[next]) ++next;
    place = static_cast<int64_t>(next++);
  }
  return aten::permute(self, Sizes(order.begin(), order.end()));
}
Tensor movedim_int(Tensor self, SymInt source, SymInt destination) {
  return movedim_intlist(self, SymInts(&source, 1), SymInts(&destination, 1));
}

Tensor numpy_T(Tensor self) {
  Sizes order(static_cast<size_t>(self.dim()));
  for (size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  return aten::permute(self, order);
}

Tensor mT(Tensor self) {
  if (self.dim() < 2)
    fail_input("mT is only supported on matrices or batches of matrices, got a tensor of rank ", self.dim());
  return aten::transpose_int(self, -2, -1);
}
Tensor adjoint(Tensor self) {
  if (self.dim() < 2)
    fail_input("adjoint is only supported on matrices or batches of matrices, got a tensor of rank ", self.dim());
  Tensor transposed = aten::transpose_int(self, -2, -1);
  return is_complex(self.dtype()) ? aten::conj(transposed) : transposed;
}
Tensor matrix_H(Tensor self) {
  if (self.dim() == 0) return self;
  if (self.dim() != 2) fail_input("H is only supported on matrices, got a tensor of rank ", self.dim());
  return adjoint(self);
}
Tensor mH(Tensor self) { return self.dim() == 0 ? self : adjoint(self); }
Tensor swap_dims(Tensor self, int64_t dim0, int64_t dim1) { return aten::transpose_int(self, dim0, dim1); }
Tensor swap_dims_(Tensor self, int64_t dim0, int64_t dim1) { return aten::transpose_(self, dim0, dim1); }
Tensor linalg_diagonal(Tensor self, int64_t offset, int64_t dim1, int64_t dim2) {
  return aten::diagonal(self, offset, dim1, dim2);
}
Tensor fliplr(Tensor self) {
  if (self.dim() < 2) fail_input("fliplr needs at least 2 dimensions, got ", self.dim());
  return aten::flip(self, {1});
}
Tensor flipud(Tensor self) {
  if (self.dim() < 1) fail_input("flipud needs at least 1 dimension");
  return aten::flip(self, {0});
}

// ---- parts

Tensor narrow(Tensor self, int64_t dim, SymInt start, SymInt length) {
  SymInt size = self.size(dim);
  if (self.dim() == 0 || length < 0 || start < -size || start > size)
    fail_input("narrow: start ", start.str(), " and length ", length.str(), " do not fit a dimension of size ",
               size.str());
  SymInt from = start < 0 ? start + size : start;
  if (from + length > size)
    fail_input("narrow: start ", from.str(), " + length ", length.str(), " exceeds size ", size.str());
  return aten::slice_Tensor(self, dim, from, from + length, 1);
}

struct Chunks {
  SymInt part;  // size of every part but the last
  bool empty;   // a dimension of size 0, in as many parts as asked for
  Sizes sizes;
};
Chunks chunks_of(const Tensor& self, SymInt chunks, int64_t dim) {
  if (self.dim() == 0) fail_input("chunk expects at least a 1-d tensor");
  if (chunks <= 0) fail_input("chunk: the number of chunks must be positive, got ", chunks.str());
  SymInt part = (self.size(dim) + chunks - 1) / chunks;
  bool empty = part == 0;
  return {part, empty, empty ? Sizes(static_cast<size_t>(specialize(chunks)), 0) : Sizes{}};
}
std::vector<Tensor> chunk(Tensor self, SymInt count, int64_t dim) {
  Chunks chunks = chunks_of(self, count, dim);
  return chunks.empty ? aten::split_with_sizes(self, chunks.sizes, dim) : aten::split_Tensor(self, chunks.part, dim);
}
std::vector<Tensor> unsafe_chunk(Tensor self, SymInt count, int64_t dim) {
  Chunks chunks = chunks_of(self, count, dim);
  return chunks.empty ? aten::unsafe_split_with_sizes(self, chunks.sizes, dim)
                      : aten::unsafe_split_Tensor(self, chunks.part, dim);
}
std::vector<Tensor> split_sizes(Tensor self, SymInts sizes, int64_t dim) {
  return aten::split_with_sizes(self, sizes, dim);
}

// The first `size % sections` parts are longer by one.
std::vector<Tensor> tensor_split_sections(Tensor self, SymInt sections, int64_t dim) {
  if (self.dim() == 0) fail_input("tensor_split expects at least a 1-d tensor");
  if (sections <= 0) fail_input("tensor_split: the number of sections must be positive, got ", sections.str());
  int64_t at = wrap_dim(dim, self.dim());
  SymInt least = self.size(at) / sections, longer = self.size(at) % sections, start = 0;
  std::vector<Tensor> parts;
  for (int64_t i = 0, count = specialize(sections); i < count; ++i) {
    SymInt part = SymInt(i) < longer ? least + 1 : least, end = start + part;
    parts.push_back(aten::slice_Tensor(self, at, start, end));
    start = end;
  }
  return parts;
}
std::vector<Tensor> tensor_split_indices(Tensor self, SymInts indices, int64_t dim) {
  if (self.dim() == 0) fail_input("tensor_split expects at least a 1-d tensor");
  int64_t at = wrap_dim(dim, self.dim());
  std::vector<Tensor> parts;
  SymInt start = 0;
  for (SymInt end : indices) {
    parts.push_back(aten::slice_Tensor(self, at, start, end));
    start = end;
  }
  parts.push_back(aten::slice_Tensor(self, at, start, self.size(at)));
  return parts;
}

// A number of parts, or where to cut, that only the program knows.
std::vector<Tensor> tensor_split_tensor(Tensor self, Tensor places, int64_t dim) {
  if (places.dim() > 1) fail_input("tensor_split: the places must be a number or a vector, got rank ", places.dim());
  if (places.dtype() != DType::kInt64)
    fail_input("tensor_split: the places must be int64, got ", info(places.dtype()).name);
  auto number = [](const Tensor& x) { return unbox_int(aten::item(x)); };
  if (places.dim() == 0) return aten::tensor_split_sections(self, number(places), dim);
  std::vector<SymInt> indices;
  for (const Tensor& place : aten::unbind_int(places)) indices.push_back(number(place));
  return aten::tensor_split_indices(self, indices, dim);
}

// hsplit, vsplit and dsplit cut along columns (the one dimension of a vector), rows, or depth.
template <int64_t least_rank, int64_t dim>
int64_t split_dim(const Tensor& self) {
  if (self.dim() < least_rank) fail_input("this split needs at least ", least_rank, " dimensions, got ", self.dim());
  return std::min(dim, self.dim() - 1);
}
template <int64_t least_rank, int64_t dim>
std::vector<Tensor> split_evenly(Tensor self, SymInt sections) {
  int64_t at = split_dim<least_rank, dim>(self);
  if (sections == 0 || self.size(at) % sections != 0)
    fail_input("dimension ", at, " of size ", self.size(at).str(), " is not divisible by ", sections.str());
  return aten::tensor_split_sections(self, sections, at);
}
template <int64_t least_rank, int64_t dim>
std::vector<Tensor> split_at(Tensor self, SymInts indices) {
  return aten::tensor_split_indices(self, indices, split_dim<least_rank, dim>(self));
}

constexpr OpDef kRows[] = {
    {.op = "aten::reshape", .body = box<reshape>},
    {.op = "aten::contiguous", .body = box<contiguous>},
    {.op = "aten::flatten.using_ints", .body = box<flatten>},
    {.op = "aten::unflatten.int", .body = box<unflatten>},
    {.op = "aten::ravel", .body = box<ravel>},
    {.op = "aten::view_as", .body = box<view_as>},
    {.op = "aten::reshape_as", .body = box<reshape_as>},
    {.op = "aten::expand_as", .body = box<expand_as>},
    {.op = "aten::broadcast_to", .body = box<broadcast_to>},
    {.op = "aten::broadcast_tensors", .body = box<broadcast_tensors>},
    {.op = "aten::meshgrid", .body = box<meshgrid>, .reference = box<reference_meshgrid>},
    {.op = "aten::meshgrid.indexing", .body = box<meshgrid_indexing>, .reference = box<reference_meshgrid_indexing>},
    {.op = "aten::atleast_1d", .body = box<atleast_1d>},
    {.op = "aten::atleast_2d", .body = box<atleast_2d>},
    {.op = "aten::atleast_3d", .body = box<atleast_3d>},
    {.op = "aten::atleast_1d.Sequence", .body = box<of_each<aten::atleast_1d>>},
    {.op = "aten::atleast_2d.Sequence", .body = box<of_each<aten::atleast_2d>>},
    {.op = "aten::atleast_3d.Sequence", .body = box<of_each<aten::atleast_3d>>},
    {.op = "aten::movedim.int", .body = box<movedim_int>},
    {.op = "aten::movedim.intlist", .body = box<movedim_intlist>},
    {.op = "aten::moveaxis.int", .body = box<movedim_int>},
    {.op = "aten::moveaxis.intlist", .body = box<movedim_intlist>},
    {.op = "aten::numpy_T", .body = box<numpy_T>},
    {.op = "aten::mT", .body = box<mT>},
    {.op = "aten::mH", .body = box<mH>},
    {.op = "aten::matrix_H", .body = box<matrix_H>},
    {.op = "aten::adjoint", .body = box<adjoint>},
    {.op = "aten::swapaxes", .body = box<swap_dims>},
    {.op = "aten::swapdims", .body = box<swap_dims>},
    {.op = "aten::swapaxes_", .body = box<swap_dims_>},
    {.op = "aten::swapdims_", .body = box<swap_dims_>},
    {.op = "aten::linalg_diagonal", .body = box<linalg_diagonal>},
    {.op = "aten::fliplr", .body = box<fliplr>},
    {.op = "aten::flipud", .body = box<flipud>},
    {.op = "aten::narrow", .body = box<narrow>},
    {.op = "aten::chunk", .body = box<chunk>},
    {.op = "aten::unsafe_chunk", .body = box<unsafe_chunk>},
    {.op = "aten::split.sizes", .body = box<split_sizes>},
    {.op = "aten::tensor_split.sections", .body = box<tensor_split_sections>},
    {.op = "aten::tensor_split.indices", .body = box<tensor_split_indices>},
    {.op = "aten::tensor_split.tensor_indices_or_sections", .body = box<tensor_split_tensor>},
    {.op = "aten::hsplit.int", .body = box<split_evenly<1, 1>>},
    {.op = "aten::hsplit.array", .body = box<split_at<1, 1>>},
    {.op = "aten::vsplit.int", .body = box<split_evenly<2, 0>>},
    {.op = "aten::vsplit.array", .body = box<split_at<2, 0>>},
    {.op = "aten::dsplit.int", .body = box<split_evenly<3, 2>>},
    {.op = "aten::dsplit.array", .body = box<split_at<3, 2>>},
};

}  // namespace

const std::span<const OpDef> kViewCompositeOps = kRows;

}  // namespace rung::ops
