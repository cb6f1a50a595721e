// Memory layout of fresh tensors.
#include "meta/layout.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "ir/current_arena.h"
#include "shape/shape_env.h"
#include "shape/sym_trace.h"

namespace rung::meta {
namespace {

// Order of dimensions from fastest to slowest.
constexpr int kChannelsLastOrder4[] = {1, 3, 2, 0};
constexpr int kChannelsLastOrder5[] = {1, 4, 3, 2, 0};

std::span<const int> channels_last_order(size_t rank) {
  return rank == 4 ? std::span<const int>(kChannelsLastOrder4) : std::span<const int>(kChannelsLastOrder5);
}

bool strides_follow(const TensorMeta& meta, std::span<const int> order) {
  LayoutScope scope;
  SymInt expected = 1;
  for (int dim : order) {
    size_t d = static_cast<size_t>(dim);
    if (meta.sizes[d] == 1) continue;
    if (meta.strides[d] != expected) return false;
    expected *= meta.sizes[d];
  }
  return true;
}

// Ambiguous strides (N111, N11W) count as contiguous.
bool strides_look_channels_last(const TensorMeta& meta, std::span<const int> order) {
  LayoutScope scope;
  if (meta.strides[1] == 0) return false;
  SymInt least = 0;
  for (int dim : order) {
    size_t d = static_cast<size_t>(dim);
    if (meta.sizes[d] == 0 || meta.strides[d] < least) return false;
    if (d == 0 && least == meta.strides[1]) return false;
    least = meta.strides[d];
    if (meta.sizes[d] > 1) least *= meta.sizes[d];
  }
  return true;
}

// An insertion sort that leaves dimensions in their order where the strides do not tell.
std::vector<size_t> fastest_first(SymInts sizes, SymInts strides) {
  std::vector<size_t> order(sizes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  // 1: dimension a is slower than b, -1: faster, 0: the strides do not tell
  auto compare = [&](size_t a, size_t b) {
    if (strides[a] == 0 || strides[b] == 0) return 0;
    if (strides[a] < strides[b]) return -1;
    if (strides[a] > strides[b]) return 1;
    return sizes[a] > sizes[b] ? 1 : 0;
  };
  for (size_t i = 1; i < order.size(); ++i) {
    size_t moving = i;
    for (size_t before = i; before-- > 0;) {
      int comparison = compare(order[before], order[moving]);
      if (comparison > 0) {
        std::swap(order[before], order[moving]);
        moving = before;
      } else if (comparison < 0) {
        break;
      }
    }
  }
  return order;
}

}  // namespace

SymInt numel(SymInts sizes) {
  SymInt count = 1;
  for (SymInt size : sizes) count *= size;
  return count;
}

SymInt numel(const TensorMeta& meta) {
  SymTraceScope untraced(nullptr);
  return numel(meta.sizes);
}

Sizes contiguous_strides(SymInts sizes) {
  Sizes strides(sizes.size());
  SymInt step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= max(sizes[i], 1);
  }
  return strides;
}

Sizes channels_last_strides(SymInts sizes) {
  if (sizes.size() != 4 && sizes.size() != 5)
    fail_input("channels_last needs a 4-d or 5-d tensor, got rank ", sizes.size());
  Sizes strides(sizes.size());
  SymInt step = 1;
  for (int dim : channels_last_order(sizes.size())) {
    strides[static_cast<size_t>(dim)] = step;
    step *= max(sizes[static_cast<size_t>(dim)], 1);
  }
  return strides;
}

Sizes dense_strides_like(SymInts sizes, SymInts strides) {
  LayoutScope scope;
  Sizes dense(sizes.size());
  SymInt step = 1;
  for (size_t dim : fastest_first(sizes, strides)) {
    dense[dim] = step;
    if (sizes[dim] > 1) step *= sizes[dim];
  }
  return dense;
}

std::vector<size_t> physical_order(const TensorMeta& meta) {
  LayoutScope scope;
  std::vector<size_t> order = fastest_first(meta.sizes, meta.strides);
  if (is_contiguous(meta) && !is_contiguous(meta, MemoryFormat::kChannelsLast))
    std::iota(order.rbegin(), order.rend(), size_t{0});
  std::reverse(order.begin(), order.end());
  return order;
}

bool is_contiguous(const TensorMeta& meta, MemoryFormat format) {
  LayoutScope scope;
  if (format == MemoryFormat::kChannelsLast) return meta.rank() == 4 && strides_follow(meta, kChannelsLastOrder4);
  if (format == MemoryFormat::kChannelsLast3d) return meta.rank() == 5 && strides_follow(meta, kChannelsLastOrder5);
  for (SymInt size : meta.sizes)
    if (size == 0) return true;
  SymInt expected = 1;
  for (size_t i = meta.rank(); i-- > 0;) {
    if (meta.sizes[i] == 1) continue;
    if (meta.strides[i] != expected) return false;
    expected *= meta.sizes[i];
  }
  return true;
}

bool is_non_overlapping_and_dense(const TensorMeta& meta) {
  LayoutScope scope;
  if (meta.rank() == 1) return meta.sizes[0] < 2 || meta.strides[0] == 1;
  std::vector<size_t> order(meta.rank());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (meta.sizes[a] < 2) return false;
    return meta.sizes[b] < 2 || meta.strides[a] < meta.strides[b];
  });
  SymInt expected = 1;
  for (size_t dim : order) {
    if (meta.sizes[dim] < 2) return true;
    if (meta.strides[dim] != expected) return false;
    expected *= meta.sizes[dim];
  }
  return true;
}

