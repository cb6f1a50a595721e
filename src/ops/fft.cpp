// Fourier transforms: all become _fft_c2c, _fft_r2c and _fft_c2r (complex or real to complex or real).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "meta/promote.h"
#include "meta/view.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/prims.h"
#include "ops/number.h"
#include "trace/like_torch.h"
#include "trace/without_reference.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Dims = std::vector<int64_t>;
using MaybeInt = std::optional<SymInt>;
using MaybeInts = std::optional<SymInts>;
using Norm = std::optional<std::string_view>;

// ---- metas

// Dimensions that are not transformed lie outside, in the order of their strides, the transformed ones inside.
const TensorMeta* transformed(const TensorMeta& self, const Sizes& sizes, const Dims& dims, DType dtype) {
  Dims order;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i)
    if (std::ranges::find(dims, i) == dims.end()) order.push_back(i);
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return self.strides[static_cast<size_t>(a)] > self.strides[static_cast<size_t>(b)];
  });
  order.insert(order.end(), dims.begin(), dims.end());
  Sizes strides(sizes.size());
  SymInt step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[static_cast<size_t>(order[i])] = step;
    step *= max(sizes[static_cast<size_t>(order[i])], 1);
  }
  return meta::make(sizes, strides, dtype, self.device);
}

// By falling stride; the last one, where it is halved, stays last.
Dims sorted(const TensorMeta& self, Dims dims, bool keep_last) {
  std::stable_sort(dims.begin(), dims.end() - (keep_last ? 1 : 0), [&](int64_t a, int64_t b) {
    return self.strides[static_cast<size_t>(a)] > self.strides[static_cast<size_t>(b)];
  });
  return dims;
}

const TensorMeta* c2c(const TensorMeta& self, const Dims& dims) {
  if (dims.empty()) return meta::like(self, self.dtype);
  return transformed(self, Sizes(self.sizes.begin(), self.sizes.end()), sorted(self, dims, false), self.dtype);
}
const TensorMeta* meta_c2c(Tensor self, SymInts dim) {
  if (!is_complex(self.dtype())) fail_input("_fft_c2c needs a complex tensor, got ", info(self.dtype()).name);
  return c2c(self.meta(), wrap_dims(dim, self.dim()));
}
const TensorMeta* meta_r2c(Tensor self, SymInts dim, int64_t, bool onesided) {
  if (!is_floating(self.dtype())) fail_input("_fft_r2c needs a floating-point tensor, got ", info(self.dtype()).name);
  Dims dims = wrap_dims(dim, self.dim());
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  SymInt& last = sizes[static_cast<size_t>(dims.back())];
  if (onesided) last = last / 2 + 1;
  return transformed(self.meta(), sizes, sorted(self.meta(), dims, true), meta::complex_type(self.dtype()));
}
const TensorMeta* meta_c2r(Tensor self, SymInts dim, int64_t, SymInt last_size) {
  if (!is_complex(self.dtype())) fail_input("_fft_c2r needs a complex tensor, got ", info(self.dtype()).name);
  Dims dims = wrap_dims(dim, self.dim()), last = {dims.back()};
  dims.pop_back();
  const TensorMeta* input = dims.empty() ? &self.meta() : c2c(self.meta(), dims);
  Sizes sizes(input->sizes.begin(), input->sizes.end());
  sizes[static_cast<size_t>(last[0])] = last_size;
  return transformed(*input, sizes, last, meta::real_type(self.dtype()));
}

// ---- shared steps

Tensor promote(const Tensor& self, bool to_complex) {
  DType type = is_integral_or_bool(self.dtype()) ? DType::kFloat32 : self.dtype();
  if (is_low_precision(type))
    fail_unsupported("Fourier transforms of ", info(type).name, " are not supported on the CPU");
  return to_dtype(self, to_complex ? meta::complex_type(type) : type);
}

