// Views never move data: each is a new set of sizes, strides and offset.
#include "meta/view.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "shape/shape_env.h"

namespace rung::meta {
namespace {

constexpr int64_t kEndOfSlice = std::numeric_limits<int64_t>::max();

// The place that an index of a slice means, counted from the front. Of one that depends on data it cannot be told.
std::optional<SymInt> slice_index(SymInt size, SymInt index) {
  if (decide_or_false(SymOp::kGe, index, 0) && decide_or_false(SymOp::kLe, index, size)) return index;
  SymInt lowest = -size;
  if (decide_or_false(SymOp::kLt, index, 0) && decide_or_false(SymOp::kGe, index, lowest)) return index + size;
  if (decide_or_false(SymOp::kLt, index, lowest)) return 0;
  if (decide_or_false(SymOp::kGt, index, size)) return size;
  if (decide_or_false(SymOp::kLt, index, 0)) return max(index + size, 0);
  if (decide_or_false(SymOp::kGe, index, 0)) return min(index, size);
  return std::nullopt;
}

// Numbers that only the program knows, from 0 on.
SymInt fresh_offset() { return SymInt(current_shape_env().fresh(ShapeEnv::Sort::kSize, {0, std::nullopt})); }
SymInt fresh_length(SymInt most) {
  if (most.is_int()) return SymInt(current_shape_env().fresh(ShapeEnv::Sort::kSize, {0, most.value()}));
  SymInt length = fresh_offset();
  current_shape_env().assert_later(make_relation("LessThan", length.expr(), most.expr()));
  return length;
}

SymInt slice_length(SymInt from, SymInt to) {
  if (decide_or_false(SymOp::kGe, to, from)) return to - from;
  return decide_or_false(SymOp::kGe, from, to) ? SymInt(0) : max(to - from, 0);
}

std::string list_text(SymInts items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += cat(i > 0 ? ", " : "", items[i].str());
  return out + "]";
}

}  // namespace

Sizes infer_size(SymInts sizes, const TensorMeta& base) { return infer_size(sizes, base, numel(base)); }

Sizes infer_size(SymInts sizes, const TensorMeta& base, SymInt total) {
  Sizes out(sizes.begin(), sizes.end());
  SymInt known = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == -1) {
      if (open) fail_input("view shape ", list_text(sizes), " has more than one -1");
      open = i;
    } else {
      if (out[i] < 0) fail_input("view shape ", list_text(sizes), " has a negative size");
      known *= out[i];
    }
  }
  bool fits = open ? known != 0 && total % known == 0 : known == total;
  if (open && known == 0 && total == 0)
    fail_input("view shape ", list_text(sizes), " is ambiguous: the tensor is empty");
  if (!fits)
    fail_input("view shape ", list_text(sizes), " does not fit ", total.str(), " elements of shape ",
               list_text(base.sizes));
  if (open) out[*open] = total / known;
  return out;
}

// Old dimensions that lie densely behind one another form a chunk; each chunk must be filled exactly by new dimensions.
std::optional<Sizes> view_strides(const TensorMeta& base, SymInts sizes) {
  LayoutScope scope;
  if (numel(base) == 0) {
    if (std::ranges::equal(base.sizes, sizes)) return Sizes(base.strides.begin(), base.strides.end());
    return contiguous_strides(sizes);
  }
  if (base.rank() == 0) return Sizes(sizes.size(), SymInt(1));
  Sizes strides(sizes.size());
  size_t next = sizes.size();  // new dimensions from here on have their stride
  SymInt chunk_stride = base.strides.back(), chunk = 1, filled = 1;
  for (size_t dim = base.rank(); dim-- > 0;) {
    chunk *= base.sizes[dim];
    bool ends = dim == 0 || (base.sizes[dim - 1] != 1 && base.strides[dim - 1] != chunk * chunk_stride);
    if (!ends) continue;
    while (next > 0 && (filled < chunk || sizes[next - 1] == 1)) {
      strides[next - 1] = filled * chunk_stride;
      filled *= sizes[next - 1];
      --next;
    }
    if (filled != chunk) return std::nullopt;
    if (dim > 0) {
      chunk_stride = base.strides[dim - 1];
      chunk = 1;
      filled = 1;
    }
  }
  if (next != 0) return std::nullopt;
  return strides;
}

void fail_view(const TensorMeta& base, SymInts sizes) {
  fail_unsupported("cannot view a tensor with shape ", list_text(base.sizes), " and strides ", list_text(base.strides),
                   " as a tensor with shape ", list_text(sizes));
}

const TensorMeta* view_if_any(const TensorMeta& base, SymInts sizes) {
  Sizes full = infer_size(sizes, base);
  if (std::optional<ViewShape> shape = reference_view(base, full))
    return view_of(base, shape->sizes, shape->strides, base.storage_offset);
  std::optional<Sizes> strides = view_strides(base, full);
  return strides ? view_of(base, full, *strides, base.storage_offset) : nullptr;
}

const TensorMeta* view(const TensorMeta& base, SymInts sizes) {
  const TensorMeta* found = view_if_any(base, sizes);
  if (found == nullptr) fail_view(base, infer_size(sizes, base));
  return found;
}

