// One number a thread.
#include "ir/trace_serial.h"

namespace rung {
namespace {
thread_local uint32_t current = 0;
thread_local bool in_body = false;
}  // namespace

uint32_t current_trace_serial() { return current; }

TraceSerialScope::TraceSerialScope(uint32_t serial) : outer_(current) { current = serial; }
TraceSerialScope::~TraceSerialScope() { current = outer_; }

bool is_in_body() { return in_body; }

BodyScope::BodyScope(bool value) : outer_(in_body) { in_body = value; }
BodyScope::~BodyScope() { in_body = outer_; }

}  // namespace rung
