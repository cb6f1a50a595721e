// Padding: with a constant, by reflection, by repeating the border, or around in a circle.
#include <algorithm>

#include "meta/layout.h"
#include "meta/view.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/prims.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// `pad` lists (before, after) from the last dimension on; the sizes after padding.
Sizes padded_sizes(const Tensor& self, SymInts pad) {
  if (pad.size() % 2 != 0) fail_input("pad: ", pad.size(), " numbers are not pairs");
  if (pad.size() / 2 > self.sizes().size())
    fail_input("pad: ", pad.size() / 2, " pairs for a tensor of rank ", self.dim());
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    SymInt& size = sizes[sizes.size() - 1 - i];
    size += pad[2 * i] + pad[2 * i + 1];
    if (size < 0) fail_input("pad: dimension ", sizes.size() - 1 - i, " would have size ", size.str());
  }
  return sizes;
}

// ---- metas

// Only cutting keeps the strides; else channels last stays so.
const TensorMeta* meta_constant_pad_nd(Tensor self, SymInts pad) {
  Sizes sizes = padded_sizes(self, pad);
  bool only_cuts = std::ranges::all_of(pad, [](SymInt p) { return p <= 0; });
  if (!only_cuts) return meta::formatted(sizes, self.dtype(), self.device(), meta::suggest_memory_format(self.meta()));
  return meta::like(*meta::view_of(self.meta(), sizes, self.strides(), 0), self.dtype());
}

template <size_t spatial>
const TensorMeta* meta_mirror_pad(Tensor self, SymInts pad) {
  if (pad.size() != 2 * spatial || (self.sizes().size() != spatial + 1 && self.sizes().size() != spatial + 2))
    fail_input("padding ", spatial, " dimensions: ", pad.size(), " numbers for a tensor of rank ", self.dim());
  Sizes sizes = padded_sizes(self, pad);
  bool last =
      self.dim() == 4 && spatial == 2 && meta::suggest_memory_format(self.meta()) == MemoryFormat::kChannelsLast;
  bool last_3d =
      self.dim() == 5 && spatial == 3 && meta::suggest_memory_format(self.meta()) == MemoryFormat::kChannelsLast3d;
  return meta::formatted(sizes, self.dtype(), self.device(),
                         last      ? MemoryFormat::kChannelsLast
                         : last_3d ? MemoryFormat::kChannelsLast3d
                                   : MemoryFormat::kContiguous);
}

const TensorMeta* meta_pad_circular(Tensor self, SymInts pad) {
  return meta::contiguous(padded_sizes(self, pad), self.dtype(), self.device());
}

enum class Mode : int64_t { kReflect, kReplicate, kCircular, kConstant };
constexpr std::string_view kModeNames[] = {"reflect", "replicate", "circular", "constant"};

Mode mode_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kModeNames); ++i)
    if (kModeNames[i] == name) return static_cast<Mode>(i);
  fail_input("pad: unknown mode '", name, "'");
}

const TensorMeta* meta_pad_enum(Tensor self, SymInts pad, int64_t mode) {
  if (static_cast<Mode>(mode) == Mode::kConstant) return meta_constant_pad_nd(self, pad);
  if (static_cast<Mode>(mode) == Mode::kCircular) return meta_pad_circular(self, pad);
  return pad.size() == 2   ? meta_mirror_pad<1>(self, pad)
         : pad.size() == 4 ? meta_mirror_pad<2>(self, pad)
                           : meta_mirror_pad<3>(self, pad);
}
const TensorMeta* meta_pad(Tensor self, SymInts pad, std::string_view mode) {
  return meta_pad_enum(self, pad, static_cast<int64_t>(mode_of(mode)));
}

// ---- bodies

