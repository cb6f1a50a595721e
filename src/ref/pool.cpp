// The pool of a thread.
#include "ref/pool.h"

#include "ir/current_arena.h"
#include "ir/real_tensor.h"

namespace rung::ref {
namespace {

class Pool {
 public:
  ~Pool() { shrink(0); }
  void add(RealTensor* tensor) { held_.push_back(tensor); }
  size_t size() const { return held_.size(); }
  void shrink(size_t size) {
    while (held_.size() > size) {
      RealTensor* last = held_.back();
      held_.pop_back();
      last->release();
    }
  }

  int depth = 0;  // of calls

 private:
  std::vector<RealTensor*> held_;
};

thread_local Pool pool;

}  // namespace

Tensor pooled(RealTensor* tensor) {
  pool.add(tensor);
  return Tensor(Argument::of(tensor));
}

PoolScope::PoolScope() {
  if (pool.depth == 0) pool.shrink(0);
  ++pool.depth;
  start_ = pool.size();
}

PoolScope::~PoolScope() {
  pool.shrink(start_);
  for (RealTensor* tensor : kept_) pool.add(tensor);
  --pool.depth;
  if (pool.depth == 0) recycle_call_arena();
}

void PoolScope::keep(const Argument& result) {
  if (result.kind == Argument::Kind::kReal) {
    result.real->retain();
    kept_.push_back(result.real);
  }
  if (result.kind == Argument::Kind::kList)
    for (const Argument& item : result.list_items()) keep(item);
}

}  // namespace rung::ref
