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

nn::StateDict state_dict(const ExportedProgram& program) { return nn::weights_of(ProgramAccess::of(program).value); }
std::vector<Tensor> run(const ExportedProgram& program, const std::vector<Tensor>& inputs) {
  return nn::run_program(ProgramAccess::of(program).value, inputs);
}

}  // namespace v1
}  // namespace rung
