// The inputs that a program was exported with, as its file keeps them.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ir/program.h"

namespace rung {

/// A tensor, or a number, text or None.
struct SampleInput {
  const TensorMeta* meta = nullptr;  // null for what is no tensor
  std::span<const char> bytes;       // of its storage
  std::shared_ptr<const void> memory;
  Argument value;
};

/// Positional inputs, then those by keyword, structures taken apart; nothing if the file has none. Fails with kInput
/// where they hold more than tensors, numbers, lists and dictionaries.
std::optional<std::vector<SampleInput>> read_sample_inputs(const ExportedProgram& program);

}  // namespace rung
