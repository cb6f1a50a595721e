// Regular values: ranges, identity matrices, one-hot vectors, matrices with a given diagonal.
#include <cmath>

#include "meta/layout.h"
#include "meta/promote.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/gen/prims.h"
#include "ops/number.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- arange

void check_order(SymInt start, SymInt end, SymInt step) {
  if (step == 0) fail_input("arange: step must be nonzero");
  if (step > 0 ? end < start : end > start)
    fail_input("arange: start ", start.str(), " and end ", end.str(), " do not fit the sign of the step");
}

// floor((end - start + step -+ 1) / step); floats lose their fraction first, as in torch.
SymInt count_of_integers(const Scalar& start, const Scalar& end, const Scalar& step) {
  SymInt first = start.to_sym_int(), last = end.to_sym_int(), by = step.to_sym_int();
  check_order(first, last, by);
  return (last - first + by - (by > 0 ? 1 : -1)) / by;
}

// ceil((end - start) / step)
SymInt count_of_floats(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (start.is_symbolic() || end.is_symbolic() || step.is_symbolic()) {
    SymFloat first = to_float(start), last = to_float(end), by = to_float(step);
    return ceil((last - first) / by);
  }
  double first = start.to_double(), last = end.to_double(), by = step.to_double();
  if (by == 0) fail_input("arange: step must be nonzero");
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(by))
    fail_input("arange: start, end and step must be finite");
  if (by > 0 ? last < first : last > first)
    fail_input("arange: start ", first, " and end ", last, " do not fit the sign of the step");
  return static_cast<int64_t>(std::ceil((last - first) / by));
}

// The values start, start + step, ... that lie before end.
const TensorMeta* range_meta(const Scalar& start, const Scalar& end, const Scalar& step, MaybeType dtype,
                             const MaybeDevice& device) {
  if (start.is_complex() || end.is_complex() || step.is_complex()) fail_input("arange does not take complex numbers");
  bool integers = !start.is_float() && !end.is_float() && !step.is_float();
  DType type = dtype.value_or(integers ? DType::kInt64 : DType::kFloat32);
  SymInt length =
      integers || type == DType::kInt64 ? count_of_integers(start, end, step) : count_of_floats(start, end, step);
  return meta::contiguous(Sizes{length}, type, device.value_or(Device{}));
}
const TensorMeta* meta_arange(Scalar end, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return range_meta(0, end, 1, dtype, device);
}
const TensorMeta* meta_arange_start(Scalar start, Scalar end, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return range_meta(start, end, 1, dtype, device);
}
const TensorMeta* meta_arange_start_step(Scalar start, Scalar end, Scalar step, MaybeType dtype, MaybeLayout,
                                         MaybeDevice device) {
  return range_meta(start, end, step, dtype, device);
}

Tensor arange_start(Scalar start, Scalar end, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  return aten::arange_start_step(start, end, 1, dtype, layout.value_or(Layout::kStrided), device,
                                 pin_memory.value_or(false));
}
Tensor arange_end(Scalar end, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  return arange_start(0, end, dtype, layout, device, pin_memory);
}

SymInt whole(const Scalar& number) {
  bool is_sym_float = number.is_symbolic() && number.is_float();
  return is_sym_float ? trunc(to_float(number)) : number.to_sym_int();
}

// The type that torch sums in on a device.
DType accumulation_type(DType dtype, const Device& device) {
  if (device.type != "cpu") return meta::opmath_type(dtype);
  if (is_floating(dtype)) return DType::kFloat64;
  return is_complex(dtype) ? DType::kComplex128 : dtype;
}

// start + step * i, counted in integers
Tensor arange_start_step(Scalar start, Scalar end, Scalar step, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  bool integers = !start.is_float() && !end.is_float() && !step.is_float();
  const TensorMeta& range = *range_meta(start, end, step, dtype, device);
  SymInt length = range.sizes[0];
  if (category(range.dtype) == Category::kIntegral)
    return prims::iota(length, whole(start), whole(step), range.dtype, range.device, false);
  Tensor index = prims::iota(length, 0, 1, DType::kInt64, range.device, false);
  index = to_dtype(index, integers ? DType::kInt64 : accumulation_type(range.dtype, range.device));
  Tensor scaled = aten::mul_Tensor(index, step);
  return to_dtype(aten::add_Tensor(scaled, start), range.dtype);
}

