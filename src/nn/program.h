// Programs and real tensors: their weights, and what they compute.
#pragma once
#include "ir/program.h"
#include "nn/module.h"

namespace rung::nn {

/// Parameters and persistent buffers of a program, by name. They lie in its file, or wherever it has them, and cannot
/// be written to. Fails with kInput for a program that was exported without its weights.
StateDict weights_of(const ExportedProgram& program);

/// Computes a program without dynamic sizes, op by op; the results are its user outputs. What the program
/// writes to its own buffers goes to copies; what it writes to its inputs is written to `inputs`.
std::vector<Tensor> run_program(const ExportedProgram& program, const std::vector<Tensor>& inputs);

}  // namespace rung::nn
