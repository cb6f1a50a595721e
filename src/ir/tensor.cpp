// What a tensor handle knows without the tracer, and dimensions counted from the end.
#include "ir/tensor.h"

#include <algorithm>
#include <cmath>

#include "ir/current_arena.h"
#include "ir/graph.h"
#include "ir/real_tensor.h"
#include "ir/trace_serial.h"
#include "shape/facts.h"
#include "shape/sym_trace.h"

namespace rung {

double Scalar::to_double() const {
  switch (value_.kind) {
    case Argument::Kind::kBool: return value_.boolean ? 1 : 0;
    case Argument::Kind::kInt: return static_cast<double>(value_.integer);
    case Argument::Kind::kFloat: return value_.number;
    case Argument::Kind::kSymInt: return static_cast<double>(value_.sym().value());
    case Argument::Kind::kComplex:
      if (value_.complex->imag == 0) return value_.complex->real;
      fail_input("the complex number ", python_complex(value_.complex->real, value_.complex->imag),
                 " stands where a real one is needed");
    default: RUNG_CHECK(false, "not a number: argument kind ", static_cast<int>(value_.kind));
  }
  RUNG_UNREACHABLE();
}

int64_t Scalar::to_int() const {
  if (value_.kind == Argument::Kind::kInt) return value_.integer;
  double number = to_double();
  constexpr double kLimit = 9223372036854775808.0;
  if (!(number >= -kLimit && number < kLimit))
    fail_input("value cannot be converted to type int64_t without overflow: ", number);
  return static_cast<int64_t>(number);
}

Category Scalar::category() const {
  switch (value_.kind) {
    case Argument::Kind::kBool: return Category::kBoolean;
    case Argument::Kind::kInt: return Category::kIntegral;
    case Argument::Kind::kSymInt:
      return is_float_valued(value_.sym().expr()) ? Category::kFloating : Category::kIntegral;
    case Argument::Kind::kFloat: return Category::kFloating;
    case Argument::Kind::kComplex: return Category::kComplex;
    default: RUNG_CHECK(false, "not a number: argument kind ", static_cast<int>(value_.kind));
  }
  RUNG_UNREACHABLE();
}

bool Scalar::equals(double other) const {
  if (is_symbolic())
    return value_.sym() == (is_int() ? SymInt(static_cast<int64_t>(other)) : SymInt(make_float(other)));
  return !is_complex() && to_double() == other;
}

Argument operand(const Argument& argument) {
  if (argument.kind != Argument::Kind::kNode) return argument;
  const ValueMeta& meta = argument.node->meta;
  if (meta.kind != ValueMeta::Kind::kSymInt && meta.kind != ValueMeta::Kind::kSymFloat) return argument;
  SymInt number = meta.as_number();
  if (number.is_int()) return Argument::of(number);
  return Argument::of(SymInt(current_arena().make<SymNode>(SymNode{number.expr(), argument.node})));
}

const TensorMeta& Tensor::meta() const {
  const TensorMeta* meta = nullptr;
  if (is_real()) return value_.real->meta();
  if (value_.kind == Argument::Kind::kNode) meta = value_.node->meta.as_tensor();
  // FunctionalTensor derives from FunctionalTensorBase, first and alone; its type is not known down here.
  if (value_.kind == Argument::Kind::kFunctional) {
    bool is_of_this_trace = value_.size == 0 || value_.size == current_trace_serial();
    if (!is_of_this_trace)
      fail_input(
          "a tensor of another trace was looked at: a traced tensor lives as long as the call of make_fx that made it");
    meta = static_cast<const FunctionalTensorBase*>(static_cast<const void*>(value_.functional))->meta;
  }
  RUNG_CHECK(meta != nullptr, "a tensor was needed, not an argument of kind ", static_cast<int>(value_.kind));
  return *meta;
}

void Tensor::check_not_asked() const {
  if (is_in_body()) return;
  fail_input(
      "a branch on a tensor that is being traced: its value is not known; keep the choice in the graph with "
      "torch::where, or decide it before make_fx is called");
}

SymInt Tensor::size(int64_t dim) const {
  SymInts all = sizes();
  if (all.empty()) fail_input("dimension specified as ", dim, " but tensor has no dimensions");
  return all[static_cast<size_t>(wrap_dim(dim, this->dim()))];
}

SymInt Tensor::stride(int64_t dim) const {
  SymInts all = strides();
  if (all.empty()) fail_input("dimension specified as ", dim, " but tensor has no dimensions");
  return all[static_cast<size_t>(wrap_dim(dim, this->dim()))];
}

SymInt Tensor::numel() const {
  SymInt product = 1;
  {
    SymTraceScope untraced(nullptr);
    for (SymInt size : sizes()) product *= size;
  }
  bool is_input = value_.kind == Argument::Kind::kNode && value_.node->kind == NodeKind::kPlaceholder;
  if (!is_input || product.is_int() || !traces_sizes()) return product;
  return SymInt(current_arena().make<SymNode>(SymNode{product.expr(), nullptr, value_.node}));
}

int64_t wrap_dim(int64_t dim, int64_t rank) {
  int64_t range = std::max<int64_t>(rank, 1);
  if (dim < -range || dim >= range)
    fail_input("dimension out of range (expected to be in range of [", -range, ", ", range - 1, "], but got ", dim,
               ")");
  return dim < 0 ? dim + range : dim;
}

std::vector<int64_t> wrap_dims(SymInts dims, int64_t rank) {
  std::vector<int64_t> wrapped;
  wrapped.reserve(dims.size());
  for (SymInt dim : dims) {
    int64_t position = wrap_dim(dim.value(), rank);
    if (std::find(wrapped.begin(), wrapped.end(), position) != wrapped.end())
      fail_input("dim ", position, " appears multiple times in the list of dims");
    wrapped.push_back(position);
  }
  return wrapped;
}

}  // namespace rung
