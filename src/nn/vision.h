// Layers of pictures: resized, shuffled between channels and pixels, cut into patches.
#pragma once
#include "nn/module.h"
#include "nn/per_dim.h"
#include "ops/functional_vision.h"

namespace rung::nn {

struct UpsampleOptions {
  std::optional<PerDim> size = std::nullopt;  // either this, or the next
  OneOrMoreDoubles scale_factor = std::nullopt;
  std::string mode = "nearest";
  std::optional<bool> align_corners = std::nullopt;
  std::optional<bool> recompute_scale_factor = std::nullopt;
};

class Upsample : public Layer {
 public:
  explicit Upsample(UpsampleOptions options) : options_(std::move(options)) {}
  Tensor forward(const Tensor& input) override {
    const auto& [size, scale_factor, mode, align_corners, recompute] = options_;
    size_t spatial = input.dim() < 2 ? 0 : static_cast<size_t>(input.dim() - 2);
    std::vector<SymInt> sizes = size ? size->of(spatial) : std::vector<SymInt>();
    IntsOrNone to = size ? IntsOrNone(sizes) : IntsOrNone(std::nullopt);
    return functional::interpolate(input, to, scale_factor, mode, align_corners, recompute);
  }

 private:
  UpsampleOptions options_;
};

/// [N, C r r, H, W] to [N, C, H r, W r], and back.
class PixelShuffle : public Layer {
 public:
  explicit PixelShuffle(int64_t upscale_factor) : upscale_factor_(upscale_factor) {}
  Tensor forward(const Tensor& input) override { return functional::pixel_shuffle(input, upscale_factor_); }

 private:
  int64_t upscale_factor_;
};
class PixelUnshuffle : public Layer {
 public:
  explicit PixelUnshuffle(int64_t downscale_factor) : downscale_factor_(downscale_factor) {}
  Tensor forward(const Tensor& input) override { return functional::pixel_unshuffle(input, downscale_factor_); }

 private:
  int64_t downscale_factor_;
};

/// Channels of `groups` groups, taken in turn.
class ChannelShuffle : public Layer {
 public:
  explicit ChannelShuffle(int64_t groups) : groups_(groups) {}
  Tensor forward(const Tensor& input) override { return functional::channel_shuffle(input, groups_); }

 private:
  int64_t groups_;
};

struct PatchOptions {
  PerDim dilation = 1, padding = 0, stride = 1;
};

/// A picture's patches as columns.
class Unfold : public Layer {
 public:
  explicit Unfold(const PerDim& kernel_size, const PatchOptions& options = {})
      : kernel_size_(kernel_size.of(2)),
        dilation_(options.dilation.of(2)),
        padding_(options.padding.of(2)),
        stride_(options.stride.of(2)) {}
  Tensor forward(const Tensor& input) override {
    return functional::unfold(input, kernel_size_, dilation_, padding_, stride_);
  }

 private:
  std::vector<SymInt> kernel_size_, dilation_, padding_, stride_;
};

/// Columns added up to a picture.
class Fold : public Layer {
 public:
  Fold(const PerDim& output_size, const PerDim& kernel_size, const PatchOptions& options = {})
      : output_size_(output_size.of(2)),
        kernel_size_(kernel_size.of(2)),
        dilation_(options.dilation.of(2)),
        padding_(options.padding.of(2)),
        stride_(options.stride.of(2)) {}
  Tensor forward(const Tensor& input) override {
    return functional::fold(input, output_size_, kernel_size_, dilation_, padding_, stride_);
  }

 private:
  std::vector<SymInt> output_size_, kernel_size_, dilation_, padding_, stride_;
};

}  // namespace rung::nn