// Each dimension cut or filled up with zeros to its size; -1 leaves it.
Tensor resize(Tensor self, const Dims& dims, const Sizes& sizes) {
  Sizes pad(self.sizes().size() * 2, 0);
  bool pads = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    SymInt size = self.size(dims[i]);
    if (sizes[i] == -1) continue;
    if (size < sizes[i]) {
      pads = true;
      pad[pad.size() - 2 * static_cast<size_t>(dims[i]) - 1] = sizes[i] - size;
    }
    if (size > sizes[i]) self = aten::slice_Tensor(self, dims[i], 0, sizes[i]);
  }
  return pads ? aten::constant_pad_nd(self, pad) : self;
}

// 0: as it is, 1: over the square root of n, 2: over n
int64_t norm_mode(Norm norm, bool forward) {
  if (!norm || *norm == "backward") return forward ? 0 : 2;
  if (*norm == "forward") return forward ? 2 : 0;
  if (*norm != "ortho") fail_input("fft: norm must be 'forward', 'backward' or 'ortho', got '", *norm, "'");
  return 1;
}

// The three transforms, normalized as `norm` says: torch's kernels do that themselves, its primitives do not.
struct Kernels {
  static Tensor c2c(const Tensor& x, const Sizes& dims, Norm norm, bool forward) {
    return aten::_fft_c2c(x, dims, norm_mode(norm, forward), forward);
  }
  static Tensor r2c(const Tensor& x, const Sizes& dims, Norm norm, bool forward, bool onesided) {
    return aten::_fft_r2c(x, dims, norm_mode(norm, forward), onesided);
  }
  static Tensor c2r(const Tensor& x, const Sizes& dims, Norm norm, bool forward, SymInt last_size) {
    return aten::_fft_c2r(x, dims, norm_mode(norm, forward), last_size);
  }
};

Tensor normalized(const Tensor& x, Norm norm, bool forward, SymInt count) {
  switch (norm_mode(norm, forward)) {
    case 1: return aten::mul_Tensor(x, 1 / std::sqrt(static_cast<double>(specialize(count))));  // as torch does
    case 2: return aten::mul_Tensor(x, Scalar(true_div(1, count)));
    default: return x;
  }
}
// The product of the sizes of these dimensions.
SymInt points(const Tensor& x, const Sizes& dims) {
  SymInt count = 1;
  for (SymInt dim : dims) count *= x.size(dim.value());
  return count;
}

// The primitives lay their results out densely, the ops of ATen with the transformed dimensions innermost.
Tensor laid_out(const Tensor& out, const TensorMeta& wanted) {
  if (is_like_torch() || std::ranges::equal(out.strides(), wanted.strides)) return out;
  return prims::copy_strided(out, wanted.strides);
}

struct Primitives {
  static Tensor c2c(const Tensor& x, const Sizes& dims, Norm norm, bool forward) {
    Tensor out = normalized(prims::fft_c2c(x, dims, forward), norm, forward, points(x, dims));
    return laid_out(out, *meta_c2c(x, dims));
  }
  static Tensor r2c(const Tensor& x, const Sizes& dims, Norm norm, bool forward, bool onesided) {
    Tensor out = normalized(prims::fft_r2c(x, dims, onesided), norm, forward, points(x, dims));
    return laid_out(out, *meta_r2c(x, dims, 0, onesided));
  }
  static Tensor c2r(const Tensor& x, const Sizes& dims, Norm norm, bool forward, SymInt last_size) {
    Tensor out = prims::fft_c2r(x, dims, last_size);
    out = normalized(out, norm, forward, points(out, dims));
    return laid_out(out, *meta_c2r(x, dims, 0, last_size));
  }
};

void check_size(SymInt n) {
  if (n < 1) fail_input("fft: invalid number of data points, ", n.str());
}

// ---- one dimension

