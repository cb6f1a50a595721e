// Factorizations by LAPACK, equations that are solved by them, and inverses.
#include <algorithm>

#include "meta/layout.h"
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/matrix_meta.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- metas: matrices are column-major, as LAPACK writes them

void require_floating_or_complex(const Tensor& a, std::string_view op) {
  if (is_integral_or_bool(a.dtype()))
    fail_input(op, ": expected a floating point or complex tensor, got ", info(a.dtype()).name);
}

// Of b, with the batch that a and b have together.
Sizes solution_sizes(const Tensor& b, const Tensor& a) {
  auto batch = [](const Tensor& x) { return x.sizes().first(x.sizes().size() - 2); };
  Sizes sizes = meta::broadcast_sizes(batch(b), batch(a));
  sizes.push_back(b.size(-2));
  sizes.push_back(b.size(-1));
  return sizes;
}
const TensorMeta* integers(const Sizes& sizes, const Tensor& like) {
  return meta::contiguous(sizes, DType::kInt32, like.device());
}
const TensorMeta* dense(const Sizes& sizes, const Tensor& like) {
  return meta::contiguous(sizes, like.dtype(), like.device());
}

using Two = std::array<const TensorMeta*, 2>;
using Three = std::array<const TensorMeta*, 3>;

Two meta_factor_ex(Tensor a) {
  require_square(a, "the factorization");
  require_floating_or_complex(a, "the factorization");
  return {column_major(sizes_of(a), a), integers(batch_and(a, {}), a)};
}
const TensorMeta* meta_square(Tensor a) {
  require_square(a, "the factorization");
  return column_major(sizes_of(a), a);
}
const TensorMeta* meta_householder_product(Tensor input, Tensor tau) {
  require_matrix(input, "householder_product");
  if (input.size(-2) < input.size(-1) || input.size(-1) < tau.size(-1))
    fail_input("householder_product: ", input.size(-2).str(), " by ", input.size(-1).str(), " matrices with ",
               tau.size(-1).str(), " factors");
  return column_major(sizes_of(input), input);
}
const TensorMeta* meta_ormqr(Tensor input, Tensor, Tensor other) {
  require_matrix(input, "ormqr");
  require_matrix(other, "ormqr");
  return column_major(sizes_of(other), other);
}
Three meta_ldl_factor_ex(Tensor a) {
  require_square(a, "linalg.ldl_factor_ex");
  return {column_major(sizes_of(a), a), integers(batch_and(a, {a.size(-1)}), a), integers(batch_and(a, {}), a)};
}
const TensorMeta* meta_ldl_solve(Tensor ld, Tensor, Tensor b) {
  require_square(ld, "linalg.ldl_solve");
  require_matrix(b, "linalg.ldl_solve");
  return column_major(solution_sizes(b, ld), b);
}
Three meta_lu(Tensor a, bool pivot) {
  require_matrix(a, "linalg.lu");
  SymInt rows = a.size(-2), columns = a.size(-1), rank = min(rows, columns);
  return {dense(pivot ? batch_and(a, {rows, rows}) : Sizes{0}, a), dense(batch_and(a, {rows, rank}), a),
          dense(batch_and(a, {rank, columns}), a)};
}
Three meta_lu_unpack(Tensor lu, Tensor, bool unpack_data, bool unpack_pivots) {
  require_matrix(lu, "lu_unpack");
  SymInt rows = lu.size(-2), columns = lu.size(-1), rank = min(rows, columns);
  const TensorMeta* none = nothing(lu);
  return {unpack_pivots ? dense(batch_and(lu, {rows, rows}), lu) : none,
          unpack_data ? dense(batch_and(lu, {rows, rank}), lu) : none,
          unpack_data ? dense(batch_and(lu, {rank, columns}), lu) : none};
}
Two meta_geqrf(Tensor a) {
  require_matrix(a, "geqrf");
  return {column_major(sizes_of(a), a), dense(batch_and(a, {min(a.size(-2), a.size(-1))}), a)};
}
const TensorMeta* meta_solve_triangular(Tensor a, Tensor b, bool, bool left) {
  require_square(a, "linalg.solve_triangular");
  require_matrix(b, "linalg.solve_triangular");
  if (a.size(-1) != b.size(left ? -2 : -1))
    fail_input("linalg.solve_triangular: a matrix of ", a.size(-1).str(), " rows for a right hand side of ",
               b.size(left ? -2 : -1).str());
  return column_major(solution_sizes(b, a), b);
}
Two meta_triangular_solve(Tensor b, Tensor a) {
  require_matrix(b, "triangular_solve");
  require_square(a, "triangular_solve");
  Sizes sizes = solution_sizes(b, a), square = sizes;
  square[square.size() - 2] = square[square.size() - 1] = a.size(-1);
  return {column_major(sizes, b), column_major(square, a)};
}
const TensorMeta* meta_cholesky_solve(Tensor b, Tensor a) {
  require_matrix(b, "cholesky_solve");
  require_square(a, "cholesky_solve");
  return column_major(solution_sizes(b, a), b);
}

// ---- bodies: the results of the op that reports, after a check of its report

void check(const Tensor& infos, std::string_view op, const Tensor& a) {
  aten::_linalg_check_errors(infos, op, a.dim() == 2);
}

Tensor inverse_for(const Tensor& a, std::string_view op) {
  auto [result, infos] = aten::linalg_inv_ex(a);
  check(infos, op, a);
  return result;
}
Tensor linalg_inv(Tensor a) { return inverse_for(a, "linalg.inv"); }
Tensor inverse(Tensor a) { return aten::linalg_inv(a); }

