// Reading by indices: index, gather, take, and one dimension at a time; rolling and shuffling.
#include "meta/index.h"

#include <limits>

#include "meta/pointwise.h"
#include "meta/view.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/prims.h"

namespace rung::ops {
namespace {

using meta::Sizes;

void check_index_type(std::string_view op, const Tensor& index) {
  if (index.dtype() != DType::kInt64 && index.dtype() != DType::kInt32)
    fail_input(op, ": the index must be int32 or int64, got ", info(index.dtype()).name);
}

// ---- metas

const TensorMeta* meta_index(Tensor self, TensorList indices) { return meta::index(self, indices); }

const TensorMeta* meta_index_select(Tensor self, int64_t dim, Tensor index) {
  check_index_type("index_select", index);
  if (index.dim() > 1) fail_input("index_select: the index must be a vector, got rank ", index.dim());
  Sizes shape(self.sizes().begin(), self.sizes().end());
  if (!shape.empty()) shape[static_cast<size_t>(wrap_dim(dim, self.dim()))] = index.numel();
  return meta::contiguous(shape, self.dtype(), self.device());
}

const TensorMeta* meta_gather(Tensor self, int64_t dim, Tensor index) {
  int64_t at = wrap_dim(dim, self.dim());
  if (index.numel() != 0) {
    check_index_type("gather", index);
    if (std::max<int64_t>(self.dim(), 1) != std::max<int64_t>(index.dim(), 1))
      fail_input("gather: index of rank ", index.dim(), " for a tensor of rank ", self.dim());
    for (int64_t i = 0; i < std::min(self.dim(), index.dim()); ++i)
      if (i != at && index.size(i) > self.size(i))
        fail_input("gather: index of size ", index.size(i).str(), " in dimension ", i, " of size ", self.size(i).str());
  }
  return meta::contiguous(index.sizes(), self.dtype(), self.device());
}

const TensorMeta* meta_take(Tensor self, Tensor index) {
  if (index.dtype() != DType::kInt64) fail_input("take: the index must be int64, got ", info(index.dtype()).name);
  if (self.numel() == 0 && index.numel() != 0) fail_input("take: cannot take from an empty tensor");
  return meta::contiguous(index.sizes(), self.dtype(), self.device());
}

// ---- bodies

Tensor unsafe_index(Tensor self, TensorList indices) { return aten::index_Tensor(self, indices); }

// Indices that lie outside are clamped, and what they read replaced.
Tensor unsafe_masked_index(Tensor self, Tensor mask, TensorList indices, Scalar fill) {
  if (mask.dtype() != DType::kBool)
    fail_input("_unsafe_masked_index: the mask must be bool, got ", info(mask.dtype()).name);
  if (self.numel() == 0)
    return aten::new_full(self, meta::index(self, indices)->sizes, fill, std::nullopt, std::nullopt, std::nullopt,
                          false);
  std::vector<Tensor> inside(indices.begin(), indices.end());
  for (size_t i = 0; i < inside.size(); ++i)
    if (inside[i].defined()) inside[i] = aten::clamp(inside[i], 0, self.size(static_cast<int64_t>(i)) - 1);
  Tensor read = aten::_unsafe_index_Tensor(self, inside);
  return aten::masked_fill_Scalar(read, aten::bitwise_not(mask), fill);
}

Tensor unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, TensorList indices, Tensor values) {
  if (mask.dtype() != DType::kBool)
    fail_input("_unsafe_masked_index_put_accumulate: the mask must be bool, got ", info(mask.dtype()).name);
  if (self.numel() == 0) return aten::clone(self);
  std::vector<Tensor> inside(indices.begin(), indices.end());
  for (size_t i = 0; i < inside.size(); ++i) {
    if (!inside[i].defined()) continue;
    SymInt size = self.size(static_cast<int64_t>(i)), lowest = -size;
    inside[i] = aten::clamp(inside[i], lowest, size - 1);
  }
  Tensor kept = aten::masked_fill_Scalar(values, aten::bitwise_not(mask), 0);
  return aten::_unsafe_index_put(self, inside, kept, true);
}

Tensor take(Tensor self, Tensor index) {
  Tensor flat = aten::reshape(self, {-1});
  return aten::index_Tensor(flat, std::array{index});
}

// The sizes of `a` with its dimension `dim` as long as that of `b`, spread with the rest of `b`.
Sizes along_dim_shape(const Tensor& a, const Tensor& b, int64_t dim) {
  Sizes shape(a.sizes().begin(), a.sizes().end());
  shape[static_cast<size_t>(dim)] = b.size(dim);
  return meta::broadcast_sizes(shape, b.sizes());
}
Tensor take_along_dim(Tensor self, Tensor indices, std::optional<int64_t> dim) {
  if (indices.dtype() != DType::kInt64)
    fail_input("take_along_dim: the indices must be int64, got ", info(indices.dtype()).name);
  if (!dim) {
    Tensor flat = aten::view(self, {-1});
    Tensor flat_indices = aten::view(indices, {-1});
    return aten::gather(flat, 0, flat_indices);
  }
  if (self.dim() != indices.dim()) fail_input("take_along_dim: ranks ", self.dim(), " and ", indices.dim(), " differ");
  int64_t at = wrap_dim(*dim, self.dim());
  Sizes indices_shape = along_dim_shape(self, indices, at), self_shape = along_dim_shape(indices, self, at);
  Tensor spread_indices = aten::broadcast_to(indices, indices_shape);
  Tensor spread_self = aten::broadcast_to(self, self_shape);
  Tensor not_negative = aten::remainder_Scalar(spread_indices, self.size(at));
  return aten::gather(spread_self, at, not_negative);
}

// One dimension is rolled by reading it at (start + i) % size; several one after the other; none: all as one.
Tensor roll(Tensor self, SymInts shifts, SymInts dims) {
  std::vector<int64_t> at = wrap_dims(dims, self.dim());
  if (self.numel() == 0) return aten::clone(self);
  if (self.dim() == 0 && !at.empty()) fail_input("roll along dimension ", at[0], " of a 0-d tensor");
  if (shifts.empty()) fail_input("roll needs shifts");
  if (at.empty() && shifts.size() == 1) {
    Tensor flat = aten::flatten_using_ints(self);
    Tensor rolled = aten::roll(flat, shifts, {0});
    return aten::view(rolled, self.sizes());
  }
  if (shifts.size() != at.size()) fail_input("roll: ", shifts.size(), " shifts but ", at.size(), " dimensions");
  if (at.size() > 1) {
    Tensor first = aten::roll(self, {shifts[0]}, {at[0]});
    return aten::roll(first, shifts.subspan(1), Sizes(at.begin() + 1, at.end()));
  }
  SymInt size = self.size(at[0]), start = (size - shifts[0]) % size;
  Tensor places = arange(size, self.device());
  Tensor shifted = aten::add_Tensor(places, Scalar(start));
  Tensor read = aten::fmod_Scalar(shifted, size);
  return aten::index_select(self, at[0], read);
}

// A quarter turn is a flip and a transposition.
Tensor rot90(Tensor self, int64_t k, SymInts dims) {
  if (dims.size() != 2 || self.dim() < 2)
    fail_input("rot90 needs 2 dimensions of at least 2, got ", dims.size(), " of ", self.dim());
  std::vector<int64_t> at = wrap_dims(dims, self.dim());
  switch (((k % 4) + 4) % 4) {
    case 1: return aten::transpose_int(aten::flip(self, {at[1]}), at[0], at[1]);
    case 2: return aten::flip(self, {at[0], at[1]});
    case 3: return aten::transpose_int(aten::flip(self, {at[0]}), at[0], at[1]);
    default: return aten::clone(self, MemoryFormat::kContiguous);
  }
}

const TensorMeta* meta_flip(Tensor self, SymInts dims) {
  wrap_dims(dims, self.dim());
  return meta::empty_like(self.meta(), self.dtype());
}

// ---- references

Tensor reference_flip(Tensor self, SymInts dims) {
  std::vector<int64_t> at = wrap_dims(dims, self.dim());
  if (self.dim() == 0) return aten::clone(self);
  return prims::rev(self, Sizes(at.begin(), at.end()));
}

// x[:, :, ...]: Python slices the dimensions whose sizes it does not know.
Tensor sliced_before(Tensor x, int64_t last) {
  for (int64_t dim = 0; dim < last; ++dim)
    if (x.size(dim).is_symbolic()) x = aten::slice_Tensor(x, dim, 0, std::numeric_limits<int64_t>::max());
  return x;
}

// A 0-d tensor counts as a vector of one element.
Tensor reference_index_select(Tensor self, int64_t dim, Tensor index) {
  if (index.dim() > 1) fail_input("index_select: the index must be a vector, got rank ", index.dim());
  int64_t at = wrap_dim(dim, self.dim());
  if (index.dim() == 0) index = aten::unsqueeze(index, 0);
  if (self.dim() == 0) {
    Tensor target = aten::empty_like(self, std::nullopt, std::nullopt, std::nullopt, false);
    Tensor spread = aten::expand(self, index.sizes());
    return aten::index_copy(target, 0, index, spread);
  }
  std::vector<Tensor> indices(static_cast<size_t>(at));
  indices.push_back(index);
  Tensor read = aten::index_Tensor(sliced_before(self, at), indices);
  MemoryFormat format = meta::suggest_memory_format(self.meta());
  return meta::is_contiguous(read.meta(), format) ? read : aten::clone(read, format);
}

// ---- rearranging channels and pixels

const TensorMeta* meta_pixel_shuffle(Tensor self, SymInt factor) {
  if (self.dim() < 3) fail_input("pixel_shuffle needs at least 3 dimensions, got ", self.dim());
  if (self.size(-3) % (factor * factor) != 0)
    fail_input("pixel_shuffle: ", self.size(-3).str(), " channels do not fall into blocks of ", factor.str(), " by ",
               factor.str());
  Sizes sizes(self.sizes().begin(), self.sizes().end() - 3);
  sizes.insert(sizes.end(), {self.size(-3) / (factor * factor), self.size(-2) * factor, self.size(-1) * factor});
  return meta::formatted(sizes, self.dtype(), self.device(), meta::suggest_memory_format(self.meta()));
}

// [n, c * r^2, h, w] -> [n, c, h * r, w * r]
Tensor pixel_shuffle(Tensor self, SymInt factor) {
  if (self.dim() < 3) fail_input("pixel_shuffle needs at least 3 dimensions, got ", self.dim());
  int64_t batch = self.dim() - 3;
  SymInt channels = self.size(-3) / (factor * factor), height = self.size(-2), width = self.size(-1);
  Sizes lead(self.sizes().begin(), self.sizes().begin() + batch), split = lead, order, shape = lead;
  split.insert(split.end(), {channels, factor, factor, height, width});
  for (int64_t i = 0; i < batch; ++i) order.push_back(i);
  for (int64_t i : {0, 3, 1, 4, 2}) order.push_back(batch + i);
  shape.insert(shape.end(), {channels, height * factor, width * factor});
  Tensor parts = aten::view(self, split);
  parts = aten::permute(parts, order);
  parts = aten::reshape(parts, shape);
  return aten::clone(parts, meta::suggest_memory_format(self.meta()));
}

// [n, c, h * r, w * r] -> [n, c * r^2, h, w]
Tensor pixel_unshuffle(Tensor self, SymInt factor) {
  if (self.dim() < 3) fail_input("pixel_unshuffle needs at least 3 dimensions, got ", self.dim());
  int64_t batch = self.dim() - 3;
  SymInt channels = self.size(-3), parts_of_each = channels * (factor * factor);
  SymInt height = self.size(-2) / factor, width = self.size(-1) / factor;
  Sizes lead(self.sizes().begin(), self.sizes().begin() + batch), split = lead, order, shape = lead;
  split.insert(split.end(), {channels, height, factor, width, factor});
  for (int64_t i = 0; i < batch; ++i) order.push_back(i);
  for (int64_t i : {0, 2, 4, 1, 3}) order.push_back(batch + i);
  shape.insert(shape.end(), {parts_of_each, height, width});
  Tensor parts = aten::view(self, split);
  parts = aten::permute(parts, order);
  parts = aten::reshape(parts, shape);
  return aten::clone(parts, meta::suggest_memory_format(self.meta()));
}

// [n, g * c, ...] -> [n, c * g, ...]
Tensor channel_shuffle(Tensor self, SymInt groups) {
  if (self.dim() < 3) fail_input("channel_shuffle needs at least 3 dimensions, got ", self.dim());
  if (groups <= 0 || self.size(1) % groups != 0)
    fail_input("channel_shuffle: ", self.size(1).str(), " channels in ", groups.str(), " groups");
  if (self.numel() == 0) return aten::view(self, self.sizes());
  Sizes split{self.size(0), groups, self.size(1) / groups};
  split.insert(split.end(), self.sizes().begin() + 2, self.sizes().end());
  Tensor parts = aten::reshape(self, split);
  parts = aten::transpose_int(parts, 1, 2);
  return aten::reshape(parts, self.sizes());
}

constexpr OpDef kRows[] = {
    {.op = "aten::index.Tensor", .meta = box_meta<meta_index>},
    {.op = "aten::_unsafe_index.Tensor", .meta = box_meta<meta_index>, .body = box<unsafe_index>},
    {.op = "aten::_unsafe_masked_index", .body = box<unsafe_masked_index>},
    {.op = "aten::_unsafe_masked_index_put_accumulate", .body = box<unsafe_masked_index_put_accumulate>},
    {.op = "aten::index_select", .meta = box_meta<meta_index_select>, .reference = box<reference_index_select>},
    {.op = "aten::gather", .meta = box_meta<meta_gather>},
    {.op = "aten::take", .meta = box_meta<meta_take>, .body = box<take>},
    {.op = "aten::take_along_dim", .body = box<take_along_dim>},
    {.op = "aten::flip", .meta = box_meta<meta_flip>, .reference = box<reference_flip>},
    {.op = "aten::roll", .body = box<roll>},
    {.op = "aten::rot90", .body = box<rot90>},
    {.op = "aten::pixel_shuffle", .meta = box_meta<meta_pixel_shuffle>, .body = box<pixel_shuffle>},
    {.op = "aten::pixel_unshuffle", .body = box<pixel_unshuffle>},
    {.op = "aten::channel_shuffle", .body = box<channel_shuffle>},
};

}  // namespace

const std::span<const OpDef> kIndexOps = kRows;

}  // namespace rung::ops
