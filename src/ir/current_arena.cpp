// One arena a thread.
#include "ir/current_arena.h"

#include <memory>

namespace rung {
namespace {
thread_local Arena* current = nullptr;

// What a call got or returned is read before the arena has been full twice.
class CallArena {
 public:
  Arena& arena() { return *now_; }
  void recycle() {
    constexpr size_t kEnough = size_t{1} << 20;
    if (now_->bytes() < kEnough) return;
    before_ = std::move(now_);
    now_ = std::make_unique<Arena>();
  }

 private:
  std::unique_ptr<Arena> now_ = std::make_unique<Arena>(), before_;
};
thread_local CallArena calls;

}  // namespace

Arena& current_arena() { return current != nullptr ? *current : calls.arena(); }
void recycle_call_arena() { calls.recycle(); }

ArenaScope::ArenaScope(Arena& arena) : outer_(current) { current = &arena; }
ArenaScope::~ArenaScope() { current = outer_; }

}  // namespace rung
