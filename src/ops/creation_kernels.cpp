// Tensors filled, copied and converted.
#include <algorithm>

#include "ir/real_tensor.h"
#include "ops/gen/aten.h"
#include "ops/kernels.h"
#include "ops/number.h"
#include "ref/data.h"

namespace rung::ops {
namespace {

Argument empty(const Call& call) { return ref::make(result_meta(call)).argument(); }

Tensor filled(const TensorMeta& result, const Tensor& value) {
  return ref::with_carrier(result.dtype, [&](auto carrier) {
    return ref::make(result, ref::broadcast_values<decltype(carrier)>(value, ref::to_shape(result.sizes)));
  });
}

// A number that becomes a bool is true unless it is zero: 0.5 is.
Tensor as_truth(const Tensor& value, DType dtype) {
  return value.is_number() && dtype == DType::kBool ? convert(value, dtype) : value;
}

// A value at this place of the arguments, everywhere.
template <size_t value_at>
Argument full(const Call& call) {
  const TensorMeta& result = result_meta(call);
  return filled(result, as_truth(unbox_tensor(call.args[value_at]), result.dtype)).argument();
}

// The values of `source`, spread over `target`.
void write(const Tensor& target, const Tensor& source) {
  DType read = source.is_number() ? target.dtype() : source.dtype();
  ref::with_carrier(read, [&](auto carrier) {
    ref::store(target, ref::broadcast_values<decltype(carrier)>(as_truth(source, read), ref::shape_of(target)));
    return 0;
  });
}

Argument copy_(const Call& call) {
  write(Tensor(call.args[0]), unbox_tensor(call.args[1]));
  return call.args[0];
}
Argument zero_(const Call& call) {
  write(Tensor(call.args[0]), Tensor(0));
  return call.args[0];
}

// clone, _to_copy: the result's dtype and layout stand in its metadata.
Argument copied(const Call& call) {
  Tensor out = ref::make(result_meta(call));
  write(out, Tensor(call.args[0]));
  return out.argument();
}
Argument copy(const Call& call) {
  Tensor out = ref::make(result_meta(call));
  write(out, Tensor(call.args[1]));
  return out.argument();
}

Argument itself(const Call& call) { return call.args[0]; }

// start + i step; integers are counted as integers
Argument arange(const Call& call) {
  Scalar start(operand(call.args[0])), step(operand(call.args[2]));
  const TensorMeta& result = result_meta(call);
  return ref::with_carrier(result.dtype, [&](auto carrier) -> Argument {
    using T = decltype(carrier);
    if constexpr (std::same_as<T, ref::Complex>) {
      fail_dtype(call.op, result.dtype);
    } else {
      std::vector<T> out(static_cast<size_t>(result.sizes[0].value()));
      T first = ref::number<T>(start), stride = ref::number<T>(step);
      for (size_t i = 0; i < out.size(); ++i) out[i] = first + static_cast<T>(i) * stride;
      return ref::make(result, out).argument();
    }
  });
}

Argument item(const Call& call) {
  Tensor self(call.args[0]);
  if (ref::count(ref::shape_of(self)) != 1)
    fail_input("a tensor with ", self.numel().str(), " elements cannot be converted to a number");
  if (self.dtype() == DType::kBool) return Argument::of(ref::values<int64_t>(self)[0] != 0);
  if (is_floating(self.dtype())) return Argument::of(ref::values<double>(self)[0]);
  if (!is_complex(self.dtype())) return Argument::of(ref::values<int64_t>(self)[0]);
  ref::Complex value = ref::values<ref::Complex>(self)[0];
  return Argument::of(current_arena().make<ComplexNumber>(ComplexNumber{value.real(), value.imag()}));
}

// A copy laid out as the original.
Argument lift_fresh_copy(const Call& call) {
  Tensor self(call.args[0]), out = ref::make(self.meta());
  write(out, self);
  return out.argument();
}

Argument nothing(const Call&) { return Argument::none(); }

Argument assert_scalar(const Call& call) {
  if (Scalar(call.args[0]).to_double() == 0) fail_input("assertion failed: ", call.args[1].string_view());
  return Argument::none();
}
Argument assert_tensor(const Call& call) {
  if (item(Tensor(call.args[0])) != 0) return Argument::none();
  fail_input("assertion failed: ",
             call.args.size() > 1 ? call.args[1].string_view() : "expected a value that is not zero");
}

Argument sym_size(const Call& call) { return Argument::of(Tensor(call.args[0]).size(unbox_int(call.args[1]).value())); }
Argument sym_stride(const Call& call) {
  return Argument::of(Tensor(call.args[0]).stride(unbox_int(call.args[1]).value()));
}
Argument sym_numel(const Call& call) { return Argument::of(Tensor(call.args[0]).numel()); }
Argument sym_storage_offset(const Call& call) { return Argument::of(Tensor(call.args[0]).storage_offset()); }

// The tensor itself takes another shape; its storage grows where that needs more.
Argument resize_(const Call& call) {
  Tensor self(call.args[0]);
  RealTensor& real = *call.args[0].real;
  TensorMeta meta = *meta::formatted(unbox_ints(call.args[1]), self.dtype(), self.device(),
                                     call.args[2].is_none() ? MemoryFormat::kContiguous : call.args[2].format_value);
  meta.storage_offset = self.storage_offset();
  size_t needed = storage_bytes(meta);
  if (needed > real.storage()->size) {
    auto grown = Storage::allocate(needed);
    std::copy_n(real.storage()->bytes, real.storage()->size, grown->bytes);
    real.set_storage(grown);
  }
  real.set_meta(meta);
  return call.args[0];
}

// The tensor itself looks at its storage in another way.
Argument as_strided_(const Call& call) {
  Tensor self(call.args[0]);
  std::optional<SymInt> offset = call.args[3].is_none() ? self.storage_offset() : unbox_int(call.args[3]);
  TensorMeta meta = aten::as_strided(self, unbox_ints(call.args[1]), unbox_ints(call.args[2]), offset).meta();
  call.args[0].real->set_meta(meta);
  return call.args[0];
}

constexpr KernelRow kRows[] = {
    {"aten::empty.memory_format", empty},
    {"aten::empty_strided", empty},
    {"aten::empty_permuted", empty},
    {"aten::empty_like", empty},
    {"aten::new_empty", empty},
    {"aten::new_empty_strided", empty},
    {"aten::full", full<1>},
    {"aten::full_like", full<1>},
    {"aten::scalar_tensor", full<0>},
    {"aten::fill_.Scalar", copy_},
    {"aten::fill_.Tensor", copy_},
    {"aten::zero_", zero_},
    {"aten::copy_", copy_},
    {"aten::copy", copy},
    {"aten::clone", copied},
    {"aten::_lazy_clone", copied},
    {"aten::_to_copy", copied},
    {"aten::lift_fresh", itself},
    {"aten::lift_fresh_copy", lift_fresh_copy},
    {"aten::resize_", resize_},
    {"aten::as_strided_", as_strided_},
    {"aten::detach_", itself},
    {"aten::sym_size.int", sym_size},
    {"aten::sym_stride.int", sym_stride},
    {"aten::sym_numel", sym_numel},
    {"aten::sym_storage_offset", sym_storage_offset},
    {"aten::_assert_tensor_metadata", nothing},
    {"aten::_assert_scalar", assert_scalar},
    {"aten::_assert_async", assert_tensor},
    {"aten::_assert_async.msg", assert_tensor},
    {"aten::arange.start_step", arange},
    {"aten::_local_scalar_dense", item},
};

}  // namespace

const std::span<const KernelRow> kCreationKernels = kRows;

}  // namespace rung::ops
