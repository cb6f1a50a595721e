// What run and verify share: inputs from the command line, values as text.
#pragma once
#include <string>
#include <vector>

#include "interp/run.h"
#include "options.h"

namespace rung::tool {

/// A whole number that is not negative; throws UsageError for another text.
int64_t number_of(const Options& options, std::string_view name, int64_t fallback);

/// From --inputs, else the samples of the file. Nothing if there are none.
std::optional<std::vector<interp::Value>> inputs_of(const ExportedProgram& program, const Options& options);

/// "f32[2, 4]: 0.1, -2, ...": the first values, as Python would write them.
std::string tensor_text(const Tensor& tensor);

}  // namespace rung::tool
