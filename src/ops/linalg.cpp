// Decompositions of matrices and what is made of them: determinants, eigenvalues, solutions, ranks.
#include <algorithm>
#include <limits>

#include "meta/layout.h"
#include "meta/pointwise.h"
#include "meta/promote.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/matrix_meta.h"
#include "ops/number.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using TensorTuple3 = std::tuple<Tensor, Tensor, Tensor>;
using Driver = std::optional<std::string_view>;

// ---- metas: matrices are column-major, as LAPACK writes them

std::array<const TensorMeta*, 3> meta_svd(Tensor a, bool full_matrices, bool compute_uv) {
  require_matrix(a, "svd");
  SymInt rows = a.size(-2), columns = a.size(-1), rank = min(rows, columns);
  const TensorMeta* values = meta::contiguous(batch_and(a, {rank}), meta::real_type(a.dtype()), a.device());
  if (!compute_uv) return {nothing(a), values, nothing(a)};
  Sizes u = batch_and(a, {rows, full_matrices ? rows : rank}),
        v = batch_and(a, {full_matrices ? columns : rank, columns});
  bool on_cpu = a.device().type == "cpu";
  return {column_major(u, a), values, on_cpu ? column_major(v, a) : meta::contiguous(v, a.dtype(), a.device())};
}

std::array<const TensorMeta*, 3> meta_det(Tensor a) {
  require_square(a, "linalg.det");
  return {meta::contiguous(batch_and(a, {}), a.dtype(), a.device()), column_major(sizes_of(a), a),
          meta::contiguous(batch_and(a, {a.size(-2)}), DType::kInt32, a.device())};
}

std::array<const TensorMeta*, 4> meta_slogdet(Tensor a) {
  auto [sign, lu, pivots] = meta_det(a);
  return {sign, meta::contiguous(batch_and(a, {}), meta::real_type(a.dtype()), a.device()), lu, pivots};
}

std::array<const TensorMeta*, 2> meta_eigh(Tensor a, std::string_view, bool compute_v) {
  require_square(a, "linalg.eigh");
  const TensorMeta* values = meta::contiguous(batch_and(a, {a.size(-2)}), meta::real_type(a.dtype()), a.device());
  return {values, compute_v ? column_major(sizes_of(a), a) : nothing(a)};
}

std::array<const TensorMeta*, 2> meta_eig(Tensor a) {
  require_square(a, "linalg.eig");
  DType dtype = meta::complex_type(a.dtype());
  const TensorMeta* vectors = column_major(sizes_of(a), a);
  return {meta::contiguous(batch_and(a, {a.size(-2)}), dtype, a.device()),
          meta::make(vectors->sizes, vectors->strides, dtype, a.device())};
}

std::array<const TensorMeta*, 2> meta_qr(Tensor a, std::string_view mode) {
  require_matrix(a, "linalg.qr");
  SymInt rows = a.size(-2), columns = a.size(-1), rank = min(rows, columns);
  bool complete = mode == "complete";
  const TensorMeta* r = column_major(batch_and(a, {complete ? rows : rank, columns}), a);
  return {mode == "r" ? nothing(a) : column_major(batch_and(a, {rows, complete ? rows : rank}), a), r};
}

std::array<const TensorMeta*, 3> meta_lu_factor_ex(Tensor a) {
  require_matrix(a, "linalg.lu_factor");
  SymInt rank = min(a.size(-2), a.size(-1));
  return {column_major(sizes_of(a), a), meta::contiguous(batch_and(a, {rank}), DType::kInt32, a.device()),
          meta::contiguous(batch_and(a, {}), DType::kInt32, a.device())};
}

// The right-hand sides with the batch of both.
Sizes solution_sizes(const Tensor& a, const Tensor& b, bool is_vector) {
  Sizes matrix = is_vector ? sizes_of(b) : batch_and(b, {b.size(-2), b.size(-1)});
  if (is_vector) return matrix;
  Sizes batch = meta::broadcast_sizes(batch_and(a, {}), batch_and(b, {}));
  batch.insert(batch.end(), matrix.end() - 2, matrix.end());
  return batch;
}
const TensorMeta* solution(const Tensor& a, const Tensor& b, bool is_vector, bool left) {
  Sizes sizes = solution_sizes(a, b, is_vector);
  return left && sizes.size() > 1 ? column_major(sizes, b) : meta::contiguous(sizes, b.dtype(), b.device());
}

