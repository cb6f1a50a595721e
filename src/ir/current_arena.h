// Where lists and metadata lie that are made for the call that runs.
#pragma once
#include "base/arena.h"

namespace rung {

/// The arena of the trace that is at work on this thread; where none is, that of the calls that compute.
Arena& current_arena();
/// Between two calls that compute, at the outermost level: lets go of what calls before the last ones left.
void recycle_call_arena();

/// Makes `arena` the current one for the life of the object.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena);
  ~ArenaScope();
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena* outer_;
};

}  // namespace rung