Tensor pad_enum(Tensor self, SymInts pad, int64_t mode, std::optional<double> value) {
  Mode how = static_cast<Mode>(mode);
  if (how == Mode::kConstant) return aten::constant_pad_nd(self, pad, value.value_or(0.0));
  if (value && *value != 0) fail_input("pad: mode '", kModeNames[mode], "' takes no value");
  size_t spatial = pad.size() / 2, rank = self.sizes().size();
  if (pad.size() % 2 != 0 || spatial < 1 || spatial > 3 || (rank != spatial + 1 && rank != spatial + 2))
    fail_unsupported("pad: mode '", kModeNames[mode], "' pads the last 1 to 3 dimensions of 1 to 2 more, got ",
                     pad.size(), " numbers for rank ", rank);
  if (how == Mode::kCircular) return aten::_pad_circular(self, pad);
  using PadFunction = Tensor (*)(const Tensor&, IntList);
  constexpr PadFunction kReflections[] = {aten::reflection_pad1d, aten::reflection_pad2d, aten::reflection_pad3d};
  constexpr PadFunction kReplications[] = {aten::replication_pad1d, aten::replication_pad2d, aten::replication_pad3d};
  return (how == Mode::kReflect ? kReflections : kReplications)[spatial - 1](self, pad);
}

Tensor pad(Tensor self, SymInts pad, std::string_view mode, std::optional<double> value) {
  return pad_enum(self, pad, static_cast<int64_t>(mode_of(mode)), value);
}

// Negative numbers cut.
Tensor cut(const Tensor& self, SymInts pad) {
  Tensor result = self;
  for (size_t i = pad.size() / 2; i-- > 0;) {
    int64_t dim = self.dim() - 1 - static_cast<int64_t>(i);
    SymInt before = pad[2 * i], after = pad[2 * i + 1];
    if (before < 0) result = aten::narrow(result, dim, -before, result.size(dim) + before);
    if (after < 0) result = aten::narrow(result, dim, 0, result.size(dim) + after);
  }
  return result;
}

// As torch does it: a copy into the middle of a full tensor. The copy is a write, which torch then refuses.
Tensor pad_by_writing(const Tensor& self, SymInts pad, const Scalar& value) {
  Tensor middle = cut(self, pad);
  if (std::ranges::all_of(pad, [](SymInt p) { return p < 0; })) return aten::clone(middle);
  MemoryFormat format = meta::suggest_memory_format(self.meta());
  Tensor out =
      aten::empty_memory_format(padded_sizes(self, pad), self.dtype(), std::nullopt, self.device(), false, format);
  out = aten::fill_Scalar(out, self.dtype() == DType::kBool && value.equals(0) ? Scalar(false) : value);
  Tensor target = out;
  for (size_t i = pad.size() / 2; i-- > 0;) {
    int64_t dim = self.dim() - 1 - static_cast<int64_t>(i);
    SymInt before = pad[2 * i], after = pad[2 * i + 1];
    if (before >= 0) target = aten::narrow(target, dim, before, target.size(dim) - before);
    if (after >= 0) target = aten::narrow(target, dim, 0, target.size(dim) - after);
  }
  prims::copy_to(target, middle);
  return out;
}

// Full tensors before and after, dimension by dimension.
Tensor constant_pad_reference(Tensor self, SymInts pad, Scalar value) {
  if (is_like_torch()) return pad_by_writing(self, pad, value);
  Tensor result = cut(self, pad);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t dim = self.dim() - 1 - static_cast<int64_t>(i);
    Sizes shape(result.sizes().begin(), result.sizes().end());
    std::vector<Tensor> parts = {result};
    auto filled = [&](SymInt length) {
      shape[static_cast<size_t>(dim)] = length;
      return prims::full(shape, value, self.dtype(), self.device(), false);
    };
    if (pad[2 * i] > 0) parts.insert(parts.begin(), filled(pad[2 * i]));
    if (pad[2 * i + 1] > 0) parts.push_back(filled(pad[2 * i + 1]));
    if (parts.size() > 1) result = prims::cat(parts, dim);
  }
  return result.same(self) ? aten::clone(self) : result;
}

// One dimension after the other is read at computed places.
template <auto places, size_t spatial>
Tensor read_at(Tensor self, SymInts pad) {
  if (pad.size() != 2 * spatial || (self.sizes().size() != spatial + 1 && self.sizes().size() != spatial + 2))
    fail_input("padding ", spatial, " dimensions: ", pad.size(), " numbers for a tensor of rank ", self.dim());
  ComputeTypes types = compute_types({self});
  Tensor input = types.up(self), result = input;
  size_t rank = input.sizes().size();
  for (size_t i = 0; i < spatial; ++i) {
    size_t pair = 2 * (spatial - 1 - i);
    SymInt size = input.sizes()[rank - spatial + i];
    SymInt start = -pad[pair];
    Tensor range = arange(start, size + pad[pair + 1], input.device());
    std::vector<Tensor> indices(rank - spatial + i);
    indices.push_back(places(range, size));
    indices.resize(rank);
    result = aten::_unsafe_index_Tensor(result, indices);
  }
  return types.down(aten::contiguous(result, meta::suggest_memory_format(input.meta())));
}

