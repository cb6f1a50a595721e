// torch's Python references: how an operator is made of primitives. An elementwise one brings its operands to one type
// and one shape, calls one primitive, and brings the result to its type.
#pragma once
#include "meta/promote.h"
#include "ops/box.h"
#include "ops/gen/aten.h"
#include "ops/gen/prims.h"

namespace rung::ops::reference {

/// `x.to(dtype)` by a primitive; a number becomes one of the dtype's kind.
Tensor converted(const Tensor& x, DType dtype);

/// What an elementwise reference computes in, and what it returns.
struct Types {
  DType computation, result;
};
Types types_of(std::initializer_list<Tensor> operands, meta::Promote rule);

/// Operands of one shape; numbers and 0-d tensors stay as they are.
struct Pair {
  Tensor a, b;
};
Pair broadcast(const Tensor& a, const Tensor& b);

template <Tensor (*primitive)(const Tensor&), meta::Promote rule = meta::Promote::kDefault>
Tensor unary(Tensor self) {
  Types types = types_of({self}, rule);
  Tensor operand = converted(self, types.computation);
  return converted(primitive(operand), types.result);
}

template <Tensor (*primitive)(const Tensor&, const Tensor&), meta::Promote rule = meta::Promote::kDefault>
Tensor binary(Tensor self, Tensor other) {
  Types types = types_of({self, other}, rule);
  Tensor a = converted(self, types.computation);
  Tensor b = converted(other, types.computation);
  auto [left, right] = broadcast(a, b);
  return converted(primitive(left, right), types.result);
}

// The references of views, shapes and reductions, by the names of their ops.
Tensor view(Tensor self, SymInts size);
Tensor permute(Tensor self, SymInts dims);
Tensor expand(Tensor self, SymInts size);
Tensor unsqueeze(Tensor self, int64_t dim);
Tensor squeeze(Tensor self);
Tensor squeeze_dim(Tensor self, int64_t dim);
Tensor squeeze_dims(Tensor self, SymInts dims);
Tensor slice(Tensor self, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end, SymInt step);
Tensor alias(Tensor self);
Tensor clone(Tensor self, std::optional<MemoryFormat> format);
Tensor where(Tensor condition, Tensor self, Tensor other);
Tensor sum(Tensor self, std::optional<SymInts> dims, bool keepdim, std::optional<DType> dtype);
Tensor prod(Tensor self, std::optional<SymInts> dims, bool keepdim, std::optional<DType> dtype);
Tensor mean(Tensor self, std::optional<SymInts> dims, bool keepdim, std::optional<DType> dtype);
Tensor var(Tensor self, std::optional<SymInts> dims, std::optional<Scalar> correction, bool keepdim);
Tensor amax(Tensor self, SymInts dims, bool keepdim);
Tensor amin(Tensor self, SymInts dims, bool keepdim);
Tensor hash_tensor(Tensor self, SymInts dims, bool keepdim);

}  // namespace rung::ops::reference
