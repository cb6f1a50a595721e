// Pooling over windows, and down to a given size.
#pragma once
#include "nn/module.h"
#include "nn/per_dim.h"

namespace rung::nn {

struct PoolOptions {
  std::optional<PerDim> stride = std::nullopt;  // else the window
  PerDim padding = 0;
  PerDim dilation = 1;  // maximum only
  bool ceil_mode = false;
  bool count_include_pad = true;  // average only
};

/// What the pooling layers share.
class PoolBase : public Layer {
 protected:
  PoolBase(size_t dims, const PerDim& kernel_size, const PoolOptions& options)
      : kernel_size_(kernel_size.of(dims)),
        stride_(options.stride.value_or(kernel_size).of(dims)),
        padding_(options.padding.of(dims)),
        dilation_(options.dilation.of(dims)),
        options_(options) {}

  std::vector<SymInt> kernel_size_, stride_, padding_, dilation_;
  PoolOptions options_;
};

#define RUNG_POOLING(name, dims)                                              \
  class name : public PoolBase {                                              \
   public:                                                                    \
    explicit name(const PerDim& kernel_size, const PoolOptions& options = {}) \
        : PoolBase(dims, kernel_size, options) {}                             \
    Tensor forward(const Tensor& input) override;                             \
  };
RUNG_POOLING(MaxPool1d, 1)
RUNG_POOLING(MaxPool2d, 2)
RUNG_POOLING(MaxPool3d, 3)
RUNG_POOLING(AvgPool1d, 1)
RUNG_POOLING(AvgPool2d, 2)
RUNG_POOLING(AvgPool3d, 3)
#undef RUNG_POOLING

#define RUNG_ADAPTIVE_POOLING(name, dims)                                            \
  class name : public Layer {                                                        \
   public:                                                                           \
    explicit name(const PerDim& output_size) : output_size_(output_size.of(dims)) {} \
    Tensor forward(const Tensor& input) override;                                    \
                                                                                     \
   private:                                                                          \
    std::vector<SymInt> output_size_;                                                \
  };
RUNG_ADAPTIVE_POOLING(AdaptiveAvgPool1d, 1)
RUNG_ADAPTIVE_POOLING(AdaptiveAvgPool2d, 2)
RUNG_ADAPTIVE_POOLING(AdaptiveAvgPool3d, 3)
RUNG_ADAPTIVE_POOLING(AdaptiveMaxPool1d, 1)
RUNG_ADAPTIVE_POOLING(AdaptiveMaxPool2d, 2)
#undef RUNG_ADAPTIVE_POOLING

}  // namespace rung::nn