// size - 1 - |size - 1 - |i||
Tensor reflected(const Tensor& range, SymInt size) {
  SymInt last = size - 1;
  Tensor place = aten::abs(range);
  place = aten::rsub_Scalar(place, last);
  place = aten::abs(place);
  return aten::rsub_Scalar(place, last);
}
Tensor replicated(const Tensor& range, SymInt size) { return aten::clamp(range, 0, size - 1); }

// The last dimensions' pairs come first, and torch counts from the first dimension.
Sizes circular_sizes(const Tensor& self, SymInts pad) {
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  for (size_t i = pad.size() / 2; i-- > 0;) {
    SymInt& size = sizes[sizes.size() - 1 - i];
    size = size + pad[2 * i] + pad[2 * i + 1];
  }
  return sizes;
}

// A decision, where max() would be arithmetic.
SymInt at_least_0(SymInt size) { return size < 0 ? SymInt(0) : size; }

// The tensor in the middle of an empty one, then each side filled from the opposite one.
Tensor pad_circular(Tensor self, SymInts pad) {
  padded_sizes(self, pad);
  Sizes shape = circular_sizes(self, pad);
  int64_t rank = self.dim();
  auto before = [&](size_t i) { return pad[2 * i]; };
  auto after = [&](size_t i) { return pad[2 * i + 1]; };
  auto dim_of = [&](size_t i) { return rank - 1 - static_cast<int64_t>(i); };
  for (size_t i = 0; i < pad.size() / 2; ++i)
    if (before(i) > self.size(dim_of(i)) || after(i) > self.size(dim_of(i)))
      fail_input("pad: circular padding is larger than dimension ", dim_of(i));
  Tensor out = aten::new_empty(self, shape, self.dtype(), self.layout(), self.device());
  Tensor middle = out, source = self;
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t dim = dim_of(i);
    SymInt added = at_least_0(before(i)), cut = at_least_0(-before(i));
    middle = aten::slice_Tensor(middle, dim, added, out.size(dim) - at_least_0(after(i)));
    source = aten::slice_Tensor(source, dim, cut, self.size(dim) - at_least_0(-after(i)));
  }
  aten::copy_(middle, source);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t dim = dim_of(i);
    SymInt size = out.size(dim), left = before(i), right = after(i);
    if (left > 0) {
      Tensor side = aten::slice_Tensor(out, dim, 0, left);
      SymInt end = at_least_0(right), start = size - left - end;
      Tensor from = aten::slice_Tensor(out, dim, start, size - end);
      aten::copy_(side, from);
    }
    if (right > 0) {
      Tensor side = aten::slice_Tensor(out, dim, size - right, size);
      SymInt start = at_least_0(left);
      Tensor from = aten::slice_Tensor(out, dim, start, start + right);
      aten::copy_(side, from);
    }
  }
  return out;
}

// ---- the gradient of reflection

// Values between `low` and `high` of an index.
struct Reach {
  Tensor index;
  SymInt low, high;
};
// Of symbolic bounds torch does not ask.
bool is_surely_empty(const Reach& reach) { return reach.low.is_int() && reach.high.is_int() && reach.high < reach.low; }
Tensor inside(const std::vector<Reach>& reaches) {
  Tensor all;
  std::vector<Tensor> each;
  for (const Reach& reach : reaches) {
    Tensor above = aten::ge_Scalar(reach.index, reach.low);
    each.push_back(aten::logical_and(above, aten::le_Scalar(reach.index, reach.high)));
  }
  for (const Tensor& condition : each) all = all.defined() ? aten::logical_and(all, condition) : condition;
  return all;
}

