// Conversions of dtype, device and layout, and copies.
#include <algorithm>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

// ---- metas

const TensorMeta* on_device(const TensorMeta* meta, const std::optional<Device>& device) {
  if (!device || *device == meta->device) return meta;
  return meta::make(meta->sizes, meta->strides, meta->dtype, *device);
}

const TensorMeta* meta_to_copy(Tensor self, std::optional<DType> dtype, std::optional<Layout>,
                               std::optional<Device> device, std::optional<bool>, bool,
                               std::optional<MemoryFormat> format) {
  MemoryFormat wanted = format.value_or(MemoryFormat::kPreserve);
  return on_device(meta::like(self.meta(), dtype.value_or(self.dtype()), wanted), device);
}

const TensorMeta* meta_clone(Tensor self, std::optional<MemoryFormat> format) {
  return meta::like(self.meta(), self.dtype(), format.value_or(MemoryFormat::kPreserve));
}

const TensorMeta* meta_lazy_clone(Tensor self) { return meta::like(self.meta(), self.dtype()); }

// The functional form of copy_: self's own layout, gaps and all.
// While torch makes a graph functional, what is written to has no storage, and a fresh tensor takes its place.
const TensorMeta* meta_copy(Tensor self) {
  return meta::make(self.sizes(), self.strides(), self.dtype(), self.device());
}
// Elements that share memory are not written to all at once.
const TensorMeta* kernel_copy(Tensor self) {
  for (int64_t dim = 0; dim < self.dim(); ++dim)
    if (self.stride(dim) == 0 && self.size(dim) > 1) return meta::like(self.meta(), self.dtype());
  return meta_copy(self);
}

// ---- bodies

bool same_device(const Device& a, const Device& b) {
  if (a.type != b.type) return false;
  return a.type == "cpu" || std::max(a.index, 0) == std::max(b.index, 0);
}

struct Conversion {
  std::optional<DType> dtype = {};
  std::optional<Layout> layout = {};
  std::optional<Device> device = {};
  std::optional<bool> pin_memory = {};
  bool non_blocking = false;
  bool copy = false;
  std::optional<MemoryFormat> format = {};
};

// A tensor that needs no change is itself; what the caller spelt out stays spelt out in the copy.
Tensor to(const Tensor& self, const Conversion& c) {
  MemoryFormat format = c.format.value_or(MemoryFormat::kPreserve);
  bool same_type = !c.dtype || *c.dtype == self.dtype();
  bool same_place = (!c.layout || *c.layout == self.layout()) && (!c.device || same_device(*c.device, self.device()));
  bool same_format = format == MemoryFormat::kPreserve || meta::suggest_memory_format(self.meta()) == format;
  if (same_type && same_place && same_format && !c.copy) return self;
  return aten::_to_copy(self, c.dtype, c.layout, c.device, c.pin_memory, c.non_blocking, c.format);
}

Tensor to_dtype(Tensor self, DType dtype, bool non_blocking, bool copy, std::optional<MemoryFormat> format) {
  return to(self, {.dtype = dtype, .non_blocking = non_blocking, .copy = copy, .format = format});
}

Tensor to_device(Tensor self, Device device, DType dtype, bool non_blocking, bool copy,
                 std::optional<MemoryFormat> format) {
  return to(self, {.dtype = dtype, .device = device, .non_blocking = non_blocking, .copy = copy, .format = format});
}

Tensor to_dtype_layout(Tensor self, std::optional<DType> dtype, std::optional<Layout> layout,
                       std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking, bool copy,
                       std::optional<MemoryFormat> format) {
  return to(self, {dtype, layout, device, pin_memory, non_blocking, copy, format});
}

Tensor to_other(Tensor self, Tensor other, bool non_blocking, bool copy, std::optional<MemoryFormat> format) {
  return to(self, {other.dtype(), other.layout(), other.device(), false, non_blocking, copy, format});
}

Tensor type_as(Tensor self, Tensor other) {
  return aten::to_dtype_layout(self, other.dtype(), other.layout(), other.device());
}

template <DType dtype>
Tensor cast_to(Tensor self, bool non_blocking) {
  return aten::to_dtype(self, dtype, non_blocking);
}

