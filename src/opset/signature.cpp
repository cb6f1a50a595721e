// Numbers as their bytes, symbolic ones by the address of their expression: equal expressions are one.
#include "opset/signature.h"

#include "base/error.h"
#include "ir/graph.h"
#include "rules/constant_value.h"

namespace rung {
namespace {

template <typename T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& out, std::string_view text) {
  append(out, text.size());
  out += text;
}

void append_size(std::string& out, SymInt size) { append(out, size.plain().bits()); }

void append_meta(std::string& out, const ValueMeta& meta) {
  append(out, meta.kind);
  if (meta.kind == ValueMeta::Kind::kSymInt) append_size(out, meta.number);
  if (meta.kind == ValueMeta::Kind::kSymFloat || meta.kind == ValueMeta::Kind::kSymBool) append(out, meta.expr);
  if (meta.kind == ValueMeta::Kind::kList)
    for (const ValueMeta& item : *meta.list) append_meta(out, item);
  const TensorMeta* tensor = meta.as_tensor();
  if (tensor == nullptr) return;
  append(out, tensor->dtype);
  append(out, tensor->layout);
  append(out, tensor->conjugated);
  append(out, tensor->negated);
  append_text(out, tensor->device.type);
  append(out, tensor->device.index);
  append(out, tensor->rank());
  for (SymInt size : tensor->sizes) append_size(out, size);
  for (SymInt stride : tensor->strides) append_size(out, stride);
  append_size(out, tensor->storage_offset);
}

void append_argument(std::string& out, const Argument& argument) {
  using Kind = Argument::Kind;
  append(out, argument.kind);
  switch (argument.kind) {
    case Kind::kNone: return;
    case Kind::kBool: return append(out, argument.boolean);
    case Kind::kInt: return append(out, argument.integer);
    case Kind::kFloat: return append(out, argument.number);
    case Kind::kComplex: return append(out, *argument.complex);
    case Kind::kString:
    case Kind::kObject: return append_text(out, argument.string_view());
    case Kind::kDType: return append(out, argument.dtype_value);
    case Kind::kLayout: return append(out, argument.layout_value);
    case Kind::kMemoryFormat: return append(out, argument.format_value);
    case Kind::kDevice: return append_text(out, argument.device->type), append(out, argument.device->index);
    case Kind::kNode: {
      append_meta(out, argument.node->meta);
      if (const std::optional<Scalar> value = constant_value(*argument.node)) append_argument(out, value->argument());
      return;
    }
    case Kind::kSymInt: return append_size(out, argument.sym());
    case Kind::kList: {
      append(out, argument.size);
      for (const Argument& item : argument.list_items()) append_argument(out, item);
      return;
    }
    case Kind::kDict:
    case Kind::kGraph:
    case Kind::kFunctional:
    case Kind::kReal: RUNG_UNREACHABLE();
  }
}

}  // namespace

std::string signature_of(OpId op, Arguments args) {
  std::string signature;
  signature.reserve(512);
  append(signature, op);
  for (const Argument& argument : args) append_argument(signature, argument);
  return signature;
}

}  // namespace rung
