// A function of torch that has no reference: under TorchRefsMode it runs as it is, and so does all that it calls.
#pragma once
#include "trace/tracer.h"

namespace rung {

class WithoutReference {
 public:
  WithoutReference() : plain_(Tracer::current()) {}

 private:
  UnroutedScope plain_;
};

}  // namespace rung
