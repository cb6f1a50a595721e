// Tensors made from nothing or in the likeness of another: empty, full, zeros, ones, fill.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/gen/prims.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using MaybeType = std::optional<DType>;
using MaybeLayout = std::optional<Layout>;
using MaybeDevice = std::optional<Device>;
using MaybeFormat = std::optional<MemoryFormat>;
using Pin = std::optional<bool>;

// ---- metas

void check_sizes(SymInts size) {
  for (SymInt s : size)
    if (s < 0) fail_input("a tensor cannot have the negative size ", s.str());
}

const TensorMeta* fresh(SymInts size, DType dtype, const MaybeDevice& device) {
  check_sizes(size);
  return meta::contiguous(size, dtype, device.value_or(Device{}));
}

// int64 and bool numbers keep their kind, all other numbers take the default types.
DType type_of(const Scalar& value) {
  switch (value.category()) {
    case Category::kBoolean: return DType::kBool;
    case Category::kIntegral: return DType::kInt64;
    case Category::kFloating: return DType::kFloat32;
    case Category::kComplex: return DType::kComplex64;
  }
  RUNG_UNREACHABLE();
}

const TensorMeta* meta_empty(SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device, Pin, MaybeFormat format) {
  check_sizes(size);
  return meta::formatted(size, dtype.value_or(DType::kFloat32), device.value_or(Device{}),
                         format.value_or(MemoryFormat::kContiguous));
}
const TensorMeta* meta_full(SymInts size, Scalar value, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return fresh(size, dtype.value_or(type_of(value)), device);
}
const TensorMeta* meta_sized(SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return fresh(size, dtype.value_or(DType::kFloat32), device);
}
const TensorMeta* meta_scalar_tensor(Scalar, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return fresh({}, dtype.value_or(DType::kFloat32), device);
}
const TensorMeta* meta_empty_strided(SymInts size, SymInts stride, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  check_sizes(size);
  if (size.size() != stride.size())
    fail_input("empty_strided: ", size.size(), " sizes but ", stride.size(), " strides");
  return meta::make(size, stride, dtype.value_or(DType::kFloat32), device.value_or(Device{}));
}
const TensorMeta* meta_empty_permuted(SymInts size, SymInts physical_layout, MaybeType dtype, MaybeLayout,
                                      MaybeDevice device) {
  check_sizes(size);
  std::vector<int64_t> order = wrap_dims(physical_layout, static_cast<int64_t>(size.size()));
  if (order.size() != size.size())
    fail_input("empty_permuted: ", size.size(), " sizes but ", order.size(), " dimensions in the layout");
  Sizes strides(size.size());
  SymInt step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    size_t dim = static_cast<size_t>(order[i]);
    strides[dim] = step;
    step *= max(size[dim], 1);
  }
  return meta::make(size, strides, dtype.value_or(DType::kFloat32), device.value_or(Device{}));
}

const TensorMeta* like(const Tensor& self, MaybeType dtype, const MaybeDevice& device, MaybeFormat format) {
  const TensorMeta* meta =
      meta::empty_like(self.meta(), dtype.value_or(self.dtype()), format.value_or(MemoryFormat::kPreserve));
  return device ? meta::make(meta->sizes, meta->strides, meta->dtype, *device) : meta;
}
const TensorMeta* meta_like(Tensor self, MaybeType dtype, MaybeLayout, MaybeDevice device, Pin, MaybeFormat format) {
  return like(self, dtype, device, format);
}
const TensorMeta* meta_full_like(Tensor self, Scalar, MaybeType dtype, MaybeLayout, MaybeDevice device, Pin,
                                 MaybeFormat format) {
  return like(self, dtype, device, format);
}
const TensorMeta* meta_new(Tensor self, SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return fresh(size, dtype.value_or(self.dtype()), device.value_or(self.device()));
}
const TensorMeta* meta_new_full(Tensor self, SymInts size, Scalar, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return fresh(size, dtype.value_or(self.dtype()), device.value_or(self.device()));
}
const TensorMeta* meta_new_empty_strided(Tensor self, SymInts size, SymInts stride, MaybeType dtype, MaybeLayout layout,
                                         MaybeDevice device) {
  return meta_empty_strided(size, stride, dtype.value_or(self.dtype()), layout, device.value_or(self.device()));
}
const TensorMeta* meta_fill(Tensor self, Tensor) { return meta::empty_like(self.meta(), self.dtype()); }
const TensorMeta* meta_zero(Tensor self) { return meta::empty_like(self.meta(), self.dtype()); }

// ---- bodies: everything becomes full, full_like, empty or empty_permuted

// 0 or 1 in the kind that fits the type.
Scalar constant(bool one, DType dtype) { return dtype == DType::kBool ? Scalar(one) : Scalar(one ? 1 : 0); }

template <bool one>
Tensor constant_sized(SymInts size, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  DType type = dtype.value_or(DType::kFloat32);
  return aten::full(size, constant(one, type), type, layout.value_or(Layout::kStrided), device,
                    pin_memory.value_or(false));
}
template <bool one>
Tensor constant_new(Tensor self, SymInts size, MaybeType dtype, MaybeLayout layout, MaybeDevice device,
                    Pin pin_memory) {
  DType type = dtype.value_or(self.dtype());
  return aten::full(size, constant(one, type), type, layout.value_or(self.layout()), device.value_or(self.device()),
                    pin_memory.value_or(false));
}
template <bool one>
Tensor constant_like(Tensor self, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory,
                     MaybeFormat format) {
  return aten::full_like(self, constant(one, dtype.value_or(self.dtype())), dtype, layout, device,
                         pin_memory.value_or(false), format.value_or(MemoryFormat::kPreserve));
}

