// Dynamic sizes made static.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>

#include "ir/program.h"

namespace rung {

/// What a user asks for: "s77" or "x.0" (dimension 0 of the input x, or "n" for an input that is a number), and the
/// size that it is to have.
struct SizeBinding {
  std::string place;
  int64_t size = 0;
};

using SymbolValues = std::map<std::string, int64_t, std::less<>>;

/// The values of symbols that `bindings` mean. Fails with kInput: a name that the program does not have, a dimension
/// that is not dynamic, two values for one symbol, a value outside of the symbol's range, sizes that break a guard
/// of the file (of those guards that are integer arithmetic on sizes).
SymbolValues resolve_bindings(const ExportedProgram& program, std::span<const SizeBinding> bindings);

/// `meta` with numbers in place of the symbols that have values. What is new lies in `arena`.
ValueMeta bound_meta(const ValueMeta& meta, const SymbolValues& values, Arena& arena);
/// The same with any replacement of expressions.
ValueMeta replaced_meta(const ValueMeta& meta, const std::function<const Expr*(const Expr*)>& replace, Arena& arena);

}  // namespace rung
