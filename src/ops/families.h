// The rows of every family of ops; families.cpp is the one place that lists them all.
#pragma once
#include "ir/op_def.h"

namespace rung::ops {

extern const std::span<const OpDef> kActivationOps, kArithmeticOps, kBitwiseOps, kComparisonOps,
    kConvertOps, kUnaryOps;
extern const std::span<const OpDef> kCatOps;
extern const std::span<const OpDef> kCreationOps;
extern const std::span<const OpDef> kIndexOps;
extern const std::span<const OpDef> kRangeOps;
extern const std::span<const OpDef> kScatterOps;
extern const std::span<const OpDef> kSortOps;
extern const std::span<const OpDef> kViewOps;
extern const std::span<const OpDef> kViewCompositeOps;

}  // namespace rung::ops