Tensor new_full(Tensor self, SymInts size, Scalar value, MaybeType dtype, MaybeLayout layout, MaybeDevice device,
                Pin pin_memory) {
  return aten::full(size, value, dtype.value_or(self.dtype()), layout.value_or(self.layout()),
                    device.value_or(self.device()), pin_memory.value_or(false));
}
Tensor new_empty(Tensor self, SymInts size, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  return aten::empty_memory_format(size, dtype.value_or(self.dtype()), layout.value_or(self.layout()),
                                   device.value_or(self.device()), pin_memory.value_or(false));
}

Tensor empty_like(Tensor self, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory,
                  MaybeFormat format) {
  DType type = dtype.value_or(self.dtype());
  Layout with_layout = layout.value_or(self.layout());
  Device where = device.value_or(self.device());
  bool pinned = pin_memory.value_or(false);
  if (format.value_or(MemoryFormat::kPreserve) != MemoryFormat::kPreserve)
    return aten::empty_memory_format(self.sizes(), type, with_layout, where, pinned, format);
  Sizes order;
  for (size_t dim : meta::physical_order(self.meta())) order.push_back(dim);
  return aten::empty_permuted(self.sizes(), order, type, with_layout, where, pinned);
}

Tensor fill_Scalar(Tensor self, Scalar value) {
  return aten::full_like(self, value, std::nullopt, std::nullopt, std::nullopt, false);
}
Tensor fill_Tensor(Tensor self, Tensor value) {
  if (value.dim() != 0) fail_input("fill takes a 0-d value, got rank ", value.dim());
  return aten::copy(self, value);
}
Tensor zero(Tensor self) { return aten::zeros_like(self, std::nullopt, std::nullopt, std::nullopt, false); }

// ---- references

void check_strided(MaybeLayout layout, Pin pin_memory) {
  if (layout.value_or(Layout::kStrided) != Layout::kStrided)
    fail_unsupported("a fresh tensor of layout ", layout_name(*layout), " has no primitives");
  if (pin_memory.value_or(false)) fail_unsupported("a fresh tensor in pinned memory has no primitives");
}

Tensor empty_strided(SymInts size, SymInts stride, MaybeType dtype, MaybeLayout layout, MaybeDevice device,
                     Pin pin_memory) {
  check_strided(layout, pin_memory);
  return prims::empty_strided(size, stride, dtype.value_or(DType::kFloat32), device.value_or(Device{}), false);
}
Tensor new_empty_strided(Tensor self, SymInts size, SymInts stride, MaybeType dtype, MaybeLayout layout,
                         MaybeDevice device, Pin pin_memory) {
  return aten::empty_strided(size, stride, dtype.value_or(self.dtype()), layout.value_or(self.layout()),
                             device.value_or(self.device()), pin_memory);
}

Tensor full(SymInts size, Scalar value, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  check_strided(layout, pin_memory);
  Tensor place = aten::empty_strided(size, meta::contiguous_strides(size), dtype.value_or(type_of(value)), layout,
                                     device, pin_memory);
  return aten::fill_Scalar(place, value);
}

constexpr OpDef kRows[] = {
    {.op = "aten::empty.memory_format", .meta = box_meta<meta_empty>, .reference = box<closed::empty>},
    {.op = "aten::empty_strided", .meta = box_meta<meta_empty_strided>, .reference = box<empty_strided>},
    {.op = "aten::empty_permuted", .meta = box_meta<meta_empty_permuted>, .reference = box<closed::empty_permuted>},
    {.op = "aten::empty_like", .meta = box_meta<meta_like>, .body = box<empty_like>},
    {.op = "aten::new_empty", .meta = box_meta<meta_new>, .body = box<new_empty>},
    {.op = "aten::new_empty_strided", .meta = box_meta<meta_new_empty_strided>, .reference = box<new_empty_strided>},
    {.op = "aten::full", .meta = box_meta<meta_full>, .reference = box<full>},
    {.op = "aten::full_like", .meta = box_meta<meta_full_like>, .reference = box<closed::full_like>},
    {.op = "aten::new_full", .meta = box_meta<meta_new_full>, .body = box<new_full>},
    {.op = "aten::zeros", .meta = box_meta<meta_sized>, .body = box<constant_sized<false>>},
    {.op = "aten::ones", .meta = box_meta<meta_sized>, .body = box<constant_sized<true>>},
    {.op = "aten::zeros_like", .meta = box_meta<meta_like>, .body = box<constant_like<false>>},
    {.op = "aten::ones_like", .meta = box_meta<meta_like>, .body = box<constant_like<true>>},
    {.op = "aten::new_zeros", .meta = box_meta<meta_new>, .body = box<constant_new<false>>},
    {.op = "aten::new_ones", .meta = box_meta<meta_new>, .body = box<constant_new<true>>},
    {.op = "aten::scalar_tensor", .meta = box_meta<meta_scalar_tensor>, .reference = box<closed::scalar_tensor>},
    {.op = "aten::fill.Scalar", .meta = box_meta<meta_fill>, .body = box<fill_Scalar>},
    {.op = "aten::fill.Tensor", .meta = box_meta<meta_fill>, .body = box<fill_Tensor>},
    {.op = "aten::zero", .meta = box_meta<meta_zero>, .body = box<zero>},
};

}  // namespace

const std::span<const OpDef> kCreationOps = kRows;

}  // namespace rung::ops
