// Every number that comes out of a file is checked here before anything is computed with it.
#include "export/read_values.h"

#include <limits>

#include "base/error.h"
#include "shape/expr.h"

namespace rung {

Union read_union(json::Value value) {
  Union out;
  bool two = false;
  std::string_view second;
  value.for_each_member([&](std::string_view key, json::Value member) {
    if (member.is_null()) return;
    if (out.value)
      two = true, second = key;
    else
      out = {key, member};
  });
  if (two) fail_input("a value has two kinds: '", out.tag, "' and '", second, "'");
  if (!out.value) fail_input("a value has no kind");
  return out;
}

double read_float(json::Value value) {
  if (!value.is_string()) return value.as_float();
  std::string_view text = value.as_string();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  fail_input("expected a number, found the string ", python_string(text));
}

DType read_dtype(json::Value value) {
  int64_t number = value.as_int();
  auto dtype = dtype_from_serde(number);
  if (!dtype) fail_input("no dtype has the number ", number);
  return *dtype;
}

Layout read_layout(json::Value value) {
  int64_t number = value.as_int();
  if (number < 0 || number > static_cast<int64_t>(Layout::kStrided)) fail_input("no layout has the number ", number);
  return static_cast<Layout>(number);
}

MemoryFormat read_memory_format(json::Value value) {
  int64_t number = value.as_int();
  if (number < 0 || number > static_cast<int64_t>(MemoryFormat::kPreserve))
    fail_input("no memory format has the number ", number);
  return static_cast<MemoryFormat>(number);
}

const Expr* ValueReader::expression(json::Value value) {
  std::string_view text = value.at("expr_str").as_string();
  auto [place, is_new] = expressions_.try_emplace(text, nullptr);
  if (is_new) place->second = parse_srepr(text);
  const Expr* expr = place->second;
  if (expr->kind != ExprKind::kSymbol) return expr;
  json::Value hint = value.find("hint");
  if (!hint || hint.is_null()) return expr;
  Union traced = read_union(hint);
  if (traced.tag == "as_int") hints_.try_emplace(std::string(expr->name), traced.value.as_int());
  return expr;
}

SymInt ValueReader::sym_int(json::Value value) {
  if (value.kind() == json::Kind::kInt) return value.as_int();  // offsets of torch 2.2
  Union number = read_union(value);
  if (number.tag == "as_int") return number.value.as_int();
  if (number.tag != "as_expr") fail_input("expected an integer or an expression, found '", number.tag, "'");
  const Expr* expr = expression(number.value);
  return expr->kind == ExprKind::kInteger ? SymInt(expr->integer) : SymInt(expr);
}

const Expr* ValueReader::sym_other(json::Value value) {
  Union number = read_union(value);
  if (number.tag == "as_expr") return expression(number.value);
  if (number.tag == "as_float") return make_float(read_float(number.value));
  if (number.tag == "as_bool") return make_constant(number.value.as_bool() ? "true" : "false");
  fail_input("expected an expression, found '", number.tag, "'");
}

SymInts ValueReader::sym_ints(json::Value value, std::string_view what) {
  scratch_.clear();
  value.for_each_item([&](json::Value item) {
    SymInt number = sym_int(item);
    // Strides may be symbolic or zero; nothing in torch has negative ones.
    if (number.is_int() && number.value() < 0) fail_input("a ", what, " is negative: ", number.value());
    scratch_.push_back(number);
  });
  return arena_.copy(scratch_);
}

std::string_view ValueReader::device_type(std::string_view type) {
  for (std::string_view known : device_types_)
    if (known == type) return known;
  if (type.empty()) fail_input("a device has no type");
  device_types_.push_back(arena_.copy(type));
  return device_types_.back();
}

Device ValueReader::device(json::Value value) {
  Device device;
  device.type = device_type(value.at("type").as_string());
  json::Value index = value.find("index");
  if (!index || index.is_null()) return device;
  int64_t number = index.as_int();
  if (number < -1 || number > std::numeric_limits<int16_t>::max()) fail_input("a device has the index ", number);
  device.index = static_cast<int32_t>(number);
  return device;
}

const TensorMeta* ValueReader::tensor_meta(json::Value value) {
  TensorMeta meta;
  bool has_dtype = false, has_sizes = false, has_strides = false;
  auto read_member = [&](std::string_view key, json::Value member) {
    if (key == "dtype")
      meta.dtype = read_dtype(member), has_dtype = true;
    else if (key == "sizes")
      meta.sizes = sym_ints(member, "size"), has_sizes = true;
    else if (key == "strides")
      meta.strides = sym_ints(member, "stride"), has_strides = true;
    else if (key == "requires_grad")
      meta.requires_grad = member.as_bool();
    else if (key == "device")
      meta.device = device(member);
    else if (key == "storage_offset")
      meta.storage_offset = sym_int(member);
    else if (key == "layout")
      meta.layout = read_layout(member);
  };
  value.for_each_member([&](std::string_view key, json::Value member) {
    try {
      read_member(key, member);
    } catch (const Error& error) {
      throw error.at(key);
    }
  });
  if (!has_dtype || !has_sizes || !has_strides)
    fail_input("the metadata of a tensor lacks '", !has_dtype ? "dtype" : !has_sizes ? "sizes" : "strides", "'");
  if (meta.sizes.size() != meta.strides.size())
    fail_input("the metadata of a tensor has ", meta.sizes.size(), " sizes, but ", meta.strides.size(), " strides");
  if (meta.storage_offset.is_int() && meta.storage_offset.value() < 0)
    fail_input("a storage offset is negative: ", meta.storage_offset.value());
  return arena_.make<TensorMeta>(meta);
}

}  // namespace rung
