// Copies of views, and what is asked of a tensor's layout.
#include "ops/gen/aten.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

Tensor dense(const Tensor& view) { return aten::clone(view, MemoryFormat::kContiguous); }

Tensor detach_copy(Tensor self) { return dense(self); }
Tensor select_copy(Tensor self, int64_t dim, SymInt index) { return dense(aten::select_int(self, dim, index)); }
Tensor slice_copy(Tensor self, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end, SymInt step) {
  return dense(aten::slice_Tensor(self, dim, start, end, step));
}
std::vector<Tensor> split_copy(Tensor self, SymInt size, int64_t dim) {
  std::vector<Tensor> parts = aten::split_Tensor(self, size, dim);
  for (Tensor& part : parts) part = dense(part);
  return parts;
}
Tensor view_as_complex_copy(Tensor self) { return dense(aten::view_as_complex(self)); }
Tensor view_as_real_copy(Tensor self) { return dense(aten::view_as_real(self)); }

Tensor resize(Tensor self, SymInts size, std::optional<MemoryFormat> format) {
  return aten::resize_(aten::clone(self), size, format);
}

Argument sym_is_contiguous(const Call& call) {
  MemoryFormat format = call.args[1].is_none() ? MemoryFormat::kContiguous : call.args[1].format_value;
  return Argument::of(meta::is_contiguous(Tensor(call.args[0]).meta(), format));
}

constexpr KernelRow kRows[] = {
    {"aten::detach_copy", box<detach_copy>},
    {"aten::resize", box<resize>},
    {"aten::select_copy.int", box<select_copy>},
    {"aten::slice_copy.Tensor", box<slice_copy>},
    {"aten::split_copy.Tensor", box<split_copy>},
    {"aten::sym_is_contiguous", sym_is_contiguous},
    {"aten::view_as_complex_copy", box<view_as_complex_copy>},
    {"aten::view_as_real_copy", box<view_as_real_copy>},
};

}  // namespace

const std::span<const KernelRow> kViewKernels = kRows;

}  // namespace rung::ops