template <typename Transforms>
Tensor complex_to_real(const Tensor& self, MaybeInt n, int64_t dim, Norm norm, bool forward) {
  Tensor input = promote(self, true);
  int64_t at = wrap_dim(dim, input.dim());
  SymInt size = n.value_or(SymInt(2) * (input.size(at) - 1));
  check_size(size);
  if (n) input = resize(input, {at}, {size / 2 + 1});
  if (forward) input = aten::conj(input);
  return Transforms::c2r(input, {at}, norm, forward, size);
}

template <typename Transforms>
Tensor real_to_complex(const Tensor& self, MaybeInt n, int64_t dim, Norm norm, bool forward, bool onesided) {
  if (is_complex(self.dtype())) fail_input("fft: expected a real tensor, got ", info(self.dtype()).name);
  Tensor input = promote(self, false);
  int64_t at = wrap_dim(dim, input.dim());
  check_size(n.value_or(input.size(at)));
  if (n) input = resize(input, {at}, {*n});
  Tensor out = Transforms::r2c(input, {at}, norm, forward, onesided);
  return forward ? out : aten::conj(out);
}

template <typename Transforms>
Tensor complex_to_complex(const Tensor& self, MaybeInt n, int64_t dim, Norm norm, bool forward) {
  int64_t at = wrap_dim(dim, self.dim());
  check_size(n.value_or(self.size(at)));
  Tensor input = n ? resize(self, {at}, {*n}) : self;
  return Transforms::c2c(input, {at}, norm, forward);
}

template <typename Transforms, bool forward>
Tensor fft(Tensor self, MaybeInt n, int64_t dim, Norm norm) {
  if (is_complex(self.dtype())) return complex_to_complex<Transforms>(self, n, dim, norm, forward);
  return real_to_complex<Transforms>(self, n, dim, norm, forward, false);
}
template <typename Transforms, bool forward>
Tensor onesided_fft(Tensor self, MaybeInt n, int64_t dim, Norm norm) {
  return real_to_complex<Transforms>(self, n, dim, norm, forward, true);
}
template <typename Transforms, bool forward>
Tensor real_fft(Tensor self, MaybeInt n, int64_t dim, Norm norm) {
  return complex_to_real<Transforms>(self, n, dim, norm, forward);
}

// ---- several dimensions

struct Signal {
  Dims dims;
  Sizes sizes;
};

// Given sizes without dimensions belong to the last ones; neither given, all dimensions are transformed.
Signal signal_of(const Tensor& self, MaybeInts sizes, MaybeInts dims) {
  Signal signal;
  if (dims) signal.dims = wrap_dims(*dims, self.dim());
  if (sizes && dims && sizes->size() != dims->size())
    fail_input("fft: ", sizes->size(), " sizes for ", dims->size(), " dimensions");
  size_t count = dims ? dims->size() : sizes ? sizes->size() : self.sizes().size();
  if (count > self.sizes().size()) fail_input("fft: ", count, " dimensions of a tensor of rank ", self.dim());
  if (!dims) {
    signal.dims.resize(count);
    std::iota(signal.dims.begin(), signal.dims.end(), self.dim() - static_cast<int64_t>(count));
  }
  for (size_t i = 0; i < count; ++i) {
    bool given = sizes && (*sizes)[i] != -1;
    signal.sizes.push_back(given ? (*sizes)[i] : self.size(signal.dims[i]));
    check_size(signal.sizes.back());
  }
  return signal;
}

// As signal_of, where the last dimension is half of `last_size`.
Signal half_signal_of(const Tensor& self, MaybeInts sizes, MaybeInts dims, SymInt& last_size) {
  Signal signal = signal_of(self, sizes, dims);
  if (signal.dims.empty()) fail_input("fft: at least one dimension must be transformed");
  bool given = sizes && sizes->back() != -1;
  last_size = given ? signal.sizes.back() : SymInt(2) * (self.size(signal.dims.back()) - 1);
  check_size(last_size);
  signal.sizes.back() = last_size / 2 + 1;
  return signal;
}

Sizes as_sizes(const Dims& dims) { return Sizes(dims.begin(), dims.end()); }