MemoryFormat suggest_memory_format(const TensorMeta& meta) {
  if (meta.rank() == 4 && strides_look_channels_last(meta, kChannelsLastOrder4)) return MemoryFormat::kChannelsLast;
  if (meta.rank() == 5 && strides_look_channels_last(meta, kChannelsLastOrder5)) return MemoryFormat::kChannelsLast3d;
  return MemoryFormat::kContiguous;
}

const TensorMeta* make(SymInts sizes, SymInts strides, DType dtype, const Device& device, SymInt offset) {
  Arena& arena = current_arena();
  TensorMeta* meta = arena.make<TensorMeta>();
  meta->dtype = dtype;
  meta->device = device;
  meta->sizes = arena.copy(sizes);
  meta->strides = arena.copy(strides);
  meta->storage_offset = offset;
  return meta;
}

const TensorMeta* contiguous(SymInts sizes, DType dtype, const Device& device) {
  return make(sizes, contiguous_strides(sizes), dtype, device);
}

const TensorMeta* formatted(SymInts sizes, DType dtype, const Device& device, MemoryFormat format) {
  bool last = format == MemoryFormat::kChannelsLast || format == MemoryFormat::kChannelsLast3d;
  return make(sizes, last ? channels_last_strides(sizes) : contiguous_strides(sizes), dtype, device);
}

const TensorMeta* like(const TensorMeta& source, DType dtype, MemoryFormat format) {
  if (format != MemoryFormat::kPreserve) return formatted(source.sizes, dtype, source.device, format);
  if (is_non_overlapping_and_dense(source)) return make(source.sizes, source.strides, dtype, source.device);
  return make(source.sizes, dense_strides_like(source.sizes, source.strides), dtype, source.device);
}

const TensorMeta* empty_like(const TensorMeta& source, DType dtype, MemoryFormat format) {
  if (format != MemoryFormat::kPreserve) return formatted(source.sizes, dtype, source.device, format);
  Sizes strides(source.rank());
  std::vector<size_t> order = physical_order(source);
  SymInt step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= max(source.sizes[order[i]], 1);
  }
  return make(source.sizes, strides, dtype, source.device);
}

const TensorMeta* view_of(const TensorMeta& base, SymInts sizes, SymInts strides, SymInt offset) {
  TensorMeta* view = current_arena().make<TensorMeta>(*make(sizes, strides, base.dtype, base.device, offset));
  view->conjugated = base.conjugated;
  view->negated = base.negated;
  return view;
}

}  // namespace rung::meta