// ---- linspace, logspace: ends are numbers or 0-d tensors

DType spaced_type(const Tensor& start, const Tensor& end, MaybeType dtype) {
  bool complex_ends =
      (start.is_number() && start.number().is_complex()) || (end.is_number() && end.number().is_complex());
  if (dtype && complex_ends && !is_complex(*dtype))
    fail_input("linspace: complex ends do not fit dtype ", info(*dtype).name);
  return dtype.value_or(complex_ends ? DType::kComplex64 : DType::kFloat32);
}

ComplexNumber to_complex(const Scalar& s) {
  return s.is_complex() ? *s.argument().complex : ComplexNumber{s.to_double(), 0};
}
Scalar complex_scalar(double real, double imag) {
  return Scalar(Argument::of(current_arena().make<ComplexNumber>(ComplexNumber{real, imag})));
}

// (end - start) / count, as Python computes it for numbers.
Tensor step_between(const Tensor& start, const Tensor& end, SymInt count) {
  if (!start.is_number() || !end.is_number()) {
    Tensor span = end.is_number() ? aten::rsub_Scalar(start, end.number()) : aten::sub_Tensor(end, start);
    return aten::div_Tensor(span, Scalar(count));
  }
  Scalar a = start.number(), b = end.number();
  if (a.is_complex() || b.is_complex()) {
    double steps = static_cast<double>(specialize(count));
    ComplexNumber from = to_complex(a), to = to_complex(b);
    return complex_scalar((to.real - from.real) / steps, (to.imag - from.imag) / steps);
  }
  if (a.is_int() && b.is_int()) return Scalar(true_div(b.to_sym_int() - a.to_sym_int(), count));
  SymFloat to = to_float(b), span = to - to_float(a);
  return Scalar(span / SymFloat(count));
}

// number - t is rsub, t - u is sub.
Tensor difference(const Tensor& a, const Tensor& b) {
  return a.is_number() ? aten::rsub_Scalar(b, a.number()) : aten::sub_Tensor(a, b);
}

struct Options {
  MaybeType dtype;
  MaybeLayout layout;
  MaybeDevice device;
  Pin pin_memory;
};

// start + step * i in the first half, end - step * (n - 1 - i) in the second, so that both ends are exact.
Tensor evenly_spaced(Tensor start, Tensor end, SymInt steps, const Options& options) {
  if (steps < 0) fail_input("linspace: the number of steps must not be negative, got ", steps.str());
  for (Tensor* end_point : {&start, &end}) {
    if (end_point->is_number()) continue;
    if (end_point->dim() != 0) fail_input("linspace: start and end must be 0-d tensors, got rank ", end_point->dim());
    *end_point = to_dtype(*end_point, DType::kFloat64);
  }
  DType dtype = spaced_type(start, end, options.dtype);
  Layout layout = options.layout.value_or(Layout::kStrided);
  bool pin_memory = options.pin_memory.value_or(false);
  if (steps == 0) return aten::full({0}, 0, dtype, layout, options.device, pin_memory);
  if (steps == 1) {
    if (start.is_number()) return aten::full({1}, start.number(), dtype, layout, options.device, pin_memory);
    Tensor place = aten::empty_memory_format({1}, dtype, layout, options.device, pin_memory);
    return aten::copy(place, start);
  }
  Tensor range = aten::arange_start_step(0, steps, 1, std::nullopt, layout, options.device, pin_memory);
  DType computed = is_integral_or_bool(dtype) ? DType::kInt64 : meta::opmath_type(dtype);
  Tensor step = step_between(start, end, steps - 1);
  auto times_step = [&](const Tensor& t) { return aten::mul_Tensor(to_dtype(t, computed), step); };
  // step * tensor with a tensor step keeps the operands' order
  auto scaled = [&](const Tensor& t) {
    return step.is_number() ? times_step(t) : aten::mul_Tensor(step, to_dtype(t, computed));
  };
  auto added = [&](const Tensor& t) {
    return start.is_number() ? aten::add_Tensor(t, start) : aten::add_Tensor(start, t);
  };
  Tensor first_half = aten::lt_Scalar(range, true_div(steps, 2));
  Tensor rising = added(scaled(range));
  Tensor rest = aten::rsub_Scalar(range, steps - 1);
  Tensor falling = difference(end, scaled(rest));
  return to_dtype(aten::where_self(first_half, rising, falling), dtype);
}

