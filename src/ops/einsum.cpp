// Einstein summation, chains and powers of matrices: which products are taken, and in which order.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "meta/layout.h"
#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using meta::Sizes;
using Dims = std::vector<int64_t>;

SymInts as_dims(const Dims& dims) {
  std::span<SymInt> out = current_arena().array<SymInt>(dims.size());
  std::copy(dims.begin(), dims.end(), out.begin());
  return out;
}

// ---- the equation

constexpr int kLabels = 52;  // A-Z, a-z
constexpr int kEllipsis = kLabels;

int label_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  fail_input("einsum: a subscript must be a letter, got '", std::string(1, c), "'");
}

// "ij...k" -> its labels; spaces do not count.
std::vector<int> labels_of(std::string_view term) {
  std::vector<int> labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') continue;
    if (term[i] != '.') {
      labels.push_back(label_of(term[i]));
      continue;
    }
    if (term.substr(i, 3) != "..." || std::ranges::count(labels, kEllipsis) > 0)
      fail_input("einsum: '", term, "' has a '.' outside of one ellipsis (...)");
    labels.push_back(kEllipsis);
    i += 2;
  }
  return labels;
}

// Where each label's dimension stands once all operands are aligned: those of the output first, then those summed over.
struct Alignment {
  std::array<int64_t, kLabels> position;
  int64_t ellipsis_position = 0;
  int64_t ellipsis_rank = 0;
  int64_t out_rank = 0;
  int64_t rank = 0;
};

struct Equation {
  std::vector<std::vector<int>> operands;
  Alignment alignment;
};

int64_t ellipsis_rank(const std::vector<int>& labels, const Tensor& operand) {
  return operand.dim() - static_cast<int64_t>(labels.size()) + 1;
}

// Without "->" the output has the ellipsis, then the labels that occur once, in order.
void align_output(Alignment& alignment, std::optional<std::string_view> output,
                  const std::array<int, kLabels>& counts) {
  bool has_ellipsis = !output.has_value();
  if (has_ellipsis) alignment.out_rank = alignment.ellipsis_rank;
  if (!output) {
    for (size_t i = 0; i < kLabels; ++i)
      if (counts[i] == 1) alignment.position[i] = alignment.out_rank++;
  } else {
    for (int label : labels_of(*output)) {
      if (label == kEllipsis) {
        has_ellipsis = true;
        alignment.ellipsis_position = alignment.out_rank;
        alignment.out_rank += alignment.ellipsis_rank;
        continue;
      }
      size_t i = static_cast<size_t>(label);
      if (counts[i] == 0 || alignment.position[i] >= 0)
        fail_input("einsum: a subscript of the output '", *output, "' is repeated, or no operand has it");
      alignment.position[i] = alignment.out_rank++;
    }
  }
  alignment.rank = alignment.out_rank;
  if (!has_ellipsis) {
    alignment.ellipsis_position = alignment.rank;
    alignment.rank += alignment.ellipsis_rank;
  }
  for (size_t i = 0; i < kLabels; ++i)
    if (counts[i] > 0 && alignment.position[i] < 0) alignment.position[i] = alignment.rank++;
}

Equation parse(std::string_view text, TensorList operands) {
  Equation equation;
  size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (size_t start = 0; start <= left.size();) {
    size_t comma = std::min(left.find(',', start), left.size());
    equation.operands.push_back(labels_of(left.substr(start, comma - start)));
    start = comma + 1;
  }
  if (equation.operands.size() != operands.size())
    fail_input("einsum: the equation '", text, "' is for ", equation.operands.size(), " operands, got ",
               operands.size());
  std::array<int, kLabels> counts = {};
  Alignment& alignment = equation.alignment;
  alignment.position.fill(-1);
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::vector<int>& labels = equation.operands[i];
    bool has_ellipsis = std::ranges::count(labels, kEllipsis) > 0;
    int64_t spare = ellipsis_rank(labels, operands[i]) - (has_ellipsis ? 0 : 1);
    if (has_ellipsis ? spare < 0 : spare != 0)
      fail_input("einsum: operand ", i, " has ", operands[i].dim(), " dimensions, the equation '", text,
                 "' names another number");
    if (has_ellipsis) alignment.ellipsis_rank = std::max(alignment.ellipsis_rank, spare);
    for (int label : labels)
      if (label != kEllipsis) ++counts[static_cast<size_t>(label)];
  }
  align_output(alignment, arrow == text.npos ? std::nullopt : std::optional(text.substr(arrow + 2)), counts);
  return equation;
}

