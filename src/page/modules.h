// The modules around a node, each named below the one before.
#pragma once
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace rung {

struct ModuleStep {
  std::string_view name;  // "layers.0", below "model" where its path is "model.layers.0"
  std::string_view type;  // "torch.nn.modules.linear.Linear"
};

/// Outermost first, without the program itself; empty where nothing was recorded.
std::vector<ModuleStep> module_steps(const Node& node);

}  // namespace rung
