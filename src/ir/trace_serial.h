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

/// Whether what runs on this thread is the body of an op that rung wrote, and not a user's function.
bool is_in_body();

/// Says so for the life of the object.
class BodyScope {
 public:
  explicit BodyScope(bool in_body);
  ~BodyScope();
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

 private:
  bool outer_;
};

}  // namespace rung
