// The distance of two tensors, and how large it may be.
#include "golden/values.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "interp/inputs.h"
#include "interp/npz.h"
#include "ref/data.h"
#include "ref/values.h"

namespace rung::golden {
namespace {

// torch's kernels of floats round at each step and sum in another order than rung's, which compute in doubles.
constexpr double kUlps = 64;

struct Allowance {
  std::string_view op;
  double ulps;
  std::string_view why;
};
constexpr Allowance kAllowances[] = {
    {"aten::logcumsumexp", 1e5, "complex sums cancel, where torch's float32 keeps few digits"},
};

double allowed_ulps(const Graph& graph) {
  double ulps = kUlps;
  for (const Node* node : graph)
    for (const Allowance& allowance : kAllowances)
      if (node->is_call(Callee::kOp) && schema_of(node->op).name == allowance.op) ulps = allowance.ulps;
  return ulps;
}

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128: return std::numeric_limits<double>::epsilon();
    case DType::kFloat16: return 0x1p-10;
    case DType::kBFloat16: return 0x1p-7;
    case DType::kFloat32:
    case DType::kComplex64: return std::numeric_limits<float>::epsilon();
    default: return 0.25;  // of float8
  }
}

// As pairs of numbers, where they are complex.
std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> out;
  if (is_complex(tensor.dtype())) {
    for (ref::Complex value : ref::values<ref::Complex>(tensor))
      out.push_back(value.real()), out.push_back(value.imag());
    return out;
  }
  return ref::values<double>(tensor);
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// In units of the last place of the largest element.
double distance(const Tensor& expected, const Tensor& got) {
  if (!is_floating(got.dtype()) && !is_complex(got.dtype()))
    return ref::values<int64_t>(expected) == ref::values<int64_t>(got) ? 0 : std::numeric_limits<double>::infinity();
  const std::vector<double> a = numbers_of(expected), b = numbers_of(got);
  double largest = 0, farthest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (is_same(a[i], b[i])) {
      if (std::isfinite(a[i])) largest = std::max(largest, std::abs(a[i]));
      continue;
    }
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(a[i]));
    farthest = std::max(farthest, std::abs(a[i] - b[i]));
  }
  return farthest == 0 ? 0
                       : farthest / (std::max(largest, std::numeric_limits<double>::min()) * epsilon_of(got.dtype()));
}

// Values that are no function of the inputs.
bool is_undetermined(const Graph& graph) {
  for (const Node* node : graph) {
    if (!node->is_call(Callee::kOp)) continue;
    const OpSchema& schema = schema_of(node->op);
    const std::string_view name = std::string_view(schema.name).substr(schema.name.find("::") + 2);
    if (schema.has(kNondeterministicSeeded) || name.starts_with("empty") || name.starts_with("new_empty") ||
        name.starts_with("resize"))
      return true;
  }
  return false;
}

// Their order among equal elements is free, so where they found an element is no value of theirs.
bool orders_freely(const Graph& graph) {
  for (const Node* node : graph) {
    if (!node->is_call(Callee::kOp)) continue;
    const std::string_view name = schema_of(node->op).name;
    for (std::string_view op : {"aten::sort", "aten::argsort", "aten::topk", "aten::kthvalue", "aten::msort"})
      if (name == op || (name.starts_with(op) && name[op.size()] == '.' && !name.ends_with("stable"))) return true;
  }
  return false;
}

// Numpy has no bfloat16: such arrays hold the bits.
Tensor as_recorded(const Tensor& recorded, DType dtype) {
  const bool is_bits = info(dtype).bytes == info(recorded.dtype()).bytes && recorded.dtype() != dtype &&
                       (dtype == DType::kBFloat16 || info(dtype).bytes == 1) && is_floating(dtype);
  return is_bits ? interp::bits_as(recorded, dtype) : recorded;
}

std::string compare_tensor(const Tensor& recorded, const Tensor& got, const Graph& original) {
  const Tensor expected = as_recorded(recorded, got.dtype());
  if (expected.dtype() != got.dtype() || sizes_text(expected) != sizes_text(got))
    return cat("expected ", info(expected.dtype()).name, sizes_text(expected), ", got ", info(got.dtype()).name,
               sizes_text(got));
  if (is_undetermined(original)) return "";
  if (got.dtype() == DType::kInt64 && orders_freely(original)) return "";
  const double ulps = distance(expected, got);
  return ulps <= allowed_ulps(original) ? "" : cat(ulps, " units in the last place from torch");
}

}  // namespace

Outcome compare_values(std::string_view npz, const ExportedProgram& original, const ExportedProgram& program) {
  interp::NamedTensors inputs, outputs;
  for (auto& [name, tensor] : interp::read_npz({npz.data(), npz.size()}))
    (name.starts_with("in") ? inputs : outputs).emplace_back(name, tensor);
  manual_seed(0);
  std::vector<Tensor> got;
  for (const interp::Value& value : interp::run(program, interp::named_inputs(program, inputs)).outputs)
    if (value.tensor.is_real()) got.push_back(value.tensor);
  if (got.size() != outputs.size())
    return {Verdict::kDiffers, cat("expected ", outputs.size(), " tensors, got ", got.size())};
  for (size_t i = 0; i < got.size(); ++i)
    if (std::string difference = compare_tensor(outputs[i].second, got[i], *original.graph); !difference.empty())
      return {Verdict::kDiffers, cat(outputs[i].first, ": ", difference)};
  return {};
}

}  // namespace rung::golden
