// The rows of every family of ops; families.cpp is the one place that lists them all.
#pragma once
#include "ir/op_def.h"

namespace rung::ops {

extern const std::span<const OpDef> kActivationBackwardOps;
extern const std::span<const OpDef> kActivationOps;
extern const std::span<const OpDef> kAdaptivePoolOps;
extern const std::span<const OpDef> kArithmeticOps;
extern const std::span<const OpDef> kAttentionOps;
extern const std::span<const OpDef> kBatchNormOps;
extern const std::span<const OpDef> kBitwiseOps;
extern const std::span<const OpDef> kCalculusOps;
extern const std::span<const OpDef> kCatOps;
extern const std::span<const OpDef> kChebyshevOps;
extern const std::span<const OpDef> kComparisonOps;
extern const std::span<const OpDef> kComplexOps;
extern const std::span<const OpDef> kConvertOps;
extern const std::span<const OpDef> kConvolutionOps;
extern const std::span<const OpDef> kCreationOps;
extern const std::span<const OpDef> kCrossEntropyOps;
extern const std::span<const OpDef> kDataDependentOps;
extern const std::span<const OpDef> kDifferenceOps;
extern const std::span<const OpDef> kDistanceOps;
extern const std::span<const OpDef> kDivisionOps;
extern const std::span<const OpDef> kDropoutOps;
extern const std::span<const OpDef> kEinsumOps;
extern const std::span<const OpDef> kEmbeddingOps;
extern const std::span<const OpDef> kFactorizationOps;
extern const std::span<const OpDef> kFftOps;
extern const std::span<const OpDef> kGridSamplerOps;
extern const std::span<const OpDef> kIm2ColOps;
extern const std::span<const OpDef> kIndexOps;
extern const std::span<const OpDef> kLinalgOps;
extern const std::span<const OpDef> kLossBackwardOps;
extern const std::span<const OpDef> kLossOps;
extern const std::span<const OpDef> kMatmulOps;
extern const std::span<const OpDef> kMatrixNormOps;
extern const std::span<const OpDef> kNormBackwardOps;
extern const std::span<const OpDef> kNormOps;
extern const std::span<const OpDef> kPadOps;
extern const std::span<const OpDef> kPoolingOps;
extern const std::span<const OpDef> kPowerOps;
extern const std::span<const OpDef> kPrimOps;
extern const std::span<const OpDef> kQuantileOps;
extern const std::span<const OpDef> kRandomOps;
extern const std::span<const OpDef> kRangeOps;
extern const std::span<const OpDef> kRecurrentOps;
extern const std::span<const OpDef> kReductionOps;
extern const std::span<const OpDef> kScanOps;
extern const std::span<const OpDef> kScatterOps;
extern const std::span<const OpDef> kSoftmaxOps;
extern const std::span<const OpDef> kSortOps;
extern const std::span<const OpDef> kSpecialOps;
extern const std::span<const OpDef> kTriangleOps;
extern const std::span<const OpDef> kUnaryOps;
extern const std::span<const OpDef> kUpsampleOps;
extern const std::span<const OpDef> kViewCompositeOps;
extern const std::span<const OpDef> kViewOps;

}  // namespace rung::ops
