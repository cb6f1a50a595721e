// A function of torch that has no reference: under TorchRefsMode it runs as it is, and so does all that it calls.
#pragma once
#include "trace/tracer.h"

namespace rung {

/// Whether calls of torch's functions go to their references at the moment.
inline bool goes_to_references() {
  const Tracer* tracer = Tracer::current();
  return tracer != nullptr && tracer->routes_to_references();
}

class WithoutReference {
 public:
  WithoutReference() : plain_(Tracer::current()) {}

 private:
  UnroutedScope plain_;
};

}  // namespace rung
