// The floor of the prims rung: operators of aten that no primitive computes. Chosen by rung, in data/prims_floor.txt.
#pragma once
#include <span>
#include <string_view>

#include "schema/schema.h"

namespace rung {

struct FloorOp {
  OpId op;
  std::string_view reason;  // why it stays whole
};

/// In order of their names.
std::span<const FloorOp> prims_floor();

}  // namespace rung
