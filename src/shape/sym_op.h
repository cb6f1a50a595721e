// The operations on symbolic numbers, named as torch.fx prints them.
#pragma once
#include <cstdint>

namespace rung {

enum class SymOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kFloorDiv,
  kMod,
  kTrueDiv,
  kPow,
  kNeg,
  kMax,
  kMin,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kNot,
  kFloat,  // int to float
  kTrunc,
  kFloor,
  kCeil,
};

}  // namespace rung
