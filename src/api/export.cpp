// Between modules, tensors with values, and the public ExportedProgram.
#include "api/internal.h"

#include <rung/export.h>

#include "api/access.h"

namespace rung::detail {

v1::ExportedProgram export_call(nn::Module& module, const std::function<Argument(Arguments)>& forward,
                                const std::vector<Tensor>& inputs, const ExportOptions& options) {
  return ProgramAccess::make(
      detail::export_module(module, forward, inputs, nn::ExportSettings{options.build, options.names}));
}

}  // namespace rung::detail

namespace rung {
inline namespace v1 {

nn::StateDict state_dict(const ExportedProgram& program) { return interp::state_of(ProgramAccess::of(program).value); }

RunResult run(const ExportedProgram& program, const std::vector<Tensor>& inputs) {
  std::vector<interp::Value> values(inputs.begin(), inputs.end());
  interp::RunResult result = interp::run(ProgramAccess::of(program).value, values);
  RunResult out;
  for (const interp::Value& value : result.outputs)
    out.outputs.push_back(value.tensor.defined() ? value.tensor : Tensor(value.number));
  out.mutated = std::move(result.mutated);
  return out;
}

}  // namespace v1
}  // namespace rung
