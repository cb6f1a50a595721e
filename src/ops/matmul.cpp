// Products of vectors, matrices and batches of matrices.
#include <algorithm>

#include "meta/layout.h"
#include "meta/pointwise.h"
#include "ops/box.h"
#include "ops/cast.h"
#include "ops/closed.h"
#include "ops/families.h"
#include "ops/gen/aten.h"
#include "trace/like_torch.h"

namespace rung::ops {
namespace {

using meta::Sizes;

// ---- metas of the leaves: all are contiguous

void require_rank(const Tensor& x, int64_t rank, std::string_view op, std::string_view name) {
  if (x.dim() != rank) fail_input(op, ": ", name, " must have ", rank, " dimensions, it has ", x.dim());
}

void require_same_size(SymInt a, SymInt b, std::string_view op) {
  if (a != b) fail_input(op, ": the sizes ", a.str(), " and ", b.str(), " to be summed over differ");
}

void require_same_dtype(const Tensor& a, const Tensor& b, std::string_view op) {
  if (a.dtype() != b.dtype())
    fail_input(op, ": expected the dtype ", info(a.dtype()).name, ", got ", info(b.dtype()).name);
}

// What `self` is expanded to must be what the product gives.
void require_expands(const Tensor& self, SymInts shape, std::string_view op) {
  Sizes together = meta::broadcast_sizes(self.sizes(), shape);
  if (!std::ranges::equal(together, shape))
    fail_input(op, ": the first tensor cannot be expanded to the shape of the product");
}

const TensorMeta* meta_mm(Tensor a, Tensor b) {
  require_rank(a, 2, "mm", "the first matrix");
  require_rank(b, 2, "mm", "the second matrix");
  require_same_size(a.size(1), b.size(0), "mm");
  return meta::contiguous(Sizes{a.size(0), b.size(1)}, a.dtype(), a.device());
}

Sizes bmm_sizes(const Tensor& a, const Tensor& b, std::string_view op) {
  require_rank(a, 3, op, "the first batch");
  require_rank(b, 3, op, "the second batch");
  require_same_dtype(a, b, op);
  require_same_size(a.size(0), b.size(0), op);
  require_same_size(a.size(2), b.size(1), op);
  return {a.size(0), a.size(1), b.size(2)};
}

const TensorMeta* meta_bmm(Tensor a, Tensor b) {
  return meta::contiguous(bmm_sizes(a, b, "bmm"), a.dtype(), a.device());
}

const TensorMeta* meta_baddbmm(Tensor self, Tensor a, Tensor b) {
  Sizes sizes = bmm_sizes(a, b, "baddbmm");
  require_expands(self, sizes, "baddbmm");
  require_same_dtype(self, a, "baddbmm");
  // sizes that are equal are the bias's, however they are written
  if (std::ranges::equal(self.sizes(), sizes)) sizes = Sizes(self.sizes().begin(), self.sizes().end());
  return meta::contiguous(sizes, self.dtype(), self.device());
}

const TensorMeta* meta_addbmm(Tensor self, Tensor a, Tensor b) {
  Sizes sizes = bmm_sizes(a, b, "addbmm");
  Sizes summed = {sizes[1], sizes[2]};
  require_expands(self, summed, "addbmm");
  return meta::contiguous(summed, self.dtype(), self.device());
}

const TensorMeta* meta_addmm(Tensor self, Tensor a, Tensor b) {
  require_rank(a, 2, "addmm", "the first matrix");
  require_rank(b, 2, "addmm", "the second matrix");
  require_same_size(a.size(1), b.size(0), "addmm");
  require_same_dtype(a, b, "addmm");
  Sizes sizes = {a.size(0), b.size(1)};
  require_expands(self, sizes, "addmm");
  return meta::contiguous(sizes, a.dtype(), a.device());
}

const TensorMeta* meta_mv(Tensor a, Tensor v) {
  require_rank(a, 2, "mv", "the matrix");
  require_rank(v, 1, "mv", "the vector");
  require_same_size(a.size(1), v.size(0), "mv");
  return meta::contiguous(Sizes{a.size(0)}, v.dtype(), v.device());
}

const TensorMeta* meta_addmv(Tensor self, Tensor a, Tensor v) {
  const TensorMeta* product = meta_mv(a, v);
  require_expands(self, product->sizes, "addmv");
  return product;
}

const TensorMeta* meta_dot(Tensor a, Tensor b) {
  require_rank(a, 1, "dot", "the first vector");
  require_rank(b, 1, "dot", "the second vector");
  require_same_dtype(a, b, "dot");
  require_same_size(a.size(0), b.size(0), "dot");
  return meta::contiguous({}, a.dtype(), a.device());
}

const TensorMeta* meta_addr(Tensor self, Tensor a, Tensor b) {
  require_rank(a, 1, "addr", "the first vector");
  require_rank(b, 1, "addr", "the second vector");
  Sizes sizes = {a.size(0), b.size(0)};
  require_expands(self, sizes, "addr");
  return meta::contiguous(sizes, meta::result_type({self, a, b}), self.device());
}

// Sum over `sumdim` of the product of three tensors, each with dimensions of size 1 put in where `expand` says.
const TensorMeta* meta_trilinear(Tensor a, Tensor b, Tensor c, SymInts expand_a, SymInts expand_b, SymInts expand_c,
                                 SymInts sumdim) {
  int64_t rank = a.dim() + static_cast<int64_t>(expand_a.size());
  Sizes sizes(static_cast<size_t>(rank), 1);
  auto take = [&](const Tensor& x, SymInts expand) {
    std::vector<bool> added(static_cast<size_t>(rank));
    for (int64_t dim : wrap_dims(expand, rank)) added[static_cast<size_t>(dim)] = true;
    int64_t next = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (!added[i]) sizes[i] = meta::broadcast_sizes(Sizes{sizes[i]}, Sizes{x.size(next++)})[0];
  };
  take(a, expand_a);
  take(b, expand_b);
  take(c, expand_c);
  std::vector<bool> summed(static_cast<size_t>(rank));
  for (int64_t dim : wrap_dims(sumdim, rank)) summed[static_cast<size_t>(dim)] = true;
  Sizes kept;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!summed[i]) kept.push_back(sizes[i]);
  return meta::contiguous(kept, a.dtype(), a.device());
}

// ---- matmul

// Whether batch and rows are one dimension in memory; the kernel looks at the larger operand transposed where that is
// b.
bool rows_are_one(const Tensor& larger, bool transposed) {
  Sizes sizes(larger.sizes().begin(), larger.sizes().end()), strides(larger.strides().begin(), larger.strides().end());
  size_t last = sizes.size() - 1;
  if (transposed) std::swap(sizes[last], sizes[last - 1]), std::swap(strides[last], strides[last - 1]);
  for (size_t i = 0; i + 1 < last; ++i)
    if (strides[i] != strides[i + 1] * sizes[i + 1]) return false;
  return true;
}

// May the batch of the larger operand be folded into its rows, so that one mm does?
bool folds(const Tensor& a, const Tensor& b) {
  const Tensor& larger = a.dim() >= b.dim() ? a : b;
  const Tensor& smaller = a.dim() >= b.dim() ? b : a;
  if (larger.dim() < 3 || smaller.dim() > 2) return false;
  if (smaller.meta().requires_grad) return true;
  if (a.dim() == 2) return false;
  if (larger.numel() == 0) return true;
  return follows_kernels() ? rows_are_one(larger, b.dim() > a.dim()) : meta::is_contiguous(larger.meta());
}

// torch's kernel transposes the larger operand to see whether it folds.
void look_at_larger(const Tensor& a, const Tensor& b) {
  if (follows_kernels() && b.dim() > a.dim()) aten::transpose_int(b, -2, -1);
}

Tensor matmul_folded(const Tensor& a, const Tensor& b) {
  bool swapped = b.dim() > a.dim();
  Tensor larger = swapped ? aten::transpose_int(b, -2, -1) : a;
  Tensor smaller = !swapped ? b : a.dim() == 2 ? aten::t(a) : a;
  Sizes out(larger.sizes().begin(), larger.sizes().end() - 1);
  SymInt rows = meta::numel(out);
  Tensor folded = aten::reshape(larger, {rows, larger.size(-1)});
  if (smaller.dim() == 1) {
    Tensor product = aten::mv(folded, smaller);
    return aten::_unsafe_view(product, out);
  }
  out.push_back(smaller.size(1));
  Tensor product = aten::mm(folded, smaller);
  product = aten::_unsafe_view(product, out);
  if (!swapped) return product;
  Tensor turned = aten::transpose_int(product, -2, -1);
  return aten::contiguous(turned);
}

Sizes concat(SymInts batch, std::initializer_list<SymInt> rest) {
  Sizes sizes(batch.begin(), batch.end());
  sizes.insert(sizes.end(), rest);
  return sizes;
}

Tensor matmul_batched(const Tensor& a, const Tensor& b) {
  auto batch_of = [](const Tensor& x) {
    return x.sizes().first(static_cast<size_t>(std::max<int64_t>(x.dim() - 2, 0)));
  };
  SymInt rows = a.dim() > 1 ? a.size(-2) : SymInt(1), inner_a = a.size(-1);
  SymInt inner_b = b.dim() > 1 ? b.size(-2) : b.size(-1), columns = b.dim() > 1 ? b.size(-1) : SymInt(1);
  Sizes batch = meta::broadcast_sizes(batch_of(a), batch_of(b));
  SymInt count = meta::numel(batch);

  Tensor left = aten::expand(a, concat(batch, {rows, inner_a}));
  left = aten::reshape(left, {count, rows, inner_a});
  Tensor right;
  if (b.dim() == 1) {
    right = aten::expand(b, concat(batch, {inner_b}));
    right = aten::reshape(right, {count, inner_b});
    right = aten::unsqueeze(right, 2);
  } else {
    right = aten::expand(b, concat(batch, {inner_b, columns}));
    right = aten::reshape(right, {count, inner_b, columns});
  }
  Tensor product = aten::bmm(left, right);
  if (b.dim() == 1) product = aten::squeeze_dim(product, -1);
  Sizes out = batch;
  if (a.dim() > 1) out.push_back(rows);
  if (b.dim() > 1) out.push_back(columns);
  return follows_kernels() ? aten::_unsafe_view(product, out) : aten::view(product, out);
}

Tensor matmul(Tensor a, Tensor b) {
  if (a.dim() == 0 || b.dim() == 0)
    fail_input("both arguments of matmul need to be at least 1-d, they are ", a.dim(), "-d and ", b.dim(), "-d");
  if (a.dim() == 1 && b.dim() == 1) return aten::dot(a, b);
  if (a.dim() == 2 && b.dim() == 1) return aten::mv(a, b);
  if (a.dim() == 2 && b.dim() == 2) return aten::mm(a, b);
  if (a.dim() == 1 && b.dim() == 2) {
    Tensor row = aten::unsqueeze(a, 0);
    Tensor product = aten::mm(row, b);
    return follows_kernels() ? aten::squeeze__dim(product, 0) : aten::squeeze_dim(product, 0);
  }
  look_at_larger(a, b);
  if (folds(a, b)) return matmul_folded(a, b);
  if (a.dim() == 3 && b.dim() == 3 && a.size(0) != b.size(0)) {
    // a parameter is not copied for each batch, for its gradient's sake; the kernel spares whatever a mode sees
    if (a.size(0) == 1 && (a.meta().requires_grad || follows_kernels())) return matmul(aten::squeeze_dim(a, 0), b);
    if (b.size(0) == 1 && (b.meta().requires_grad || follows_kernels())) return matmul(a, aten::squeeze_dim(b, 0));
  }
  return matmul_batched(a, b);
}

// linear(x) = x W^T + b
Tensor linear(Tensor input, Tensor weight, Tensor bias) {
  if (input.dim() == 0 || weight.dim() == 0) fail_input("linear: input and weight need to be at least 1-d");
  if (bias && input.dim() == 2) {
    Tensor turned = aten::t(weight);
    return aten::addmm(bias, input, turned);
  }
  if (bias && bias.dim() == 1 && meta::is_contiguous(input.meta())) {
    Sizes out(input.sizes().begin(), input.sizes().end() - 1);
    Tensor rows = aten::reshape(input, {meta::numel(out), input.size(-1)});
    Tensor turned = aten::t(weight);
    Tensor product = aten::addmm(bias, rows, turned);
    out.push_back(product.size(1));
    return aten::view(product, out);
  }
  Tensor turned = aten::t(weight);
  Tensor product = aten::matmul(input, turned);
  return bias ? aten::add_Tensor(product, bias) : product;
}

// ---- vectors

// mv(A, v) = sum over columns of A * v
Tensor mv(Tensor self, Tensor vec) {
  meta_mv(self, vec);
  ComputeTypes types = compute_types({self, vec});
  Tensor a = types.up(self);
  Tensor v = types.up(vec);
  Tensor product = aten::mul_Tensor(a, v);
  return types.down(aten::sum_dim_IntList(product, IntList{1}));
}

Tensor dot(Tensor self, Tensor other) {
  meta_dot(self, other);
  ComputeTypes types = compute_types({self, other});
  Tensor a = types.up(self);
  Tensor b = types.up(other);
  Tensor product = aten::mul_Tensor(a, b);
  return types.down(aten::sum(product));
}

// vdot(a, b) = sum conj(a) * b
Tensor vdot(Tensor self, Tensor other) {
  meta_dot(self, other);
  ComputeTypes types = compute_types({self, other});
  Tensor a = types.up(self);
  Tensor b = types.up(other);
  if (!is_complex(a.dtype())) return types.down(aten::dot(a, b));
  Tensor conjugate = aten::conj_physical(a);
  Tensor product = aten::mul_Tensor(conjugate, b);
  return types.down(aten::sum(product));
}

Tensor linalg_vecdot(Tensor x, Tensor y, int64_t dim) {
  if (x.dim() == 1 && y.dim() == 1) return aten::vdot(x, y);
  Tensor conjugate = is_complex(x.dtype()) ? aten::conj(x) : x;
  Tensor product = aten::mul_Tensor(conjugate, y);
  return aten::sum_dim_IntList(product, IntList{dim});
}

Tensor outer(Tensor self, Tensor vec2) {
  require_rank(self, 1, "outer", "the first vector");
  require_rank(vec2, 1, "outer", "the second vector");
  Tensor column = aten::reshape(self, {self.size(0), 1});
  return aten::mul_Tensor(column, vec2);
}

Tensor inner(Tensor self, Tensor other) {
  if (self.dim() == 0 || other.dim() == 0) return aten::mul_Tensor(self, other);
  if (self.size(-1) != other.size(-1))
    fail_input("inner: the last dimensions must agree, they are ", self.size(-1).str(), " and ", other.size(-1).str());
  return aten::tensordot(self, other, {-1}, {-1});
}

// kron: each element of self times all of other; dimensions of the two alternate in the product, then merge.
Tensor kron(Tensor self, Tensor other) {
  size_t rank = static_cast<size_t>(std::max(self.dim(), other.dim()));
  auto size_at = [&](const Tensor& x, size_t i) {
    size_t missing = rank - x.sizes().size();
    return i < missing ? SymInt(1) : x.sizes()[i - missing];
  };
  Sizes left(2 * rank, 1), right(2 * rank, 1), out(rank);
  for (size_t i = 0; i < rank; ++i) {
    left[2 * i] = size_at(self, i);
    right[2 * i + 1] = size_at(other, i);
    out[i] = left[2 * i] * right[2 * i + 1];
  }
  Tensor a = aten::_unsafe_view(self, left);
  Tensor b = aten::_unsafe_view(other, right);
  Tensor product = aten::mul_Tensor(a, b);
  return aten::_unsafe_view(product, out);
}

// ---- sums of products

// baddbmm = beta * self + alpha * batch1 @ batch2
Tensor baddbmm(Tensor self, Tensor batch1, Tensor batch2, Scalar beta, Scalar alpha) {
  ComputeTypes types = compute_types({self, batch1, batch2});
  Tensor added = types.up(self);
  Tensor a = types.up(batch1);
  Tensor b = types.up(batch2);
  if (is_integral_or_bool(added.dtype())) beta = beta.to_int(), alpha = alpha.to_int();
  Tensor result = aten::bmm(a, b);
  if (!alpha.equals(1)) result = aten::mul_Tensor(result, alpha);
  if (beta.equals(0)) return types.down(result);
  if (!beta.equals(1)) added = aten::mul_Tensor(added, beta);
  return types.down(aten::add_Tensor(added, result));
}

// addmm = alpha * a @ b + beta * self; the product comes first, so that the sum has its strides
Tensor addmm(Tensor self, Tensor mat1, Tensor mat2, Scalar beta, Scalar alpha) {
  ComputeTypes types = compute_types({self, mat1, mat2});
  Tensor added = types.up(self);
  Tensor a = types.up(mat1);
  Tensor b = types.up(mat2);
  if (is_integral_or_bool(added.dtype())) beta = beta.to_int(), alpha = alpha.to_int();
  Tensor out = aten::mm(a, b);
  out = aten::mul_Tensor(out, alpha);
  if (beta.equals(0)) return types.down(out);
  added = aten::mul_Tensor(added, beta);
  return types.down(aten::add_Tensor(out, added));
}

Tensor addmv(Tensor self, Tensor mat, Tensor vec, Scalar beta, Scalar alpha) {
  require_same_dtype(self, mat, "addmv");
  require_same_dtype(self, vec, "addmv");
  ComputeTypes types = compute_types({self, mat, vec});
  Tensor added = types.up(self);
  Tensor a = types.up(mat);
  Tensor v = types.up(vec);
  if (is_integral_or_bool(added.dtype())) beta = beta.to_int(), alpha = alpha.to_int();
  Tensor out = aten::mv(a, v);
  out = aten::mul_Tensor(out, alpha);
  if (beta.equals(0)) return types.down(out);
  added = aten::mul_Tensor(added, beta);
  return types.down(out.numel() == 0 ? added : aten::add_Tensor(out, added));
}

Tensor addr_bool(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  auto product = [&] {
    return alpha.equals(0) ? aten::full_like(self, false, std::nullopt, std::nullopt, std::nullopt, false)
                           : aten::outer(a, b);
  };
  if (beta.equals(0)) return product();
  Tensor right = product();
  return aten::logical_or(self, right);
}

// addr = beta * self + alpha * outer(vec1, vec2)
Tensor addr(Tensor self, Tensor vec1, Tensor vec2, Scalar beta, Scalar alpha) {
  require_rank(vec1, 1, "addr", "the first vector");
  require_rank(vec2, 1, "addr", "the second vector");
  ComputeTypes types = compute_types({self, vec1, vec2});
  for (const Scalar& factor : {beta, alpha})
    if (factor.category() > category(types.result) && !(types.result == DType::kBool && factor.is_int()))
      fail_input("addr: alpha and beta must fit into the dtype ", info(types.result).name);
  Tensor added = types.up(self);
  Tensor a = types.up(vec1);
  Tensor b = types.up(vec2);
  added = aten::expand(added, {a.size(0), b.size(0)});
  if (added.dtype() == DType::kBool) return types.down(addr_bool(added, a, b, beta, alpha));
  Tensor left;
  if (!beta.equals(0)) left = aten::mul_Tensor(added, beta);
  Tensor product = aten::outer(a, b);
  product = aten::mul_Tensor(product, alpha);
  return types.down(left ? aten::add_Tensor(left, product) : product);
}

// ---- contractions

// A dimension that one side broadcasts is summed out on the other right away.
Tensor sum_out(const Tensor& x, SymInt dim) { return aten::sum_dim_IntList(x, IntList{dim}, true, x.dtype()); }

// All that has more than one element is contracted: both tensors are one vector each.
Tensor contract_fully(const Tensor& a, const Tensor& b) {
  if (meta::is_contiguous(a.meta()) && meta::is_contiguous(b.meta())) {
    Tensor right = aten::flatten_using_ints(b);
    Tensor left = aten::flatten_using_ints(a);
    return aten::dot(left, right);
  }
  Tensor right = aten::squeeze(b);
  Tensor left = aten::squeeze(a);
  Tensor product = aten::mul_Tensor(left, right);
  return aten::sum(product, a.dtype());
}

// tensordot = permute both so that the contracted dimensions meet, then mm
Tensor tensordot(Tensor self, Tensor other, SymInts dims_self, SymInts dims_other) {
  if (dims_self.size() != dims_other.size())
    fail_input("tensordot: ", dims_self.size(), " dimensions to contract with ", dims_other.size());
  require_same_dtype(self, other, "tensordot");
  Tensor a = self, b = other;
  SymInt contracted = 1;
  for (size_t i = 0; i < dims_self.size(); ++i) {
    SymInt size_a = self.size(dims_self[i].value()), size_b = other.size(dims_other[i].value());
    if (size_b == 1)
      a = sum_out(a, dims_self[i]);
    else if (size_a == 1)
      b = sum_out(b, dims_other[i]);
    else if (size_a != size_b)
      fail_input("tensordot: contracted dimensions need to match, but the sizes are ", size_a.str(), " and ",
                 size_b.str());
    else
      contracted *= size_a;
  }
  auto free_dims = [](const Tensor& x, SymInts dims) {
    std::vector<bool> taken(static_cast<size_t>(x.dim()));
    for (int64_t dim : wrap_dims(dims, x.dim())) taken[static_cast<size_t>(dim)] = true;
    Sizes free;
    for (size_t i = 0; i < taken.size(); ++i)
      if (!taken[i]) free.push_back(i);
    return free;
  };
  Sizes order_a = free_dims(a, dims_self), order_b(dims_other.begin(), dims_other.end()),
        free_b = free_dims(b, dims_other), out;
  SymInt rows = 1, columns = 1;
  for (SymInt dim : order_a) out.push_back(a.size(dim.value())), rows *= out.back();
  for (SymInt dim : free_b) out.push_back(b.size(dim.value())), columns *= out.back();
  order_a.insert(order_a.end(), dims_self.begin(), dims_self.end());
  order_b.insert(order_b.end(), free_b.begin(), free_b.end());

  a = aten::permute(a, order_a);
  if (rows == 1 && columns == 1) {
    b = aten::permute(b, order_b);
    Tensor product = contract_fully(a, b);
    return aten::reshape(product, out);
  }
  a = aten::reshape(a, {rows, contracted});
  b = aten::permute(b, order_b);
  b = aten::reshape(b, {contracted, columns});
  Tensor product = aten::mm(a, b);
  return aten::reshape(product, out);
}

// bilinear: y_k = sum_ij x1_i W_kij x2_j + b_k
Tensor bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor bias) {
  if (input1.dim() != input2.dim())
    fail_input("bilinear: the inputs have ", input1.dim(), " and ", input2.dim(), " dimensions");
  for (int64_t i = 0; i + 1 < input1.dim(); ++i)
    if (input1.size(i) != input2.size(i)) fail_input("bilinear: the batch sizes of the inputs differ at dimension ", i);
  if (input1.size(-1) != weight.size(1) || input2.size(-1) != weight.size(2))
    fail_input("bilinear: the inputs do not fit the weight");
  if (bias && bias.size(0) != weight.size(0)) fail_input("bilinear: the bias does not fit the weight");
  Tensor x1 = aten::reshape(input1, {-1, input1.size(-1)});
  Tensor x2 = aten::reshape(input2, {-1, input2.size(-1)});
  Tensor product = aten::_trilinear(x1, weight, x2, {1, 3}, {0}, {1, 2}, {2, 3});
  Sizes out(input1.sizes().begin(), input1.sizes().end() - 1);
  out.push_back(weight.size(0));
  product = aten::reshape(product, out);
  return bias ? aten::add_Tensor(product, bias) : product;
}