const TensorMeta* meta_lu_solve(Tensor lu, Tensor, Tensor b, bool left) {
  require_square(lu, "linalg.lu_solve");
  require_matrix(b, "linalg.lu_solve");
  return solution(lu, b, false, left);
}

std::array<const TensorMeta*, 4> meta_solve_ex(Tensor a, Tensor b, bool left) {
  require_square(a, "linalg.solve");
  if (b.dim() == 0) fail_input("linalg.solve: the right-hand side must have at least 1 dimension");
  bool is_vector =
      b.dim() == 1 || (b.dim() == a.dim() - 1 && std::ranges::equal(b.sizes(), batch_and(a, {a.size(-2)})));
  return {solution(a, b, is_vector, left), column_major(sizes_of(a), a),
          meta::contiguous(batch_and(a, {a.size(-2)}), DType::kInt32, a.device()),
          meta::contiguous(batch_and(a, {}), DType::kInt32, a.device())};
}

const TensorMeta* meta_matrix_exp(Tensor a) {
  require_square(a, "linalg.matrix_exp");
  return meta::contiguous(a.sizes(), a.dtype(), a.device());
}
const TensorMeta* meta_pinv(Tensor a) {
  require_matrix(a, "linalg.pinv");
  return meta::contiguous(batch_and(a, {a.size(-1), a.size(-2)}), a.dtype(), a.device());
}

// ---- singular values

TensorTuple3 linalg_svd(Tensor a, bool full_matrices, Driver driver) {
  return aten::_linalg_svd(a, full_matrices, true, driver);
}
Tensor linalg_svdvals(Tensor a, Driver driver) { return std::get<1>(aten::_linalg_svd(a, false, true, driver)); }

// The old name gives V, the new one its adjoint.
TensorTuple3 svd(Tensor self, bool some, bool compute_uv) {
  require_matrix(self, "svd");
  if (compute_uv) {
    auto [u, s, vh] = aten::_linalg_svd(self, !some);
    return {u, s, aten::mH(vh)};
  }
  Tensor s = aten::linalg_svdvals(self);
  Sizes square_u = batch_and(self, {self.size(-2), self.size(-2)}),
        square_v = batch_and(self, {self.size(-1), self.size(-1)});
  Tensor u = aten::zeros(square_u, self.dtype(), self.layout(), self.device());
  return {u, s, aten::zeros(square_v, self.dtype(), self.layout(), self.device())};
}

// The greatest singular value over the least.
Tensor linalg_cond(Tensor self, std::optional<Scalar> p) {
  bool inverse = p && p->equals(-2);
  if (p && !p->equals(2) && !inverse) fail_unsupported("linalg.cond: only the orders 2 and -2 are supported");
  Tensor values = aten::linalg_svdvals(self);
  Tensor greatest = aten::narrow(values, -1, 0, 1);
  Tensor least = aten::narrow(values, -1, -1, 1);
  Tensor ratio = inverse ? aten::div_Tensor(least, greatest) : aten::div_Tensor(greatest, least);
  return aten::squeeze_dim(ratio, -1);
}

// ---- ranks and pseudoinverses: values count from max(atol, rtol * the greatest)

struct Tolerances {
  Tensor absolute, relative;
};

Tensor double_of(const Scalar& value, const Tensor& like) {
  return aten::full({}, value, DType::kFloat64, Layout::kStrided, like.device());
}
Scalar default_relative(const Tensor& self) {
  double epsilon = meta::real_type(self.dtype()) == DType::kFloat64 ? 0x1p-52 : 0x1p-23;
  SymInt rows = self.size(-2), columns = self.size(-1);
  return epsilon * SymFloat(columns < rows ? rows : columns);
}

