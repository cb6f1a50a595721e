// Where lists and metadata lie that are made for the call that runs.
#pragma once
#include "base/arena.h"

namespace rung {

/// The arena of the trace that is at work on this thread.
Arena& current_arena();

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
