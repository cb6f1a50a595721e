// Tensors joined along a dimension, and tensors repeated.
#include <algorithm>

#include "meta/layout.h"
#include "meta/promote.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/prims.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- metas

// Channels last only if all operands are.
MemoryFormat common_format(TensorList tensors) {
  MemoryFormat format = meta::suggest_memory_format(tensors[0].meta());
  for (const Tensor& tensor : tensors)
    if (meta::suggest_memory_format(tensor.meta()) != format) return MemoryFormat::kContiguous;
  return format;
}

// 1-d empty tensors fit any shape and count for nothing but the type.
const TensorMeta* meta_cat(TensorList tensors, int64_t dim) {
  if (tensors.empty()) fail_input("cat expects at least one tensor");
  const Tensor* example = &tensors[0];
  for (const Tensor& tensor : tensors)
    if (tensor.dim() != 1) {
      example = &tensor;
      break;
    }
  DType dtype = meta::result_type(tensors);
  Sizes shape;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() == 1 && tensor.size(0) == 0) continue;
    if (tensor.dim() != example->dim()) fail_input("cat: ranks ", example->dim(), " and ", tensor.dim(), " do not fit");
    if (tensor.dim() == 0) fail_input("cat: 0-d tensors cannot be concatenated");
    size_t at = static_cast<size_t>(wrap_dim(dim, tensor.dim()));
    if (shape.empty()) {
      shape.assign(tensor.sizes().begin(), tensor.sizes().end());
      continue;
    }
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != at && shape[i] != tensor.sizes()[i])
        fail_input("cat: sizes ", shape[i].str(), " and ", tensor.sizes()[i].str(), " of dimension ", i, " do not fit");
    shape[at] += tensor.sizes()[at];
  }
  if (shape.empty()) return meta::contiguous(Sizes{0}, dtype, tensors[0].device());
  return meta::formatted(shape, dtype, example->device(), common_format(tensors));
}

void check_repeats(const Tensor& self, SymInts repeats) {
  if (static_cast<int64_t>(repeats.size()) < self.dim())
    fail_input("repeat: ", repeats.size(), " repeats for a tensor of rank ", self.dim());
  for (SymInt count : repeats)
    if (count < 0) fail_input("repeat: repeats must not be negative, got ", count.str());
}

const TensorMeta* meta_repeat(Tensor self, SymInts repeats) {
  check_repeats(self, repeats);
  Sizes shape(repeats.begin(), repeats.end());
  size_t added = shape.size() - self.sizes().size();
  for (size_t i = added; i < shape.size(); ++i) shape[i] *= self.sizes()[i - added];
  return meta::contiguous(shape, self.dtype(), self.device());
}

// ---- bodies

// Joined along the dimension before which the new one stands, then cut there; at the end, one by one.
Tensor stack(TensorList tensors, int64_t dim) {
  if (tensors.empty()) fail_input("stack expects at least one tensor");
  for (const Tensor& tensor : tensors)
    if (!std::ranges::equal(tensor.sizes(), tensors[0].sizes())) fail_input("stack expects tensors of equal size");
  int64_t rank = tensors[0].dim(), at = wrap_dim(dim, rank + 1);
  if (at < rank) {
    Sizes shape(tensors[0].sizes().begin(), tensors[0].sizes().end());
    shape.insert(shape.begin() + at, tensors.size());
    return aten::view(aten::cat(tensors, at), shape);
  }
  std::vector<Tensor> parts;
  for (const Tensor& tensor : tensors) parts.push_back(aten::unsqueeze(tensor, at));
  return aten::cat(parts, dim);
}

Tensor concat(TensorList tensors, SymInt dim) { return aten::cat(tensors, dim); }

Tensor hstack(TensorList tensors) {
  if (tensors.empty()) fail_input("hstack expects at least one tensor");
  std::vector<Tensor> parts = aten::atleast_1d_Sequence(tensors);
  return aten::cat(parts, parts[0].dim() == 1 ? 0 : 1);
}
Tensor vstack(TensorList tensors) {
  if (tensors.empty()) fail_input("vstack expects at least one tensor");
  return aten::cat(aten::atleast_2d_Sequence(tensors), 0);
}
Tensor dstack(TensorList tensors) {
  if (tensors.empty()) fail_input("dstack expects at least one tensor");
  return aten::cat(aten::atleast_3d_Sequence(tensors), 2);
}
Tensor column_stack(TensorList tensors) {
  if (tensors.empty()) fail_input("column_stack expects at least one tensor");
  std::vector<Tensor> columns;
  for (const Tensor& tensor : tensors)
    columns.push_back(tensor.dim() <= 1 ? aten::reshape(tensor, {tensor.numel(), 1}) : tensor);
  return aten::hstack(columns);
}

// All combinations of one element of each vector.
Tensor cartesian_prod(TensorList tensors) {
  if (tensors.empty()) fail_input("cartesian_prod expects at least one tensor");
  for (const Tensor& tensor : tensors)
    if (tensor.dim() != 1) fail_input("cartesian_prod expects 1-d tensors, got rank ", tensor.dim());
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> grids = aten::meshgrid_indexing(tensors, "ij");
  for (Tensor& grid : grids) grid = aten::flatten_using_ints(grid);
  return aten::stack(grids, 1);
}

