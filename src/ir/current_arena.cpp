// One arena a thread.
#include "ir/current_arena.h"

#include "base/error.h"

namespace rung {
namespace {
thread_local Arena* current = nullptr;
}  // namespace

Arena& current_arena() {
  RUNG_CHECK(current != nullptr, "an op was called without a tracer");
  return *current;
}

ArenaScope::ArenaScope(Arena& arena) : outer_(current) { current = &arena; }
ArenaScope::~ArenaScope() { current = outer_; }

}  // namespace rung
