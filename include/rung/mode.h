// Modes: a class of yours that sees every call of an op while a function is traced.
//
//   struct Counter : rung::Mode {
//     int calls = 0;
//     rung::Argument on_call(const rung::OpCall& call) override { ++calls; return call.pass_on(); }
//   };
//   Counter counter;
//   rung::ModeScope scope(counter);
#pragma once
#include <rung/tensor.h>

#include "trace/mode.h"
