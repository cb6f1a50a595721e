// Files of numpy arrays: .npz, an archive of .npy entries.
#pragma once
#include <span>

#include "interp/run.h"

namespace rung::interp {

/// Arrays by name, in the archive's order; they are copied. Numpy has no bfloat16 and no float8: of arrays that hold
/// such, the bits come as uint16 and uint8. Fails with kInput for what is no .npz, for big-endian numbers, and for
/// dtypes that torch lacks.
NamedTensors load_npz(const std::string& path);
/// The same of an archive in memory, which need not outlive the result.
NamedTensors read_npz(std::span<const char> bytes);

/// bfloat16 is written as its bits, uint16, and float8 as uint8. Written to a temporary file beside `path`, which then
/// takes its place.
void save_npz(const NamedTensors& tensors, const std::string& path);

/// The same bits as a tensor of another dtype of the same size.
Tensor bits_as(const Tensor& tensor, DType dtype);

}  // namespace rung::interp
