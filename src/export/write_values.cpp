// Numbers, expressions and tensor metadata as JSON, in the order of torch's fields.
#include "export/write_values.h"

#include "base/error.h"
#include "base/json.h"
#include "shape/expr.h"

namespace rung {
namespace {

void append_int(std::string& out, int64_t value) {
  out += "{\"as_int\": ";
  append_part(out, value);
  out += '}';
}

}  // namespace

const std::string& ValueWriter::expression(const Expr* expr, std::string_view hint_tag) {
  auto [place, is_new] = expressions_.try_emplace(expr);
  std::string& text = place->second;
  if (!is_new) return text;
  text = "{\"as_expr\": {\"expr_str\": ";
  json::append_string(text, srepr(expr));
  auto hint = hint_tag.empty() ? std::nullopt : hint_of(expr, hints_);
  if (!hint)
    text += ", \"hint\": null}}";
  else if (hint_tag == "as_float")
    text += cat(", \"hint\": {\"as_float\": ", static_cast<double>(*hint), "}}}");
  else
    text += cat(", \"hint\": {\"as_int\": ", *hint, "}}}");
  return text;
}

void ValueWriter::sym_int(std::string& out, SymInt value) {
  if (value.is_int())
    append_int(out, value.value());
  else
    out += expression(value.expr(), "as_int");
}

void ValueWriter::sym_float(std::string& out, const Expr* value) {
  RUNG_CHECK(value != nullptr, "a symbolic float without a value");
  if (value->kind != ExprKind::kFloat && value->kind != ExprKind::kInteger) {
    out += expression(value, "as_float");
    return;
  }
  out += "{\"as_float\": ";
  json::append_float(out, value->kind == ExprKind::kFloat ? value->number : static_cast<double>(value->integer));
  out += '}';
}

void ValueWriter::sym_bool(std::string& out, const Expr* value) {
  RUNG_CHECK(value != nullptr, "a symbolic bool without a value");
  if (value->is(ExprKind::kConstant, "true"))
    out += "{\"as_bool\": true}";
  else if (value->is(ExprKind::kConstant, "false"))
    out += "{\"as_bool\": false}";
  else
    out += expression(value, "");
}

void append_device(std::string& out, const Device& device) {
  out += "{\"type\": ";
  json::append_string(out, device.type);
  out += ", \"index\": ";
  if (device.index < 0)
    out += "null";
  else
    append_part(out, device.index);
  out += '}';
}

void ValueWriter::tensor_meta(std::string& out, const TensorMeta& meta) {
  auto list = [&](SymInts values) {
    out += '[';
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out += ", ";
      sym_int(out, values[i]);
    }
    out += ']';
  };
  out += "{\"dtype\": ";
  append_part(out, info(meta.dtype).serde);
  out += ", \"sizes\": ";
  list(meta.sizes);
  out += meta.requires_grad ? ", \"requires_grad\": true, \"device\": " : ", \"requires_grad\": false, \"device\": ";
  append_device(out, meta.device);
  out += ", \"strides\": ";
  list(meta.strides);
  out += ", \"storage_offset\": ";
  sym_int(out, meta.storage_offset);
  out += ", \"layout\": ";
  append_part(out, static_cast<int>(meta.layout));
  out += '}';
}

}  // namespace rung
