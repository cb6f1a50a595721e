// Numbers as their bits, symbolic ones by the address of their expression: equal expressions are one. What follows a
// word says how many more there are, or which.
#include "opset/signature.h"

#include <bit>
#include <cstring>

#include "base/error.h"
#include "ir/graph.h"
#include "rules/constant_value.h"

namespace rung {
namespace {

template <typename T>
uint64_t word(T value) {
  return static_cast<uint64_t>(value);
}

void append_text(Signature& out, std::string_view text) {
  out.push_back(text.size());
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), sizeof(uint64_t)))) {
    uint64_t part = 0;
    std::memcpy(&part, text.data(), std::min(text.size(), sizeof part));
    out.push_back(part);
  }
}

void append_size(Signature& out, SymInt size) { out.push_back(word(size.plain().bits())); }

void append_tensor(Signature& out, const TensorMeta& tensor) {
  const bool is_on_cpu = tensor.device == Device();
  const uint64_t flags = word(tensor.conjugated) | word(tensor.negated) << 1 | word(is_on_cpu) << 2;
  out.push_back(word(tensor.dtype) | word(tensor.layout) << 8 | flags << 16 | word(tensor.rank()) << 24);
  for (SymInt size : tensor.sizes) append_size(out, size);
  for (SymInt stride : tensor.strides) append_size(out, stride);
  append_size(out, tensor.storage_offset);
  if (is_on_cpu) return;
  append_text(out, tensor.device.type);
  out.push_back(word(tensor.device.index));
}

void append_meta(Signature& out, const ValueMeta& meta) {
  out.push_back(word(meta.kind));
  if (meta.kind == ValueMeta::Kind::kSymInt) append_size(out, meta.number);
  if (meta.kind == ValueMeta::Kind::kSymFloat || meta.kind == ValueMeta::Kind::kSymBool)
    out.push_back(reinterpret_cast<uintptr_t>(meta.expr));
  if (meta.kind == ValueMeta::Kind::kList) {
    out.push_back(meta.list->size());
    for (const ValueMeta& item : *meta.list) append_meta(out, item);
  }
  if (const TensorMeta* tensor = meta.as_tensor()) append_tensor(out, *tensor);
}

void append_argument(Signature& out, const Argument& argument) {
  using Kind = Argument::Kind;
  out.push_back(word(argument.kind));
  switch (argument.kind) {
    case Kind::kNone: return;
    case Kind::kBool: return out.push_back(argument.boolean);
    case Kind::kInt: return out.push_back(word(argument.integer));
    case Kind::kFloat: return out.push_back(std::bit_cast<uint64_t>(argument.number));
    case Kind::kComplex:
      out.push_back(std::bit_cast<uint64_t>(argument.complex->real));
      return out.push_back(std::bit_cast<uint64_t>(argument.complex->imag));
    case Kind::kString:
    case Kind::kObject: return append_text(out, argument.string_view());
    case Kind::kDType: return out.push_back(word(argument.dtype_value));
    case Kind::kLayout: return out.push_back(word(argument.layout_value));
    case Kind::kMemoryFormat: return out.push_back(word(argument.format_value));
    case Kind::kDevice:
      append_text(out, argument.device->type);
      return out.push_back(word(argument.device->index));
    case Kind::kNode: {
      append_meta(out, argument.node->meta);
      const std::optional<Scalar> value = constant_value(*argument.node);
      out.push_back(value.has_value());
      if (value) append_argument(out, value->argument());
      return;
    }
    case Kind::kSymInt: return append_size(out, argument.sym());
    case Kind::kList:
      out.push_back(argument.size);
      for (const Argument& item : argument.list_items()) append_argument(out, item);
      return;
    case Kind::kDict:
    case Kind::kGraph:
    case Kind::kFunctional:
    case Kind::kReal: RUNG_UNREACHABLE();
  }
}

}  // namespace

void write_signature(Signature& signature, OpId op, Arguments args) {
  signature.clear();
  signature.push_back(op);
  for (const Argument& argument : args) append_argument(signature, argument);
}

// The multiplier of a linear congruential generator; the upper bits, which it mixes well, are brought down.
size_t SignatureHash::operator()(const Signature& signature) const {
  constexpr uint64_t kMultiplier = 6364136223846793005;
  uint64_t hash = signature.size();
  for (uint64_t part : signature) hash = (std::rotl(hash, 29) ^ part) * kMultiplier;
  return hash ^ hash >> 32;
}

}  // namespace rung
