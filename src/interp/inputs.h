// The inputs of a program: named, checked against its signature, drawn, or read from its own file.
#pragma once
#include <optional>
#include <span>

#include "interp/run.h"

namespace rung::interp {

/// Placeholders of the user inputs, in order.
std::vector<const Node*> user_inputs(const ExportedProgram& program);

/// Fails with kInput where `inputs` are not as many, of other dtypes or sizes than the program says, or give a dynamic
/// size two values, one outside of its range, or one that breaks a guard.
void check_inputs(const ExportedProgram& program, const std::vector<Value>& inputs);

/// Puts tensors in order: each is called as its input, or in0, in1, ... by position, and takes on the strides that the
/// program was exported with. Recorded results (out0, mutated.NAME) may lie beside them. Fails with kInput for one that
/// is missing, and for one that the program does not take.
std::vector<Value> named_inputs(const ExportedProgram& program, const NamedTensors& given);

/// The inputs that the program was exported with, where its file has them.
std::optional<std::vector<Value>> sample_inputs(const ExportedProgram& program);

/// Inputs that fit the program, drawn after `seed`: normal numbers, small integers (good as indices), dynamic sizes as
/// they were at export.
std::vector<Value> random_inputs(const ExportedProgram& program, uint64_t seed);

}  // namespace rung::interp
