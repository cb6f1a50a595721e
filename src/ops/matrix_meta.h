// What the metas of linear algebra share: checks of operands, sizes, and matrices as LAPACK writes them.
#pragma once
#include <initializer_list>
#include <string_view>

#include "meta/layout.h"

namespace rung::ops {

void require_matrix(const Tensor& a, std::string_view op);
void require_square(const Tensor& a, std::string_view op);
/// Matrices whose columns are contiguous, of the dtype and device of `like`.
const TensorMeta* column_major(const meta::Sizes& sizes, const Tensor& like);
/// A tensor without elements.
const TensorMeta* nothing(const Tensor& like);
meta::Sizes sizes_of(const Tensor& a);
/// The sizes of the batch, then others.
meta::Sizes batch_and(const Tensor& a, std::initializer_list<SymInt> last);

}  // namespace rung::ops