Tensor linspace(Tensor start, Tensor end, SymInt steps, MaybeType dtype, MaybeLayout layout, MaybeDevice device,
                Pin pin_memory) {
  return evenly_spaced(start, end, steps, {dtype, layout, device, pin_memory});
}

// The op that fits the kinds of the ends.
Tensor call_linspace(const Tensor& start, const Tensor& end, SymInt steps, const Options& o) {
  if (start.is_number() && end.is_number())
    return aten::linspace(start.number(), end.number(), steps, o.dtype, o.layout, o.device, o.pin_memory);
  if (start.is_number())
    return aten::linspace_Scalar_Tensor(start.number(), end, steps, o.dtype, o.layout, o.device, o.pin_memory);
  if (end.is_number())
    return aten::linspace_Tensor_Scalar(start, end.number(), steps, o.dtype, o.layout, o.device, o.pin_memory);
  return aten::linspace_Tensor_Tensor(start, end, steps, o.dtype, o.layout, o.device, o.pin_memory);
}

// base ** linspace(start, end), computed in float64
Tensor logspace(Tensor start, Tensor end, SymInt steps, double base, MaybeType dtype, MaybeLayout layout,
                MaybeDevice device, Pin pin_memory) {
  if (base < 0) fail_unsupported("logspace with a negative base is not supported by torch's decomposition");
  DType type = dtype.value_or(DType::kFloat32);
  auto whole = [&](const Tensor& end_point) -> Tensor {
    if (category(type) != Category::kIntegral) return end_point;
    if (!end_point.is_number()) return to_dtype(end_point, type);
    return end_point.number().is_float() ? Tensor(static_cast<int64_t>(end_point.number().to_double())) : end_point;
  };
  Tensor from = whole(start);
  Tensor to = whole(end);
  bool complex_ends = (from.is_number() && from.number().is_complex()) || (to.is_number() && to.number().is_complex());
  if (complex_ends) type = DType::kComplex64;
  MaybeType computed = complex_ends ? std::nullopt : MaybeType(DType::kFloat64);
  Tensor exponents =
      call_linspace(from, to, steps, {computed, layout.value_or(Layout::kStrided), device, pin_memory.value_or(false)});
  // torch leaves out a base of 10.0, the default, and its Python body has the int 10
  Scalar power_of = base == 10 ? Scalar(10) : Scalar(base);
  return to_dtype(aten::pow_Scalar(power_of, exponents), type);
}

const TensorMeta* meta_linspace(Tensor start, Tensor end, SymInt steps, MaybeType dtype, MaybeLayout,
                                MaybeDevice device) {
  if (steps < 0) fail_input("linspace: the number of steps must not be negative, got ", steps.str());
  return meta::contiguous(Sizes{steps}, spaced_type(start, end, dtype), device.value_or(Device{}));
}
const TensorMeta* meta_logspace(Tensor start, Tensor end, SymInt steps, double, MaybeType dtype, MaybeLayout layout,
                                MaybeDevice device) {
  return meta_linspace(start, end, steps, dtype, layout, device);
}

// ---- matrices

// The smallest type that torch counts rows and columns in.
DType counting_type(SymInt largest) {
  if (largest <= 255) return DType::kUInt8;
  if (largest <= 65535) return DType::kUInt16;
  return largest <= 2147483647 ? DType::kInt32 : DType::kInt64;
}

