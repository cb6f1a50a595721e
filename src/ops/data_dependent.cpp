// Ops whose result has as many elements as their data say: each such size is a symbol of its own.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "schema/gen/op_ids.h"
#include "shape/shape_env.h"
#include "trace/dispatch.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Sort = ShapeEnv::Sort;

// The largest size that torch thinks of.
constexpr int64_t kMost = 9223372036854775806;

SymInt fresh_size(ValueRange range) { return SymInt(current_shape_env().fresh(Sort::kSize, range)); }

// The most that a size can be, by the ranges of its symbols.
int64_t most(SymInt size) {
  if (size.is_int()) return size.value();
  return current_shape_env().range(size.expr()).max.value_or(kMost);
}

// Nothing of nothing; else at most one for every element.
SymInt count_of(const Tensor& self) {
  SymInt all = self.numel();
  bool is_empty = all.is_int() && all.value() == 0;
  return is_empty ? SymInt(0) : fresh_size({0, most(all)});
}

const TensorMeta* vector_of(SymInt size, DType dtype, const Tensor& like) {
  return meta::contiguous(Sizes{size}, dtype, like.device());
}

// [count, rank], laid out as the transpose of [rank, count]
const TensorMeta* meta_nonzero(Tensor self) {
  SymInt count = count_of(self), rank = self.dim();
  return meta::make(Sizes{count, rank}, Sizes{1, count}, DType::kInt64, self.device());
}

const TensorMeta* meta_masked_select(Tensor self, Tensor mask) {
  if (mask.dtype() != DType::kBool)
    fail_input("masked_select needs a mask of dtype bool, got ", info(mask.dtype()).name);
  // torch makes no use of a bound that is very small
  int64_t bound = most(self.numel());
  return vector_of(fresh_size({0, bound > 2 ? bound : kMost}), self.dtype(), self);
}

const TensorMeta* meta_bincount(Tensor self, Tensor weights) {
  bool is_float = weights.defined() && weights.dtype() == DType::kFloat32;
  DType dtype = !weights.defined() ? DType::kInt64 : is_float ? DType::kFloat32 : DType::kFloat64;
  return vector_of(fresh_size({0, std::nullopt}), dtype, self);
}

const TensorMeta* meta_repeat_interleave(Tensor repeats, std::optional<SymInt> output_size) {
  return vector_of(output_size ? *output_size : fresh_size({0, std::nullopt}), repeats.dtype(), repeats);
}

// What is unique, where each element went, how often each came.
using Unique = std::array<const TensorMeta*, 3>;
Unique unique_metas(const TensorMeta* values, SymInt count, SymInts places, bool inverse, bool counts,
                    const Tensor& self) {
  const TensorMeta* none = vector_of(0, DType::kInt64, self);
  return {values, inverse ? meta::contiguous(places, DType::kInt64, self.device()) : none,
          counts ? vector_of(count, DType::kInt64, self) : none};
}

Unique unique_of(const Tensor& self, std::optional<int64_t> dim, bool inverse, bool counts) {
  SymInt along = dim ? self.size(*dim) : self.numel();
  SymInt all = self.numel();
  bool is_empty = all.is_int() && all.value() == 0;
  SymInt count = is_empty ? SymInt(0) : fresh_size({0, along.is_int() ? along.value() : kMost});
  if (!dim) return unique_metas(vector_of(count, self.dtype(), self), count, self.sizes(), inverse, counts, self);
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  sizes[static_cast<size_t>(wrap_dim(*dim, self.dim()))] = count;
  const TensorMeta* values = meta::contiguous(sizes, self.dtype(), self.device());
  // the kernel for the CPU always tells both
  bool tells = self.device().type == "cpu";
  const SymInt places[] = {along};
  return unique_metas(values, count, places, inverse || tells, counts || tells, self);
}

Unique meta_unique2(Tensor self, bool, bool inverse, bool counts) {
  return unique_of(self, std::nullopt, inverse, counts);
}
Unique meta_unique_dim(Tensor self, int64_t dim, bool, bool inverse, bool counts) {
  return unique_of(self, dim, inverse, counts);
}
Unique meta_unique_dim_consecutive(Tensor self, int64_t dim, bool inverse, bool counts) {
  return unique_of(self, dim, inverse, counts);
}
Unique meta_unique_consecutive(Tensor self, bool inverse, bool counts, std::optional<int64_t> dim) {
  return unique_of(self, dim, inverse, counts);
}

// ---- item

