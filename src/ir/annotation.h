// What torch notes in the "custom" metadata of a node.
#pragma once
#include <string>

#include "ir/graph.h"

namespace rung {

/// The custom metadata of a node whose file metadata is `metadata`, as the text of a JSON object; empty if there is
/// none. What the user annotated, and the marks that torch puts on nodes of rules that it hides from torch.compile.
std::string custom_metadata(const Node& node, json::Value metadata);

/// Whether custom_metadata says more than the file said of the node's source.
bool is_marked(const Node& node);

}  // namespace rung