Tensor eye_m(SymInt rows, SymInt columns, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  if (rows < 0 || columns < 0) fail_input("eye: sizes must not be negative, got ", rows.str(), " and ", columns.str());
  bool is_symbolic = rows.is_symbolic() || columns.is_symbolic();
  DType counted = is_symbolic ? DType::kInt64 : counting_type(max(rows, columns));
  Tensor row = aten::arange(rows, counted, std::nullopt, device, false);
  Tensor column = aten::arange(columns, counted, std::nullopt, device, false);
  Tensor row_of_each = aten::unsqueeze(row, -1);
  Tensor same = aten::eq_Tensor(row_of_each, column);
  if (layout.value_or(Layout::kStrided) == Layout::kStrided && !pin_memory.value_or(false))
    return to_dtype(same, dtype.value_or(DType::kFloat32));
  Tensor one = aten::ones({1}, dtype, layout, device, pin_memory);
  return aten::where_ScalarOther(same, one, 0);
}
Tensor eye(SymInt rows, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  return eye_m(rows, rows, dtype, layout, device, pin_memory);
}
const TensorMeta* meta_eye_m(SymInt rows, SymInt columns, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return meta::contiguous(Sizes{rows, columns}, dtype.value_or(DType::kFloat32), device.value_or(Device{}));
}
const TensorMeta* meta_eye(SymInt rows, MaybeType dtype, MaybeLayout layout, MaybeDevice device) {
  return meta_eye_m(rows, rows, dtype, layout, device);
}

// ---- diagonals

// The last dimension on the diagonal of two new ones: t where i + offset == j, else 0.
Tensor diag_embed(Tensor self, int64_t offset, int64_t dim1, int64_t dim2) {
  int64_t rank = self.dim() + 1, a = wrap_dim(dim1, rank), b = wrap_dim(dim2, rank);
  if (a == b) fail_input("diag_embed needs two different dimensions, got ", dim1, " and ", dim2);
  if (a > b) {
    std::swap(a, b);
    offset = -offset;
  }
  SymInt length = self.size(-1);
  Tensor values = self;
  if (offset != 0) {
    Sizes shape(self.sizes().begin(), self.sizes().end());
    shape.back() = std::abs(offset);
    Tensor padding = zeros(shape, self.dtype(), self.device());
    values = offset > 0 ? aten::cat(std::array{padding, self}, -1) : aten::cat(std::array{self, padding}, -1);
  }
  length += std::abs(offset);
  Tensor placed = aten::unsqueeze(values, a);
  placed = aten::movedim_int(placed, -1, b);
  Tensor column = arange(length, self.device(), DType::kInt64);
  Tensor shifted = arange(offset, length + offset, self.device(), DType::kInt64);
  Tensor row = aten::unsqueeze(shifted, -1);
  Tensor on_diagonal = aten::eq_Tensor(column, row);
  Sizes shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(a)] = length;
  shape[static_cast<size_t>(b)] = length;
  on_diagonal = aten::reshape(on_diagonal, shape);
  return aten::contiguous(mask_tensor(on_diagonal, placed));
}

// A vector becomes a matrix, a matrix its diagonal.
Tensor diag(Tensor self, int64_t diagonal) {
  if (self.dim() != 1 && self.dim() != 2) fail_input("diag takes a vector or a matrix, got rank ", self.dim());
  return self.dim() == 1 ? aten::diag_embed(self, diagonal) : aten::diagonal_copy(self, diagonal);
}
Tensor diagflat(Tensor self, int64_t offset) {
  Tensor dense = aten::contiguous(self);
  Tensor flat = aten::view(dense, {-1});
  return aten::diag(flat, offset);
}

// ---- windows

// 1/2 - 1/2 cos(2 pi i / (n - 1)); a periodic window is one longer, without its last value
Tensor hann_window_periodic(SymInt length, bool periodic, MaybeType dtype, MaybeLayout layout, MaybeDevice device,
                            Pin pin_memory) {
  constexpr double kTwoPi = 6.283185307179586;
  DType type = dtype.value_or(DType::kFloat32);
  if (length == 0) return aten::empty_memory_format({0}, type, layout, device, pin_memory);
  if (length == 1) return aten::ones({1}, type, layout, device, pin_memory);
  SymInt count = periodic ? length + 1 : length;
  Tensor angle = aten::arange(count, meta::opmath_type(type), layout, device, pin_memory);
  angle = aten::mul_Tensor(angle, kTwoPi / static_cast<double>(specialize(count) - 1));
  Tensor window = aten::cos(angle);
  window = aten::mul_Tensor(window, -0.5);
  window = aten::add_Tensor(window, 0.5);
  if (periodic) window = aten::narrow(window, 0, 0, length);
  return to_dtype(window, type);
}
Tensor hann_window(SymInt length, MaybeType dtype, MaybeLayout layout, MaybeDevice device, Pin pin_memory) {
  return aten::hann_window_periodic(length, true, dtype, layout, device, pin_memory);
}
// Windows of all kinds: a length, options, and among them perhaps a number or a bool
ValueMeta meta_window(const Call& call) {
  std::span<const ArgDef> definitions = schema_of(call.op).args;
  MaybeType dtype;
  MaybeDevice device;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (definitions[i].name == "dtype") dtype = Unbox<MaybeType>::from(call.args[i]);
    if (definitions[i].name == "device") device = Unbox<MaybeDevice>::from(call.args[i]);
  }
  return ValueMeta::of(
      meta::contiguous(Sizes{unbox_int(call.args[0])}, dtype.value_or(DType::kFloat32), device.value_or(Device{})));
}

