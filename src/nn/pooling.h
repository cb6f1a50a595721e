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
RUNG_ADAPTIVE_POOLING(AdaptiveMaxPool3d, 3)
#undef RUNG_ADAPTIVE_POOLING

/// The norms of windows.
#define RUNG_LP_POOLING(name, dims)                                                                \
  class name : public Layer {                                                                      \
   public:                                                                                         \
    name(double norm_type, const PerDim& kernel_size, std::optional<PerDim> stride = std::nullopt, \
         bool ceil_mode = false)                                                                   \
        : norm_type_(norm_type),                                                                   \
          kernel_size_(kernel_size.of(dims)),                                                      \
          stride_(stride.value_or(kernel_size).of(dims)),                                          \
          ceil_mode_(ceil_mode) {}                                                                 \
    Tensor forward(const Tensor& input) override;                                                  \
                                                                                                   \
   private:                                                                                        \
    double norm_type_;                                                                             \
    std::vector<SymInt> kernel_size_, stride_;                                                     \
    bool ceil_mode_;                                                                               \
  };
RUNG_LP_POOLING(LPPool1d, 1)
RUNG_LP_POOLING(LPPool2d, 2)
RUNG_LP_POOLING(LPPool3d, 3)
#undef RUNG_LP_POOLING

/// Maxima back where max_pool_with_indices found them.
#define RUNG_UNPOOLING(name, dims)                                                                                   \
  class name : public Module {                                                                                       \
   public:                                                                                                           \
    explicit name(const PerDim& kernel_size, std::optional<PerDim> stride = std::nullopt, const PerDim& padding = 0) \
        : kernel_size_(kernel_size.of(dims)),                                                                        \
          stride_(stride.value_or(kernel_size).of(dims)),                                                            \
          padding_(padding.of(dims)) {}                                                                              \
    Tensor forward(const Tensor& input, const Tensor& indices);                                                      \
                                                                                                                     \
   private:                                                                                                          \
    std::vector<SymInt> kernel_size_, stride_, padding_;                                                             \
  };
RUNG_UNPOOLING(MaxUnpool1d, 1)
RUNG_UNPOOLING(MaxUnpool2d, 2)
RUNG_UNPOOLING(MaxUnpool3d, 3)
#undef RUNG_UNPOOLING

}  // namespace rung::nn
