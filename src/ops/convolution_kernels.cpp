// Convolutions of any number of dimensions, as they are defined; sums in double.
#include "ops/elementwise.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using ref::Index;
using ref::Shape;

struct Window {
  Shape stride, padding, dilation;
};

// What a position of the dense side and one of the window meet on the other side: position stride - padding +
// window dilation; false outside of it.
bool meets(const Window& w, const Shape& shape, const Index& position, const Index& window, int64_t& place) {
  place = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t at = position[dim] * w.stride[dim] - w.padding[dim] + window[dim] * w.dilation[dim];
    if (at < 0 || at >= shape[dim]) return false;
    place = place * shape[dim] + at;
  }
  return true;
}

struct Sizes {
  int64_t groups, in, out;      // channels of one group
  Shape input, output, window;  // without batch and channels
};

// Calls visit(from, to, tap): the element at `from` of the input adds to that at `to` of the output through a tap.
template <typename Visit>
void for_each_meeting(const Sizes& s, const Window& w, bool transposed, Visit&& visit) {
  // forward, each result is a sum over the window; transposed, each input is spread over it
  const Shape& dense = transposed ? s.input : s.output;
  const Shape& other = transposed ? s.output : s.input;
  const int64_t places = ref::count(dense), taps = ref::count(s.window);
  Index position(dense);
  for (int64_t p = 0; p < places; ++p, position.next()) {
    Index tap(s.window);
    for (int64_t k = 0; k < taps; ++k, tap.next()) {
      int64_t q;
      if (meets(w, other, position, tap, q)) visit(transposed ? p : q, transposed ? q : p, k);
    }
  }
}

// (blocks, rows, columns) to (blocks, columns, rows)
template <typename T>
std::vector<T> turned(const std::vector<T>& values, int64_t blocks, int64_t rows, int64_t columns) {
  std::vector<T> out(values.size());
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        out[static_cast<size_t>((b * columns + c) * rows + r)] =
            values[static_cast<size_t>((b * rows + r) * columns + c)];
  return out;
}

// The channels that are summed over lie side by side: input is (batch, place, channel), weight (tap, channel of the
// output, channel of the input in its group).
template <typename T>
void convolve(const Sizes& s, const Window& w, bool transposed, int64_t batch, const std::vector<T>& input,
              const std::vector<T>& weight, std::vector<T>& output) {
  const int64_t in_places = ref::count(s.input), out_places = ref::count(s.output), channels = s.groups * s.out;
  for_each_meeting(s, w, transposed, [&](int64_t from, int64_t to, int64_t tap) {
    for (int64_t n = 0; n < batch; ++n) {
      for (int64_t oc = 0; oc < channels; ++oc) {
        const T* values = &input[static_cast<size_t>(((n * in_places + from) * s.groups + oc / s.out) * s.in)];
        const T* factors = &weight[static_cast<size_t>((tap * channels + oc) * s.in)];
        T sum = T();
        for (int64_t c = 0; c < s.in; ++c) sum = add(sum, mul(values[c], factors[c]));
        T& target = output[static_cast<size_t>((n * channels + oc) * out_places + to)];
        target = add(target, sum);
      }
    }
  });
}

// Calls visit(input, weight, output) with the places of all elements that are multiplied and of what they add to.
template <typename Visit>
void for_each_product(const Sizes& s, const Window& w, bool transposed, int64_t batch, Visit&& visit) {
  const int64_t in_places = ref::count(s.input), out_places = ref::count(s.output), taps = ref::count(s.window);
  for_each_meeting(s, w, transposed, [&](int64_t from, int64_t to, int64_t tap) {
    for (int64_t n = 0; n < batch; ++n) {
      for (int64_t oc = 0; oc < s.groups * s.out; ++oc) {
        int64_t output = (n * s.out * s.groups + oc) * out_places + to;
        for (int64_t c = 0; c < s.in; ++c) {
          int64_t ic = oc / s.out * s.in + c;
          int64_t row = transposed ? ic * s.out + oc % s.out : oc * s.in + c;
          int64_t input = (n * s.in * s.groups + ic) * in_places + from;
          visit(static_cast<size_t>(input), static_cast<size_t>(row * taps + tap), static_cast<size_t>(output));
        }
      }
    }
  });
}

// Without batch and channels.
Shape spatial(const Shape& shape) { return Shape(shape.begin() + 2, shape.end()); }
Shape per_dim(const Argument& argument, size_t dims) {
  Shape items = ref::to_shape(unbox_ints(argument));
  if (items.size() == 1) items.resize(dims, items[0]);
  return items;
}

