// No op registers itself: this list is read, once, into a table by op id.
#include "ops/families.h"

#include <array>
#include <vector>

#include "base/error.h"

namespace rung {
namespace {

using namespace ops;

std::vector<std::span<const OpDef>> all_families() {
  return {
      kActivationBackwardOps,
      kActivationOps,
      kAdaptivePoolOps,
      kArithmeticOps,
      kAttentionOps,
      kBatchNormOps,
      kBitwiseOps,
      kCalculusOps,
      kCatOps,
      kChebyshevOps,
      kComparisonOps,
      kComplexOps,
      kConvertOps,
      kConvolutionOps,
      kCreationOps,
      kCrossEntropyOps,
      kDataDependentOps,
      kDifferenceOps,
      kDistanceOps,
      kDivisionOps,
      kDropoutOps,
      kEinsumOps,
      kEmbeddingOps,
      kFactorizationOps,
      kFftOps,
      kGridSamplerOps,
      kIm2ColOps,
      kIndexOps,
      kLinalgOps,
      kLossBackwardOps,
      kLossOps,
      kMatmulOps,
      kMatrixNormOps,
      kNormBackwardOps,
      kNormOps,
      kPadOps,
      kPoolingOps,
      kPowerOps,
      kPrimOps,
      kQuantileOps,
      kRandomOps,
      kRangeOps,
      kRecurrentOps,
      kReductionOps,
      kScanOps,
      kScatterOps,
      kSoftmaxOps,
      kSortOps,
      kSpecialOps,
      kTriangleOps,
      kUnaryOps,
      kUpsampleOps,
      kViewCompositeOps,
      kViewOps,
  };
}

std::vector<const OpDef*> rows_by_id() {
  std::vector<const OpDef*> rows(all_ops().size());
  for (std::span<const OpDef> family : op_families()) {
    for (const OpDef& row : family) {
      OpId op = find_op(row.op);
      RUNG_CHECK(op != kNoOp, "a row names '", row.op, "', which no schema has");
      RUNG_CHECK(rows[op] == nullptr, "two rows for ", row.op);
      rows[op] = &row;
    }
  }
  return rows;
}

}  // namespace

std::span<const std::span<const OpDef>> op_families() {
  static const std::vector<std::span<const OpDef>> families = all_families();
  return families;
}

const OpDef* op_def(OpId op) {
  static const std::vector<const OpDef*> rows = rows_by_id();
  return rows[op];
}

}  // namespace rung
