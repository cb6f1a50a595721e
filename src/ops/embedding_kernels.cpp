// Bags of rows of a table, and rows shortened to a norm.
#include <algorithm>
#include <cmath>

#include "ops/kernels.h"

namespace rung::ops {
namespace {

enum class BagMode { kSum, kMean, kMax };

struct Bags {
  std::vector<int64_t> starts, ends;
};

// Each bag reaches to the next one's start, the last one to the end.
Bags bags_of(std::vector<int64_t> offsets, int64_t count, bool include_last_offset) {
  if (!offsets.empty() && offsets[0] != 0)
    fail_input(
        "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
        "However, got ",
        offsets[0]);
  if (!offsets.empty() && offsets.back() > count)
    fail_input("offsets[-1] can not be greater than input's length ", count, " but got offsets[-1] of ",
               offsets.back());
  if (!std::ranges::is_sorted(offsets)) fail_input("embedding_bag: offsets must not decrease");
  if (!include_last_offset) offsets.push_back(count);
  Bags bags;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    bags.starts.push_back(offsets[i]);
    bags.ends.push_back(offsets[i + 1]);
  }
  return bags;
}

struct Table {
  std::vector<double> rows;
  int64_t height, width;
  const double* row(int64_t i) const { return &rows[static_cast<size_t>(i * width)]; }
};

void check_row(int64_t place, int64_t row, int64_t rows) {
  if (row < 0 || row >= rows)
    fail_input("Index ", place, " of input takes value ", row, " which is not in the valid range [0, ", rows, ")");
}

Argument embedding_bag(const Call& call) {
  Tensor weight(call.args[0]), indices(call.args[1]), offsets(call.args[2]), scales = unbox_tensor(call.args[6]);
  int64_t mode_number = unbox_int(call.args[4]).value();
  if (mode_number < 0 || mode_number > 2) fail_input("embedding_bag: mode must be 0, 1 or 2, got ", mode_number);
  auto mode = static_cast<BagMode>(mode_number);
  if (scales.defined() && mode != BagMode::kSum)
    fail_input("embedding_bag: per_sample_weights only supported with mode='sum'");
  int64_t padding = unbox_int(call.args[8]).value();
  std::vector<const TensorMeta*> metas = result_metas(call);
  Table table{ref::values<double>(weight), weight.size(0).value(), weight.size(1).value()};
  std::vector<int64_t> index = ref::values<int64_t>(indices);
  std::vector<double> scale(index.size(), 1.0);
  if (scales.defined()) scale = ref::values<double>(scales);
  require_equal(call.op, "per_sample_weights", static_cast<int64_t>(index.size()), static_cast<int64_t>(scale.size()));
  Bags bags = bags_of(ref::values<int64_t>(offsets), static_cast<int64_t>(index.size()), unbox_bool(call.args[7]));
  // where indices know their bags, those behind the last offset belong to the last one
  bool notes_bags = metas[1]->sizes[0] != 0;
  if (notes_bags && !bags.ends.empty()) bags.ends.back() = static_cast<int64_t>(index.size());
  auto width = static_cast<size_t>(table.width);
  std::vector<double> out(bags.starts.size() * width);
  std::vector<int64_t> bag_of_index(index.size()), sizes(bags.starts.size()), maxima(out.size());
  for (size_t bag = 0; bag < bags.starts.size(); ++bag) {
    double* sum = out.data() + bag * width;
    for (int64_t i = bags.starts[bag]; i < bags.ends[bag]; ++i) {
      int64_t row = index[static_cast<size_t>(i)];
      check_row(i, row, table.height);
      bag_of_index[static_cast<size_t>(i)] = static_cast<int64_t>(bag);
      if (row == padding) continue;
      bool is_first = sizes[bag]++ == 0;
      for (size_t j = 0; j < width; ++j) {
        double value = table.row(row)[j];
        if (mode != BagMode::kMax) {
          sum[j] += value * scale[static_cast<size_t>(i)];
        } else if (is_first || value > sum[j]) {
          sum[j] = value;
          maxima[bag * width + j] = row;
        }
      }
    }
    if (mode == BagMode::kMean && sizes[bag] > 0)
      for (size_t j = 0; j < width; ++j) sum[j] /= static_cast<double>(sizes[bag]);
  }
  // what the mode has no use for is left out, or 0
  auto fitted = [&](size_t result, std::vector<int64_t> values, bool is_told) {
    if (!is_told) std::ranges::fill(values, 0);
    values.resize(static_cast<size_t>(ref::count(ref::to_shape(metas[result]->sizes))));
    return ref::make(*metas[result], values);
  };
  bool has_sizes = mode != BagMode::kSum;
  const Tensor results[] = {ref::make(*metas[0], out), fitted(1, bag_of_index, true), fitted(2, sizes, has_sizes),
                            fitted(3, mode == BagMode::kMax ? maxima : sizes, has_sizes)};
  return box_list(results);
}

// Rows of a norm beyond the largest are scaled down to it, once each.
Argument embedding_renorm(const Call& call) {
  Tensor self(call.args[0]);
  double largest = unbox_float(call.args[2]), p = unbox_float(call.args[3]);
  const TensorMeta& result = result_meta(call);
  require_equal(call.op, "dimensions", 2, self.dim());
  std::vector<int64_t> rows = ref::values<int64_t>(Tensor(call.args[1]));
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<double> out = ref::values<double>(self);
  int64_t height = self.size(0).value(), width = self.size(1).value();
  for (int64_t row : rows) {
    if (row < 0 || row >= height)
      fail_input("embedding_renorm: index ", row, " is out of range for a table of ", height, " rows");
    std::span<double> values(out.data() + row * width, static_cast<size_t>(width));
    double norm = 0;
    for (double x : values) norm = std::isinf(p) ? std::fmax(norm, std::fabs(x)) : norm + std::pow(std::fabs(x), p);
    if (!std::isinf(p)) norm = std::pow(norm, 1 / p);
    if (norm > largest)
      for (double& x : values) x *= largest / (norm + 1e-7);
  }
  return ref::make(result, out).argument();
}

constexpr KernelRow kRows[] = {
    {"aten::_embedding_bag", embedding_bag},
    {"aten::_embedding_bag_forward_only", embedding_bag},
    {"aten::embedding_renorm", embedding_renorm},
};

}  // namespace

const std::span<const KernelRow> kEmbeddingKernels = kRows;

}  // namespace rung::ops
