// Layers that pad: with a number, with what is mirrored, with the border, with the other side.
#pragma once
#include "nn/module.h"
#include "nn/per_dim.h"
#include "ops/functional_vision.h"

namespace rung::nn {

/// What the padding layers share: how many elements before and after, the last dimension first.
class PaddingBase : public Layer {
 public:
  Tensor forward(const Tensor& input) override { return functional::pad(input, padding_, mode_, value_); }

 protected:
  PaddingBase(size_t dims, const PerDim& padding, const char* mode, std::optional<double> value = std::nullopt)
      : padding_(padding.of(2 * dims)), mode_(mode), value_(value) {}

 private:
  std::vector<SymInt> padding_;
  const char* mode_;
  std::optional<double> value_;
};

#define RUNG_PADDING(name, dims, mode)                                         \
  class name : public PaddingBase {                                            \
   public:                                                                     \
    explicit name(const PerDim& padding) : PaddingBase(dims, padding, mode) {} \
  };
RUNG_PADDING(ReflectionPad1d, 1, "reflect")
RUNG_PADDING(ReflectionPad2d, 2, "reflect")
RUNG_PADDING(ReflectionPad3d, 3, "reflect")
RUNG_PADDING(ReplicationPad1d, 1, "replicate")
RUNG_PADDING(ReplicationPad2d, 2, "replicate")
RUNG_PADDING(ReplicationPad3d, 3, "replicate")
RUNG_PADDING(CircularPad1d, 1, "circular")
RUNG_PADDING(CircularPad2d, 2, "circular")
RUNG_PADDING(CircularPad3d, 3, "circular")
#undef RUNG_PADDING

#define RUNG_CONSTANT_PADDING(dims)                                                                              \
  class ConstantPad##dims##d : public PaddingBase {                                                              \
   public:                                                                                                       \
    ConstantPad##dims##d(const PerDim& padding, double value) : PaddingBase(dims, padding, "constant", value) {} \
  };                                                                                                             \
  class ZeroPad##dims##d : public PaddingBase {                                                                  \
   public:                                                                                                       \
    explicit ZeroPad##dims##d(const PerDim& padding) : PaddingBase(dims, padding, "constant", 0.0) {}            \
  };
RUNG_CONSTANT_PADDING(1)
RUNG_CONSTANT_PADDING(2)
RUNG_CONSTANT_PADDING(3)
#undef RUNG_CONSTANT_PADDING

}  // namespace rung::nn
