// Sizes, strides and offsets of views.
#pragma once
#include <optional>

#include "meta/layout.h"

namespace rung::meta {

/// `sizes` with its one -1 filled in from the number of elements. Fails with kInput if it does not fit.
Sizes infer_size(SymInts sizes, const TensorMeta& base);
/// The same of a tensor that has `total` elements.
Sizes infer_size(SymInts sizes, const TensorMeta& base, SymInt total);
/// The strides with which `base` can be seen as `sizes`; nullopt if it needs a copy.
std::optional<Sizes> view_strides(const TensorMeta& base, SymInts sizes);
struct ViewShape {
  Sizes sizes, strides;
};
/// The view as torch's fake tensors have it; nullopt for some views that exist, too.
std::optional<ViewShape> reference_view(const TensorMeta& base, SymInts sizes);
[[noreturn]] void fail_view(const TensorMeta& base, SymInts sizes);

const TensorMeta* view(const TensorMeta& base, SymInts sizes);
/// The same; null where no strides make such a view.
const TensorMeta* view_if_any(const TensorMeta& base, SymInts sizes);
const TensorMeta* expand(const TensorMeta& base, SymInts sizes);
const TensorMeta* permute(const TensorMeta& base, SymInts dims);
const TensorMeta* transpose(const TensorMeta& base, int64_t dim0, int64_t dim1);
const TensorMeta* select(const TensorMeta& base, int64_t dim, SymInt index);
const TensorMeta* slice(const TensorMeta& base, int64_t dim, std::optional<SymInt> start, std::optional<SymInt> end,
                        SymInt step);
const TensorMeta* unsqueeze(const TensorMeta& base, int64_t dim);
/// Takes out the dimensions of size 1 among `dims`; all of them for nullopt.
const TensorMeta* squeeze(const TensorMeta& base, std::optional<SymInts> dims);

}  // namespace rung::meta
