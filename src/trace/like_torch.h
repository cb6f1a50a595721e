// Whether the tracer at work is asked for what torch itself gives, its mistakes included.
#pragma once

namespace rung {

bool is_like_torch();

}  // namespace rung
