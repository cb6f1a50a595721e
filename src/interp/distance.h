// How far results are from one another, and how far they may be.
#pragma once
#include "ir/graph.h"
#include "ir/tensor.h"

namespace rung::interp {

/// The largest difference of two elements, in units of the last place of the largest element (of float32: 2^-23 of it,
/// or of the smallest normal number).
/// 0 where all are equal, NaNs and infinities included; infinite where those, sizes or dtypes differ, or integers.
double distance(const Tensor& expected, const Tensor& got);

/// How large it may be for results of a graph that is computed by other kernels, or on another rung: each step rounds,
/// and sums have another order. Larger for a few ops, each with its reason.
double allowed_distance(const Graph& graph);

}  // namespace rung::interp
