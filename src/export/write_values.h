// The small types of the .pt2's JSON, as text.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "ir/argument.h"
#include "ir/tensor_meta.h"

namespace rung {

using Hints = std::map<std::string, int64_t, std::less<>>;

/// The value of an integer expression when its symbols have the values of `hints`; nullopt if one has none, or a
/// function has no integer value.
std::optional<int64_t> hint_of(const Expr* expr, const Hints& hints);

/// Appends {"tag": number} and the like. Texts of expressions are made once each.
class ValueWriter {
 public:
  explicit ValueWriter(const Hints& hints) : hints_(hints) {}

  void sym_int(std::string& out, SymInt value);
  void sym_float(std::string& out, const Expr* value);
  void sym_bool(std::string& out, const Expr* value);
  void tensor_meta(std::string& out, const TensorMeta& meta);

 private:
  const std::string& expression(const Expr* expr, std::string_view hint_tag);

  const Hints& hints_;
  std::unordered_map<const Expr*, std::string> expressions_;
};

void append_device(std::string& out, const Device& device);

}  // namespace rung
