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
  int64_t in_places = ref::count(s.input), out_places = ref::count(s.output), taps = ref::count(s.window);
  auto out_at = [&](int64_t n, int64_t c, int64_t p) {
    return static_cast<size_t>((n * s.out * s.groups + c) * out_places + p);
  };
  // forward, each result is a sum over the window; transposed, each input is spread over it
  const Shape& dense = transposed ? s.input : s.output;
  const Shape& other = transposed ? s.output : s.input;
  Index position(dense);
  for (int64_t p = 0; p < ref::count(dense); ++p, position.next()) {
    Index tap(s.window);
    for (int64_t k = 0; k < taps; ++k, tap.next()) {
      int64_t q;
      if (!meets(w, other, position, tap, q)) continue;
      int64_t from = transposed ? p : q, to = transposed ? q : p;
      for (int64_t n = 0; n < batch; ++n) {
        for (int64_t oc = 0; oc < s.groups * s.out; ++oc) {
          int64_t group = oc / s.out;
          const T* values = &input[static_cast<size_t>(((n * in_places + from) * s.groups + group) * s.in)];
          const T* factors = &weight[static_cast<size_t>((k * s.groups * s.out + oc) * s.in)];
          T sum = T();
          for (int64_t c = 0; c < s.in; ++c) sum = add(sum, mul(values[c], factors[c]));
          T& target = output[out_at(n, oc, to)];
          target = add(target, sum);
        }
      }
    }
  }
}

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
  auto spatial = [](const Shape& shape) { return Shape(shape.begin() + 2, shape.end()); };
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
    std::vector<T> inputs = turned(ref::values<T>(input), in[0], in[1], ref::count(sizes.input));
    // transposed weights are (channel of the input, of the output in its group): each group is turned
    std::vector<T> weights = turned(ref::values<T>(weight), 1, kernel[0] * kernel[1], ref::count(sizes.window));
    if (transposed) weights = turned(weights, ref::count(sizes.window) * groups, sizes.in, sizes.out);
    convolve(sizes, window, transposed, in[0], inputs, weights, values);
    return ref::make(result, values).argument();
  });
}

constexpr KernelRow kRows[] = {
    {"aten::convolution", convolution},
    {"aten::_convolution", convolution},
};

}  // namespace

const std::span<const KernelRow> kConvolutionKernels = kRows;

}  // namespace rung::ops