template <typename Transforms, bool forward>
Tensor fftn(Tensor self, MaybeInts sizes, MaybeInts dims, Norm norm) {
  Signal signal = signal_of(self, sizes, dims);
  Tensor input = resize(promote(self, true), signal.dims, signal.sizes);
  return Transforms::c2c(input, as_sizes(signal.dims), norm, forward);
}
template <typename Transforms>
Tensor rfftn(Tensor self, MaybeInts sizes, MaybeInts dims, Norm norm) {
  if (is_complex(self.dtype())) fail_input("fft: expected a real tensor, got ", info(self.dtype()).name);
  Signal signal = signal_of(self, sizes, dims);
  if (signal.dims.empty()) fail_input("fft: at least one dimension must be transformed");
  Tensor input = resize(promote(self, false), signal.dims, signal.sizes);
  return Transforms::r2c(input, as_sizes(signal.dims), norm, true, true);
}
template <typename Transforms>
Tensor irfftn(Tensor self, MaybeInts sizes, MaybeInts dims, Norm norm) {
  SymInt last_size;
  Signal signal = half_signal_of(self, sizes, dims, last_size);
  Tensor input = resize(promote(self, true), signal.dims, signal.sizes);
  return Transforms::c2r(input, as_sizes(signal.dims), norm, false, last_size);
}
Tensor hfftn(Tensor self, MaybeInts sizes, MaybeInts dims, Norm norm) {
  SymInt last_size;
  Signal signal = half_signal_of(self, sizes, dims, last_size);
  Tensor input = resize(promote(self, true), signal.dims, signal.sizes);
  Dims others(signal.dims.begin(), signal.dims.end() - 1);
  if (!others.empty()) input = aten::_fft_c2c(input, as_sizes(others), norm_mode(norm, true), true);
  return aten::_fft_c2r(aten::conj(input), {signal.dims.back()}, norm_mode(norm, true), last_size);
}
Tensor ihfftn(Tensor self, MaybeInts sizes, MaybeInts dims, Norm norm) {
  Signal signal = signal_of(self, sizes, dims);
  if (signal.dims.empty()) fail_input("fft: at least one dimension must be transformed");
  Tensor input = resize(promote(self, false), signal.dims, signal.sizes);
  Tensor out = aten::_fft_r2c(input, {signal.dims.back()}, norm_mode(norm, false), true);
  if (signal.dims.size() == 1) return aten::conj(out);
  Dims others(signal.dims.begin(), signal.dims.end() - 1);
  return aten::_fft_c2c(aten::conj_physical(out), as_sizes(others), norm_mode(norm, false), false);
}

// torch's references of these two conjugate at once, and leave the transform of the last dimension unnormalized.
Tensor reference_hfftn(Tensor self, MaybeInts sizes, MaybeInts dims, Norm norm) {
  SymInt last_size;
  Signal signal = half_signal_of(self, sizes, dims, last_size);
  Tensor input = resize(promote(self, true), signal.dims, signal.sizes);
  Sizes others = as_sizes(Dims(signal.dims.begin(), signal.dims.end() - 1));
  if (!others.empty()) input = laid_out(prims::fft_c2c(input, others, true), *meta_c2c(input, others));
  input = normalized(input, norm, true, points(input, others));
  return Primitives::c2r(prims::conj_physical(input), {signal.dims.back()}, norm, true, last_size);
}
Tensor reference_ihfftn(Tensor self, MaybeInts sizes, MaybeInts dims, Norm norm) {
  Signal signal = signal_of(self, sizes, dims);
  if (signal.dims.empty()) fail_input("fft: at least one dimension must be transformed");
  Tensor input = resize(promote(self, false), signal.dims, signal.sizes);
  SymInt count = points(input, as_sizes(signal.dims));
  const Sizes last = as_sizes({signal.dims.back()});
  Tensor out = laid_out(prims::fft_r2c(input, last, true), *meta_r2c(input, last, 0, true));
  if (signal.dims.size() == 1) return prims::conj(normalized(out, norm, false, count));
  Sizes others = as_sizes(Dims(signal.dims.begin(), signal.dims.end() - 1));
  Tensor conjugated = prims::conj_physical(out);
  out = normalized(prims::fft_c2c(conjugated, others, false), norm, false, count);
  return laid_out(out, *meta_c2c(conjugated, others));
}

