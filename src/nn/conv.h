// Convolutions and their transposes, over one, two and three dimensions.
#pragma once
#include "nn/module.h"
#include "nn/per_dim.h"

namespace rung::nn {

struct ConvOptions {
  PerDim stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
  bool bias = true;
  PerDim output_padding = 0;  // transposed only
};

/// What Conv1d, Conv2d and Conv3d share.
class ConvBase : public Layer {
 public:
  Tensor& weight;  // [out, in / groups, window], transposed: [in, out / groups, window]
  Tensor& bias;    // [out], or undefined

 protected:
  ConvBase(size_t dims, bool transposed, int64_t in_channels, int64_t out_channels, const PerDim& kernel_size,
           const ConvOptions& options);

  std::vector<SymInt> stride_, padding_, dilation_, output_padding_;
  int64_t groups_;
};

#define RUNG_CONVOLUTION(name, dims, transposed)                                                                \
  class name : public ConvBase {                                                                                \
   public:                                                                                                      \
    name(int64_t in_channels, int64_t out_channels, const PerDim& kernel_size, const ConvOptions& options = {}) \
        : ConvBase(dims, transposed, in_channels, out_channels, kernel_size, options) {}                        \
    Tensor forward(const Tensor& input) override;                                                               \
  };
RUNG_CONVOLUTION(Conv1d, 1, false)
RUNG_CONVOLUTION(Conv2d, 2, false)
RUNG_CONVOLUTION(Conv3d, 3, false)
RUNG_CONVOLUTION(ConvTranspose1d, 1, true)
RUNG_CONVOLUTION(ConvTranspose2d, 2, true)
RUNG_CONVOLUTION(ConvTranspose3d, 3, true)
#undef RUNG_CONVOLUTION

}  // namespace rung::nn