constexpr OpDef kRows[] = {
    {.op = "aten::mm", .meta = box_meta<meta_mm>},
    {.op = "aten::bmm", .meta = box_meta<meta_bmm>},
    {.op = "aten::addmm", .meta = box_meta<meta_addmm>, .body = box<addmm>},
    {.op = "aten::addmv", .meta = box_meta<meta_addmv>, .body = box<addmv>},
    {.op = "aten::addbmm", .meta = box_meta<meta_addbmm>, .reference = box<closed::addbmm>},
    {.op = "aten::baddbmm", .meta = box_meta<meta_baddbmm>, .body = box<baddbmm>},
    {.op = "aten::addr", .hidden_rule = "addr", .meta = box_meta<meta_addr>, .body = box<addr>},
    {.op = "aten::mv", .meta = box_meta<meta_mv>, .body = box<mv>},
    {.op = "aten::dot", .hidden_rule = "dot", .meta = box_meta<meta_dot>, .body = box<dot>},
    {.op = "aten::vdot", .hidden_rule = "vdot", .meta = box_meta<meta_dot>, .body = box<vdot>},
    {.op = "aten::_trilinear", .meta = box_meta<meta_trilinear>, .reference = box<closed::trilinear>},
    {.op = "aten::matmul", .body = box<matmul>},
    {.op = "aten::linalg_matmul", .body = box<matmul>},
    {.op = "aten::linear", .body = box<linear>},
    {.op = "aten::outer", .body = box<outer>},
    {.op = "aten::ger", .body = box<outer>},
    {.op = "aten::kron", .body = box<kron>},
    {.op = "aten::inner", .body = box<inner>},
    {.op = "aten::tensordot", .body = box<tensordot>},
    {.op = "aten::bilinear", .body = box<bilinear>},
    {.op = "aten::linalg_vecdot", .body = box<linalg_vecdot>},
};

}  // namespace

const std::span<const OpDef> kMatmulOps = kRows;

}  // namespace rung::ops
