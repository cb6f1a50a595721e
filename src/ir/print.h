// Programs as text, byte for byte as torch prints them.
#pragma once
#include <string>

#include "ir/graph.h"
#include "ir/program.h"

namespace rung {

/// str(graph): "graph():", then a line a node.
std::string graph_text(const Graph& graph);

/// The line of a call in that text: "%add : [num_users=1] = call_function[...](...)".
std::string node_text(const Node& call);

struct CodeForm {
  bool deletes_unused = true;  // torch 2.2 leaves values alone that are never used
  /// Where a parameter is a structure: the parameters, whose leaves are the placeholders.
  std::span<const std::string> tree_parameters = {};
};

/// GraphModule.code: Python, with the values deleted after their last use.
std::string code_text(const Graph& graph, const CodeForm& form = {});

/// GraphModule.print_readable(): code with types, source lines and the classes of sub-graphs.
std::string readable_text(const Graph& graph);

/// str(graph_signature).
std::string signature_text(const ExportedProgram& program);

/// str(range_constraints): "{s77: VR[2, int_oo], u0: VR[0, 512]}".
std::string range_constraints_text(const ExportedProgram& program);

}  // namespace rung