// The middle's gradient, then what each of the 3^n - 1 reflected areas adds to it.
template <size_t spatial>
Tensor reflection_pad_backward(Tensor grad, Tensor self, SymInts pad) {
  size_t lead = self.sizes().size() - spatial;
  std::vector<SymInt> left, right, last;
  for (size_t i = 0; i < spatial; ++i) last.push_back(self.sizes()[lead + i] - 1);
  std::vector<Tensor> places;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    Sizes along(self.sizes().size(), 1);
    along[i] = -1;
    places.push_back(aten::view(arange(self.sizes()[i], self.device()), along));
  }
  for (size_t i = 0; i < spatial; ++i) {
    left.push_back(pad[2 * (spatial - 1 - i)]);
    right.push_back(pad[2 * (spatial - 1 - i) + 1]);
  }
  std::vector<Tensor> center, before, after;
  for (size_t i = 0; i < spatial; ++i) center.push_back(aten::add_Tensor(places[lead + i], Scalar(left[i])));
  for (size_t i = 0; i < spatial; ++i) before.push_back(aten::rsub_Scalar(places[lead + i], left[i]));
  for (size_t i = 0; i < spatial; ++i)
    after.push_back(aten::rsub_Scalar(places[lead + i], SymInt(2) * last[i] + left[i]));
  auto read = [&](const std::vector<Tensor>& at, const std::vector<Reach>& reaches) {
    std::vector<Tensor> indices(places.begin(), places.begin() + static_cast<ptrdiff_t>(lead));
    indices.insert(indices.end(), at.begin(), at.end());
    Tensor mask = inside(reaches);
    return aten::_unsafe_masked_index(grad, mask, indices, 0.0);
  };
  std::vector<Reach> middle;
  for (size_t i = 0; i < spatial; ++i) middle.push_back({center[i], 0, last[i] + left[i] + right[i]});
  Tensor total = read(center, middle);
  size_t areas = 1;
  for (size_t i = 0; i < spatial; ++i) areas *= 3;
  for (size_t area = 0; area < areas; ++area) {
    std::vector<Tensor> at;
    std::vector<Reach> reaches;
    size_t rest = area, place = areas / 3;
    bool is_center = true, empty = false;
    for (size_t i = 0; i < spatial; ++i, rest %= place, place /= 3) {
      size_t side = rest / place;  // 0: before, 1: center, 2: after
      is_center = is_center && side == 1;
      at.push_back(side == 0 ? before[i] : side == 1 ? center[i] : after[i]);
      reaches.push_back(side == 0   ? Reach{places[lead + i], 1, left[i]}
                        : side == 1 ? middle[i]
                                    : Reach{places[lead + i], last[i] - right[i], last[i] - 1});
      empty = empty || is_surely_empty(reaches.back());
      if (place == 1) break;
    }
    if (!is_center && !empty) total = aten::add_Tensor(total, read(at, reaches));
  }
  return total;
}

constexpr OpDef kRows[] = {
    {.op = "aten::pad", .meta = box_meta<meta_pad>, .body = box<pad>},
    {.op = "aten::_pad_enum", .meta = box_meta<meta_pad_enum>, .body = box<pad_enum>},
    {.op = "aten::_pad_circular", .meta = box_meta<meta_pad_circular>, .body = box<pad_circular>},
    {.op = "aten::constant_pad_nd", .meta = box_meta<meta_constant_pad_nd>, .reference = box<constant_pad_reference>},
    {.op = "aten::reflection_pad1d", .meta = box_meta<meta_mirror_pad<1>>, .body = box<read_at<reflected, 1>>},
    {.op = "aten::reflection_pad2d", .meta = box_meta<meta_mirror_pad<2>>, .body = box<read_at<reflected, 2>>},
    {.op = "aten::reflection_pad3d", .meta = box_meta<meta_mirror_pad<3>>, .body = box<read_at<reflected, 3>>},
    {.op = "aten::reflection_pad1d_backward", .body = box<reflection_pad_backward<1>>},
    {.op = "aten::reflection_pad2d_backward", .body = box<reflection_pad_backward<2>>},
    {.op = "aten::reflection_pad3d_backward", .body = box<reflection_pad_backward<3>>},
    {.op = "aten::replication_pad1d", .meta = box_meta<meta_mirror_pad<1>>, .body = box<read_at<replicated, 1>>},
    {.op = "aten::replication_pad2d", .meta = box_meta<meta_mirror_pad<2>>, .body = box<read_at<replicated, 2>>},
    {.op = "aten::replication_pad3d", .meta = box_meta<meta_mirror_pad<3>>, .body = box<read_at<replicated, 3>>},
};

}  // namespace

const std::span<const OpDef> kPadOps = kRows;

}  // namespace rung::ops
