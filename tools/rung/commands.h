// The subcommands of rung: each takes the arguments after its name and returns the exit code.
#pragma once
#include <span>
#include <string_view>

namespace rung::tool {

using Arguments = std::span<const std::string_view>;

int run_show(Arguments args);
int run_lower(Arguments args);
int run_census(Arguments args);
int run_explain(Arguments args);
int run_ops(Arguments args);
int run_opset(Arguments args);
int run_run(Arguments args);
int run_verify(Arguments args);
int run_plan(Arguments args);
int run_diff(Arguments args);

}  // namespace rung::tool
