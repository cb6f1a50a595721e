// Arithmetic on sizes as part of a traced program: each operation is a node of the graph, as in torch.
#pragma once
#include "shape/sym_int.h"

namespace rung {

struct Node;

/// The result of one operation that was traced.
struct SymNode {
  const Expr* value;
  Node* node;
};

/// Makes nodes of operations.
class SymTracer {
 public:
  /// `b` only of operations with two operands.
  virtual SymInt trace(const Expr* value, SymOp op, SymInt a, SymInt b) = 0;

 protected:
  ~SymTracer() = default;
};

/// For the life of the object, arithmetic on symbolic sizes goes to `tracer`; with null it leaves no nodes (as inside
/// of a meta).
class SymTraceScope {
 public:
  explicit SymTraceScope(SymTracer* tracer);
  ~SymTraceScope();
  SymTraceScope(const SymTraceScope&) = delete;
  SymTraceScope& operator=(const SymTraceScope&) = delete;

 private:
  SymTracer* outer_;
};

}  // namespace rung
