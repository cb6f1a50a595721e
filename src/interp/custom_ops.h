// Operators of other libraries, which have no schema here.
#pragma once
#include <string_view>

#include "interp/run.h"

namespace rung::interp {

/// Computes `target` ("transformers::grouped_mm_fallback.default") on the values of its arguments. Fails with
/// kUnsupported for an operator that rung does not know.
Value call_custom(std::string_view target, const std::vector<Value>& args);

}  // namespace rung::interp
