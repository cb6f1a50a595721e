// The ops behind the layers.
#include "nn/pooling.h"

#include "ops/functional_pool.h"
#include "ops/gen/aten.h"

namespace rung::nn {

Tensor MaxPool1d::forward(const Tensor& input) {
  return aten::max_pool1d(input, kernel_size_, stride_, padding_, dilation_, options_.ceil_mode);
}
Tensor MaxPool2d::forward(const Tensor& input) {
  return aten::max_pool2d(input, kernel_size_, stride_, padding_, dilation_, options_.ceil_mode);
}
Tensor MaxPool3d::forward(const Tensor& input) {
  return aten::max_pool3d(input, kernel_size_, stride_, padding_, dilation_, options_.ceil_mode);
}
Tensor AvgPool1d::forward(const Tensor& input) {
  return aten::avg_pool1d(input, kernel_size_, stride_, padding_, options_.ceil_mode, options_.count_include_pad);
}
Tensor AvgPool2d::forward(const Tensor& input) {
  return aten::avg_pool2d(input, kernel_size_, stride_, padding_, options_.ceil_mode, options_.count_include_pad);
}
Tensor AvgPool3d::forward(const Tensor& input) {
  return aten::avg_pool3d(input, kernel_size_, stride_, padding_, options_.ceil_mode, options_.count_include_pad);
}

Tensor AdaptiveAvgPool1d::forward(const Tensor& input) { return aten::adaptive_avg_pool1d(input, output_size_); }
Tensor AdaptiveAvgPool2d::forward(const Tensor& input) { return aten::adaptive_avg_pool2d(input, output_size_); }
Tensor AdaptiveAvgPool3d::forward(const Tensor& input) { return aten::adaptive_avg_pool3d(input, output_size_); }
Tensor AdaptiveMaxPool1d::forward(const Tensor& input) {
  return std::get<0>(aten::adaptive_max_pool1d(input, output_size_));
}
Tensor AdaptiveMaxPool2d::forward(const Tensor& input) {
  return std::get<0>(aten::adaptive_max_pool2d(input, output_size_));
}

Tensor AdaptiveMaxPool3d::forward(const Tensor& input) {
  return std::get<0>(aten::adaptive_max_pool3d(input, output_size_));
}

Tensor LPPool1d::forward(const Tensor& input) {
  return functional::lp_pool1d(input, norm_type_, kernel_size_, stride_, ceil_mode_);
}
Tensor LPPool2d::forward(const Tensor& input) {
  return functional::lp_pool2d(input, norm_type_, kernel_size_, stride_, ceil_mode_);
}
Tensor LPPool3d::forward(const Tensor& input) {
  return functional::lp_pool3d(input, norm_type_, kernel_size_, stride_, ceil_mode_);
}

Tensor MaxUnpool1d::forward(const Tensor& input, const Tensor& indices) {
  return functional::max_unpool1d(input, indices, kernel_size_, stride_, padding_);
}
Tensor MaxUnpool2d::forward(const Tensor& input, const Tensor& indices) {
  return functional::max_unpool2d(input, indices, kernel_size_, stride_, padding_);
}
Tensor MaxUnpool3d::forward(const Tensor& input, const Tensor& indices) {
  return functional::max_unpool3d(input, indices, kernel_size_, stride_, padding_);
}

}  // namespace rung::nn
