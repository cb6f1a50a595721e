// Strides and memory formats by torch's rules, and the metadata of fresh tensors.
#pragma once
#include <optional>
#include <vector>

#include "ir/tensor.h"

namespace rung::meta {

using Sizes = std::vector<SymInt>;

Sizes contiguous_strides(SymInts sizes);
/// Channels-last strides of a 4-d or 5-d tensor.
Sizes channels_last_strides(SymInts sizes);
/// Dimensions from slowest to fastest, as the strides have them; the order in which a copy that keeps them lies in
/// memory.
std::vector<size_t> physical_order(const TensorMeta& meta);
/// What an op with this stride pattern allocates: the same order of dimensions, without gaps or overlaps.
Sizes dense_strides_like(SymInts sizes, SymInts strides);

SymInt numel(SymInts sizes);
/// Of a tensor it is a size like any other: counting leaves no node in a graph.
SymInt numel(const TensorMeta& meta);
/// Dimensions of size 1 do not matter; an empty tensor is contiguous.
bool is_contiguous(const TensorMeta& meta, MemoryFormat format = MemoryFormat::kContiguous);
bool is_non_overlapping_and_dense(const TensorMeta& meta);
/// kChannelsLast, kChannelsLast3d or kContiguous, as torch guesses it from the strides.
MemoryFormat suggest_memory_format(const TensorMeta& meta);

/// Lies in the current arena.
const TensorMeta* make(SymInts sizes, SymInts strides, DType dtype, const Device& device, SymInt offset = 0);
const TensorMeta* contiguous(SymInts sizes, DType dtype, const Device& device);
/// `format`: contiguous, channels last (4-d), channels last 3d (5-d).
const TensorMeta* formatted(SymInts sizes, DType dtype, const Device& device, MemoryFormat format);
/// A fresh tensor of the shape of `source`; kPreserve keeps dense strides as they are and closes gaps otherwise.
const TensorMeta* like(const TensorMeta& source, DType dtype, MemoryFormat format = MemoryFormat::kPreserve);
/// As torch.empty_like: kPreserve keeps the order of dimensions, and makes the strides anew.
const TensorMeta* empty_like(const TensorMeta& source, DType dtype, MemoryFormat format = MemoryFormat::kPreserve);
/// A view of the storage of `base`.
const TensorMeta* view_of(const TensorMeta& base, SymInts sizes, SymInts strides, SymInt offset);

}  // namespace rung::meta
