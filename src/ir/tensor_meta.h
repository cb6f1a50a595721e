// What is known of a tensor without its values.
#pragma once
#include <span>
#include <string>

#include "ir/dtype.h"
#include "shape/sym_int.h"

namespace rung {

using SymInts = std::span<const SymInt>;

/// Sizes in elements, strides and offset in elements of the storage. Lies in an arena; shared, never changed.
struct TensorMeta {
  DType dtype = DType::kFloat32;
  Layout layout = Layout::kStrided;
  bool requires_grad = false;
  bool conjugated = false;  // read as the conjugate of what the storage holds
  bool negated = false;     // read as its negative
  Device device = {};
  SymInts sizes = {};
  SymInts strides = {};
  SymInt storage_offset = 0;

  size_t rank() const { return sizes.size(); }
};

/// Same sizes and strides, offset, dtype, layout and device (symbolic values by identity).
bool same_meta(const TensorMeta& a, const TensorMeta& b);

/// "f32[2, s77]"
std::string type_text(const TensorMeta& meta);

struct ValueMeta;
using ValueMetas = std::span<const ValueMeta>;

/// What is known of any value of a graph: a tensor, a tuple or list of values, or a number.
struct ValueMeta {
  enum class Kind : uint8_t { kNone, kTensor, kList, kSymInt, kSymFloat, kSymBool, kObject, kToken };
  Kind kind = Kind::kNone;
  union {
    const TensorMeta* tensor;  // kTensor, kToken
    const ValueMetas* list;    // kList: the results of an op with several
    const Expr* expr;          // kSymFloat, kSymBool
    SymInt number;             // kSymInt
  };

  ValueMeta() : tensor(nullptr) {}
  static ValueMeta of(const TensorMeta* tensor) {
    ValueMeta meta;
    meta.kind = Kind::kTensor;
    meta.tensor = tensor;
    return meta;
  }
  /// Of a number: an integer, float or truth value.
  SymInt as_number() const { return kind == Kind::kSymInt ? number : SymInt(expr); }
  const TensorMeta* as_tensor() const { return kind == Kind::kTensor || kind == Kind::kToken ? tensor : nullptr; }
};

/// "f32[2, s77]", "(f32[2], i64[2])" of several results, "Sym(s77)" of a number; empty where nothing is known.
std::string type_text(const ValueMeta& meta);

}  // namespace rung
