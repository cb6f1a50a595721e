// Between the arguments of an FX node (positional, keyword, defaults left out) and all arguments in schema order.
#pragma once
#include <span>
#include <vector>

#include "base/arena.h"
#include "ir/argument.h"
#include "schema/schema.h"

namespace rung {

/// All arguments of a call in schema order: defaults filled in, numbers coerced as torch's dispatcher does (int for a
/// float becomes a float, one int for int[2] becomes two). What is coerced lies in `arena`. Fails with kInput: too
/// many, unknown, missing, given twice.
void bind_arguments(const OpSchema& schema, Arguments args, std::span<const NamedArgument> kwargs, Arena& arena,
                    std::vector<Argument>& all);

struct NormalArguments {
  Arguments args;
  std::span<const NamedArgument> kwargs;
};

/// The inverse, as the dispatcher hands a call to torch.fx: positional ones up to the last that differs from its
/// default, keyword-only ones that differ. A default of another type (alpha=1.0 for 1) stays.
NormalArguments normal_arguments(const OpSchema& schema, Arguments all, Arena& arena);

/// The same with the arguments that `build` itself gives the op. Fails with kUnsupported where it lacks one that is
/// given.
NormalArguments normal_arguments(OpId op, Arguments all, Build build, Arena& arena);

/// The default of an argument; kNone for an optional one without a default. `definition` must have one.
Argument default_argument(const ArgDef& definition, Arena& arena);

}  // namespace rung
