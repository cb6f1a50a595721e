// Distances and similarities.
#include "meta/pointwise.h"
#include "meta/reduction.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "ops/reference.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- metas

// A matrix of distances for each pair of batches.
const TensorMeta* meta_cdist_forward(Tensor x1, Tensor x2) {
  if (x1.dim() < 2 || x2.dim() < 2) fail_input("cdist expects tensors of at least 2 dimensions");
  if (x1.size(-1) != x2.size(-1)) fail_input("cdist: ", x1.size(-1).str(), " columns do not fit ", x2.size(-1).str());
  auto batch = [](const Tensor& x) { return x.sizes().first(x.sizes().size() - 2); };
  Sizes sizes = meta::broadcast_sizes(batch(x1), batch(x2));
  sizes.push_back(x1.size(-2));
  sizes.push_back(x2.size(-2));
  return meta::contiguous(sizes, x1.dtype(), x1.device());
}

const TensorMeta* meta_pdist_forward(Tensor self) {
  SymInt rows = self.size(0);
  SymInt size[] = {rows * (rows - 1) / 2};
  return meta::contiguous(size, self.dtype(), self.device());
}

const TensorMeta* meta_dist(Tensor self, Tensor other) {
  return meta::contiguous({}, meta::real_type(meta::result_type({self, other})), self.device());
}

// ---- bodies

// |x - y + eps|_p over the last dimension
Tensor pairwise_distance(Tensor x1, Tensor x2, double p, double eps, bool keepdim) {
  int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  Tensor difference = aten::sub_Tensor(x1, x2);
  Tensor shifted = aten::add_Scalar(difference, eps);
  return aten::norm_ScalarOpt_dim(shifted, p, {last}, keepdim);
}

// sum(x / max(|x|, eps) * y / max(|y|, eps))
Tensor cosine_similarity(Tensor x1, Tensor x2, int64_t dim, double eps) {
  DType common = meta::result_type({x1, x2});
  if (!is_floating(common)) fail_input("cosine_similarity computes in floating point, not in ", info(common).name);
  Tensor x = is_integral_or_bool(x1.dtype()) ? aten::to_dtype(x1, common) : x1;
  Tensor y = is_integral_or_bool(x2.dtype()) ? aten::to_dtype(x2, common) : x2;
  if (!std::ranges::equal(x.sizes(), y.sizes())) {
    Sizes shape = meta::broadcast_sizes(x.sizes(), y.sizes());
    y = aten::expand(y, shape);
    x = aten::expand(x, shape);
  }
  Tensor x_length = aten::clone(aten::linalg_vector_norm(x, 2, IntList({dim}), true));
  Tensor y_length = aten::clone(aten::linalg_vector_norm(y, 2, IntList({dim}), true));
  Tensor least = aten::scalar_tensor(eps, meta::opmath_type(common), std::nullopt, x.device());
  x_length = aten::clamp_min__Tensor(x_length, least);
  y_length = aten::clamp_min__Tensor(y_length, least);
  Tensor y_unit = aten::div_Tensor(y, y_length);
  Tensor x_unit = aten::div_Tensor(x, x_length);
  Tensor product = aten::mul_Tensor(x_unit, y_unit);
  return aten::sum_dim_IntList(product, IntList({dim}));
}

Tensor pdist(Tensor self, double p) {
  if (self.dim() != 2) fail_input("pdist expects a matrix, got rank ", self.dim());
  return aten::_pdist_forward(aten::contiguous(self), p);
}

// One batch of matrices, as matmul takes it.
Tensor one_batch(const Tensor& x, const Sizes& batch) {
  SymInt rows = x.size(-2), columns = x.size(-1);
  Sizes full = batch;
  full.push_back(rows);
  full.push_back(columns);
  Tensor expanded = aten::contiguous(aten::expand(x, full));
  return aten::view(expanded, {meta::numel(batch), rows, columns});
}

// Euclidean distances of many rows go through a matrix product.
Tensor cdist(Tensor x1, Tensor x2, double p, std::optional<int64_t> compute_mode) {
  SymInts sizes = meta_cdist_forward(x1, x2)->sizes;
  int64_t mode = compute_mode.value_or(0);
  bool is_empty = x1.numel() == 0 || x2.numel() == 0;
  bool is_large = x1.size(-2) > 25 || x2.size(-2) > 25;
  bool by_product = !is_empty && p == 2 && (mode == 1 || (mode == 0 && is_large));
  if (!by_product) {
    std::optional<SymInt> given = compute_mode ? std::optional<SymInt>(mode) : std::nullopt;
    return aten::_cdist_forward(x1, x2, p, given);
  }
  Sizes batch(sizes.begin(), sizes.end() - 2);
  Tensor first = one_batch(x1, batch);
  Tensor second = one_batch(x2, batch);
  bool one = meta::numel(batch) == 1;
  Tensor distances = aten::_euclidean_dist(one ? x1 : first, one ? x2 : second);
  return aten::view(distances, sizes);
}

