// Dropout of elements and of channels, while training.
#pragma once
#include "nn/module.h"
#include "ops/functional_activation.h"

namespace rung::nn {

/// What the dropout layers share.
class DropoutBase : public Layer {
 protected:
  explicit DropoutBase(double p) : p_(p) {
    if (!(p >= 0 && p <= 1)) fail_input("dropout probability has to be between 0 and 1, but got ", p);
  }
  double p_;
};

#define RUNG_DROPOUT(name, function)                                                                        \
  class name : public DropoutBase {                                                                         \
   public:                                                                                                  \
    explicit name(double p = 0.5) : DropoutBase(p) {}                                                       \
    Tensor forward(const Tensor& input) override { return functional::function(input, p_, is_training()); } \
  };
RUNG_DROPOUT(Dropout, dropout)      // single elements
RUNG_DROPOUT(Dropout1d, dropout1d)  // whole channels
RUNG_DROPOUT(Dropout2d, dropout2d)
RUNG_DROPOUT(Dropout3d, dropout3d)
RUNG_DROPOUT(AlphaDropout, alpha_dropout)  // mean and variance stay
RUNG_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout)
#undef RUNG_DROPOUT

}  // namespace rung::nn