// ---- one-hot

Tensor one_hot(Tensor self, SymInt num_classes) {
  if (num_classes == -1) fail_unsupported("one_hot without num_classes needs the largest value of its input");
  Tensor not_negative = aten::ge_Scalar(self, 0);
  aten::_assert_async_msg(aten::all(not_negative), "one_hot: Class values must be non-negative.");
  Tensor small = aten::lt_Scalar(self, num_classes);
  aten::_assert_async_msg(aten::all(small), "one_hot: Class values must be smaller than num_classes.");
  Tensor column = aten::unsqueeze(self, -1);
  Tensor classes = arange(num_classes, self.device(), self.dtype());
  return to_dtype(aten::eq_Tensor(column, classes), DType::kInt64);
}

constexpr OpDef kRows[] = {
    {.op = "aten::arange", .meta = box_meta<meta_arange>, .body = box<arange_end>},
    {.op = "aten::arange.start", .meta = box_meta<meta_arange_start>, .body = box<arange_start>},
    {.op = "aten::arange.start_step", .meta = box_meta<meta_arange_start_step>, .reference = box<arange_start_step>},
    {.op = "aten::linspace", .meta = box_meta<meta_linspace>, .body = box<linspace>},
    {.op = "aten::linspace.Tensor_Tensor", .meta = box_meta<meta_linspace>, .body = box<linspace>},
    {.op = "aten::linspace.Tensor_Scalar", .meta = box_meta<meta_linspace>, .body = box<linspace>},
    {.op = "aten::linspace.Scalar_Tensor", .meta = box_meta<meta_linspace>, .body = box<linspace>},
    {.op = "aten::logspace", .meta = box_meta<meta_logspace>, .body = box<logspace>},
    {.op = "aten::logspace.Tensor_Tensor", .meta = box_meta<meta_logspace>, .body = box<logspace>},
    {.op = "aten::logspace.Tensor_Scalar", .meta = box_meta<meta_logspace>, .body = box<logspace>},
    {.op = "aten::logspace.Scalar_Tensor", .meta = box_meta<meta_logspace>, .body = box<logspace>},
    {.op = "aten::eye", .meta = box_meta<meta_eye>, .body = box<eye>},
    {.op = "aten::eye.m", .meta = box_meta<meta_eye_m>, .body = box<eye_m>},
    {.op = "aten::diag_embed", .body = box<diag_embed>},
    {.op = "aten::diag", .body = box<diag>},
    {.op = "aten::diagflat", .body = box<diagflat>},
    {.op = "aten::hann_window", .meta = meta_window, .body = box<hann_window>},
    {.op = "aten::hann_window.periodic", .meta = meta_window, .body = box<hann_window_periodic>},
    {.op = "aten::hamming_window", .meta = meta_window},
    {.op = "aten::hamming_window.periodic", .meta = meta_window},
    {.op = "aten::hamming_window.periodic_alpha", .meta = meta_window},
    {.op = "aten::hamming_window.periodic_alpha_beta", .meta = meta_window},
    {.op = "aten::blackman_window", .meta = meta_window},
    {.op = "aten::blackman_window.periodic", .meta = meta_window},
    {.op = "aten::bartlett_window", .meta = meta_window},
    {.op = "aten::bartlett_window.periodic", .meta = meta_window},
    {.op = "aten::kaiser_window", .meta = meta_window},
    {.op = "aten::kaiser_window.periodic", .meta = meta_window},
    {.op = "aten::kaiser_window.beta", .meta = meta_window},
    {.op = "aten::one_hot", .body = box<one_hot>},
};

}  // namespace

const std::span<const OpDef> kRangeOps = kRows;

}  // namespace rung::ops
