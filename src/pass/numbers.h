// Nodes of a program that work on numbers: sizes that are read, Python's arithmetic, numbers that depend on data.
#pragma once
#include <string_view>
#include <unordered_set>

#include "ir/argument.h"
#include "ir/tensor_meta.h"
#include "schema/schema.h"

namespace rung {

/// A number of a program as what arithmetic works on. Fails with kInput for an argument that is none.
SymInt number_of(const Argument& argument);

/// What a call of `op`, one that reads_size(), gives for `tensor`. `args`: all of the call, in schema order.
Argument read_size(OpId op, const TensorMeta& tensor, Arguments args);

/// What a function of Python gives for numbers: "_operator.mul". Fails with kUnsupported where rung knows it not.
Argument compute_python(std::string_view target, Arguments numbers);

/// What aten._assert_scalar is given holds from here on.
void assert_number(const Argument& condition);

/// Symbols without a value (u0), in the order of the nodes that make them.
class DataSymbols {
 public:
  /// The next node is to make the symbols of `recorded`, which it made when the program was exported, unless an
  /// earlier node made them.
  void expect(const ValueMeta& recorded);

 private:
  std::unordered_set<const Expr*> seen_;
};

}  // namespace rung