Argument convolution(const Call& call) {
  Tensor input(call.args[0]), weight(call.args[1]), bias = unbox_tensor(call.args[2]);
  const TensorMeta& result = result_meta(call);
  bool transposed = unbox_bool(call.args[6]);
  Shape in = ref::shape_of(input), kernel = ref::shape_of(weight), out = ref::to_shape(result.sizes);
  size_t dims = in.size() - 2;
  Window window{per_dim(call.args[3], dims), per_dim(call.args[4], dims), per_dim(call.args[5], dims)};
  int64_t groups = unbox_int(call.args[8]).value();
  Sizes sizes{groups, in[1] / groups, out[1] / groups, spatial(in), spatial(out), spatial(kernel)};
  return ref::with_carrier(result.dtype, [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> values(static_cast<size_t>(ref::count(out)));
    if (bias.defined()) {
      std::vector<T> shift = ref::values<T>(bias);
      int64_t places = ref::count(sizes.output);
      for (size_t i = 0; i < values.size(); ++i) values[i] = shift[i / static_cast<size_t>(places) % shift.size()];
    }
    // an empty side has no elements to sum over
    if (ref::count(in) == 0 || ref::count(out) == 0) return ref::make(result, values).argument();
    std::vector<T> pixels = turned(ref::values<T>(input), in[0], in[1], ref::count(sizes.input));
    // transposed weights are (channel of the input, of the output in its group): each group is turned
    std::vector<T> weights = turned(ref::values<T>(weight), 1, kernel[0] * kernel[1], ref::count(sizes.window));
    if (transposed) weights = turned(weights, ref::count(sizes.window) * groups, sizes.in, sizes.out);
    convolve(sizes, window, transposed, in[0], pixels, weights, values);
    return ref::make(result, values).argument();
  });
}

template <typename T>
T conjugate(T x) {
  if constexpr (std::same_as<T, ref::Complex>)
    return std::conj(x);
  else
    return x;
}

// Of input, weight and bias, each where it is asked for: the gradient times the other factor of each product.
Argument convolution_backward(const Call& call) {
  Tensor grad(call.args[0]), input(call.args[1]), weight(call.args[2]);
  bool transposed = unbox_bool(call.args[7]);
  int64_t groups = unbox_int(call.args[9]).value();
  std::vector<const TensorMeta*> results = result_metas(call);
  Shape in = ref::shape_of(input), kernel = ref::shape_of(weight), out = ref::shape_of(grad);
  size_t dims = in.size() - 2;
  require_equal(call.op, "samples of gradients", in[0], out[0]);
  require_equal(call.op, "channels on the side of the weight's rows", transposed ? in[1] : out[1], kernel[0]);
  require_equal(call.op, "channels of the weight", (transposed ? out[1] : in[1]) / groups, kernel[1]);
  Window window{per_dim(call.args[4], dims), per_dim(call.args[5], dims), per_dim(call.args[6], dims)};
  Sizes sizes{groups, in[1] / groups, out[1] / groups, spatial(in), spatial(out), spatial(kernel)};
  return ref::with_carrier(input.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> gradients = ref::values<T>(grad), pixels = ref::values<T>(input), weights = ref::values<T>(weight);
    std::vector<T> of_input(pixels.size()), of_weight(weights.size()), of_bias(static_cast<size_t>(out[1]));
    for_each_product(sizes, window, transposed, in[0], [&](size_t from, size_t by, size_t to) {
      of_input[from] = add(of_input[from], mul(gradients[to], conjugate(weights[by])));
      of_weight[by] = add(of_weight[by], mul(gradients[to], conjugate(pixels[from])));
    });
    auto places = static_cast<size_t>(ref::count(sizes.output));
    for (size_t i = 0; i < gradients.size(); ++i) {
      T& sum = of_bias[i / places % of_bias.size()];
      sum = add(sum, gradients[i]);
    }
    auto wanted = [&](size_t i, const std::vector<T>& values) {
      return call.args[10].list_items()[i].boolean ? ref::make(*results[i], values) : Tensor();
    };
    const Tensor all[] = {wanted(0, of_input), wanted(1, of_weight), wanted(2, of_bias)};
    return box_list(all);
  });
}

constexpr KernelRow kRows[] = {
    {"aten::convolution_backward", convolution_backward},
    {"aten::convolution", convolution},
    {"aten::convolution_overrideable", convolution},
    {"aten::_convolution", convolution},
};

}  // namespace

const std::span<const KernelRow> kConvolutionKernels = kRows;

}  // namespace rung::ops
