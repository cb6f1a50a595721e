// What a call looks like to rules: two calls of one signature are opened in the same way.
#pragma once
#include <string>

#include "ir/argument.h"
#include "schema/schema.h"

namespace rung {

/// The op, the types of its tensors (dtype, sizes, strides, offset, device), those that are known numbers, and every
/// other argument by its value, as bytes that tell different calls apart. `args`: plain values, in schema order.
std::string signature_of(OpId op, Arguments args);

}  // namespace rung
