// Pooling as the operators that torch's Python calls.
#include "ops/functional_pool.h"

#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "ops/functional.h"
#include "ops/repeated.h"
#include "trace/without_reference.h"

namespace rung::nn::functional {

// ---- pooling and padding

Tensor max_pool1d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride, OneOrMoreInts padding,
                  OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return torch::max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor max_pool2d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride, OneOrMoreInts padding,
                  OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return torch::max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor max_pool3d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride, OneOrMoreInts padding,
                  OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return torch::max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor adaptive_avg_pool2d(const Tensor& input, OneOrMoreInts output_size) {
  WithoutReference plain;
  return aten::adaptive_avg_pool2d(input, repeated(output_size, 2));
}
Tensor adaptive_avg_pool3d(const Tensor& input, OneOrMoreInts output_size) {
  WithoutReference plain;
  return aten::adaptive_avg_pool3d(input, repeated(output_size, 3));
}

// ---- maxima and their places

TensorTuple2 max_pool1d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride,
                                     OneOrMoreInts padding, OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return aten::max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);
}
TensorTuple2 max_pool2d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride,
                                     OneOrMoreInts padding, OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return aten::max_pool2d_with_indices(input, repeated(kernel_size, 2), repeated(stride, 2), repeated(padding, 2),
                                       repeated(dilation, 2), ceil_mode);
}
TensorTuple2 max_pool3d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride,
                                     OneOrMoreInts padding, OneOrMoreInts dilation, bool ceil_mode) {
  WithoutReference plain;
  return aten::max_pool3d_with_indices(input, repeated(kernel_size, 3), repeated(stride, 3), repeated(padding, 3),
                                       repeated(dilation, 3), ceil_mode);
}

TensorTuple2 adaptive_max_pool1d_with_indices(const Tensor& input, OneOrMoreInts output_size) {
  WithoutReference plain;
  return aten::adaptive_max_pool1d(input, output_size);
}
TensorTuple2 adaptive_max_pool2d_with_indices(const Tensor& input, OneOrMoreInts output_size) {
  WithoutReference plain;
  return aten::adaptive_max_pool2d(input, repeated(output_size, 2));
}
TensorTuple2 adaptive_max_pool3d_with_indices(const Tensor& input, OneOrMoreInts output_size) {
  WithoutReference plain;
  return aten::adaptive_max_pool3d(input, repeated(output_size, 3));
}
Tensor adaptive_max_pool1d(const Tensor& input, OneOrMoreInts output_size) {
  return std::get<0>(adaptive_max_pool1d_with_indices(input, output_size));
}
Tensor adaptive_max_pool2d(const Tensor& input, OneOrMoreInts output_size) {
  return std::get<0>(adaptive_max_pool2d_with_indices(input, output_size));
}
Tensor adaptive_max_pool3d(const Tensor& input, OneOrMoreInts output_size) {
  return std::get<0>(adaptive_max_pool3d_with_indices(input, output_size));
}

// ---- maxima back to their places

namespace {

using Sizes = std::vector<SymInt>;

std::string text_of(const Sizes& sizes) {
  std::string text = "[";
  for (SymInt size : sizes) text += (text.size() == 1 ? "" : ", ") + size.str();
  return text + "]";
}

// What pooling over these windows was made of.
struct Unpooling {
  Sizes kernel, stride, padding;

  Unpooling(size_t dims, const OneOrMoreInts& kernel_size, const IntsOrNone& given_stride,
            const OneOrMoreInts& given_padding)
      : kernel(repeated(kernel_size, dims)),
        stride(given_stride.given() ? repeated(*given_stride.given(), dims) : kernel),
        padding(repeated(given_padding, dims)) {}

  // The sizes of an input without a rest, unless others are given that pool to the same sizes.
  Sizes output_size(const Tensor& input, const std::optional<IntList>& given) const {
    size_t dims = kernel.size();
    Sizes size;
    for (size_t d = 0; d < dims; ++d) {
      SymInt windows = input.size(static_cast<int64_t>(d) - static_cast<int64_t>(dims));
      size.push_back((windows - 1) * stride[d] + kernel[d] - padding[d] * 2);
    }
    if (given) size = checked(Sizes(given->span().begin(), given->span().end()), size);
    for (SymInt s : size)
      if (s < 0) fail_input("max_unpool: output sizes must not be negative, got ", text_of(size));
    return size;
  }

 private:
  Sizes checked(Sizes given, const Sizes& least) const {
    size_t dims = kernel.size();
    if (given.size() == dims + 2) given.erase(given.begin(), given.begin() + 2);
    if (given.size() != dims)
      fail_input("max_unpool: output_size should have ", dims, " or ", dims + 2, " elements, got ", given.size());
    for (size_t d = 0; d < dims; ++d)
      if (given[d] <= least[d] - stride[d] || given[d] >= least[d] + stride[d])
        fail_input("max_unpool: invalid output_size ", text_of(given), ": dimension ", d, " must be between ",
                   (least[d] - stride[d]).str(), " and ", (least[d] + stride[d]).str());
    return given;
  }
};

}  // namespace

Tensor max_unpool1d(const Tensor& input, const Tensor& indices, OneOrMoreInts kernel_size, IntsOrNone stride,
                    OneOrMoreInts padding, IntsOrNone output_size) {
  WithoutReference plain;
  Sizes size = Unpooling(1, kernel_size, stride, padding).output_size(input, output_size);
  size.push_back(1);
  Tensor picture = input.unsqueeze(-1);
  Tensor places = indices.unsqueeze(-1);
  return aten::max_unpool2d(picture, places, size).squeeze(-1);
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, OneOrMoreInts kernel_size, IntsOrNone stride,
                    OneOrMoreInts padding, IntsOrNone output_size) {
  WithoutReference plain;
  Unpooling windows(2, kernel_size, stride, padding);
  return aten::max_unpool2d(input, indices, windows.output_size(input, output_size));
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, OneOrMoreInts kernel_size, IntsOrNone stride,
                    OneOrMoreInts padding, IntsOrNone output_size) {
  WithoutReference plain;
  Unpooling windows(3, kernel_size, stride, padding);
  return aten::max_unpool3d(input, indices, windows.output_size(input, output_size), windows.stride, windows.padding);
}

