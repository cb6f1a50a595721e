// torch.nn.functional: pooling over windows, and back.
#pragma once
#include "ops/gen/torch.h"
#include "ops/one_or_more_doubles.h"

namespace rung::nn::functional {

Tensor max_pool1d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {}, OneOrMoreInts padding = 0,
                  OneOrMoreInts dilation = 1, bool ceil_mode = false);
Tensor max_pool2d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {}, OneOrMoreInts padding = 0,
                  OneOrMoreInts dilation = 1, bool ceil_mode = false);
Tensor max_pool3d(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {}, OneOrMoreInts padding = 0,
                  OneOrMoreInts dilation = 1, bool ceil_mode = false);
/// The maxima, and where in its picture each was found.
TensorTuple2 max_pool1d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {},
                                     OneOrMoreInts padding = 0, OneOrMoreInts dilation = 1, bool ceil_mode = false);
TensorTuple2 max_pool2d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {},
                                     OneOrMoreInts padding = 0, OneOrMoreInts dilation = 1, bool ceil_mode = false);
TensorTuple2 max_pool3d_with_indices(const Tensor& input, OneOrMoreInts kernel_size, OneOrMoreInts stride = {},
                                     OneOrMoreInts padding = 0, OneOrMoreInts dilation = 1, bool ceil_mode = false);

/// Maxima back where they were found, and zeros everywhere else.
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, OneOrMoreInts kernel_size,
                    IntsOrNone stride = std::nullopt, OneOrMoreInts padding = 0, IntsOrNone output_size = std::nullopt);
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, OneOrMoreInts kernel_size,
                    IntsOrNone stride = std::nullopt, OneOrMoreInts padding = 0, IntsOrNone output_size = std::nullopt);
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, OneOrMoreInts kernel_size,
                    IntsOrNone stride = std::nullopt, OneOrMoreInts padding = 0, IntsOrNone output_size = std::nullopt);

Tensor adaptive_max_pool1d(const Tensor& input, OneOrMoreInts output_size);
Tensor adaptive_max_pool2d(const Tensor& input, OneOrMoreInts output_size);
Tensor adaptive_max_pool3d(const Tensor& input, OneOrMoreInts output_size);
TensorTuple2 adaptive_max_pool1d_with_indices(const Tensor& input, OneOrMoreInts output_size);
TensorTuple2 adaptive_max_pool2d_with_indices(const Tensor& input, OneOrMoreInts output_size);
TensorTuple2 adaptive_max_pool3d_with_indices(const Tensor& input, OneOrMoreInts output_size);

/// Over windows whose places are drawn. Either the output's size is given, or its ratio to the input's.
Tensor fractional_max_pool2d(const Tensor& input, OneOrMoreInts kernel_size, IntsOrNone output_size = std::nullopt,
                             OneOrMoreDoubles output_ratio = std::nullopt, const Tensor& random_samples = {});
Tensor fractional_max_pool3d(const Tensor& input, OneOrMoreInts kernel_size, IntsOrNone output_size = std::nullopt,
                             OneOrMoreDoubles output_ratio = std::nullopt, const Tensor& random_samples = {});
TensorTuple2 fractional_max_pool2d_with_indices(const Tensor& input, OneOrMoreInts kernel_size,
                                                IntsOrNone output_size = std::nullopt,
                                                OneOrMoreDoubles output_ratio = std::nullopt,
                                                const Tensor& random_samples = {});
TensorTuple2 fractional_max_pool3d_with_indices(const Tensor& input, OneOrMoreInts kernel_size,
                                                IntsOrNone output_size = std::nullopt,
                                                OneOrMoreDoubles output_ratio = std::nullopt,
                                                const Tensor& random_samples = {});

/// The norms of windows: (sum x^p)^(1/p).
Tensor lp_pool1d(const Tensor& input, const Scalar& norm_type, OneOrMoreInts kernel_size, OneOrMoreInts stride = {},
                 bool ceil_mode = false);
Tensor lp_pool2d(const Tensor& input, const Scalar& norm_type, OneOrMoreInts kernel_size, OneOrMoreInts stride = {},
                 bool ceil_mode = false);
Tensor lp_pool3d(const Tensor& input, const Scalar& norm_type, OneOrMoreInts kernel_size, OneOrMoreInts stride = {},
                 bool ceil_mode = false);

Tensor adaptive_avg_pool2d(const Tensor& input, OneOrMoreInts output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, OneOrMoreInts output_size);
}  // namespace rung::nn::functional
