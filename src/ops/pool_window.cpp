// What windows read, and what they leave of a shape.
#include "ops/pool_window.h"

#include <algorithm>

#include "base/error.h"
#include "ops/factory.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// One number stands for all dimensions.
SymInt at(SymInts list, size_t i) { return list.size() == 1 ? list[0] : list[i]; }

// (in + 2 p - d (k - 1) - 1) / s + 1, rounded up in ceil mode unless the last window would start in the right padding
SymInt pooled_size(SymInt in, SymInt kernel, SymInt stride, SymInt padding, SymInt dilation, bool ceil_mode) {
  if (stride <= 0) fail_input("pooling: the stride must be positive, got ", stride.str());
  if (padding < 0 || padding * 2 > (kernel - 1) * dilation + 1)
    fail_input("pooling: padding ", padding.str(), " must be at most half of the kernel, ", kernel.str());
  SymInt span = in + padding * 2 - dilation * (kernel - 1) - 1;
  SymInt out = (span + (ceil_mode ? stride - 1 : SymInt(0))) / stride + 1;
  return ceil_mode && (out - 1) * stride >= in + padding ? out - 1 : out;
}

// place[o, k] = o stride + k dilation, each dimension's with its own two dimensions of the result
std::vector<Tensor> window_places(const std::vector<PooledDim>& dims, const Device& device) {
  std::vector<Tensor> places;
  for (size_t i = 0; i < dims.size(); ++i) {
    const PooledDim& d = dims[i];
    Tensor starts = aten::unsqueeze(arange(d.out, device, DType::kInt64), 1);
    starts = aten::mul_Tensor(starts, Scalar(d.stride));
    Tensor offsets = aten::unsqueeze(arange(d.kernel, device, DType::kInt64), 0);
    offsets = aten::mul_Tensor(offsets, Scalar(d.dilation));
    Sizes shape(2 * dims.size(), 1);
    shape[2 * i] = d.out;
    shape[2 * i + 1] = d.kernel;
    places.push_back(aten::reshape(aten::add_Tensor(starts, offsets), shape));
  }
  return places;
}

}  // namespace

Sizes pooled_sizes(const Tensor& input, const Window& window, size_t spatial) {
  if (input.sizes().size() != spatial + 1 && input.sizes().size() != spatial + 2)
    fail_input("pooling over ", spatial, " dimensions expects an input of rank ", spatial + 1, " or ", spatial + 2,
               ", got ", input.dim());
  Sizes sizes(input.sizes().begin(), input.sizes().end());
  const SymInt one = 1;
  size_t first = sizes.size() - spatial;
  for (size_t i = 0; i < spatial; ++i) {
    SymInts dilation = window.dilation.empty() ? SymInts(&one, 1) : window.dilation;
    SymInt stride = window.stride.empty() ? at(window.kernel, i) : at(window.stride, i);
    SymInt& size = sizes[first + i];
    size = pooled_size(size, at(window.kernel, i), stride, at(window.padding, i), at(dilation, i), window.ceil_mode);
    if (size < 1) fail_input("pooling: the output of dimension ", first + i, " would have size ", size.str());
  }
  return sizes;
}

Sizes resized(const Tensor& input, SymInts output_size) {
  size_t spatial = output_size.size();
  if (input.sizes().size() != spatial + 1 && input.sizes().size() != spatial + 2)
    fail_input("adaptive pooling over ", spatial, " dimensions of an input of rank ", input.dim());
  Sizes sizes(input.sizes().begin(), input.sizes().end());
  std::copy(output_size.begin(), output_size.end(), sizes.end() - static_cast<ptrdiff_t>(spatial));
  return sizes;
}

const TensorMeta* formatted_like(const Tensor& input, SymInts sizes, DType dtype) {
  return meta::formatted(sizes, dtype, input.device(), meta::suggest_memory_format(input.meta()));
}

std::vector<PooledDim> pooled_dims(const Tensor& input, const Window& window, size_t spatial) {
  Sizes sizes = pooled_sizes(input, window, spatial);
  std::vector<PooledDim> dims;
  for (size_t i = 0; i < spatial; ++i) {
    size_t dim = sizes.size() - spatial + i;
    SymInt kernel = at(window.kernel, i), stride = window.stride.empty() ? kernel : at(window.stride, i);
    dims.push_back({input.sizes()[dim], sizes[dim], kernel, stride, at(window.padding, i), at(window.dilation, i)});
  }
  return dims;
}

Tensor padded(const Tensor& input, const std::vector<PooledDim>& dims, const Scalar& value) {
  Sizes pad;
  for (size_t i = dims.size(); i-- > 0;) {
    const PooledDim& d = dims[i];
    SymInt reach = (d.out - 1) * d.stride + (d.kernel - 1) * d.dilation + 1;
    pad.push_back(d.padding);
    pad.push_back(max(reach - (d.in + d.padding * 2), 0) + d.padding);
  }
  return aten::pad(input, pad, "constant", value.to_double());
}

Tensor windows_of(const Tensor& padded_input, const std::vector<PooledDim>& dims) {
  std::vector<Tensor> indices = window_places(dims, padded_input.device());
  indices.insert(indices.begin(), 2, Tensor());
  Tensor windows = aten::index_Tensor(padded_input, indices);
  Sizes order{0, 1};
  for (size_t i = 0; i < dims.size(); ++i) order.push_back(2 + 2 * i);
  for (size_t i = 0; i < dims.size(); ++i) order.push_back(3 + 2 * i);
  windows = aten::permute(windows, order);
  Sizes shape(windows.sizes().begin(), windows.sizes().begin() + 2 + static_cast<ptrdiff_t>(dims.size()));
  SymInt elements = 1;
  for (const PooledDim& dim : dims) elements *= dim.kernel;
  shape.push_back(elements);
  return aten::reshape(windows, shape);
}

}  // namespace rung::ops
