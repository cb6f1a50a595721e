// torch.export.export: one call of a module becomes a program that owns the module's tensors.
#pragma once
#include <functional>

#include "ir/program.h"
#include "nn/module.h"

namespace rung::nn {

struct ExportSettings {
  /// The torch whose program it is: 2.2 is functional and numbers its inputs, later ones keep calls as they come.
  Build build = Build::k2_13;
  /// What the parameters of forward are called; else x, or input_0, input_1, ...
  std::vector<std::string> names;
};

/// Calls `forward` once with stand-ins for the module's tensors and for `inputs`. Parameters, buffers and inputs become
/// inputs of the program; it keeps the memory of the former alive and shares it with the module.
ExportedProgram export_module(Module& module, const std::function<Argument(Arguments)>& forward, TensorList inputs,
                              const ExportSettings& settings);

}  // namespace rung::nn
