// Triangles of matrices, and where their elements lie.
#include "meta/layout.h"
#include "ops/box.h"
#include "ops/factory.h"
#include "ops/families.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// A lower triangle is a trapezoid, whose first row has `first_row` elements, and below it a rectangle.
struct LowerTriangle {
  SymInt trapezoid, rectangle, first_row;
};
LowerTriangle lower_triangle(SymInt rows, SymInt columns, SymInt offset) {
  if (rows == 0 || columns == 0) return {0, 0, 0};
  SymInt first_row = offset > 0 ? min(columns, offset + 1) : SymInt(rows + offset > 0 ? 1 : 0);
  SymInt last_row = max(0, min(columns, rows + offset));
  SymInt all_rows = max(0, min(rows, rows + offset));
  SymInt trapezoid_rows = last_row - first_row + 1;
  return {(first_row + last_row) * trapezoid_rows / 2, max(0, (all_rows - trapezoid_rows) * columns), first_row};
}

// ---- metas

const TensorMeta* meta_triangle(Tensor self, SymInt) {
  if (self.dim() < 2) fail_input("tril and triu need at least 2 dimensions, got ", self.dim());
  return meta::contiguous(self.sizes(), self.dtype(), self.device());
}

template <bool upper>
const TensorMeta* meta_triangle_indices(SymInt rows, SymInt columns, SymInt offset, MaybeType dtype, MaybeLayout,
                                        MaybeDevice device) {
  if (rows < 0 || columns < 0) fail_input("tril_indices and triu_indices: sizes must not be negative");
  LowerTriangle lower = lower_triangle(rows, columns, upper ? offset - 1 : offset);
  SymInt below = lower.trapezoid + lower.rectangle;
  SymInt count = upper ? rows * columns - below : below;
  return meta::contiguous(Sizes{2, count}, dtype.value_or(DType::kInt64), device.value_or(Device{}));
}

// ---- bodies

// Keeps what lies on and above (upper) or below diagonal `diagonal`: column - row compared with it.
template <bool upper>
Tensor triangle(Tensor self, SymInt diagonal) {
  if (self.dim() < 2) fail_input("tril and triu need at least 2 dimensions, got ", self.dim());
  Tensor columns = arange(self.size(-1), self.device());
  Tensor column = aten::unsqueeze(columns, -2);
  Tensor rows = arange(self.size(-2), self.device());
  Tensor row = aten::unsqueeze(rows, -1);
  Tensor distance = aten::sub_Tensor(column, row);
  Tensor kept = upper ? aten::ge_Scalar(distance, diagonal) : aten::le_Scalar(distance, diagonal);
  return aten::contiguous(mask_tensor(kept, self));
}
// ---- references: row and column of each element, by its number

struct Places {
  Tensor rows, columns;
};

// Counted in float64, so that the root of a number of elements is exact enough.
Tensor counted_in_floats(SymInt count, const MaybeDevice& device) {
  return aten::arange_start(0, count, DType::kFloat64, std::nullopt, device, false);
}

// From row `first_row` on, if it is given.
Places in_rectangle(SymInt count, int64_t columns, DType dtype, const MaybeDevice& device,
                    std::optional<int64_t> first_row) {
  Tensor index = aten::arange_start(0, count, dtype, std::nullopt, device, false);
  Tensor row = aten::floor_divide(index, columns);
  if (first_row) row = aten::add_Tensor(row, *first_row);
  return {row, aten::remainder_Scalar(index, columns)};
}

Tensor joined(const Places& first, const Places& second) {
  Tensor rows = aten::cat(std::array<Tensor, 2>{first.rows, second.rows});
  Tensor columns = aten::cat(std::array<Tensor, 2>{first.columns, second.columns});
  return aten::stack(std::array<Tensor, 2>{rows, columns});
}