Tolerances tolerances(const Tensor& self, std::optional<double> atol, std::optional<double> rtol) {
  Scalar relative = rtol ? Scalar(*rtol) : atol && *atol > 0 ? Scalar(0.0) : default_relative(self);
  Tensor absolute = double_of(atol.value_or(0.0), self);
  return {absolute, double_of(relative, self)};
}
Tolerances tolerances(const Tensor& self, const Tensor& atol, const Tensor& rtol) {
  auto zero = [&] { return aten::zeros({}, DType::kFloat64, self.layout(), self.device()); };
  Tensor absolute = atol ? atol : zero();
  if (rtol) return {absolute, rtol};
  Tensor relative = double_of(default_relative(self), self);
  if (!atol) return {absolute, relative};
  Tensor none = zero();
  Tensor given = aten::gt_Scalar(atol, 0);
  return {absolute, aten::where_self(given, none, relative)};
}

Tensor matrix_rank(const Tensor& self, const Tolerances& given, bool hermitian) {
  Tensor values = hermitian ? aten::abs(aten::linalg_eigvalsh(self)) : aten::linalg_svdvals(self);
  Tensor greatest = hermitian ? aten::amax(values, IntList{-1}, true) : aten::narrow(values, -1, 0, 1);
  Tensor relative = aten::mul_Tensor(aten::unsqueeze(given.relative, -1), greatest);
  Tensor least = aten::maximum(aten::unsqueeze(given.absolute, -1), relative);
  return aten::sum_dim_IntList(aten::gt_Tensor(values, least), IntList{-1});
}
Tensor no_ranks(const Tensor& self) {
  require_matrix(self, "linalg.matrix_rank");
  return aten::empty_memory_format(batch_and(self, {}), DType::kInt64, Layout::kStrided, self.device());
}
// As in torch, room for the result is made before anything else.
template <typename Tolerance>
Tensor linalg_matrix_rank(const Tensor& self, const Tolerance& atol, const Tolerance& rtol, bool hermitian) {
  Tensor ranks = no_ranks(self);
  Tolerances given = tolerances(self, atol, rtol);
  return self.numel() == 0 ? aten::fill__Scalar(ranks, 0) : matrix_rank(self, given, hermitian);
}
Tensor linalg_matrix_rank_tensor(Tensor self, Tensor atol, Tensor rtol, bool hermitian) {
  return linalg_matrix_rank(self, atol, rtol, hermitian);
}
Tensor linalg_matrix_rank_float(Tensor self, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
  return linalg_matrix_rank(self, atol, rtol, hermitian);
}

Tensor reference_pinv(Tensor self, Tensor atol, Tensor rtol, bool hermitian) {
  Tolerances given = tolerances(self, atol, rtol);
  return closed::linalg_pinv(self, given.absolute, given.relative, hermitian);
}
Tensor linalg_pinv_float(Tensor self, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
  Tolerances given = tolerances(self, atol, rtol);
  return aten::linalg_pinv_atol_rtol_tensor(self, given.absolute, given.relative, hermitian);
}
Tensor linalg_pinv(Tensor self, double rcond, bool hermitian) { return linalg_pinv_float(self, 0.0, rcond, hermitian); }
Tensor pinverse(Tensor self, double rcond) { return aten::linalg_pinv(self, rcond, false); }

// ---- determinants, eigenvalues, equations

Tensor linalg_det(Tensor a) { return std::get<0>(aten::_linalg_det(a)); }
std::tuple<Tensor, Tensor> linalg_slogdet(Tensor a) {
  auto [sign, log, lu, pivots] = aten::_linalg_slogdet(a);
  return {sign, log};
}
Tensor logdet(Tensor a) {
  auto [sign, log] = aten::linalg_slogdet(a);
  if (is_complex(a.dtype())) return aten::add_Tensor(aten::log(sign), log);
  Tensor is_negative = aten::eq_Scalar(sign, -1.0);
  return aten::where_ScalarSelf(is_negative, std::numeric_limits<double>::quiet_NaN(), log);
}

