// torch.nn.functional: pictures padded, resized, sampled, cut into patches.
#pragma once
#include "ops/gen/torch.h"
#include "ops/one_or_more_doubles.h"

namespace rung::nn::functional {

Tensor pad(const Tensor& input, IntList pad, std::string_view mode = "constant",
           std::optional<double> value = std::nullopt);

/// Patches [N, C h w, count] of a picture [N, C, H, W], and a picture of patches, which are added where they overlap.
Tensor unfold(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts dilation = 1, OneOrMoreInts padding = 0,
              OneOrMoreInts stride = 1);
Tensor fold(const Tensor& input, OneOrMoreInts output_size, OneOrMoreInts kernel_size, OneOrMoreInts dilation = 1,
            OneOrMoreInts padding = 0, OneOrMoreInts stride = 1);

/// Resized to `size`, or by `scale_factor`. `mode` is "nearest", "nearest-exact", "area", "linear" (3-d), "bilinear",
/// "bicubic", "lanczos" (4-d) or "trilinear" (5-d).
Tensor interpolate(const Tensor& input, IntsOrNone size = std::nullopt, OneOrMoreDoubles scale_factor = std::nullopt,
                   std::string_view mode = "nearest", std::optional<bool> align_corners = std::nullopt,
                   std::optional<bool> recompute_scale_factor = std::nullopt, bool antialias = false);
Tensor upsample(const Tensor& input, IntsOrNone size = std::nullopt, OneOrMoreDoubles scale_factor = std::nullopt,
                std::string_view mode = "nearest", std::optional<bool> align_corners = std::nullopt);
Tensor upsample_nearest(const Tensor& input, IntsOrNone size = std::nullopt,
                        OneOrMoreDoubles scale_factor = std::nullopt);
Tensor upsample_bilinear(const Tensor& input, IntsOrNone size = std::nullopt,
                         OneOrMoreDoubles scale_factor = std::nullopt);

/// Where each pixel of a picture of `size` comes from under the affine maps `theta`: what grid_sample takes.
Tensor affine_grid(const Tensor& theta, IntList size, std::optional<bool> align_corners = std::nullopt);
/// `mode` is "bilinear", "nearest" or "bicubic", `padding_mode` "zeros", "border" or "reflection".
Tensor grid_sample(const Tensor& input, const Tensor& grid, std::string_view mode = "bilinear",
                   std::string_view padding_mode = "zeros", std::optional<bool> align_corners = std::nullopt);

}  // namespace rung::nn::functional