// |x - y|^2 = |x|^2 - 2 x y + |y|^2, as one product of extended matrices
Tensor euclidean_dist(Tensor x1, Tensor x2) {
  auto ones = [](const Tensor& x) {
    return aten::ones_like(x, std::nullopt, std::nullopt, std::nullopt, false, MemoryFormat::kContiguous);
  };
  Tensor norm1 = aten::sum_dim_IntList(aten::pow_Tensor_Scalar(x1, 2), IntList({-1}), true);
  Tensor pad1 = ones(norm1);
  Tensor norm2 = aten::sum_dim_IntList(aten::pow_Tensor_Scalar(x2, 2), IntList({-1}), true);
  Tensor pad2 = ones(norm2);
  Tensor scaled = aten::mul_Tensor(x1, -2);
  Tensor left = aten::cat(std::array<Tensor, 3>{scaled, norm1, pad1}, -1);
  Tensor right = aten::cat(std::array<Tensor, 3>{x2, pad2, norm2}, -1);
  Tensor product = aten::matmul(left, aten::mT(right));
  return aten::sqrt(aten::clamp_min(product, 0));
}

// ---- references

Tensor reference_pairwise_distance(Tensor x1, Tensor x2, double p, double eps, bool keepdim) {
  Tensor difference = aten::sub_Tensor(x1, x2);
  Tensor shifted = aten::add_Tensor(difference, eps);
  return aten::linalg_vector_norm(shifted, p, IntList({-1}), keepdim);
}

// |x - y|^2 = |x|^2 + |y|^2 - 2 x y for all pairs of rows, by one product
Tensor euclidean_distances(const Tensor& x) {
  Tensor products = aten::mm(x, aten::numpy_T(x));
  Tensor squares = aten::diag(products);
  Tensor column = aten::unsqueeze(squares, -1);
  Tensor sums = aten::add_Tensor(squares, column);
  Tensor doubled = aten::mul_Tensor(products, 2);
  Tensor differences = aten::sub_Tensor(sums, doubled);
  return aten::sqrt(aten::clamp(differences, Scalar(0)));
}

// The distances of all pairs, of which those above the diagonal are taken.
Tensor reference_pdist(Tensor self, double p) {
  if (self.dim() != 2) fail_input("pdist expects a matrix, got rank ", self.dim());
  if (!(p >= 0)) fail_input("pdist: p must not be negative, got ", p);
  Tensor x = reference::converted(self, meta::opmath_type(self.dtype()));
  Tensor distances;
  if (p == 2) {
    distances = euclidean_distances(x);
  } else {
    Tensor difference = aten::sub_Tensor(aten::unsqueeze(x, 1), x);
    distances = aten::linalg_vector_norm(difference, p, IntList({2}));
  }
  SymInt rows = distances.size(0);
  Tensor pairs = aten::triu_indices(rows, distances.size(1), 1, std::nullopt, std::nullopt, x.device(), false);
  Tensor flat = aten::flatten_using_ints(distances);
  Tensor above = aten::mul_Tensor(aten::select_int(pairs, 0, 0), Scalar(rows));
  Tensor place = aten::add_Tensor(above, aten::select_int(pairs, 0, 1));
  return reference::converted(aten::index_select(flat, 0, place), self.dtype());
}

// The norm of the difference.
Tensor reference_dist(Tensor self, Tensor other, Scalar p) {
  Tensor difference = aten::sub_Tensor(self, other);
  return aten::norm_Scalar(difference, p);
}

constexpr OpDef kRows[] = {
    {.op = "aten::_cdist_forward", .meta = box_meta<meta_cdist_forward>, .reference = box<closed::cdist_forward>},
    {.op = "aten::_euclidean_dist", .body = box<euclidean_dist>},
    {.op = "aten::_pdist_forward", .meta = box_meta<meta_pdist_forward>},
    {.op = "aten::cdist", .body = box<cdist>},
    {.op = "aten::cosine_similarity", .body = box<cosine_similarity>},
    {.op = "aten::dist", .meta = box_meta<meta_dist>, .reference = box<reference_dist>},
    {.op = "aten::pairwise_distance", .body = box<pairwise_distance>, .reference = box<reference_pairwise_distance>},
    {.op = "aten::pdist", .body = box<pdist>, .reference = box<reference_pdist>},
};

}  // namespace

const std::span<const OpDef> kDistanceOps = kRows;

}  // namespace rung::ops
