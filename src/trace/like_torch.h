// Whether the tracer at work is asked for what torch itself gives, its mistakes included.
#pragma once

namespace rung {

bool is_like_torch();

/// Whether composites are taken apart as torch's kernels do it, which make_fx sees; export uses Python's
/// decompositions, where there is one.
bool follows_kernels();

}  // namespace rung
