// Convolutions: all composites become aten::convolution.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// One number stands for all spatial dimensions.
SymInt at(SymInts list, size_t i) { return list.size() == 1 ? list[0] : list[i]; }

// ---- meta

// size = (in + 2 p - d (k - 1) - 1) / s + 1; transposed: (in - 1) s - 2 p + d (k - 1) + output padding + 1
Sizes output_sizes(const Tensor& input, const Tensor& weight, SymInts stride, SymInts padding, SymInts dilation,
                   bool transposed, SymInts output_padding, SymInt groups) {
  if (input.dim() < 3 || input.dim() != weight.dim())
    fail_input("convolution: an input of rank ", input.dim(), " and a weight of rank ", weight.dim(), " do not fit");
  SymInt channels = transposed ? weight.size(0) : weight.size(1) * groups;
  if (channels != input.size(1))
    fail_input("convolution: the weight takes ", channels.str(), " channels, the input has ", input.size(1).str());
  Sizes sizes{input.size(0), transposed ? weight.size(1) * groups : weight.size(0)};
  if (input.size(1) == 0) sizes[1] = 0;
  for (size_t i = 0; i + 2 < input.sizes().size(); ++i) {
    SymInt in = input.sizes()[i + 2], reach = at(dilation, i) * (weight.sizes()[i + 2] - 1), pad = at(padding, i) * 2;
    if (at(stride, i) <= 0) fail_input("convolution: the stride must be positive, got ", at(stride, i).str());
    if (transposed) {
      sizes.push_back((in - 1) * at(stride, i) - pad + reach + at(output_padding, i) + 1);
      continue;
    }
    if (in + pad < reach + 1)
      fail_input("convolution: a kernel that spans ", (reach + 1).str(), " is larger than the padded input, ",
                 (in + pad).str());
    sizes.push_back((in + pad - reach - 1) / at(stride, i) + 1);
  }
  return sizes;
}

bool looks_like(const TensorMeta& meta, MemoryFormat format) { return meta::suggest_memory_format(meta) == format; }

// A vector convolution is laid out as one over pictures of height 1.
const TensorMeta* with_height(const Tensor& tensor, bool dense) {
  const TensorMeta* base = dense && !meta::is_contiguous(tensor.meta())
                               ? meta::contiguous(tensor.sizes(), tensor.dtype(), tensor.device())
                               : &tensor.meta();
  Sizes sizes(base->sizes.begin(), base->sizes.end()), strides(base->strides.begin(), base->strides.end());
  sizes.insert(sizes.begin() + 2, 1);
  strides.insert(strides.begin() + 2, base->strides[2] * base->sizes[2]);
  return meta::make(sizes, strides, base->dtype, base->device);
}

const TensorMeta* meta_convolution(Tensor input, Tensor weight, Tensor, SymInts stride, SymInts padding,
                                   SymInts dilation, bool transposed, SymInts output_padding, SymInt groups) {
  if (input.dtype() != weight.dtype())
    fail_input("convolution: input type ", info(input.dtype()).name, " and weight type ", info(weight.dtype()).name,
               " differ");
  Sizes sizes = output_sizes(input, weight, stride, padding, dilation, transposed, output_padding, groups);
  if (input.dim() == 5) return meta::contiguous(sizes, input.dtype(), input.device());  // export turns oneDNN off
  bool vector = input.dim() == 3;
  const TensorMeta* picture = vector ? with_height(input, true) : &input.meta();
  const TensorMeta* kernel = vector ? with_height(weight, false) : &weight.meta();
  bool last = (looks_like(*picture, MemoryFormat::kChannelsLast) || looks_like(*kernel, MemoryFormat::kChannelsLast)) &&
              input.numel() != 0;
  if (vector) sizes.insert(sizes.begin() + 2, 1);
  const TensorMeta* out = meta::formatted(sizes, input.dtype(), input.device(),
                                          last ? MemoryFormat::kChannelsLast : MemoryFormat::kContiguous);
  if (!vector) return out;
  Sizes strides(out->strides.begin(), out->strides.end());
  sizes.erase(sizes.begin() + 2);
  strides.erase(strides.begin() + 2);
  return meta::make(sizes, strides, input.dtype(), input.device());
}

