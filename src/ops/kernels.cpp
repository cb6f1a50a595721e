// The list of kernels, read once into a table by op id.
#include "ops/kernels.h"

namespace rung {
namespace {

std::vector<Kernel> kernels_by_id() {
  using namespace ops;
  std::vector<Kernel> kernels(all_ops().size());
  for (std::span<const KernelRow> family :
       {kArithmeticKernels,  kAttentionKernels,    kConvolutionKernels, kCreationKernels,      kDataDependentKernels,
        kDistanceKernels,    kDistributionKernels, kEmbeddingKernels,   kFactorizationKernels, kFftKernels,
        kGridSamplerKernels, kIndexKernels,        kLinalgKernels,      kMatmulKernels,        kNormKernels,
        kPoolingKernels,     kPrimKernels,         kRandomKernels,      kReductionKernels,     kSortKernels,
        kSpecialKernels,     kUpsampleKernels,     kViewKernels}) {
    for (const KernelRow& row : family) {
      OpId op = find_op(row.op);
      RUNG_CHECK(op != kNoOp, "a kernel names '", row.op, "', which no schema has");
      RUNG_CHECK(kernels[op] == nullptr, "two kernels for ", row.op);
      kernels[op] = row.kernel;
    }
  }
  return kernels;
}

}  // namespace

Kernel kernel_of(OpId op) {
  static const std::vector<Kernel> kernels = kernels_by_id();
  return kernels[op];
}

}  // namespace rung
