// One number a thread.
#include "ir/trace_serial.h"

namespace rung {
namespace {
thread_local uint32_t current = 0;
}  // namespace

uint32_t current_trace_serial() { return current; }

TraceSerialScope::TraceSerialScope(uint32_t serial) : outer_(current) { current = serial; }
TraceSerialScope::~TraceSerialScope() { current = outer_; }

}  // namespace rung
