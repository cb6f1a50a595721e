// Calls on tensors with values, where no tracer is at work: they compute.
#pragma once
#include "ir/op_def.h"

namespace rung {

/// By the op's kernel; else by its reference or its body, and so by the kernels of their ops; else as a view, or as a
/// write of what the op without the underscore gives. Fails with kUnsupported where there is none of these.
Argument compute(OpId op, Arguments args);

/// What the row says of the result of this call: for kernels, which fill it.
const TensorMeta& result_meta(const Call& call);
/// Of an op with several results.
std::vector<const TensorMeta*> result_metas(const Call& call);

}  // namespace rung