std::tuple<Tensor, Tensor> linalg_eigh(Tensor a, std::string_view uplo) { return aten::_linalg_eigh(a, uplo); }
Tensor linalg_eigvalsh(Tensor a, std::string_view uplo) { return std::get<0>(aten::_linalg_eigh(a, uplo)); }
Tensor linalg_eigvals(Tensor a) { return std::get<0>(aten::linalg_eig(a)); }
std::tuple<Tensor, Tensor> qr(Tensor self, bool some) { return aten::linalg_qr(self, some ? "reduced" : "complete"); }

std::tuple<Tensor, Tensor> linalg_solve_ex(Tensor a, Tensor b, bool left, bool check_errors) {
  auto [result, lu, pivots, errors] = aten::_linalg_solve_ex(a, b, left, check_errors);
  return {result, errors};
}
TensorTuple3 lu_with_info(Tensor self, bool pivot) { return aten::linalg_lu_factor_ex(self, pivot, false); }
Tensor lu_solve(Tensor self, Tensor lu, Tensor pivots) { return aten::linalg_lu_solve(lu, pivots, self); }

// ---- products

// a[i + 1] b[i + 2] - a[i + 2] b[i + 1]
Tensor cross_product(const Tensor& self, const Tensor& other, int64_t dim) {
  if (self.dim() != other.dim()) fail_input("linalg.cross: ranks ", self.dim(), " and ", other.dim(), " differ");
  if (self.size(dim) != 3 || other.size(dim) != 3) fail_input("linalg.cross: dimension ", dim, " must have length 3");
  std::vector<Tensor> both = aten::broadcast_tensors(std::array{self, other});
  int64_t at = wrap_dim(dim, both[0].dim());
  Tensor index = aten::arange(3, std::nullopt, std::nullopt, self.device(), false);
  auto turned = [&](const Tensor& x, int64_t by) {
    Tensor shifted = aten::remainder_Scalar(aten::add_Tensor(index, by), 3);
    return aten::index_select(x, at, shifted);
  };
  auto product = [&](int64_t of_a, int64_t of_b) {
    Tensor a = turned(both[0], of_a);
    return aten::mul_Tensor(a, turned(both[1], of_b));
  };
  Tensor first = product(1, 2);
  return aten::sub_Tensor(first, product(2, 1));
}
Tensor linalg_cross(Tensor self, Tensor other, int64_t dim) {
  ComputeTypes types = compute_types({self, other});
  Tensor a = types.up(self);
  Tensor b = types.up(other);
  return types.down(cross_product(a, b, dim));
}
// Without a dimension, the first of length 3.
Tensor cross(Tensor self, Tensor other, std::optional<int64_t> dim) {
  if (dim) return aten::linalg_cross(self, other, *dim);
  for (int64_t i = 0; i < self.dim(); ++i)
    if (self.size(i) == 3) return aten::linalg_cross(self, other, i);
  fail_input("cross: no dimension of size 3");
}

// 1, x, x^2, ... along a new last dimension
Tensor linalg_vander(Tensor x, std::optional<SymInt> powers) {
  if (x.dim() == 0) x = aten::unsqueeze(x, -1);
  SymInt count = powers.value_or(x.size(-1));
  if (count <= 1) fail_input("linalg.vander: N must be greater than 1");
  Sizes repeated = sizes_of(x), ones = repeated;
  repeated.push_back(count - 1);
  ones.push_back(1);
  Tensor spread = aten::expand(aten::unsqueeze(x, -1), repeated);
  Tensor higher = aten::cumprod(spread, -1);
  Tensor zeroth = aten::new_ones(higher, ones);
  return aten::cat(std::array{zeroth, higher}, -1);
}

