// The small types of the .pt2's JSON: unions, sizes, tensor metadata, devices.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/arena.h"
#include "base/json.h"
#include "ir/argument.h"
#include "ir/program.h"

namespace rung {

/// A union: an object with one key, the tag. Old torches write all tags and null for those that are not meant.
struct Union {
  std::string_view tag;
  json::Value value;
};
/// Fails with kInput on no tag or two.
Union read_union(json::Value value);

/// A float, or the strings "Infinity", "-Infinity", "NaN".
double read_float(json::Value value);
/// Fails with kInput on a number that stands for nothing.
DType read_dtype(json::Value value);
Layout read_layout(json::Value value);
MemoryFormat read_memory_format(json::Value value);

/// Reads values that lie in an arena. One a program: expressions and devices are shared by all its graphs.
class ValueReader {
 public:
  ValueReader(Arena& arena, std::map<std::string, int64_t, std::less<>>& hints) : arena_(arena), hints_(hints) {}

  /// {"as_int": 4} or {"as_expr": {"expr_str": "Symbol(...)", "hint": {"as_int": 3}}}.
  SymInt sym_int(json::Value value);
  /// The expression of {"as_expr": ...}; a constant bool or float as a constant expression.
  const Expr* sym_other(json::Value value);
  /// Checks ranks and signs. Fails with kInput.
  const TensorMeta* tensor_meta(json::Value value);
  Device device(json::Value value);

 private:
  SymInts sym_ints(json::Value value, std::string_view what);
  const Expr* expression(json::Value value);
  std::string_view device_type(std::string_view type);

  Arena& arena_;
  std::map<std::string, int64_t, std::less<>>& hints_;
  std::unordered_map<std::string_view, const Expr*> expressions_;
  std::vector<std::string_view> device_types_;
  std::vector<SymInt> scratch_;
};

}  // namespace rung
