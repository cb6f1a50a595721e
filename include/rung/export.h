// export_program: a module becomes a program, as torch.export.export makes it. And back: weights and values of
// programs.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <rung/nn.h>
#include <rung/program.h>
#include <rung/structure.h>

namespace rung {
inline namespace v1 {

struct ExportOptions {
  /// The torch whose program it is. That of 2.2 is functional and numbers its inputs.
  Build build = Build::k2_13;
  /// What the parameters of forward are called; else x, or input_0, input_1, ...
  std::vector<std::string> names = {};
};

}  // namespace v1

namespace detail {
v1::ExportedProgram export_call(nn::Module& module, const std::function<Argument(Arguments)>& forward,
                                const std::vector<Tensor>& inputs, const ExportOptions& options);
}  // namespace detail

inline namespace v1 {

/// Calls `module.forward` once, with values that stand for the module's tensors and for `inputs`, and keeps every op
/// that it calls. The program shares the memory of parameters and buffers with the module; save() writes a .pt2 that
/// torch loads. forward takes tensors and returns a tensor, or structures of them (rung/structure.h). Fails with kInput
/// where forward and inputs do not fit, with kUnsupported for an op that rung cannot trace.
template <typename M>
ExportedProgram export_program(M& module, const std::vector<Tensor>& inputs, const ExportOptions& options = {}) {
  using Parameters = typename detail::Signature<decltype(&M::forward)>::Parameters;
  if (inputs.size() != std::tuple_size_v<Parameters>)
    throw Error(ErrorKind::kInput, "export_program: forward takes " + std::to_string(std::tuple_size_v<Parameters>) +
                                       " inputs, got " + std::to_string(inputs.size()));
  auto forward = [&](Arguments args) {
    auto call = [&]<typename... P>(std::tuple<P...>*) {
      auto function = [&](P... each) { return module.forward(each...); };
      return detail::call_with(function, args);
    };
    return call(static_cast<Parameters*>(nullptr));
  };
  return detail::export_call(module, forward, inputs, options);
}

/// Parameters and persistent buffers of a program, by name; they stay in its file, and cannot be written to:
/// net.load_state_dict(state_dict(load("net.pt2"))). Fails with kInput for a program exported without its weights.
nn::StateDict state_dict(const ExportedProgram& program);

struct RunResult {
  std::vector<Tensor> outputs;  // in order; one that is a number is a number in a tensor's place
  /// Buffers, parameters and inputs that the program writes to, by name, with their new values.
  std::vector<std::pair<std::string, Tensor>> mutated;
};

/// Computes a program op by op on tensors with values. Neither inputs nor the program are written to. Slow: it is there
/// to check with. Fails with kInput where inputs do not fit the program, with kUnsupported for an op that rung cannot
/// compute.
RunResult run(const ExportedProgram& program, const std::vector<Tensor>& inputs);

}  // namespace v1
}  // namespace rung