// The powers of a vector in columns, the highest first unless they increase; written into fresh memory.
Tensor vander(Tensor x, std::optional<int64_t> powers, bool increasing) {
  if (x.dim() != 1) fail_input("vander: x must be a one-dimensional tensor, got rank ", x.dim());
  int64_t rows = specialize(x.size(0)), count = powers.value_or(rows);
  if (count < 0) fail_input("vander: N must not be negative, got ", count);
  DType dtype = meta::promote_types(x.dtype(), DType::kInt64);
  Tensor result = aten::empty_memory_format({rows, count}, dtype, x.layout(), x.device());
  if (count > 0) aten::fill__Scalar(aten::select_int(result, 1, 0), 1);
  if (count > 1) {
    Tensor rest = aten::slice_Tensor(result, 1, 1);
    aten::copy_(rest, aten::unsqueeze(x, 1));
    Tensor again = aten::slice_Tensor(result, 1, 1);
    aten::copy_(again, aten::cumprod(aten::slice_Tensor(result, 1, 1), 1));
  }
  return increasing ? result : aten::flip(result, {1});
}

constexpr OpDef kRows[] = {
    {.op = "aten::_linalg_det", .meta = box_meta<meta_det>, .reference = box<closed::linalg_det>},
    {.op = "aten::_linalg_eigh", .meta = box_meta<meta_eigh>},
    {.op = "aten::_linalg_slogdet", .meta = box_meta<meta_slogdet>, .reference = box<closed::linalg_slogdet>},
    {.op = "aten::_linalg_solve_ex", .meta = box_meta<meta_solve_ex>},
    {.op = "aten::_linalg_svd", .meta = box_meta<meta_svd>},
    {.op = "aten::_lu_with_info", .body = box<lu_with_info>},
    {.op = "aten::cross", .body = box<cross>},
    {.op = "aten::det", .body = box<aten::linalg_det>},
    {.op = "aten::linalg_cond", .body = box<linalg_cond>},
    {.op = "aten::linalg_cross", .body = box<linalg_cross>},
    {.op = "aten::linalg_det", .body = box<linalg_det>},
    {.op = "aten::linalg_eig", .meta = box_meta<meta_eig>},
    {.op = "aten::linalg_eigh", .body = box<linalg_eigh>},
    {.op = "aten::linalg_eigvals", .body = box<linalg_eigvals>},
    {.op = "aten::linalg_eigvalsh", .body = box<linalg_eigvalsh>},
    {.op = "aten::linalg_lu_factor_ex", .meta = box_meta<meta_lu_factor_ex>},
    {.op = "aten::linalg_lu_solve", .meta = box_meta<meta_lu_solve>},
    {.op = "aten::linalg_matrix_exp", .meta = box_meta<meta_matrix_exp>},
    {.op = "aten::linalg_matrix_rank.atol_rtol_float", .body = box<linalg_matrix_rank_float>},
    {.op = "aten::linalg_matrix_rank.atol_rtol_tensor", .body = box<linalg_matrix_rank_tensor>},
    {.op = "aten::linalg_pinv", .body = box<linalg_pinv>},
    {.op = "aten::linalg_pinv.atol_rtol_float", .body = box<linalg_pinv_float>},
    {.op = "aten::linalg_pinv.atol_rtol_tensor", .meta = box_meta<meta_pinv>, .reference = box<reference_pinv>},
    {.op = "aten::linalg_qr", .meta = box_meta<meta_qr>},
    {.op = "aten::linalg_slogdet", .body = box<linalg_slogdet>},
    {.op = "aten::linalg_solve_ex", .body = box<linalg_solve_ex>},
    {.op = "aten::linalg_svd", .body = box<linalg_svd>},
    {.op = "aten::linalg_svdvals", .body = box<linalg_svdvals>},
    {.op = "aten::linalg_vander", .body = box<linalg_vander>},
    {.op = "aten::logdet", .body = box<logdet>},
    {.op = "aten::lu_solve", .body = box<lu_solve>},
    {.op = "aten::matrix_exp", .body = box<aten::linalg_matrix_exp>},
    {.op = "aten::pinverse", .body = box<pinverse>},
    {.op = "aten::qr", .body = box<qr>},
    {.op = "aten::slogdet", .body = box<aten::linalg_slogdet>},
    {.op = "aten::svd", .body = box<svd>},
    {.op = "aten::vander", .body = box<vander>},
};

}  // namespace

const std::span<const OpDef> kLinalgOps = kRows;

}  // namespace rung::ops
