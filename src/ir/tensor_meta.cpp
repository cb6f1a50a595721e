// Comparison of what is known of tensors.
#include "ir/tensor_meta.h"

#include "base/strings.h"

#include <algorithm>

namespace rung {
namespace {

bool identical(SymInts a, SymInts b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](SymInt x, SymInt y) { return x.identical(y); });
}

}  // namespace

std::string type_text(const TensorMeta& meta) {
  std::string text = cat(info(meta.dtype).abbreviation, '[');
  for (size_t i = 0; i < meta.sizes.size(); ++i) text += cat(i > 0 ? ", " : "", meta.sizes[i].str());
  return text + ']';
}

std::string type_text(const ValueMeta& meta) {
  using Kind = ValueMeta::Kind;
  switch (meta.kind) {
    case Kind::kTensor: return type_text(*meta.tensor);
    case Kind::kToken: return "token";
    case Kind::kSymInt:
    case Kind::kSymFloat:
    case Kind::kSymBool: return cat("Sym(", meta.as_number().str(), ')');
    case Kind::kList: break;
    default: return {};
  }
  std::string text;
  for (const ValueMeta& item : *meta.list)
    text += cat(text.empty() ? "(" : ", ", item.kind == Kind::kNone ? "None" : type_text(item));
  return text.empty() ? "()" : text + ')';
}

bool same_meta(const TensorMeta& a, const TensorMeta& b) {
  return a.dtype == b.dtype && a.layout == b.layout && a.device == b.device && identical(a.sizes, b.sizes) &&
         identical(a.strides, b.strides) && a.storage_offset.identical(b.storage_offset) &&
         a.conjugated == b.conjugated && a.negated == b.negated;
}

}  // namespace rung