template <auto transform>
Tensor over_two(Tensor self, MaybeInts sizes, SymInts dims, Norm norm) {
  return transform(self, sizes, dims, norm);
}

// Zero frequency to the middle, or back.
template <bool back>
Tensor shift(Tensor self, MaybeInts dims) {
  Sizes at, by;
  if (dims) at.assign(dims->begin(), dims->end());
  for (int64_t i = 0; !dims && i < self.dim(); ++i) at.push_back(i);
  for (SymInt dim : at) by.push_back((self.size(dim.value()) + (back ? 1 : 0)) / 2);
  return aten::roll(self, by, at);
}

// ---- short-time transforms

struct Frames {
  SymInt hop, window;
};
Frames frames_of(SymInt n_fft, MaybeInt hop_length, MaybeInt win_length) {
  return {hop_length.value_or(n_fft / 4), win_length.value_or(n_fft)};
}

// A window shorter than the transform stands in its middle.
Tensor centered(const Tensor& window, SymInt n_fft, SymInt length, bool with_value) {
  SymInt left = (n_fft - length) / 2;
  Sizes pad{left, n_fft - length - left};
  return with_value ? aten::constant_pad_nd(window, pad, 0) : aten::constant_pad_nd(window, pad);
}

// torch's kernel writes the window into zeros, and makes frames of strides.
Tensor centered_in_place(const Tensor& window, const Tensor& input, SymInt n_fft, SymInt length) {
  const Tensor& like = window.defined() ? window : input;
  Tensor zeros = aten::zeros({n_fft}, like.dtype(), like.layout(), like.device());
  Tensor middle = aten::narrow(zeros, 0, (n_fft - length) / 2, length);
  if (window.defined())
    aten::copy_(middle, window);
  else
    aten::fill__Scalar(middle, 1);
  return zeros;
}
Tensor frames_in_place(const Tensor& input, SymInt n_fft, SymInt hop) {
  SymInt count = (input.size(1) - n_fft) / hop + 1, step = input.stride(1);
  return aten::as_strided(input, {input.size(0), count, n_fft}, {input.stride(0), hop * step, step});
}

Tensor stft_center(Tensor self, SymInt n_fft, MaybeInt hop_length, MaybeInt win_length, Tensor window, bool center,
                   std::string_view pad_mode, bool normalized, std::optional<bool> onesided,
                   std::optional<bool> return_complex, std::optional<bool> align_to_window) {
  Frames frames = frames_of(n_fft, hop_length, win_length);
  bool returns_complex =
      return_complex.value_or(is_complex(self.dtype()) || (window.defined() && is_complex(window.dtype())));
  if (!return_complex && !returns_complex) fail_input("stft requires return_complex for real inputs");
  if (self.dim() < 1 || self.dim() > 2) fail_input("stft expects a tensor of 1 or 2 dimensions, got ", self.dim());
  Tensor input = self.dim() == 1 ? aten::unsqueeze(self, 0) : self;
  if (center) {
    input = aten::view(input, {1, input.size(0), input.size(1)});
    input = aten::pad(input, {n_fft / 2, n_fft / 2}, pad_mode);
    input = aten::view(input, {input.size(1), input.size(2)});
  }
  if (n_fft <= 0 || n_fft > input.size(1) || frames.hop <= 0 || frames.window <= 0 || frames.window > n_fft)
    fail_input("stft: n_fft ", n_fft.str(), ", hop ", frames.hop.str(), " and window ", frames.window.str(),
               " do not fit a length of ", input.size(1).str());
  bool by_kernel = follows_kernels() && !goes_to_references();
  if (frames.window < n_fft && by_kernel) {
    window = centered_in_place(window, input, n_fft, frames.window);
  } else if (frames.window < n_fft) {
    if (!window.defined()) window = aten::ones({frames.window}, input.dtype(), std::nullopt, input.device(), false);
    window = centered(window, n_fft, frames.window, false);
  }
  if (!center && align_to_window.value_or(false)) {
    SymInt pad = (n_fft - frames.window) / 2;
    input = aten::pad(input, {pad, pad}, pad_mode);
  }
  input = by_kernel ? frames_in_place(input, n_fft, frames.hop) : aten::unfold(input, -1, n_fft, frames.hop);
  if (window.defined()) input = aten::mul_Tensor(input, window);
  bool complex_input = is_complex(input.dtype());
  Norm norm = normalized ? Norm("ortho") : std::nullopt;
  if (onesided.value_or(!complex_input) && complex_input) fail_input("stft of complex values cannot be onesided");
  Tensor out = onesided.value_or(!complex_input) ? aten::fft_rfft(input, std::nullopt, -1, norm)
                                                 : aten::fft_fft(input, std::nullopt, -1, norm);
  if (by_kernel) {
    aten::transpose_(out, 1, 2);
    if (self.dim() == 1) aten::squeeze__dim(out, 0);
  } else {
    out = aten::transpose_int(out, 1, 2);
    if (self.dim() == 1) out = aten::squeeze_dim(out, 0);
  }
  return returns_complex ? out : aten::view_as_real(out);
}