// ---- windows whose places are drawn

namespace {

// The output's sizes and the samples that place the windows.
struct Drawn {
  Sizes size;
  Tensor samples;

  Drawn(const char* name, int64_t dims, const Tensor& input, const IntsOrNone& output_size,
        const OneOrMoreDoubles& ratio, const Tensor& given)
      : samples(given) {
    const std::optional<OneOrMoreInts>& fixed = output_size.given();
    if (!fixed && !ratio.given()) fail_input(name, " requires either an output_size or an output_ratio");
    size_t count = static_cast<size_t>(dims);
    if (fixed) size = repeated(*fixed, count);
    if (!fixed && ratio.size(count) != count)
      fail_input(name, " takes 1 or ", dims, " numbers as output_ratio, got ", ratio.size(count));
    for (int64_t d = 0; !fixed && d < dims; ++d) {
      double scale = ratio.repeated(count)[static_cast<size_t>(d)];
      size.push_back(static_cast<int64_t>(static_cast<double>(input.size(d - dims).value()) * scale));
    }
    if (given.defined()) return;
    SymInt batch = input.dim() == dims + 1 ? SymInt(1) : input.size(0);
    samples = torch::rand({batch, input.size(-dims - 1), dims}, {input.dtype(), input.device()});
  }
};

}  // namespace

TensorTuple2 fractional_max_pool2d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, IntsOrNone output_size,
                                                OneOrMoreDoubles output_ratio, const Tensor& random_samples) {
  WithoutReference plain;
  Drawn drawn("fractional_max_pool2d", 2, input, output_size, output_ratio, random_samples);
  return aten::fractional_max_pool2d(input, repeated(kernel_size, 2), drawn.size, drawn.samples);
}
TensorTuple2 fractional_max_pool3d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, IntsOrNone output_size,
                                                OneOrMoreDoubles output_ratio, const Tensor& random_samples) {
  WithoutReference plain;
  Drawn drawn("fractional_max_pool3d", 3, input, output_size, output_ratio, random_samples);
  return aten::fractional_max_pool3d(input, repeated(kernel_size, 3), drawn.size, drawn.samples);
}
Tensor fractional_max_pool2d(const Tensor& input, OneOrMoreInts kernel_size, IntsOrNone output_size,
                             OneOrMoreDoubles output_ratio, const Tensor& random_samples) {
  return std::get<0>(fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, random_samples));
}
Tensor fractional_max_pool3d(const Tensor& input, OneOrMoreInts kernel_size, IntsOrNone output_size,
                             OneOrMoreDoubles output_ratio, const Tensor& random_samples) {
  return std::get<0>(fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, random_samples));
}

// ---- norms of windows

namespace {

// The norm with p = inf is the largest magnitude, with p = -inf the smallest; else the mean of the powers, times the
// size of a window, has its root taken.
template <typename MaxPool, typename AvgPool>
Tensor lp_pool(const Tensor& input, const Scalar& p, const OneOrMoreInts& kernel_size, size_t dims, MaxPool max_pool,
               AvgPool avg_pool) {
  WithoutReference plain;
  double power = p.to_double();
  if (std::isinf(power) && power > 0) return max_pool(input.abs());
  if (std::isinf(power)) {
    Tensor magnitude = input.abs();
    return -max_pool(-magnitude);
  }
  Tensor mean = avg_pool(input.pow(p));
  SymInt area = 1;
  for (SymInt size : repeated(kernel_size, dims)) area *= size;
  Tensor sign = mean.sign();
  Tensor magnitude = mean.abs().relu();
  Tensor sum = (sign * magnitude).mul(Scalar(area));
  return sum.pow(1.0 / power);
}

}  // namespace

Tensor lp_pool1d(const Tensor& input, const Scalar& norm_type, OneOrMoreInts kernel_size, OneOrMoreInts stride,
                 bool ceil_mode) {
  auto most = [&](const Tensor& x) { return max_pool1d(x, kernel_size, stride, 0, 1, ceil_mode); };
  auto mean = [&](const Tensor& x) { return torch::avg_pool1d(x, kernel_size, stride, 0, ceil_mode); };
  return lp_pool(input, norm_type, kernel_size, 1, most, mean);
}
Tensor lp_pool2d(const Tensor& input, const Scalar& norm_type, OneOrMoreInts kernel_size, OneOrMoreInts stride,
                 bool ceil_mode) {
  auto most = [&](const Tensor& x) { return max_pool2d(x, kernel_size, stride, 0, 1, ceil_mode); };
  auto mean = [&](const Tensor& x) { return avg_pool2d(x, kernel_size, stride, 0, ceil_mode); };
  return lp_pool(input, norm_type, kernel_size, 2, most, mean);
}
Tensor lp_pool3d(const Tensor& input, const Scalar& norm_type, OneOrMoreInts kernel_size, OneOrMoreInts stride,
                 bool ceil_mode) {
  auto most = [&](const Tensor& x) { return max_pool3d(x, kernel_size, stride, 0, 1, ceil_mode); };
  auto mean = [&](const Tensor& x) { return avg_pool3d(x, kernel_size, stride, 0, ceil_mode); };
  return lp_pool(input, norm_type, kernel_size, 3, most, mean);
}

}  // namespace rung::nn::functional
