// The casts that a region of torch.autocast puts before its ops.
#pragma once
#include "trace/tracer.h"

namespace rung {

struct Autocast {
  std::string_view device;  // "cpu", "cuda"
  DType dtype = DType::kBFloat16;

  /// From the operands of wrap_with_autocast (device, dtype, enabled, ...); nullopt where it is switched off.
  static std::optional<Autocast> of(Arguments operands);
};

/// Casts the tensors among `args` as autocast does for `op`: to its dtype, to float32, or to the widest of them.
void cast_operands(const Autocast& autocast, OpId op, std::span<Argument> args, Tracer& tracer);

}  // namespace rung
