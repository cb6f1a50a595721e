// Weights of convolutions.
#include "nn/conv.h"

#include "nn/init.h"
#include "ops/gen/aten.h"

namespace rung::nn {
namespace {

Tensor empty_weight(size_t dims, bool transposed, int64_t in, int64_t out, const PerDim& window,
                    const ConvOptions& options) {
  int64_t groups = options.groups;
  if (groups <= 0) fail_input("groups must be a positive integer, got ", groups);
  if (in % groups != 0) fail_input("in_channels must be divisible by groups: ", in, " is not by ", groups);
  if (out % groups != 0) fail_input("out_channels must be divisible by groups: ", out, " is not by ", groups);
  std::vector<SymInt> shape = {transposed ? in : out, (transposed ? out : in) / groups};
  for (SymInt size : window.of(dims)) shape.push_back(size);
  return init::empty(shape);
}

}  // namespace

ConvBase::ConvBase(size_t dims, bool transposed, int64_t in_channels, int64_t out_channels, const PerDim& kernel_size,
                   const ConvOptions& options)
    : weight(register_parameter("weight",
                                empty_weight(dims, transposed, in_channels, out_channels, kernel_size, options))),
      bias(register_parameter("bias", options.bias ? init::empty({out_channels}) : Tensor())),
      stride_(options.stride.of(dims)),
      padding_(options.padding.of(dims)),
      dilation_(options.dilation.of(dims)),
      output_padding_(options.output_padding.of(dims)),
      groups_(options.groups) {
  init::weight_and_bias_(weight, bias);
}

Tensor Conv1d::forward(const Tensor& input) {
  return aten::conv1d(input, weight, bias, stride_, padding_, dilation_, groups_);
}
Tensor Conv2d::forward(const Tensor& input) {
  return aten::conv2d(input, weight, bias, stride_, padding_, dilation_, groups_);
}
Tensor Conv3d::forward(const Tensor& input) {
  return aten::conv3d(input, weight, bias, stride_, padding_, dilation_, groups_);
}
Tensor ConvTranspose1d::forward(const Tensor& input) {
  return aten::conv_transpose1d(input, weight, bias, stride_, padding_, output_padding_, groups_, dilation_);
}
Tensor ConvTranspose2d::forward(const Tensor& input) {
  return aten::conv_transpose2d_input(input, weight, bias, stride_, padding_, output_padding_, groups_, dilation_);
}
Tensor ConvTranspose3d::forward(const Tensor& input) {
  return aten::conv_transpose3d_input(input, weight, bias, stride_, padding_, output_padding_, groups_, dilation_);
}

}  // namespace rung::nn