// Where the places of a grid of rank `r` rise from each dimension to the next, or do not fall.
Tensor rising_places(const Tensor& self, int64_t r, bool with_replacement) {
  Tensor range = aten::arange(self.numel(), DType::kInt64, self.layout(), self.device());
  std::vector<Tensor> ranges(static_cast<size_t>(r), range);
  std::vector<Tensor> places = aten::meshgrid_indexing(ranges, "ij");
  Tensor mask = aten::full(places[0].sizes(), Scalar(true), DType::kBool, self.layout(), self.device());
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    Tensor rises =
        with_replacement ? aten::le_Tensor(places[i], places[i + 1]) : aten::lt_Tensor(places[i], places[i + 1]);
    mask = aten::mul__Tensor(mask, rises);
  }
  return mask;
}

// All choices of r elements of a vector.
Tensor combinations(Tensor self, int64_t r, bool with_replacement) {
  if (self.dim() != 1) fail_input("combinations expects a vector, got rank ", self.dim());
  if (r < 0) fail_input("combinations: r must not be negative, got ", r);
  if (r == 0) return aten::empty_memory_format({0}, self.dtype(), self.layout(), self.device());
  std::vector<Tensor> grids = aten::meshgrid_indexing(std::vector<Tensor>(static_cast<size_t>(r), self), "ij");
  Tensor mask = rising_places(self, r, with_replacement);
  for (Tensor& grid : grids) grid = aten::masked_select(grid, mask);
  return aten::stack(grids, 1);
}

// Matrices along the diagonal, zeros around them.
Tensor block_diag(TensorList tensors) {
  std::vector<Tensor> blocks;
  SymInt columns = 0, before = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() > 2) fail_input("block_diag expects tensors of at most 2 dimensions, got ", tensor.dim());
    blocks.push_back(tensor.dim() <= 1 ? aten::view(tensor, {1, -1}) : tensor);
    columns += blocks.back().size(1);
  }
  if (blocks.empty()) fail_input("block_diag expects at least one tensor");
  const Device device = blocks[0].device();
  std::vector<Tensor> rows;
  for (const Tensor& block : blocks) {
    SymInt height = block.size(0), width = block.size(1);
    Tensor left = zeros({height, before}, block.dtype(), device);
    Tensor right = zeros({height, columns - before - width}, block.dtype(), device);
    rows.push_back(aten::cat(std::array{left, block, right}, 1));
    before += width;
  }
  return aten::cat(rows, 0);
}

// Each tensor padded so that `dim` splits into equal chunks, flattened behind them, then joined chunk by chunk.
Tensor chunk_cat(TensorList tensors, int64_t dim, SymInt num_chunks) {
  if (tensors.empty() || num_chunks < 1) fail_input("_chunk_cat expects tensors and a positive number of chunks");
  int64_t at = dim < 0 ? wrap_dim(dim, tensors[0].dim()) : dim;
  std::vector<Tensor> parts;
  for (Tensor tensor : tensors) {
    SymInt size = tensor.size(at), padded = (size + num_chunks - 1) / num_chunks * num_chunks;
    Sizes shape(tensor.sizes().begin(), tensor.sizes().begin() + at);
    if (padded != size) {
      Sizes pad(static_cast<size_t>(2 * (tensor.dim() - at)), 0);
      pad.back() = padded - size;
      tensor = aten::constant_pad_nd(tensor, pad, 0);
    }
    shape.insert(shape.end(), {num_chunks, -1});
    parts.push_back(aten::reshape(tensor, shape));
  }
  return aten::cat(parts, at + 1);
}

Tensor tile(Tensor self, SymInts dims) {
  Sizes repeats(dims.begin(), dims.end());
  if (repeats.size() < self.sizes().size()) repeats.insert(repeats.begin(), self.sizes().size() - repeats.size(), 1);
  return aten::repeat(self, repeats);
}

// A new dimension behind `dim`, spread and merged into it.
Tensor repeat_interleave(Tensor self, SymInt repeats, std::optional<int64_t> dim, std::optional<SymInt> output_size) {
  if (repeats < 0) fail_input("repeat_interleave: repeats must not be negative, got ", repeats.str());
  Tensor input = dim ? self : aten::flatten_using_ints(self);
  int64_t at = wrap_dim(dim.value_or(0), self.dim());
  if (output_size && *output_size != input.size(at) * repeats)
    fail_input("repeat_interleave: output_size ", output_size->str(), " is not ", (input.size(at) * repeats).str());
  Tensor spread = aten::unsqueeze(input, at + 1);
  Sizes shape(spread.sizes().begin(), spread.sizes().end());
  shape[static_cast<size_t>(at) + 1] = repeats;
  spread = aten::expand(spread, shape);
  return aten::flatten_using_ints(aten::clone(spread, MemoryFormat::kContiguous), at, at + 1);
}

