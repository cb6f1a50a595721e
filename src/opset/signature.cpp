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

class Writer {
 public:
  explicit Writer(Signature& out) : out_(out) {}

  void append(std::string_view text) {
    out_.push_back(text.size());
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), sizeof(uint64_t)))) {
      uint64_t part = 0;
      std::memcpy(&part, text.data(), std::min(text.size(), sizeof part));
      out_.push_back(part);
    }
  }

  void append(SymInt size) {
    has_symbols_ |= size.is_symbolic();
    out_.push_back(word(size.plain().bits()));
  }

  void append(const TensorMeta& tensor) {
    const bool is_on_cpu = tensor.device == Device();
    const uint64_t flags = word(tensor.conjugated) | word(tensor.negated) << 1 | word(is_on_cpu) << 2;
    out_.push_back(word(tensor.dtype) | word(tensor.layout) << 8 | flags << 16 | word(tensor.rank()) << 24);
    for (SymInt size : tensor.sizes) append(size);
    for (SymInt stride : tensor.strides) append(stride);
    append(tensor.storage_offset);
    if (is_on_cpu) return;
    append(tensor.device.type);
    out_.push_back(word(tensor.device.index));
  }

  void append(const ValueMeta& meta) {
    out_.push_back(word(meta.kind));
    if (meta.kind == ValueMeta::Kind::kSymInt) append(meta.number);
    if (meta.kind == ValueMeta::Kind::kSymFloat || meta.kind == ValueMeta::Kind::kSymBool) {
      has_symbols_ = true;
      out_.push_back(reinterpret_cast<uintptr_t>(meta.expr));
    }
    if (meta.kind == ValueMeta::Kind::kList) {
      out_.push_back(meta.list->size());
      for (const ValueMeta& item : *meta.list) append(item);
    }
    if (const TensorMeta* tensor = meta.as_tensor()) append(*tensor);
  }

  void append(const Argument& argument) {
    using Kind = Argument::Kind;
    out_.push_back(word(argument.kind));
    switch (argument.kind) {
      case Kind::kNone: return;
      case Kind::kBool: return out_.push_back(argument.boolean);
      case Kind::kInt: return out_.push_back(word(argument.integer));
      case Kind::kFloat: return out_.push_back(std::bit_cast<uint64_t>(argument.number));
      case Kind::kComplex:
        out_.push_back(std::bit_cast<uint64_t>(argument.complex->real));
        return out_.push_back(std::bit_cast<uint64_t>(argument.complex->imag));
      case Kind::kString:
      case Kind::kObject: return append(argument.string_view());
      case Kind::kDType: return out_.push_back(word(argument.dtype_value));
      case Kind::kLayout: return out_.push_back(word(argument.layout_value));
      case Kind::kMemoryFormat: return out_.push_back(word(argument.format_value));
      case Kind::kDevice: append(argument.device->type); return out_.push_back(word(argument.device->index));
      case Kind::kNode: {
        append(argument.node->meta);
        const std::optional<Scalar> value = constant_value(*argument.node);
        out_.push_back(value.has_value());
        if (value) append(value->argument());
        return;
      }
      case Kind::kSymInt: return append(argument.sym());
      case Kind::kList:
        out_.push_back(argument.size);
        for (const Argument& item : argument.list_items()) append(item);
        return;
      case Kind::kDict:
      case Kind::kGraph:
      case Kind::kFunctional:
      case Kind::kReal: RUNG_UNREACHABLE();
    }
  }

  bool has_symbols() const { return has_symbols_; }

 private:
  Signature& out_;
  bool has_symbols_ = false;
};

}  // namespace

bool write_signature(Signature& signature, OpId op, Arguments args) {
  signature.clear();
  signature.push_back(op);
  Writer writer(signature);
  for (const Argument& argument : args) writer.append(argument);
  return writer.has_symbols();
}

// The multiplier of a linear congruential generator; the upper bits, which it mixes well, are brought down.
size_t SignatureHash::operator()(const Signature& signature) const {
  constexpr uint64_t kMultiplier = 6364136223846793005;
  uint64_t hash = signature.size();
  for (uint64_t part : signature) hash = (std::rotl(hash, 29) ^ part) * kMultiplier;
  return hash ^ hash >> 32;
}

}  // namespace rung
