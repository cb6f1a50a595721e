// Runs a program, node by node, on tensors with values.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/program.h"
#include "ir/tensor.h"

namespace rung::interp {

/// What a node gives: a tensor, a number or None, or a list of such.
struct Value {
  Tensor tensor;  // undefined where it is something else
  Argument number;
  std::vector<Value> items;
  bool is_list = false;

  Value() = default;
  Value(const Tensor& value) : tensor(value) {}
  /// Of a call's result.
  explicit Value(const Argument& result);
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct RunOptions {
  /// Of one loop (while_loop); more fail with kInput.
  int64_t max_iterations = 1'000'000;
  /// Sees what every node of the outermost graph gives.
  std::function<void(const Node&, const Value&)> observe = nullptr;
};

struct RunResult {
  /// User outputs in order.
  std::vector<Value> outputs;
  /// Buffers, parameters and inputs that the program wrote to, by name, with their new values.
  NamedTensors mutated;
};

/// A parameter, buffer or constant of a program, in its file's memory. Writes to it fail, or with `copies_on_write` go
/// to a copy. Fails with kInput for a program that was exported without its weights, with kUnsupported for an object of
/// Python.
Tensor stored_tensor(const ExportedProgram& program, const StoredTensor& stored, bool copies_on_write = false);

/// Parameters and persistent buffers by name. Fails as above.
NamedTensors state_of(const ExportedProgram& program);

/// Computes `program` by the kernels of its ops, or of what their bodies call; one with regions of autocast as lowered
/// to aten. `inputs`: its user inputs in order, which are not written to, nor is the program. Each value is dropped
/// after its last use. Fails with kInput where inputs do not fit (inputs.h), with kUnsupported for what has no kernel;
/// the message names the node.
RunResult run(const ExportedProgram& program, const std::vector<Value>& inputs, const RunOptions& options = {});

}  // namespace rung::interp
