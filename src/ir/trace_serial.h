// Which trace is at work on this thread, so that a tensor of another one is told apart before it is looked at.
#pragma once
#include <cstdint>

namespace rung {

/// The number of the trace at work that users hold tensors of; 0 if there is none.
uint32_t current_trace_serial();

/// Makes `serial` the current one for the life of the object.
class TraceSerialScope {
 public:
  explicit TraceSerialScope(uint32_t serial);
  ~TraceSerialScope();
  TraceSerialScope(const TraceSerialScope&) = delete;
  TraceSerialScope& operator=(const TraceSerialScope&) = delete;

 private:
  uint32_t outer_;
};

}  // namespace rung
