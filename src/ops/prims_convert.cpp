// The prims that core ATen programs hold: torch leaves them where a reference casts.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"

namespace rung::ops {
namespace {

const TensorMeta* meta_convert_element_type(Tensor a, DType dtype) { return meta::like(a.meta(), dtype); }

constexpr OpDef kRows[] = {
    {.op = "prims::convert_element_type", .meta = box_meta<meta_convert_element_type>},
};

}  // namespace

const std::span<const OpDef> kPrimsConvertOps = kRows;

}  // namespace rung::ops