Tensor chalf(Tensor self, std::optional<MemoryFormat> format) {
  return aten::to_dtype(self, DType::kComplex32, false, false, format);
}

// A strided tensor is dense already.
Tensor to_dense(Tensor self, std::optional<DType> dtype) {
  if (self.layout() != Layout::kStrided)
    fail_unsupported("to_dense of a tensor with layout ", layout_name(self.layout()));
  return dtype ? aten::to_dtype(self, *dtype) : self;
}

std::vector<Tensor> to_cpu(TensorList tensors) {
  std::vector<Tensor> out;
  for (const Tensor& tensor : tensors)
    out.push_back(aten::to_dtype_layout(tensor, std::nullopt, std::nullopt, Device{}));
  return out;
}

// ---- references

// To a CPU the type changes before the move, where it is faster; else after it.
Tensor to_copy(Tensor self, std::optional<DType> dtype, std::optional<Layout> layout, std::optional<Device> device,
               std::optional<bool> pin_memory, bool non_blocking, std::optional<MemoryFormat> format) {
  if (layout.value_or(Layout::kStrided) != Layout::kStrided)
    fail_unsupported("_to_copy to the layout ", layout_name(*layout), " has no primitives");
  if (pin_memory.value_or(false)) fail_unsupported("_to_copy to pinned memory has no primitives");
  if (!device && !dtype && !format) return aten::clone(self);
  bool moves = device && *device != self.device();
  bool converts_first = moves && dtype && device->type == "cpu";
  Tensor x = self;
  if (converts_first) x = prims::convert_element_type(x, *dtype);
  if (moves) x = prims::device_put(x, *device, non_blocking);
  if (dtype && !converts_first) x = prims::convert_element_type(x, *dtype);
  return format ? aten::clone(x, format) : x;
}

// The values of src in the type, the shape and the layout of self.
Tensor reference_copy(Tensor self, Tensor src, bool non_blocking) {
  Tensor values = reference::converted(src, self.dtype());
  if (self.device() != src.device()) values = prims::device_put(values, self.device(), non_blocking);
  if (!std::ranges::equal(values.sizes(), self.sizes())) values = aten::expand(values, self.sizes());
  return prims::copy_strided(values, self.strides());
}

constexpr OpDef kRows[] = {
    {.op = "aten::_cast_Byte", .body = box<cast_to<DType::kUInt8>>},
    {.op = "aten::_cast_Char", .body = box<cast_to<DType::kInt8>>},
    {.op = "aten::_cast_Double", .body = box<cast_to<DType::kFloat64>>},
    {.op = "aten::_cast_Float", .body = box<cast_to<DType::kFloat32>>},
    {.op = "aten::_cast_Half", .body = box<cast_to<DType::kFloat16>>},
    {.op = "aten::_cast_Int", .body = box<cast_to<DType::kInt32>>},
    {.op = "aten::_cast_Long", .body = box<cast_to<DType::kInt64>>},
    {.op = "aten::_cast_Short", .body = box<cast_to<DType::kInt16>>},
    {.op = "aten::_lazy_clone", .meta = box_meta<meta_lazy_clone>},
    {.op = "aten::_to_copy", .meta = box_meta<meta_to_copy>, .reference = box<to_copy>},
    {.op = "aten::_to_cpu", .body = box<to_cpu>},
    {.op = "aten::chalf", .body = box<chalf>},
    {.op = "aten::clone", .meta = box_meta<meta_clone>, .reference = box<reference::clone>},
    {.op = "aten::copy",
     .meta = box_meta<meta_copy>,
     .kernel_meta = box_meta<kernel_copy>,
     .reference = box<reference_copy>},
    {.op = "aten::data", .body = box<aten::detach>},
    {.op = "aten::lift_fresh_copy", .meta = box_meta<meta_lazy_clone>},
    {.op = "aten::to.device", .body = box<to_device>},
    {.op = "aten::to.dtype", .body = box<to_dtype>},
    {.op = "aten::to.dtype_layout", .body = box<to_dtype_layout>},
    {.op = "aten::to.other", .body = box<to_other>},
    {.op = "aten::to_dense", .body = box<to_dense>},
    {.op = "aten::type_as", .body = box<type_as>},
};

}  // namespace

const std::span<const OpDef> kConvertOps = kRows;

}  // namespace rung::ops
