// Places that depend on data, distances, complex and random numbers, made of primitives and the floor.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "meta/pointwise.h"
#include "meta/promote.h"
#include "ops/closed.h"
#include "ops/factory.h"

namespace rung::ops::closed {

using meta::Sizes;

Tensor copy(Tensor self, Tensor source) {
  Tensor values = aten::to_dtype(source, self.dtype());
  return aten::clone(aten::expand(values, self.sizes()));
}

// Places are counted over all of `self` in a row.
Tensor put(Tensor self, Tensor index, Tensor source, bool accumulate) {
  Tensor flat = aten::reshape(self, {-1});
  Tensor places = aten::reshape(index, {-1});
  Tensor values = aten::reshape(source, {-1});
  Tensor changed = aten::index_put(flat, std::array{places}, values, accumulate);
  return aten::view(changed, self.sizes());
}

Tensor scatter_add(Tensor self, int64_t dim, Tensor index, Tensor source) {
  return aten::scatter_reduce_two(self, dim, index, source, "sum");
}

std::tuple<Tensor, Tensor> sort(Tensor self, int64_t dim, bool descending) {
  return aten::sort_stable(self, true, dim, descending);
}

// NaNs are sorted to the end.
Tensor median(Tensor self) {
  if (self.numel() == 0)
    return prims::full({}, std::numeric_limits<double>::quiet_NaN(), self.dtype(), self.device(), false);
  Tensor row = aten::reshape(self, {-1});
  auto [sorted, places] = aten::sort(row);
  Tensor middle = aten::select_int(sorted, 0, (self.numel() - 1) / 2);
  if (!is_floating(self.dtype())) return middle;
  Tensor last = aten::select_int(sorted, 0, -1);
  return aten::where_self(aten::isnan(last), last, middle);
}

Tensor nanmedian(Tensor self) {
  if (!is_floating(self.dtype()) || self.numel() == 0) return median(self);
  Tensor row = aten::reshape(self, {-1});
  auto [sorted, places] = aten::sort(row);
  Tensor numbers = aten::sum(aten::logical_not(aten::isnan(row)));
  Tensor middle = aten::floor_divide(aten::sub_Tensor(numbers, 1), 2);
  middle = aten::clamp_min(middle, 0);
  return aten::index_Tensor(sorted, std::array{middle});
}

// sum over `sumdim` of a b c, after dimensions of size 1 are put in at `expand`.
Tensor trilinear(Tensor a, Tensor b, Tensor c, SymInts expand_a, SymInts expand_b, SymInts expand_c, SymInts sumdim) {
  int64_t rank = a.dim() + static_cast<int64_t>(expand_a.size());
  auto expanded = [&](Tensor x, SymInts dims) {
    std::vector<int64_t> places = wrap_dims(dims, rank);
    std::ranges::sort(places);
    for (int64_t place : places) x = aten::unsqueeze(x, place);
    return x;
  };
  Tensor first = expanded(a, expand_a);
  Tensor second = expanded(b, expand_b);
  Tensor third = expanded(c, expand_c);
  Tensor product = aten::mul_Tensor(aten::mul_Tensor(first, second), third);
  return sumdim.empty() ? product : aten::sum_dim_IntList(product, IntList(sumdim));
}

// |x_i - y_j|_p for all pairs of rows
Tensor cdist_forward(Tensor x1, Tensor x2, double p) {
  Tensor rows = aten::unsqueeze(x1, -2);
  Tensor difference = aten::sub_Tensor(rows, aten::unsqueeze(x2, -3));
  return aten::linalg_vector_norm(difference, p, IntList{-1});
}

Tensor conj(Tensor self) { return prims::conj(self); }
Tensor conj_physical(Tensor self) { return is_complex(self.dtype()) ? prims::conj_physical(self) : aten::clone(self); }

// [..., (real, imaginary)]
Tensor view_as_real(Tensor self) {
  Tensor real = aten::unsqueeze(prims::real(self), -1);
  Tensor imaginary = aten::unsqueeze(prims::imag(self), -1);
  return prims::cat(std::array{real, imaginary}, self.dim());
}
Tensor view_as_complex(Tensor self) {
  Tensor real = aten::select_int(self, -1, 0);
  return aten::complex(real, aten::select_int(self, -1, 1));
}
Tensor polar(Tensor abs, Tensor angle) {
  Tensor real = aten::mul_Tensor(abs, aten::cos(angle));
  return aten::complex(real, aten::mul_Tensor(abs, aten::sin(angle)));
}

// Of a real number 0 or pi, of NaN NaN.
Tensor angle(Tensor self) {
  if (is_complex(self.dtype())) {
    Tensor imaginary = prims::imag(self);
    return aten::atan2(imaginary, prims::real(self));
  }
  Tensor x = is_floating(self.dtype()) ? self : aten::to_dtype(self, DType::kFloat32);
  Tensor half_turn = aten::mul_Tensor(aten::to_dtype(aten::lt_Scalar(x, 0), x.dtype()), std::numbers::pi);
  return is_floating(self.dtype()) ? aten::where_self(aten::isnan(x), x, half_turn) : half_turn;
}

// psi for n = 0, else (-1)^(n + 1) n! zeta(n + 1, x)
Tensor polygamma(SymInt n, Tensor self) {
  int64_t order = n.value();
  if (order == 0) return aten::digamma(self);
  DType dtype = meta::promoted(meta::Promote::kIntToFloat, self.dtype());
  Tensor x = aten::to_dtype(self, meta::opmath_type(dtype));
  Tensor exponent = prims::full_like(x, static_cast<double>(order + 1), x.dtype(), x.device(), false);
  double factor = (order % 2 == 0 ? -1 : 1) * std::exp(std::lgamma(static_cast<double>(order) + 1));
  Tensor result = aten::mul_Tensor(prims::zeta(exponent, x), factor);
  return aten::to_dtype(result, dtype);
}

Tensor rand(SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  Sizes strides = meta::contiguous_strides(size);
  return prims::uniform(size, 0.0, 1.0, dtype.value_or(DType::kFloat32), device.value_or(Device{}), strides);
}
Tensor rand_like(Tensor self, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::rand(self.sizes(), dtype.value_or(self.dtype()), std::nullopt, device.value_or(self.device()));
}
Tensor randn_like(Tensor self, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::randn(self.sizes(), dtype.value_or(self.dtype()), std::nullopt, device.value_or(self.device()));
}
Tensor randint(SymInt high, SymInts size, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::randint_low(0, high, size, dtype, std::nullopt, device);
}
Tensor randint_like(Tensor self, SymInt high, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  return aten::randint_low(0, high, self.sizes(), dtype.value_or(self.dtype()), std::nullopt,
                           device.value_or(self.device()));
}
Tensor normal_functional(Tensor self, double mean, double std) {
  return prims::normal(self.sizes(), mean, std, self.dtype(), self.device(), false);
}

}  // namespace rung::ops::closed