// Of a trapezoid whose rows grow by one: row r begins at (2 first_row - 1 + r) r / 2, which is solved for r.
Places in_growing_trapezoid(SymInt count, double first_row, const MaybeDevice& device) {
  double b = first_row - 0.5;
  Tensor index = counted_in_floats(count, device);
  Tensor root = aten::sqrt(aten::add_Tensor(aten::mul_Tensor(index, 2), b * b));
  Tensor row = aten::floor(aten::add_Tensor(root, -b));
  Tensor length = aten::add_Tensor(row, 2 * first_row - 1);
  Tensor before = aten::mul_Tensor(aten::mul_Tensor(length, row), 0.5);
  return {row, aten::floor(aten::sub_Tensor(index, before))};
}

// Of one whose rows shrink by one: row r begins at (2 first_row - 1 - r) r / 2.
Places in_shrinking_trapezoid(SymInt count, double first_row, const MaybeDevice& device) {
  double b = -0.5 - first_row;
  Tensor index = counted_in_floats(count, device);
  Tensor root = aten::sqrt(aten::rsub_Scalar(aten::mul_Tensor(index, 2), b * b));
  Tensor row = aten::floor(aten::rsub_Scalar(root, -b));
  Tensor length = aten::rsub_Scalar(row, 2 * first_row - 1);
  Tensor before = aten::mul_Tensor(aten::mul_Tensor(length, row), 0.5);
  return {row, aten::floor(aten::sub_Tensor(index, before))};
}

void check_indices(int64_t rows, int64_t columns, DType dtype) {
  if (rows < 0 || columns < 0)
    fail_input("tril_indices and triu_indices: sizes must not be negative, got ", rows, " and ", columns);
  if (dtype != DType::kInt32 && dtype != DType::kInt64)
    fail_input("tril_indices and triu_indices count in int32 or int64, not in ", info(dtype).name);
}

Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  DType type = dtype.value_or(DType::kInt64);
  check_indices(rows, columns, type);
  LowerTriangle lower = lower_triangle(rows, columns, offset);
  int64_t first_row = lower.first_row.value(), empty_rows = std::max<int64_t>(0, -offset);
  Places above = in_growing_trapezoid(lower.trapezoid, static_cast<double>(first_row), device);
  above.rows = reference::converted(aten::add_Tensor(above.rows, empty_rows), type);
  above.columns = reference::converted(above.columns, type);
  int64_t rows_above = columns - first_row + 1 + empty_rows;
  Places below = in_rectangle(lower.rectangle, columns, type, device, rows_above);
  return joined(above, below);
}

Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset, MaybeType dtype, MaybeLayout, MaybeDevice device) {
  DType type = dtype.value_or(DType::kInt64);
  check_indices(rows, columns, type);
  bool is_empty = rows == 0 || columns == 0;
  LowerTriangle lower = lower_triangle(rows, columns, offset - 1);
  int64_t whole = is_empty ? 0 : std::max<int64_t>(0, std::min(rows, -offset) * columns);
  int64_t first_row = is_empty ? 0 : offset > 0 ? std::max<int64_t>(0, columns - offset) : columns;
  SymInt trapezoid = rows * columns - lower.trapezoid - lower.rectangle - whole;
  Places above = in_rectangle(whole, columns, type, device, std::nullopt);
  Places below = in_shrinking_trapezoid(trapezoid, static_cast<double>(first_row), device);
  below.rows = reference::converted(below.rows, type);
  below.columns = reference::converted(below.columns, type);
  if (columns != 0) below.rows = aten::add_Tensor(below.rows, whole / columns);
  below.columns = aten::add_Tensor(below.columns, std::max<int64_t>(0, offset));
  return joined(above, below);
}

constexpr OpDef kRows[] = {
    {.op = "aten::tril", .meta = box_meta<meta_triangle>, .body = box<triangle<false>>},
    {.op = "aten::triu", .meta = box_meta<meta_triangle>, .body = box<triangle<true>>},
    {.op = "aten::tril_indices", .meta = box_meta<meta_triangle_indices<false>>, .reference = box<tril_indices>},
    {.op = "aten::triu_indices", .meta = box_meta<meta_triangle_indices<true>>, .reference = box<triu_indices>},
};

}  // namespace

const std::span<const OpDef> kTriangleOps = kRows;

}  // namespace rung::ops
