// Do the arguments of a node fit the schema of what it calls?
#pragma once
#include <optional>
#include <string>

#include "ir/graph.h"

namespace rung {

/// What is wrong with the arguments of a node whose callee is kOp, as torch `build` sees its schema: too many, unknown,
/// missing, given twice, or of another type. nullopt if they fit.
std::optional<std::string> misfit(const Node& node, Build build);

/// "a tensor", "a list of integers": what an argument of a schema takes, for messages.
std::string describe(const ArgDef& definition);
/// "an integer", "a list of 3": what a value is, for messages.
std::string describe(const Argument& value);

}  // namespace rung