Tensor linalg_cholesky(Tensor a, bool upper) {
  auto [result, infos] = aten::linalg_cholesky_ex(a, upper, false);
  check(infos, "linalg.cholesky", a);
  return result;
}
std::tuple<Tensor, Tensor> linalg_lu_factor(Tensor a, bool pivot) {
  auto [lu, pivots, infos] = aten::linalg_lu_factor_ex(a, pivot, false);
  check(infos, "torch.linalg.lu_factor", a);
  return {lu, pivots};
}
std::tuple<Tensor, Tensor> linalg_ldl_factor(Tensor a, bool hermitian) {
  auto [ld, pivots, infos] = aten::linalg_ldl_factor_ex(a, hermitian, false);
  check(infos, "torch.linalg.ldl_factor", a);
  return {ld, pivots};
}
Tensor linalg_solve(Tensor a, Tensor b, bool left) {
  auto [result, lu, pivots, infos] = aten::_linalg_solve_ex(a, b, left, false);
  check(infos, "torch.linalg.solve", a);
  return result;
}

SymInt product(SymInts sizes) {
  SymInt count = 1;
  for (SymInt size : sizes) count *= size;
  return count;
}

// The first `ind` dimensions against the rest, as one square matrix.
Tensor linalg_tensorinv(Tensor self, int64_t ind) {
  if (ind <= 0) fail_input("linalg.tensorinv: expected a strictly positive integer for 'ind', got ", ind);
  SymInts sizes = self.sizes();
  size_t first = std::min(static_cast<size_t>(ind), sizes.size());
  SymInt rows = product(sizes.first(first)), columns = product(sizes.subspan(first));
  if (rows != columns) fail_input("linalg.tensorinv: ", rows.str(), " by ", columns.str(), " is no square matrix");
  Sizes turned(sizes.begin() + static_cast<ptrdiff_t>(first), sizes.end());
  turned.insert(turned.end(), sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(first));
  Tensor matrix = aten::reshape(self, {columns, rows});
  return aten::reshape(inverse_for(matrix, "inv"), turned);
}

Tensor linalg_tensorsolve(Tensor self, Tensor other, std::optional<SymInts> dims) {
  Tensor moved = self;
  if (dims) {
    Sizes last;
    for (size_t i = 0; i < dims->size(); ++i)
      last.push_back(static_cast<int64_t>(i) + self.dim() - static_cast<int64_t>(dims->size()));
    moved = aten::movedim_intlist(self, *dims, last);
  }
  SymInts sizes = moved.sizes();
  Sizes result(sizes.begin() + other.dim(), sizes.end());
  SymInt rows = product(result);
  if (SymInt equations = other.numel(); rows != equations)
    fail_input("linalg.tensorsolve: ", equations.str(), " equations for ", rows.str(), " unknowns");
  Tensor matrix = aten::reshape(moved, {rows, rows});
  Tensor right = aten::reshape(other, {product(other.sizes())});
  return aten::reshape(aten::linalg_solve(matrix, right), result);
}

// Nothing to factor comes back as a fresh tensor, in rows.
const TensorMeta* meta_cholesky(Tensor a) {
  require_square(a, "cholesky");
  return meta::numel(a.meta()) == 0 ? dense(sizes_of(a), a) : column_major(sizes_of(a), a);
}

constexpr Meta kSquare = box_meta<meta_square>;

constexpr OpDef kRows[] = {
    {.op = "aten::cholesky", .meta = box_meta<meta_cholesky>, .reference = box<closed::cholesky>},
    {.op = "aten::cholesky_inverse", .meta = kSquare, .reference = box<closed::cholesky_inverse>},
    {.op = "aten::cholesky_solve", .meta = box_meta<meta_cholesky_solve>, .reference = box<closed::cholesky_solve>},
    {.op = "aten::geqrf", .meta = box_meta<meta_geqrf>},
    {.op = "aten::inverse", .body = box<inverse>},
    {.op = "aten::linalg_cholesky", .body = box<linalg_cholesky>},
    {.op = "aten::linalg_cholesky_ex", .meta = box_meta<meta_factor_ex>},
    {.op = "aten::linalg_householder_product", .meta = box_meta<meta_householder_product>},
    {.op = "aten::linalg_inv", .body = box<linalg_inv>},
    {.op = "aten::linalg_inv_ex", .meta = box_meta<meta_factor_ex>},
    {.op = "aten::linalg_ldl_factor", .body = box<linalg_ldl_factor>},
    {.op = "aten::linalg_ldl_factor_ex", .meta = box_meta<meta_ldl_factor_ex>},
    {.op = "aten::linalg_ldl_solve", .meta = box_meta<meta_ldl_solve>},
    {.op = "aten::linalg_lu", .meta = box_meta<meta_lu>, .reference = box<closed::linalg_lu>},
    {.op = "aten::linalg_lu_factor", .body = box<linalg_lu_factor>},
    {.op = "aten::linalg_solve", .body = box<linalg_solve>},
    {.op = "aten::linalg_solve_triangular", .meta = box_meta<meta_solve_triangular>},
    {.op = "aten::linalg_tensorinv", .body = box<linalg_tensorinv>},
    {.op = "aten::linalg_tensorsolve", .body = box<linalg_tensorsolve>},
    {.op = "aten::lu_unpack", .meta = box_meta<meta_lu_unpack>},
    {.op = "aten::ormqr", .meta = box_meta<meta_ormqr>},
    {.op = "aten::triangular_solve",
     .meta = box_meta<meta_triangular_solve>,
     .reference = box<closed::triangular_solve>},
};

}  // namespace

const std::span<const OpDef> kFactorizationOps = kRows;

}  // namespace rung::ops
