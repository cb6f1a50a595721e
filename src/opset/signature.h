// What a call looks like to rules: two calls of one signature are opened in the same way.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/argument.h"
#include "schema/schema.h"

namespace rung {

/// The op, the types of its tensors (dtype, sizes, strides, offset, device), those that are known numbers, and every
/// other argument by its value, as words that tell different calls apart.
using Signature = std::vector<uint64_t>;

/// Writes over `signature`, so that its memory is used again. `args`: plain values, in schema order. Whether there are
/// symbols of a program in it.
bool write_signature(Signature& signature, OpId op, Arguments args);

struct SignatureHash {
  size_t operator()(const Signature& signature) const;
};

}  // namespace rung
