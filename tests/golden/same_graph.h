// Are two graph texts the same graph? Node for node, up to the names of nodes.
#pragma once
#include <string>
#include <string_view>

namespace rung::golden {

/// The lines of `text` (as str(graph) prints them) with every node renamed by order of definition.
std::string canonical(std::string_view text);

/// Empty if the texts are equal line by line; else the first line that differs, both ways.
std::string first_difference(std::string_view expected, std::string_view got);

}  // namespace rung::golden