Tensor stft(Tensor self, SymInt n_fft, MaybeInt hop_length, MaybeInt win_length, Tensor window, bool normalized,
            std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool> align_to_window) {
  return aten::stft_center(self, n_fft, hop_length, win_length, window, false, "constant", normalized, onesided,
                           return_complex, align_to_window);
}

// Windows that overlap are added up and divided by the sum of the squared windows.
Tensor istft(Tensor self, SymInt n_fft, MaybeInt hop_length, MaybeInt win_length, Tensor window, bool center,
             bool normalized, std::optional<bool> onesided, MaybeInt length, bool return_complex) {
  Frames frames = frames_of(n_fft, hop_length, win_length);
  if (!is_complex(self.dtype()) || self.dim() < 2 || self.dim() > 3)
    fail_input("istft expects a complex tensor of 2 or 3 dimensions");
  SymInt count = self.size(-1), signal = n_fft + frames.hop * (count - 1);
  bool half = onesided.value_or(self.size(-2) != n_fft);
  if (self.size(-2) != (half ? n_fft / 2 + 1 : n_fft))
    fail_input("istft: ", self.size(-2).str(), " frequencies do not fit n_fft ", n_fft.str());
  if (frames.hop <= 0 || frames.hop > frames.window || frames.window > n_fft)
    fail_input("istft: hop and window length do not fit n_fft");
  if (!window.defined())
    window = aten::ones({frames.window}, meta::real_type(self.dtype()), std::nullopt, self.device(), false);
  if (frames.window != n_fft) window = centered(window, n_fft, frames.window, true);
  Tensor input = self.dim() == 2 ? aten::unsqueeze(self, 0) : self;
  input = aten::transpose_int(input, 1, 2);
  Norm norm = normalized ? Norm("ortho") : std::nullopt;
  if (return_complex) {
    if (half) fail_input("istft of complex values cannot be onesided");
    input = aten::fft_ifft(input, std::nullopt, -1, norm);
  } else {
    if (!half) input = aten::narrow(input, -1, 0, n_fft / 2 + 1);
    input = aten::fft_irfft(input, std::nullopt, -1, norm);
  }
  Tensor pieces = aten::mul_Tensor(input, aten::view(window, {1, 1, n_fft}));
  Sizes sizes{pieces.size(0), signal};
  Tensor out = aten::unfold_backward(pieces, sizes, 1, n_fft, frames.hop);
  Tensor squares = aten::pow_Tensor_Scalar(window, 2);
  squares = aten::expand(squares, {1, count, n_fft});
  Tensor envelope = aten::unfold_backward(squares, sizes, 1, n_fft, frames.hop);
  SymInt start = center ? n_fft / 2 : SymInt(0);
  SymInt end = length ? start + *length : center ? signal - n_fft / 2 : signal;
  out = aten::slice_Tensor(out, 1, start, end, 1);
  envelope = aten::slice_Tensor(envelope, 1, start, end, 1);
  out = aten::div_Tensor(out, envelope);
  if (self.dim() == 2) out = aten::squeeze_dim(out, 0);
  return end > signal ? aten::constant_pad_nd(out, {0, end - signal}, 0) : out;
}

