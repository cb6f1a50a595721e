// Paths of nn_module_stack, cut where the path of the caller ends.
#include "page/modules.h"

#include "ir/recorded_at.h"

namespace rung {

std::vector<ModuleStep> module_steps(const Node& node) {
  std::vector<ModuleStep> steps;
  std::string_view outer;
  for (const ModuleCall& call : module_stack(node)) {
    if (call.path.empty()) continue;
    const bool is_inside = call.path.size() > outer.size() && call.path.starts_with(outer) && !outer.empty() &&
                           call.path[outer.size()] == '.';
    steps.push_back({is_inside ? call.path.substr(outer.size() + 1) : call.path, call.type});
    outer = call.path;
  }
  return steps;
}

}  // namespace rung
