// Groups of elements.
#include "ops/dims.h"

namespace rung::ops::dims {

std::vector<bool> reduced(const Tensor& self, const std::optional<SymInts>& dims) {
  bool all = !dims || dims->empty();
  std::vector<bool> is_reduced(static_cast<size_t>(self.dim()), all);
  if (!all)
    for (int64_t dim : wrap_dims(*dims, self.dim()))
      if (self.dim() > 0) is_reduced[static_cast<size_t>(dim)] = true;
  return is_reduced;
}

template <ref::Carrier T>
std::vector<std::vector<T>> groups(const Tensor& self, const std::vector<bool>& is_reduced) {
  ref::Shape shape = ref::shape_of(self), kept = shape;
  int64_t length = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (!is_reduced[dim]) continue;
    length *= shape[dim];
    kept[dim] = 1;
  }
  ref::Shape steps = ref::row_major_strides(kept);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (is_reduced[dim]) steps[dim] = 0;
  std::vector<std::vector<T>> rows(static_cast<size_t>(ref::count(kept)));
  for (std::vector<T>& row : rows) row.reserve(static_cast<size_t>(length));
  ref::Index index(shape);
  for (T value : ref::values<T>(self)) {
    rows[static_cast<size_t>(index.offset(steps))].push_back(value);
    index.next();
  }
  return rows;
}
template std::vector<std::vector<int64_t>> groups<int64_t>(const Tensor&, const std::vector<bool>&);
template std::vector<std::vector<double>> groups<double>(const Tensor&, const std::vector<bool>&);
template std::vector<std::vector<ref::Complex>> groups<ref::Complex>(const Tensor&, const std::vector<bool>&);

Around::Around(const ref::Shape& shape, int64_t dim) {
  if (shape.empty()) return;
  size_t axis = static_cast<size_t>(wrap_dim(dim, static_cast<int64_t>(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i) (i < axis ? outer : i == axis ? length : inner) *= shape[i];
}

}  // namespace rung::ops::dims
