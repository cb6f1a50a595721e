// Element by element, in doubles.
#include "interp/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref/values.h"

namespace rung::interp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAllowed = 64;

struct Allowance {
  std::string_view op;
  double distance;
  std::string_view why;
};
constexpr Allowance kAllowances[] = {
    {"aten::logcumsumexp", 1e16, "complex sums cancel, where float32 keeps few digits"},
    {"aten::special_bessel_j0", 1e9, "torch's coefficients give eight digits of float64"},
    {"aten::special_bessel_j1", 1e9, "torch's coefficients give eight digits of float64"},
};

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128: return std::numeric_limits<double>::epsilon();
    case DType::kFloat32:
    case DType::kComplex64: return std::numeric_limits<float>::epsilon();
    case DType::kFloat16: return 0x1p-10;
    case DType::kBFloat16: return 0x1p-7;
    default: return 0.25;  // of float8
  }
}

// Below it the last place is no smaller.
double smallest_normal(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128: return std::numeric_limits<double>::min();
    case DType::kFloat16: return 0x1p-14;
    case DType::kFloat32:
    case DType::kBFloat16:
    case DType::kComplex64: return std::numeric_limits<float>::min();
    default: return 0x1p-16;  // of float8
  }
}

// Complex numbers as pairs.
std::vector<double> numbers_of(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return ref::values<double>(tensor);
  std::vector<double> out;
  for (ref::Complex value : ref::values<ref::Complex>(tensor)) {
    out.push_back(value.real());
    out.push_back(value.imag());
  }
  return out;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

double distance(const Tensor& expected, const Tensor& got) {
  if (expected.dtype() != got.dtype() || ref::shape_of(expected) != ref::shape_of(got)) return kInfinity;
  if (!is_floating(got.dtype()) && !is_complex(got.dtype()))
    return ref::values<int64_t>(expected) == ref::values<int64_t>(got) ? 0 : kInfinity;
  const std::vector<double> a = numbers_of(expected), b = numbers_of(got);
  double largest = smallest_normal(got.dtype()), farthest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i])) largest = std::max(largest, std::abs(a[i]));
    if (is_same(a[i], b[i])) continue;
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return kInfinity;
    farthest = std::max(farthest, std::abs(a[i] - b[i]));
  }
  return farthest / (largest * epsilon_of(got.dtype()));
}

double allowed_distance(const Graph& graph) {
  double allowed = kAllowed;
  for (const Node* node : graph)
    for (const Allowance& allowance : kAllowances)
      if (node->is_call(Callee::kOp) && schema_of(node->op).name == allowance.op)
        allowed = std::max(allowed, allowance.distance);
  return allowed;
}

}  // namespace rung::interp
