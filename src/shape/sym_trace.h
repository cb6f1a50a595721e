// Arithmetic on sizes as part of a traced program: each operation is a node of the graph, as in torch.
#pragma once
#include "shape/sym_int.h"

namespace rung {

struct Node;

/// A number of a traced program: the result of one operation, or a size of one tensor, which has no node until it is
/// asked for. Two with the same value may be different nodes, as in torch.
struct SymNode {
  const Expr* value;
  mutable Node* node;
  mutable Node* tensor = nullptr;  // whose size it is
};

/// Makes nodes of operations.
class SymTracer {
 public:
  /// `b` only of operations with two operands.
  virtual SymInt trace(const Expr* value, SymOp op, SymInt a, SymInt b) = 0;

 protected:
  ~SymTracer() = default;
};

/// Whether arithmetic on symbolic sizes becomes nodes just now.
bool traces_sizes();

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