// ---- operands

// Notes that an operand has more than one element along a dimension, and that all such operands agree.
void note_size(SymInt size, size_t dim, Sizes& sizes, std::vector<int>& counts) {
  if (size == 1) return;
  if (sizes[dim] != 1 && sizes[dim] != size)
    fail_input("einsum: sizes ", sizes[dim].str(), " and ", size.str(), " of one subscript do not broadcast");
  sizes[dim] = size;
  ++counts[dim];
}

// A repeated label takes the diagonal, a missing one a dimension of size 1; then all dimensions are put in place.
Tensor align(Tensor operand, const std::vector<int>& labels, const Alignment& alignment, Sizes& sizes,
             std::vector<int>& counts) {
  Dims order(static_cast<size_t>(alignment.rank), -1);
  int64_t dim = 0, covered = ellipsis_rank(labels, operand);
  for (int label : labels) {
    if (label == kEllipsis) {
      for (int64_t i = alignment.ellipsis_rank - covered; i < alignment.ellipsis_rank; ++i) {
        size_t place = static_cast<size_t>(alignment.ellipsis_position + i);
        note_size(operand.size(dim), place, sizes, counts);
        order[place] = dim++;
      }
      continue;
    }
    size_t place = static_cast<size_t>(alignment.position[static_cast<size_t>(label)]);
    if (order[place] < 0) {
      note_size(operand.size(dim), place, sizes, counts);
      order[place] = dim++;
      continue;
    }
    if (operand.size(dim) != operand.size(order[place]))
      fail_input("einsum: a subscript is repeated for dimensions of sizes ", operand.size(order[place]).str(), " and ",
                 operand.size(dim).str());
    Tensor diagonal = aten::diagonal(operand, 0, order[place], dim);
    operand = aten::movedim_int(diagonal, -1, order[place]);
  }
  for (int64_t& place : order) {
    if (place >= 0) continue;
    operand = aten::unsqueeze(operand, dim);
    place = dim++;
  }
  return aten::permute(operand, as_dims(order));
}

// ---- products

bool contains(const Dims& dims, int64_t dim) { return std::ranges::find(dims, dim) != dims.end(); }

