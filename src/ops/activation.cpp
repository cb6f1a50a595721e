// Activations: the functions between the layers of a network.
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::pointwise;
using meta::Promote;

// silu(x) = x * sigmoid(x)
Tensor silu(Tensor self) {
  Tensor gate = aten::sigmoid(self);
  return aten::mul_Tensor(self, gate);
}

constexpr OpDef kRows[] = {
    {.op = "aten::sigmoid", .meta = pointwise<Promote::kIntToFloat>},
    {.op = "aten::silu", .meta = pointwise<Promote::kDefault>, .body = box<silu>},
};

}  // namespace

const std::span<const OpDef> kActivationOps = kRows;

}  // namespace rung::ops
