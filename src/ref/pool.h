// Who holds a result between the call that made it and the handle that takes it: arguments do not count references.
#pragma once
#include <vector>

#include "ir/tensor.h"

namespace rung::ref {

/// A handle of a new tensor; its first reference becomes the pool's.
Tensor pooled(RealTensor* tensor);

/// One call that computes, for the life of the object. What the call leaves in the pool goes at its end, except its
/// results; results of outermost calls stay until the next one begins.
class PoolScope {
 public:
  PoolScope();
  ~PoolScope();
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

  /// A tensor or a list of them that outlives the scope.
  void keep(const Argument& result);

 private:
  size_t start_;
  std::vector<RealTensor*> kept_;
};

}  // namespace rung::ref
