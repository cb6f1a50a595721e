// The public export_program.
#include "api/internal.h"

#include <rung/export.h>

#include "api/access.h"
#include "nn/export.h"

namespace rung::detail {

v1::ExportedProgram export_call(nn::Module& module, const std::function<Argument(Arguments)>& forward,
                                const std::vector<Tensor>& inputs, const ExportOptions& options) {
  return ProgramAccess::make(
      detail::export_module(module, forward, inputs, nn::ExportSettings{options.build, options.names}));
}

}  // namespace rung::detail