constexpr OpDef kRows[] = {
    {.op = "aten::_fft_c2c", .meta = box_meta<meta_c2c>},
    {.op = "aten::_fft_r2c", .meta = box_meta<meta_r2c>},
    {.op = "aten::_fft_c2r", .meta = box_meta<meta_c2r>},
    {.op = "aten::fft_fft", .body = box<fft<Kernels, true>>, .reference = box<fft<Primitives, true>>},
    {.op = "aten::fft_ifft", .body = box<fft<Kernels, false>>, .reference = box<fft<Primitives, false>>},
    {.op = "aten::fft_rfft",
     .body = box<onesided_fft<Kernels, true>>,
     .reference = box<onesided_fft<Primitives, true>>},
    {.op = "aten::fft_ihfft",
     .body = box<onesided_fft<Kernels, false>>,
     .reference = box<onesided_fft<Primitives, false>>},
    {.op = "aten::fft_hfft", .body = box<real_fft<Kernels, true>>, .reference = box<real_fft<Primitives, true>>},
    {.op = "aten::fft_irfft", .body = box<real_fft<Kernels, false>>, .reference = box<real_fft<Primitives, false>>},
    {.op = "aten::fft_fftn", .body = box<fftn<Kernels, true>>, .reference = box<fftn<Primitives, true>>},
    {.op = "aten::fft_ifftn", .body = box<fftn<Kernels, false>>, .reference = box<fftn<Primitives, false>>},
    {.op = "aten::fft_rfftn", .body = box<rfftn<Kernels>>, .reference = box<rfftn<Primitives>>},
    {.op = "aten::fft_irfftn", .body = box<irfftn<Kernels>>, .reference = box<irfftn<Primitives>>},
    {.op = "aten::fft_hfftn", .body = box<hfftn>, .reference = box<reference_hfftn>},
    {.op = "aten::fft_ihfftn", .body = box<ihfftn>, .reference = box<reference_ihfftn>},
    {.op = "aten::fft_fft2",
     .body = box<over_two<fftn<Kernels, true>>>,
     .reference = box<over_two<fftn<Primitives, true>>>},
    {.op = "aten::fft_ifft2",
     .body = box<over_two<fftn<Kernels, false>>>,
     .reference = box<over_two<fftn<Primitives, false>>>},
    {.op = "aten::fft_rfft2", .body = box<over_two<rfftn<Kernels>>>, .reference = box<over_two<rfftn<Primitives>>>},
    {.op = "aten::fft_irfft2", .body = box<over_two<irfftn<Kernels>>>, .reference = box<over_two<irfftn<Primitives>>>},
    {.op = "aten::fft_hfft2", .body = box<over_two<hfftn>>, .reference = box<over_two<reference_hfftn>>},
    {.op = "aten::fft_ihfft2", .body = box<over_two<ihfftn>>, .reference = box<over_two<reference_ihfftn>>},
    {.op = "aten::fft_fftshift", .body = box<shift<false>>},
    {.op = "aten::fft_ifftshift", .body = box<shift<true>>},
    {.op = "aten::stft.center", .body = box<stft_center>},
    {.op = "aten::stft", .body = box<stft>},
    {.op = "aten::istft", .body = box<istft>},
};

}  // namespace

const std::span<const OpDef> kFftOps = kRows;

}  // namespace rung::ops