const TensorMeta* expand(const TensorMeta& base, SymInts sizes) {
  if (sizes.size() < base.rank())
    fail_input("expand to ", list_text(sizes), " has fewer dimensions than the tensor's shape ", list_text(base.sizes));
  size_t added = sizes.size() - base.rank();
  Sizes full(sizes.begin(), sizes.end()), strides(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    SymInt old_size = i >= added ? base.sizes[i - added] : SymInt(1);
    // a new leading dimension of size 1 gets the stride of a dense one in front of the first
    SymInt leading = base.rank() == 0 ? SymInt(1) : base.sizes[0] * base.strides[0];
    SymInt stride = i >= added ? base.strides[i - added] : leading;
    if (full[i] == -1) {
      if (i < added) fail_input("expand to ", list_text(sizes), ": -1 in a new dimension");
      full[i] = old_size;
    }
    if (old_size != full[i]) {
      if (old_size != 1)
        fail_input("expand of shape ", list_text(base.sizes), " to ", list_text(sizes), ": sizes differ at dimension ",
                   i);
      stride = 0;
    }
    strides[i] = stride;
  }
  return view_of(base, full, strides, base.storage_offset);
}

const TensorMeta* permute(const TensorMeta& base, SymInts dims) {
  int64_t rank = static_cast<int64_t>(base.rank());
  if (dims.size() != base.rank()) fail_input("permute with ", dims.size(), " dimensions of a tensor of rank ", rank);
  Sizes sizes, strides;
  for (int64_t dim : wrap_dims(dims, rank)) {
    sizes.push_back(base.sizes[static_cast<size_t>(dim)]);
    strides.push_back(base.strides[static_cast<size_t>(dim)]);
  }
  return view_of(base, sizes, strides, base.storage_offset);
}

const TensorMeta* transpose(const TensorMeta& base, int64_t dim0, int64_t dim1) {
  int64_t rank = static_cast<int64_t>(base.rank());
  size_t a = static_cast<size_t>(wrap_dim(dim0, rank)), b = static_cast<size_t>(wrap_dim(dim1, rank));
  Sizes sizes(base.sizes.begin(), base.sizes.end()), strides(base.strides.begin(), base.strides.end());
  if (rank > 0) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return view_of(base, sizes, strides, base.storage_offset);
}

const TensorMeta* select(const TensorMeta& base, int64_t dim, SymInt index) {
  if (base.rank() == 0) fail_input("select of a 0-d tensor");
  size_t d = static_cast<size_t>(wrap_dim(dim, static_cast<int64_t>(base.rank())));
  SymInt size = base.sizes[d];
  if (index < -size || index >= size)
    fail_input("select index ", index.str(), " is out of range for dimension ", d, " of size ", size.str());
  Sizes sizes(base.sizes.begin(), base.sizes.end()), strides(base.strides.begin(), base.strides.end());
  SymInt offset = base.storage_offset + (index < 0 ? index + size : index) * strides[d];
  sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(d));
  strides.erase(strides.begin() + static_cast<ptrdiff_t>(d));
  return view_of(base, sizes, strides, offset);
}

const TensorMeta* slice(const TensorMeta& base, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end,
                        SymInt step) {
  if (base.rank() == 0) fail_input("slice of a 0-d tensor");
  if (step <= 0) fail_input("slice step must be positive, got ", step.str());
  size_t d = static_cast<size_t>(wrap_dim(dim, static_cast<int64_t>(base.rank())));
  SymInt size = base.sizes[d];
  std::optional<SymInt> from = slice_index(size, start.value_or(0));
  std::optional<SymInt> to = end && !end->identical(kEndOfSlice) ? slice_index(size, *end) : size;
  Sizes sizes(base.sizes.begin(), base.sizes.end()), strides(base.strides.begin(), base.strides.end());
  sizes[d] = from && to ? (slice_length(*from, *to) + step - 1) / step : fresh_length(size);
  SymInt offset = from ? base.storage_offset + *from * strides[d] : fresh_offset();
  strides[d] *= step;
  return view_of(base, sizes, strides, offset);
}

const TensorMeta* unsqueeze(const TensorMeta& base, int64_t dim) {
  size_t d = static_cast<size_t>(wrap_dim(dim, static_cast<int64_t>(base.rank()) + 1));
  Sizes sizes(base.sizes.begin(), base.sizes.end()), strides(base.strides.begin(), base.strides.end());
  SymInt stride = d < base.rank() ? sizes[d] * strides[d] : SymInt(1);
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(d), 1);
  strides.insert(strides.begin() + static_cast<ptrdiff_t>(d), stride);
  return view_of(base, sizes, strides, base.storage_offset);
}

const TensorMeta* squeeze(const TensorMeta& base, std::optional<SymInts> dims) {
  std::vector<bool> wanted(base.rank(), !dims.has_value());
  if (dims && base.rank() > 0)
    for (int64_t dim : wrap_dims(*dims, static_cast<int64_t>(base.rank()))) wanted[static_cast<size_t>(dim)] = true;
  Sizes sizes, strides;
  for (size_t i = 0; i < base.rank(); ++i) {
    if (wanted[i] && base.sizes[i] == 1) continue;
    sizes.push_back(base.sizes[i]);
    strides.push_back(base.strides[i]);
  }
  return view_of(base, sizes, strides, base.storage_offset);
}

}  // namespace rung::meta