// ---- bodies

// The options of a call; `mode` is "same" or "valid" where a text gives the padding.
struct Options {
  SymInts stride, padding, dilation;
  bool transposed;
  SymInts output_padding;
  SymInt groups;
  std::string_view mode = {};
};

Tensor run(const Tensor& input, const Tensor& weight, const Tensor& bias, const Options& o) {
  if (!o.mode.empty()) return aten::_convolution_mode(input, weight, bias, o.stride, o.mode, o.dilation, o.groups);
  return aten::convolution(input, weight, bias, o.stride, o.padding, o.dilation, o.transposed, o.output_padding,
                           o.groups);
}

std::pair<Tensor, Tensor> real_and_imaginary(const Tensor& tensor) {
  Tensor pairs = aten::view_as_real(aten::resolve_conj(tensor));
  Tensor real = aten::select_int(pairs, pairs.dim() - 1, 0);
  return {real, aten::select_int(pairs, pairs.dim() - 1, 1)};
}

// Three real convolutions: a = conv(xr, wr, br), b = conv(xi, wi), c = conv(xr + xi, wr + wi, br + bi);
// the result is a - b + i (c - a - b).
Tensor complex_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, const Options& o) {
  auto [input_real, input_imag] = real_and_imaginary(input);
  auto [weight_real, weight_imag] = real_and_imaginary(weight);
  Tensor bias_real, bias_imag, bias_sum;
  if (bias) std::tie(bias_real, bias_imag) = real_and_imaginary(bias);
  Tensor a = run(input_real, weight_real, bias_real, o);
  Tensor b = run(input_imag, weight_imag, Tensor(), o);
  if (bias) bias_sum = aten::add_Tensor(bias_real, bias_imag);
  Tensor weight_sum = aten::add_Tensor(weight_real, weight_imag);
  Tensor input_sum = aten::add_Tensor(input_real, input_imag);
  Tensor c = run(input_sum, weight_sum, bias_sum, o);
  Tensor imaginary = aten::sub_Tensor(c, a);
  imaginary = aten::sub_Tensor(imaginary, b);
  imaginary =
      aten::mul_Scalar(imaginary, Scalar(Argument::of(current_arena().make<ComplexNumber>(ComplexNumber{0, 1}))));
  Tensor real = aten::sub_Tensor(a, b);
  return aten::add_Tensor(real, imaginary);
}

// An input without a batch gets one of size 1 for the time being.
Tensor convolve(const Tensor& input, const Tensor& weight, const Tensor& bias, const Options& o, int64_t spatial) {
  bool batched = input.dim() == spatial + 2;
  if (!batched && input.dim() != spatial + 1)
    fail_input("conv", spatial, "d expects an input of rank ", spatial + 1, " or ", spatial + 2, ", got ", input.dim());
  Tensor batch = batched ? input : aten::unsqueeze(input, 0);
  Tensor out = is_complex(input.dtype()) ? complex_convolution(batch, weight, bias, o) : run(batch, weight, bias, o);
  return batched ? out : aten::squeeze_dim(out, 0);
}

template <int64_t spatial>
Tensor conv(Tensor input, Tensor weight, Tensor bias, SymInts stride, SymInts padding, SymInts dilation,
            SymInt groups) {
  Sizes none(static_cast<size_t>(spatial), 0);
  return convolve(input, weight, bias, {stride, padding, dilation, false, none, groups}, spatial);
}
template <int64_t spatial>
Tensor conv_padding(Tensor input, Tensor weight, Tensor bias, SymInts stride, std::string_view padding,
                    SymInts dilation, SymInt groups) {
  return convolve(input, weight, bias, {stride, {}, dilation, false, {}, groups, padding}, spatial);
}
template <int64_t spatial>
Tensor conv_transpose(Tensor input, Tensor weight, Tensor bias, SymInts stride, SymInts padding, SymInts output_padding,
                      SymInt groups, SymInts dilation) {
  return convolve(input, weight, bias, {stride, padding, dilation, true, output_padding, groups}, spatial);
}

