// Gradients of averages over windows, and maxima over windows that are placed at random.
#include <algorithm>
#include <cmath>
#include <functional>

#include "ops/elementwise.h"
#include "ops/kernels.h"
#include "ops/pool_window.h"

namespace rung::ops {
namespace {

using ref::Index;
using ref::Shape;

// What a window covers of each dimension: [start, end).
struct Box {
  Shape start, end;
};
int64_t volume(const Box& box) {
  int64_t count = 1;
  for (size_t dim = 0; dim < box.start.size(); ++dim) count *= box.end[dim] - box.start[dim];
  return count;
}
// Calls visit(place) for each place of a box in a plane of this shape.
template <typename Visit>
void for_each_place(const Shape& plane, const Box& box, Visit&& visit) {
  Shape sizes, strides = ref::row_major_strides(plane);
  int64_t first = 0;
  for (size_t dim = 0; dim < plane.size(); ++dim) {
    sizes.push_back(box.end[dim] - box.start[dim]);
    first += box.start[dim] * strides[dim];
  }
  Index index(sizes);
  for (int64_t i = 0; i < ref::count(sizes); ++i, index.next())
    visit(static_cast<size_t>(first + index.offset(strides)));
}
Shape plane_of(const Tensor& tensor, size_t spatial) {
  Shape shape = ref::shape_of(tensor);
  return Shape(shape.end() - static_cast<ptrdiff_t>(spatial), shape.end());
}

// ---- gradients: each is spread over its window, divided by `divisor`

struct Spread {
  Box box;
  double divisor;
};
Argument averages_backward(const Call& call, size_t spatial, const std::function<Spread(const Shape& at)>& spread) {
  Tensor grad(call.args[0]), self(call.args[1]);
  const TensorMeta& result = result_meta(call);
  Shape in = plane_of(self, spatial), out = plane_of(grad, spatial);
  require_equal(call.op, "dimensions of the gradient", self.dim(), grad.dim());
  for (int64_t dim = 0; dim < self.dim() - static_cast<int64_t>(spatial); ++dim)
    require_equal(call.op, "planes of gradients", self.size(dim).value(), grad.size(dim).value());
  auto in_size = static_cast<size_t>(ref::count(in));
  std::vector<double> gradients = ref::values<double>(grad);
  std::vector<double> sums(static_cast<size_t>(ref::count(ref::shape_of(self))));
  Index at(out);
  for (size_t i = 0; i < gradients.size(); ++i, at.next()) {
    double* plane = sums.data() + i / static_cast<size_t>(ref::count(out)) * in_size;
    Spread window = spread(at.at());
    for_each_place(in, window.box, [&](size_t place) { plane[place] += gradients[i] / window.divisor; });
  }
  return ref::make(result, sums).argument();
}

template <size_t spatial>
Argument avg_pool_backward(const Call& call) {
  Tensor self(call.args[1]);
  const SymInt dense[] = {1};
  Window window{unbox_ints(call.args[2]), unbox_ints(call.args[3]), unbox_ints(call.args[4]), dense,
                unbox_bool(call.args[5])};
  bool counts_padding = unbox_bool(call.args[6]);
  std::optional<double> divisor;
  if (!call.args[7].is_none()) divisor = static_cast<double>(unbox_int(call.args[7]).value());
  if (divisor == 0) fail_input("avg_pool backward: the divisor must not be 0");
  std::vector<PooledDim> dims = pooled_dims(self, window, spatial);
  Shape out = plane_of(Tensor(call.args[0]), spatial);
  for (size_t dim = 0; dim < spatial; ++dim)
    require_equal(call.op, "gradients in a plane", dims[dim].out.value(), out[dim]);
  return averages_backward(call, spatial, [&](const Shape& at) {
    Box with_padding, box;
    for (size_t dim = 0; dim < spatial; ++dim) {
      int64_t size = dims[dim].in.value(), padding = dims[dim].padding.value();
      int64_t start = at[dim] * dims[dim].stride.value() - padding;
      int64_t end = std::min(start + dims[dim].kernel.value(), size + padding);
      with_padding.start.push_back(start), with_padding.end.push_back(end);
      box.start.push_back(std::max(start, int64_t(0))), box.end.push_back(std::min(end, size));
    }
    double count = static_cast<double>(volume(counts_padding ? with_padding : box));
    return Spread{box, divisor.value_or(count)};
  });
}

// Windows from i in / out rounded down to (i + 1) in / out rounded up.
template <size_t spatial>
Argument adaptive_avg_pool_backward(const Call& call) {
  Shape in = plane_of(Tensor(call.args[1]), spatial), out = plane_of(Tensor(call.args[0]), spatial);
  return averages_backward(call, spatial, [&](const Shape& at) {
    Box box;
    for (size_t dim = 0; dim < spatial; ++dim) {
      box.start.push_back(at[dim] * in[dim] / out[dim]);
      box.end.push_back(((at[dim] + 1) * in[dim] + out[dim] - 1) / out[dim]);
    }
    return Spread{box, static_cast<double>(volume(box))};
  });
}

// ---- windows at random places, which a number for each plane and dimension decides

// Computed in the dtype, as rounding decides a place.
template <typename F>
Shape starts(F sample, int64_t in, int64_t out, int64_t kernel) {
  Shape all;
  F step = out > 1 ? static_cast<F>(in - kernel) / static_cast<F>(out - 1) : F(0);
  for (int64_t i = 0; i + 1 < out; ++i)
    all.push_back(static_cast<int64_t>((static_cast<F>(i) + sample) * step) - static_cast<int64_t>(sample * step));
  all.push_back(in - kernel);
  return all;
}

template <size_t spatial>
Argument fractional_max_pool(const Call& call) {
  Tensor self(call.args[0]), samples(call.args[3]);
  Shape kernel = ref::to_shape(unbox_ints(call.args[1])), out = ref::to_shape(unbox_ints(call.args[2]));
  Shape in = plane_of(self, spatial);
  for (size_t dim = 0; dim < spatial; ++dim)
    if (out[dim] + kernel[dim] - 1 > in[dim])
      fail_input("fractional_max_pool: a kernel of ", kernel[dim], " and ", out[dim],
                 " outputs do not fit into a dimension of size ", in[dim]);
  std::vector<const TensorMeta*> results = result_metas(call);
  std::vector<double> values = ref::values<double>(self), drawn = ref::values<double>(samples), maxima;
  std::vector<int64_t> places;
  auto in_size = static_cast<size_t>(ref::count(in));
  require_equal(call.op, "random samples", static_cast<int64_t>(values.size() / std::max<size_t>(in_size, 1) * spatial),
                static_cast<int64_t>(drawn.size()));
  for (size_t plane = 0; plane * in_size < values.size(); ++plane) {
    const double* from = values.data() + plane * in_size;
    std::vector<Shape> first;
    for (size_t dim = 0; dim < spatial; ++dim) {
      double sample =
          drawn[plane * spatial + (spatial == 2 ? spatial - 1 - dim : dim)];  // of pictures the width comes first
      first.push_back(self.dtype() == DType::kFloat64
                          ? starts(sample, in[dim], out[dim], kernel[dim])
                          : starts(static_cast<float>(sample), in[dim], out[dim], kernel[dim]));
    }
    Index at(out);
    for (int64_t i = 0; i < ref::count(out); ++i, at.next()) {
      Box box;
      for (size_t dim = 0; dim < spatial; ++dim) {
        box.start.push_back(first[dim][static_cast<size_t>(at[dim])]);
        box.end.push_back(box.start.back() + kernel[dim]);
      }
      std::optional<size_t> best;
      for_each_place(in, box, [&](size_t place) {
        if (!best || from[place] > from[*best] || std::isnan(from[place])) best = place;
      });
      maxima.push_back(from[*best]);
      places.push_back(static_cast<int64_t>(*best));
    }
  }
  const Tensor both[] = {ref::make(*results[0], maxima), ref::make(*results[1], places)};
  return box_list(both);
}

constexpr KernelRow kRows[] = {
    {"aten::_adaptive_avg_pool2d_backward", adaptive_avg_pool_backward<2>},
    {"aten::_adaptive_avg_pool3d_backward", adaptive_avg_pool_backward<3>},
    {"aten::avg_pool2d_backward", avg_pool_backward<2>},
    {"aten::avg_pool3d_backward", avg_pool_backward<3>},
    {"aten::fractional_max_pool2d", fractional_max_pool<2>},
    {"aten::fractional_max_pool3d", fractional_max_pool<3>},
};

}  // namespace

const std::span<const KernelRow> kPoolingKernels = kRows;

}  // namespace rung::ops
