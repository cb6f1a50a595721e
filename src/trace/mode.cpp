// A stack of modes a thread.
#include "trace/mode.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "ir/trace_serial.h"
#include "trace/dispatch.h"
#include "trace/mode_stack.h"
#include "trace/tracer.h"

namespace rung {
namespace {

thread_local std::vector<Mode*> modes;

// The innermost mode is off for the life of the object.
class ModeOff {
 public:
  ModeOff() : mode_(modes.back()) { modes.pop_back(); }
  ~ModeOff() { modes.push_back(mode_); }
  ModeOff(const ModeOff&) = delete;
  ModeOff& operator=(const ModeOff&) = delete;
  Mode& mode() const { return *mode_; }

 private:
  Mode* mode_;
};

}  // namespace

std::string_view OpCall::name() const { return schema_of(op_).name; }

const Argument& OpCall::arg(std::string_view argument) const {
  std::span<const ArgDef> definitions = schema_of(op_).args;
  auto found = std::ranges::find(definitions, argument, &ArgDef::name);
  if (found == definitions.end()) fail_input(name(), " has no argument '", argument, "'");
  return args_[static_cast<size_t>(found - definitions.begin())];
}

Argument OpCall::pass_on(Arguments args) const {
  if (args.size() != args_.size())
    fail_input(name(), " takes ", args_.size(), " arguments, and was passed on with ", args.size());
  return dispatch(op_, args);
}

ModeScope::ModeScope(Mode& mode) { modes.push_back(&mode); }
ModeScope::~ModeScope() { modes.pop_back(); }

Mode* innermost_mode() { return modes.empty() ? nullptr : modes.back(); }

Argument call_mode(OpId op, Arguments args) {
  ModeOff off;
  BodyScope theirs(false);
  return off.mode().on_call(OpCall(op, args));
}

}  // namespace rung