// Sequences of different lengths, padded to the longest, in one tensor.
Tensor pad_sequence(TensorList sequences, bool batch_first, double padding_value, std::string_view padding_side) {
  if (sequences.empty()) fail_input("pad_sequence received no sequences");
  if (padding_side != "left" && padding_side != "right")
    fail_input("pad_sequence: padding_side must be left or right, got ", padding_side);
  SymInt longest = 0;
  for (const Tensor& sequence : sequences) longest = max(longest, sequence.size(0));
  Sizes shape(sequences[0].sizes().begin(), sequences[0].sizes().end());
  shape[0] = batch_first ? SymInt(sequences.size()) : longest;
  shape.insert(shape.begin() + 1, batch_first ? longest : SymInt(sequences.size()));
  Tensor out = aten::new_full(sequences[0], shape, padding_value, std::nullopt, std::nullopt, std::nullopt, false);
  for (size_t i = 0; i < sequences.size(); ++i) {
    Sizes pad(shape.size() * 2 - 2, 0);
    pad[pad.size() - (padding_side == "right" ? 1 : 2)] = longest - sequences[i].size(0);
    Tensor row = aten::constant_pad_nd(to_dtype(sequences[i], out.dtype()), pad, padding_value);
    out = aten::select_scatter(out, row, batch_first ? 0 : 1, i);
  }
  return out;
}

// ---- references

// 1-d empty tensors are left out; the copy brings the common layout.
Tensor reference_cat(TensorList tensors, int64_t dim) {
  if (tensors.empty()) fail_input("cat expects at least one tensor");
  DType dtype = meta::result_type(tensors);
  std::vector<Tensor> parts;
  for (const Tensor& tensor : tensors) parts.push_back(reference::converted(tensor, dtype));
  MemoryFormat format = common_format(parts);
  std::erase_if(parts, [](const Tensor& part) { return part.dim() == 1 && part.size(0) == 0; });
  if (parts.empty()) {
    const Tensor& first = tensors[0];
    return aten::empty_strided({0}, {1}, dtype, std::nullopt, first.device(), false);
  }
  Tensor joined = prims::cat(parts, wrap_dim(dim, parts[0].dim()));
  return aten::clone(joined, format);
}

// Each dimension beside the one that repeats it, in memory order; then the two become one.
Tensor reference_repeat(Tensor self, SymInts repeats) {
  check_repeats(self, repeats);
  if (repeats.empty()) return aten::clone(self);
  size_t rank = repeats.size();
  Sizes once(rank - self.sizes().size(), 1);
  once.insert(once.end(), self.sizes().begin(), self.sizes().end());
  Sizes target;
  for (size_t i = 0; i < rank; ++i) target.push_back(once[i] * repeats[i]);
  if (std::ranges::any_of(repeats, [](SymInt count) { return count == 0; }))
    return aten::empty_memory_format(target, self.dtype(), std::nullopt, self.device(), false,
                                     meta::suggest_memory_format(self.meta()));
  Sizes sizes = target, strides = meta::contiguous_strides(target);
  for (size_t i = 0; i < rank; ++i) {
    SymInt step = max(once[i], 1);
    sizes[i] = (sizes[i] - once[i]) / step + 1;
    sizes.push_back(once[i]);
    strides.push_back(strides[i]);
    strides[i] *= step;
  }
  Sizes order(2 * rank);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](SymInt a, SymInt b) {
    return strides[static_cast<size_t>(a.value())] > strides[static_cast<size_t>(b.value())];
  });
  Tensor spread = aten::expand(self, sizes);
  Tensor copied = aten::clone(spread);
  Tensor ordered = aten::permute(copied, order);
  return aten::reshape(ordered, target);
}

constexpr OpDef kRows[] = {
    {.op = "aten::cat", .meta = box_meta<meta_cat>, .reference = box<reference_cat>},
    {.op = "aten::concat", .body = box<concat>},
    {.op = "aten::concatenate", .body = box<concat>},
    {.op = "aten::stack", .body = box<stack>},
    {.op = "aten::hstack", .body = box<hstack>},
    {.op = "aten::vstack", .body = box<vstack>},
    {.op = "aten::row_stack", .body = box<vstack>},
    {.op = "aten::dstack", .body = box<dstack>},
    {.op = "aten::column_stack", .body = box<column_stack>},
    {.op = "aten::cartesian_prod", .body = box<cartesian_prod>},
    {.op = "aten::combinations", .body = box<combinations>},
    {.op = "aten::block_diag", .body = box<block_diag>},
    {.op = "aten::_chunk_cat", .body = box<chunk_cat>},
    {.op = "aten::repeat", .meta = box_meta<meta_repeat>, .reference = box<reference_repeat>},
    {.op = "aten::tile", .body = box<tile>},
    {.op = "aten::repeat_interleave.self_int", .body = box<repeat_interleave>},
    {.op = "aten::pad_sequence", .body = box<pad_sequence>},
};

}  // namespace

const std::span<const OpDef> kCatOps = kRows;

}  // namespace rung::ops
