// The subcommands of rung: each takes the arguments after its name and returns the exit code.
#pragma once
#include <span>
#include <string_view>

namespace rung::tool {

int run_ops(std::span<const std::string_view> args);

}  // namespace rung::tool
