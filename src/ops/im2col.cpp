// Pictures as columns of patches and back.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// How patches lie along height and width.
struct Patches {
  SymInts kernel, dilation, padding, stride;

  SymInt count(size_t i, SymInt size) const {
    return (size + padding[i] * 2 - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
  }

  void check() const {
    for (SymInts list : {kernel, dilation, padding, stride})
      if (list.size() != 2) fail_input("im2col and col2im take 2 numbers for height and width, got ", list.size());
    for (size_t i = 0; i < 2; ++i)
      if (kernel[i] <= 0 || dilation[i] <= 0 || stride[i] <= 0 || padding[i] < 0)
        fail_input("im2col and col2im: kernel, dilation and stride must be positive, padding not negative");
  }

  // [kernel, patches]: the padded picture's index of each element of each patch
  Tensor indices(size_t i, SymInt size, const Device& device) const {
    SymInt starts = size + padding[i] * 2 - dilation[i] * (kernel[i] - 1);
    Tensor start = aten::arange_start_step(0, starts, stride[i], DType::kInt64, std::nullopt, device, false);
    start = aten::unsqueeze(start, 0);
    Tensor offset =
        aten::arange_start_step(0, kernel[i] * dilation[i], dilation[i], DType::kInt64, std::nullopt, device, false);
    offset = aten::unsqueeze(offset, -1);
    return aten::add_Tensor(start, offset);
  }
};

// A `:` among Python's indices: a slice, unless the size is a number, which tells that nothing is cut off.
Tensor whole(const Tensor& x, int64_t dim) {
  return x.size(dim).is_int() ? x : aten::slice_Tensor(x, dim, SymInt(0), SymInt(INT64_MAX), 1);
}

Tensor im2col(Tensor self, SymInts kernel, SymInts dilation, SymInts padding, SymInts stride) {
  Patches patches{kernel, dilation, padding, stride};
  patches.check();
  if (self.dim() != 3 && self.dim() != 4) fail_input("im2col expects a picture of rank 3 or 4, got ", self.dim());
  bool batched = self.dim() == 4;
  Tensor input = batched ? self : aten::unsqueeze(self, 0);
  for (size_t i = 0; i < 2; ++i)
    if (patches.count(i, input.sizes()[i + 2]) <= 0) fail_input("im2col: the kernel is larger than the padded picture");
  Tensor rows = patches.indices(0, input.size(2), input.device());
  Tensor columns = patches.indices(1, input.size(3), input.device());
  Tensor padded = aten::pad(input, {padding[1], padding[1], padding[0], padding[0]});
  rows = aten::unsqueeze(rows, -1);
  rows = aten::unsqueeze(rows, -1);
  for (int64_t dim : {0, 1}) padded = whole(padded, dim);
  Tensor out = aten::index_Tensor(padded, std::array{Tensor(), Tensor(), rows, columns});
  out = aten::permute(out, {0, 1, 2, 4, 3, 5});
  out = aten::reshape(out, {input.size(0), input.size(1) * kernel[0] * kernel[1], rows.size(1) * columns.size(1)});
  return batched ? out : aten::squeeze_dim(out, 0);
}

// Overlapping patches are added up.
Tensor col2im(Tensor self, SymInts output_size, SymInts kernel, SymInts dilation, SymInts padding, SymInts stride) {
  Patches patches{kernel, dilation, padding, stride};
  patches.check();
  if (output_size.size() != 2 || (self.dim() != 2 && self.dim() != 3))
    fail_input("col2im expects columns of rank 2 or 3 and 2 output sizes");
  SymInt area = kernel[0] * kernel[1], high = patches.count(0, output_size[0]), wide = patches.count(1, output_size[1]);
  if (self.size(-2) % area != 0 || self.size(-1) != high * wide)
    fail_input("col2im: columns of ", self.size(-2).str(), " by ", self.size(-1).str(),
               " do not fit the kernel and the output");
  ComputeTypes types = compute_types({self});
  Tensor columns = types.up(self);
  bool batched = columns.dim() == 3;
  if (!batched) columns = aten::unsqueeze(columns, 0);
  SymInt batch = columns.size(0), channels = columns.size(1) / area;
  columns = aten::reshape(columns, {batch, channels, kernel[0], kernel[1], high, wide});
  columns = aten::permute(columns, {0, 1, 2, 4, 3, 5});
  Tensor at_row = patches.indices(0, output_size[0], columns.device());
  at_row = aten::unsqueeze(at_row, -1);
  at_row = aten::unsqueeze(at_row, -1);
  Tensor at_column = patches.indices(1, output_size[1], columns.device());
  Sizes padded{batch, channels, output_size[0] + padding[0] * 2, output_size[1] + padding[1] * 2};
  Tensor out = aten::new_zeros(columns, padded, std::nullopt, std::nullopt, std::nullopt, false);
  out = aten::_unsafe_index_put(out, std::array{Tensor(), Tensor(), at_row, at_column}, columns, true);
  out = aten::pad(out, {-padding[1], -padding[1], -padding[0], -padding[0]});
  if (!batched) out = aten::squeeze_dim(out, 0);
  return types.down(out);
}

constexpr OpDef kRows[] = {
    {.op = "aten::im2col", .body = box<im2col>},
    {.op = "aten::col2im", .body = box<col2im>},
};

}  // namespace

const std::span<const OpDef> kIm2ColOps = kRows;

}  // namespace rung::ops