// An integer is a symbol u0 of any value, a float zuf0; a truth value is whether an integer is one.
ValueMeta meta_local_scalar_dense(const Call& call) {
  Tensor self = unbox_tensor(call.args[0]);
  ShapeEnv& env = current_shape_env();
  ValueMeta meta;
  if (is_floating(self.dtype())) {
    meta.kind = ValueMeta::Kind::kSymFloat;
    meta.expr = env.fresh(Sort::kFloat, {});
  } else if (self.dtype() == DType::kBool) {
    meta.kind = ValueMeta::Kind::kSymBool;
    meta.expr = make_relation("Equality", env.fresh(Sort::kInteger, {0, 1}), make_integer(1));
  } else {
    meta.kind = ValueMeta::Kind::kSymInt;
    meta.number = SymInt(env.fresh(Sort::kInteger, {}));
  }
  return meta;
}

Argument item(const Call& call) { return dispatch(op::aten__local_scalar_dense, call.args); }

// torch's reference asks a fake tensor for its number.
Argument reference_item(const Call& call) {
  if (!is_like_torch()) return item(call);
  DType dtype = unbox_tensor(call.args[0]).dtype();
  std::string named = dtype == DType::kFloat32 ? "" : cat(", dtype=torch.", info(dtype).name);
  fail_unsupported("cannot cast FakeTensor(..., size=()", named, ") to number");
}

// ---- what is made of those

Tensor argwhere(Tensor self) { return aten::nonzero(self); }

// One tensor of indices for each dimension.
std::vector<Tensor> nonzero_numpy(Tensor self) {
  Tensor places = aten::nonzero(self.dim() == 0 ? aten::unsqueeze(self, 0) : self);
  return aten::unbind_int(places, 1);
}

// Repeats tell how often each index comes; without a dimension the tensor is flat.
Tensor repeat_interleave_self(Tensor self, Tensor repeats, std::optional<int64_t> dim,
                              std::optional<SymInt> output_size) {
  Tensor input = dim ? self : aten::flatten_using_ints(self);
  int64_t at = dim.value_or(0);
  bool is_one = repeats.dim() == 0 || (repeats.dim() == 1 && repeats.size(0) == 1);
  if (is_one) {
    Tensor flat = aten::reshape(repeats, {1});
    repeats = aten::expand(flat, {input.size(at)});
  }
  Tensor places = aten::repeat_interleave_Tensor(repeats, output_size);
  return aten::index_select(input, at, places);
}

const TensorMeta* meta_nonzero_static(Tensor self, SymInt size) {
  return meta::contiguous(meta::Sizes{size, self.dim()}, DType::kInt64, self.device());
}

// One segment for each length, or between two offsets.
const TensorMeta* meta_segment_reduce(Tensor data, std::string_view, Tensor lengths, Tensor indices, Tensor offsets,
                                      int64_t axis) {
  if (indices.defined()) fail_input("segment_reduce by indices is not supported, give lengths or offsets");
  if (!lengths.defined() && !offsets.defined()) fail_input("segment_reduce: either lengths or offsets must be given");
  meta::Sizes sizes(data.sizes().begin(), data.sizes().end());
  sizes[static_cast<size_t>(wrap_dim(axis, data.dim()))] =
      lengths.defined() ? lengths.size(axis) : offsets.size(axis) - 1;
  return meta::contiguous(sizes, data.dtype(), data.device());
}

constexpr OpDef kRows[] = {
    {.op = "aten::nonzero_static", .meta = box_meta<meta_nonzero_static>},
    {.op = "aten::segment_reduce", .meta = box_meta<meta_segment_reduce>},
    {.op = "aten::nonzero", .meta = box_meta<meta_nonzero>},
    {.op = "aten::masked_select", .meta = box_meta<meta_masked_select>},
    {.op = "aten::bincount", .meta = box_meta<meta_bincount>},
    {.op = "aten::repeat_interleave.Tensor",
     .meta = box_meta<meta_repeat_interleave>,
     .reference = box<closed::repeat_interleave>},
    {.op = "aten::_unique2", .meta = box_meta<meta_unique2>},
    {.op = "aten::unique_dim", .meta = box_meta<meta_unique_dim>},
    {.op = "aten::unique_dim_consecutive", .meta = box_meta<meta_unique_dim_consecutive>},
    {.op = "aten::unique_consecutive", .meta = box_meta<meta_unique_consecutive>},
    {.op = "aten::_local_scalar_dense", .meta = meta_local_scalar_dense},
    {.op = "aten::item", .body = item, .reference = reference_item},
    {.op = "aten::argwhere", .body = box<argwhere>},
    {.op = "aten::nonzero_numpy", .body = box<nonzero_numpy>},
    {.op = "aten::repeat_interleave.self_Tensor", .body = box<repeat_interleave_self>},
};

}  // namespace

const std::span<const OpDef> kDataDependentOps = kRows;

}  // namespace rung::ops