// Padding on both sides so that stride 1 keeps the size; symmetric where the stride leaves room for it.
std::pair<SymInt, SymInt> same_padding(SymInt size, SymInt kernel, SymInt stride, SymInt dilation) {
  SymInt total = dilation * (kernel - 1);
  if (stride > 2 && total % 2 == 1 && size % stride - 1 > 0) total -= 1;
  SymInt before = total / 2;
  return {before, total - before};
}

Tensor convolution_mode(Tensor input, Tensor weight, Tensor bias, SymInts stride, std::string_view padding,
                        SymInts dilation, SymInt groups) {
  if (padding != "same" && padding != "valid")
    fail_input("convolution: padding must be 'same' or 'valid', got '", padding, "'");
  if (padding == "valid") return aten::convolution(input, weight, bias, stride, {0}, dilation, false, {0}, groups);
  size_t spatial = weight.sizes().size() - 2;
  Sizes left, right, extra(2 * spatial, 0), none(spatial, 0);
  bool symmetric = true;
  for (size_t i = 0; i < spatial; ++i) {
    if (at(stride, i) != 1) fail_input("convolution: padding 'same' is not supported for strides");
    auto [before, after] = same_padding(input.sizes()[i + 2], weight.sizes()[i + 2], at(stride, i), at(dilation, i));
    left.push_back(before);
    right.push_back(after);
    symmetric = symmetric && before == after;
  }
  for (size_t i = 0; i < spatial && !symmetric; ++i) extra[2 * (spatial - 1 - i) + 1] = right[i] - left[i];
  Tensor padded = symmetric ? input : aten::constant_pad_nd(input, extra, 0);
  return aten::convolution(padded, weight, bias, stride, left, dilation, false, none, groups);
}

Tensor convolution_deprecated(Tensor input, Tensor weight, Tensor bias, SymInts stride, SymInts padding,
                              SymInts dilation, bool transposed, SymInts output_padding, SymInt groups, bool benchmark,
                              bool deterministic, bool cudnn_enabled) {
  return aten::_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups,
                            benchmark, deterministic, cudnn_enabled, true);
}

// Gradients of input, weight and bias; channels last if the input or the weight is.
std::array<const TensorMeta*, 3> meta_backward(Tensor grad, Tensor input, Tensor weight) {
  MemoryFormat format = meta::suggest_memory_format(input.meta());
  if (format == MemoryFormat::kContiguous) format = meta::suggest_memory_format(weight.meta());
  return {meta::formatted(input.sizes(), input.dtype(), input.device(), format),
          meta::formatted(weight.sizes(), weight.dtype(), weight.device(), format),
          meta::contiguous(std::array{grad.size(1)}, grad.dtype(), grad.device())};
}

constexpr OpDef kRows[] = {
    {.op = "aten::convolution_backward", .meta = box_meta<meta_backward>},
    {.op = "aten::convolution", .meta = box_meta<meta_convolution>},
    {.op = "aten::convolution_overrideable", .meta = box_meta<meta_convolution>},
    {.op = "aten::_convolution", .meta = box_meta<meta_convolution>},
    {.op = "aten::_convolution.deprecated", .body = box<convolution_deprecated>},
    {.op = "aten::_convolution_mode", .body = box<convolution_mode>},
    {.op = "aten::conv1d", .body = box<conv<1>>},
    {.op = "aten::conv2d", .body = box<conv<2>>},
    {.op = "aten::conv3d", .body = box<conv<3>>},
    {.op = "aten::conv1d.padding", .body = box<conv_padding<1>>},
    {.op = "aten::conv2d.padding", .body = box<conv_padding<2>>},
    {.op = "aten::conv3d.padding", .body = box<conv_padding<3>>},
    {.op = "aten::conv_transpose1d", .body = box<conv_transpose<1>>},
    {.op = "aten::conv_transpose2d.input", .body = box<conv_transpose<2>>},
    {.op = "aten::conv_transpose3d.input", .body = box<conv_transpose<3>>},
};

}  // namespace

const std::span<const OpDef> kConvolutionOps = kRows;

}  // namespace rung::ops
