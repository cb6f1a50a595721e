// Modes: what stands between a call of an op and what it does, as torch's TorchDispatchMode.
#pragma once
#include <string_view>

#include "ir/argument.h"

namespace rung {

/// A call of an op with all its arguments in schema order, as a mode sees it.
class OpCall {
 public:
  OpCall(uint16_t op, Arguments args) : op_(op), args_(args) {}

  /// "aten::add.Tensor"
  std::string_view name() const;
  Arguments args() const { return args_; }
  /// Fails with kInput if the op has no argument of this name.
  const Argument& arg(std::string_view argument) const;
  /// Passes the call on, to the next mode or the trace; a mode is off while it answers.
  Argument pass_on() const { return pass_on(args_); }
  /// With other arguments, as many.
  Argument pass_on(Arguments args) const;

 private:
  uint16_t op_;
  Arguments args_;
};

/// Derive from it, and put it in a ModeScope.
class Mode {
 public:
  virtual ~Mode() = default;
  /// Answers a call, or passes it on: `return call.pass_on();`. What it returns stands for the op's result: a tensor,
  /// or a kList of an op with several.
  virtual Argument on_call(const OpCall& call) = 0;
};

/// Turns `mode` on for the life of the object: it sees every call that is traced on this thread, before the modes that
/// were on already. As in torch, CompositeImplicit ops have been taken apart by then.
class ModeScope {
 public:
  explicit ModeScope(Mode& mode);
  ~ModeScope();
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;
};

}  // namespace rung