Dims joined(std::initializer_list<const Dims*> lists) {
  Dims all;
  for (const Dims* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

SymInt size_along(const Tensor& x, const Dims& dims) {
  SymInt size = 1;
  for (int64_t dim : dims) size *= x.size(dim);
  return size;
}

// The product of two aligned tensors, summed over `summed` (kept with size 1), as one bmm: dimensions that both have
// make the batch, those of one side its rows or columns.
Tensor sum_product(Tensor left, Tensor right, const Dims& summed) {
  if (summed.empty()) return aten::mul_Tensor(left, right);
  Dims batch, rows, columns;
  for (int64_t dim = 0; dim < left.dim(); ++dim) {
    if (contains(summed, dim)) continue;
    bool in_left = left.size(dim) != 1, in_right = right.size(dim) != 1;
    (in_left && in_right ? batch : in_left ? rows : columns).push_back(dim);
  }
  // where all columns come before the rows in the result, the other way round needs no transposition
  if (!rows.empty() && !columns.empty() && columns.back() < rows.front()) {
    std::swap(left, right);
    std::swap(rows, columns);
  }
  Sizes out;
  for (int64_t dim : batch) out.push_back(left.size(dim));
  for (int64_t dim : rows) out.push_back(left.size(dim));
  out.resize(out.size() + summed.size(), 1);
  for (int64_t dim : columns) out.push_back(right.size(dim));
  Dims out_dims = joined({&batch, &rows, &summed, &columns}), back(out_dims.size());
  for (size_t i = 0; i < out_dims.size(); ++i) back[static_cast<size_t>(out_dims[i])] = static_cast<int64_t>(i);

  SymInt batch_size = size_along(left, batch), inner = size_along(left, summed);
  SymInt row_count = size_along(left, rows), column_count = size_along(right, columns);
  left = aten::permute(left, as_dims(out_dims));
  left = aten::reshape(left, {batch_size, row_count, inner});
  right = aten::permute(right, as_dims(joined({&batch, &summed, &columns, &rows})));
  right = aten::reshape(right, {batch_size, inner, column_count});
  Tensor product = aten::bmm(left, right);
  product = aten::view(product, out);
  return aten::permute(product, as_dims(back));
}

// Contracts a and b over what no other operand needs any more. `counts`: how many operands have a dimension.
Tensor contract(Tensor a, Tensor b, const Alignment& alignment, std::vector<int>& counts) {
  Dims both, only_a, only_b;
  for (int64_t dim = alignment.out_rank; dim < alignment.rank; ++dim) {
    int& count = counts[static_cast<size_t>(dim)];
    bool in_a = a.size(dim) != 1, in_b = b.size(dim) != 1;
    if (in_a && in_b) --count;
    if (count != 1 || !(in_a || in_b)) continue;
    (in_a && in_b ? both : in_a ? only_a : only_b).push_back(dim);
    count = 0;
  }
  if (!only_a.empty()) a = aten::sum_dim_IntList(a, IntList(as_dims(only_a)), true);
  if (!only_b.empty()) b = aten::sum_dim_IntList(b, IntList(as_dims(only_b)), true);
  return sum_product(a, b, both);
}

// The dimensions that are still to go: of one operand they are summed; otherwise they have size 1 by now.
Tensor drop_summed(const Tensor& result, const Alignment& alignment, bool one_operand) {
  if (alignment.rank == alignment.out_rank) return result;
  if (!one_operand) return aten::view(result, result.sizes().first(static_cast<size_t>(alignment.out_rank)));
  Dims dims(static_cast<size_t>(alignment.rank - alignment.out_rank));
  std::iota(dims.begin(), dims.end(), alignment.out_rank);
  return aten::sum_dim_IntList(result, IntList(as_dims(dims)));
}

// The pairs of a contraction path, or always the first two.
std::pair<size_t, size_t> next_pair(std::optional<SymInts> path, size_t step, size_t count) {
  if (!path) return {0, 1};
  if (path->size() < 2 * step + 2) fail_input("einsum: the contraction path is too short");
  int64_t i = (*path)[2 * step].value(), j = (*path)[2 * step + 1].value();
  if (i > j) std::swap(i, j);
  if (i == j || i < 0 || static_cast<size_t>(j) >= count)
    fail_input("einsum: the contraction path names operands ", i, " and ", j, " of ", count);
  return {static_cast<size_t>(i), static_cast<size_t>(j)};
}

Tensor einsum(std::string_view text, TensorList operands, std::optional<SymInts> path) {
  if (operands.empty()) fail_input("einsum needs at least one operand");
  Equation equation = parse(text, operands);
  const Alignment& alignment = equation.alignment;
  Sizes sizes(static_cast<size_t>(alignment.rank), 1);
  std::vector<int> counts(static_cast<size_t>(alignment.rank));
  std::vector<Tensor> aligned;
  for (size_t i = 0; i < operands.size(); ++i)
    aligned.push_back(align(operands[i], equation.operands[i], alignment, sizes, counts));
  for (size_t step = 0; aligned.size() > 1; ++step) {
    auto [i, j] = next_pair(path, step, aligned.size());
    Tensor a = aligned[i], b = aligned[j];
    aligned.erase(aligned.begin() + static_cast<std::ptrdiff_t>(j));
    aligned.erase(aligned.begin() + static_cast<std::ptrdiff_t>(i));
    aligned.insert(path ? aligned.end() : aligned.begin(), contract(a, b, alignment, counts));
  }
  return drop_summed(aligned[0], alignment, operands.size() == 1);
}

// ---- chains of matrices

// Matrices i..j, split where the fewest multiplications are needed. As in torch, the right half comes first.
Tensor multiply_chain(const std::vector<Tensor>& matrices, const std::vector<Dims>& splits, size_t i, size_t j) {
  if (i == j) return matrices[i];
  size_t split = static_cast<size_t>(splits[i][j]);
  Tensor right = multiply_chain(matrices, splits, split + 1, j);
  Tensor left = multiply_chain(matrices, splits, i, split);
  return aten::mm(left, right);
}

// The well-known dynamic program: cost(i, j) = min over k of cost(i, k) + cost(k+1, j) + p_i p_(k+1) p_(j+1)
std::vector<Dims> best_splits(const std::vector<Tensor>& matrices) {
  size_t n = matrices.size();
  Sizes p;
  for (const Tensor& matrix : matrices) p.push_back(matrix.size(0));
  p.push_back(matrices.back().size(1));
  std::vector<Sizes> cost(n, Sizes(n, 0));
  std::vector<Dims> splits(n, Dims(n));
  for (size_t length = 1; length < n; ++length) {
    for (size_t i = 0; i + length < n; ++i) {
      size_t j = i + length;
      for (size_t k = i; k < j; ++k) {
        SymInt total = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
        if (k > i && total >= cost[i][j]) continue;
        cost[i][j] = total;
        splits[i][j] = static_cast<int64_t>(k);
      }
    }
  }
  return splits;
}

// Three matrices: left to right unless the other way is cheaper.
Tensor multiply_three(const std::vector<Tensor>& m) {
  SymInt a = m[0].size(0), b = m[1].size(0), c = m[2].size(0), d = m[2].size(1);
  if ((a * c) * (b + d) > (b * d) * (a + c)) {
    Tensor right = aten::mm(m[1], m[2]);
    return aten::mm(m[0], right);
  }
  Tensor left = aten::mm(m[0], m[1]);
  return aten::mm(left, m[2]);
}

Tensor linalg_multi_dot(TensorList tensors) {
  if (tensors.size() < 2) fail_input("multi_dot expects at least 2 tensors, got ", tensors.size());
  std::vector<Tensor> matrices(tensors.begin(), tensors.end());
  Sizes out;
  // a vector at an end is a row or a column, and leaves the result again
  if (tensors.front().dim() == 1)
    matrices.front() = aten::unsqueeze(tensors.front(), 0);
  else
    out.push_back(tensors.front().size(0));
  if (tensors.back().dim() == 1)
    matrices.back() = aten::unsqueeze(tensors.back(), -1);
  else
    out.push_back(tensors.back().size(1));
  for (const Tensor& matrix : matrices)
    if (matrix.dim() != 2)
      fail_input("multi_dot: expected matrices, and at the ends vectors, got a tensor with ", matrix.dim(),
                 " dimensions");
  Tensor product = matrices.size() == 3 ? multiply_three(matrices)
                                        : multiply_chain(matrices, best_splits(matrices), 0, matrices.size() - 1);
  return aten::view(product, out);
}

Tensor chain_matmul(TensorList matrices) {
  if (matrices.empty()) fail_input("chain_matmul expects one or more matrices");
  for (const Tensor& matrix : matrices)
    if (matrix.dim() != 2)
      fail_input("chain_matmul: expected matrices, got a tensor with ", matrix.dim(), " dimensions");
  return matrices.size() == 1 ? aten::clone(matrices[0]) : aten::linalg_multi_dot(matrices);
}

// Powers by repeated squaring; torch has shortcuts for the small ones.
Tensor linalg_matrix_power(Tensor self, SymInt n) {
  if (self.dim() < 2 || self.size(-1) != self.size(-2)) fail_input("matrix_power: expected square matrices");
  if (n == 0) {
    Tensor result = aten::clone(self, MemoryFormat::kContiguous);
    Tensor identity = aten::eye(self.size(-2), self.dtype(), self.layout(), self.device());
    return aten::copy_(result, identity);
  }
  if (n == 1) return aten::clone(self);
  if (n == -1) return aten::linalg_inv(self);
  Tensor a = n < 0 ? aten::linalg_inv(self) : self;
  int64_t power = std::abs(specialize(n));
  if (power == 2 || power == 3) {
    Tensor square = aten::matmul(a, a);
    return power == 2 ? square : aten::matmul(square, a);
  }
  Tensor square, result;
  for (; power > 0; power /= 2) {
    square = square ? aten::matmul(square, square) : a;
    if (power % 2 == 1) result = result ? aten::matmul(result, square) : square;
  }
  return result;
}

constexpr OpDef kRows[] = {
    {.op = "aten::einsum", .body = box<einsum>},
    {.op = "aten::linalg_matrix_power", .body = box<linalg_matrix_power>},
    {.op = "aten::matrix_power", .body = box<linalg_matrix_power>},
    {.op = "aten::linalg_multi_dot", .body = box<linalg_multi_dot>},
    {.op = "aten::chain_matmul", .body = box<chain_matmul>},
};

}  // namespace

const std::span<const OpDef> kEinsumOps = kRows;

}  // namespace rung::ops
