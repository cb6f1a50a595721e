// Order: sorting, picking by rank, searching, running extremes. NaN is larger than every number.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "meta/promote.h"
#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

using namespace elementwise;
using dims::Around;
using ref::Shape;

template <Real T>
bool less(T a, T b) {
  return a < b || (is_nan(b) && !is_nan(a));
}

// A line along a dimension, and what it becomes: values and their indices.
template <typename T>
struct Ranked {
  std::vector<T> values;
  std::vector<int64_t> indices;
};

template <typename T>
std::vector<int64_t> order_of(const std::vector<T>& line, bool descending) {
  std::vector<int64_t> order(line.size());
  std::iota(order.begin(), order.end(), int64_t(0));
  auto value = [&](int64_t i) { return line[static_cast<size_t>(i)]; };
  std::ranges::stable_sort(
      order, [&](int64_t i, int64_t j) { return descending ? less(value(j), value(i)) : less(value(i), value(j)); });
  return order;
}

template <typename T>
Ranked<T> ranked(const std::vector<T>& line, std::vector<int64_t> indices) {
  Ranked<T> out;
  for (int64_t i : indices) out.values.push_back(line[static_cast<size_t>(i)]);
  out.indices = std::move(indices);
  return out;
}

// For (values, indices) ops: rank(line) for each line along `dim`.
template <typename Rank>
Argument along(const Call& call, int64_t dim, Rank&& rank) {
  Tensor self(call.args[0]);
  std::vector<const TensorMeta*> results = result_metas(call);
  auto run = [&](auto carrier) {
    using T = decltype(carrier);
    std::vector<T> all = ref::values<T>(self);
    Around in(ref::shape_of(self), dim);
    std::vector<Ranked<T>> lines;
    for (int64_t o = 0; o < in.outer; ++o) {
      for (int64_t n = 0; n < in.inner; ++n) {
        std::vector<T> line;
        for (int64_t i = 0; i < in.length; ++i) line.push_back(all[in.at(o, i, n)]);
        lines.push_back(rank(line));
      }
    }
    Around out = in;
    out.length = lines.empty() ? 0 : static_cast<int64_t>(lines[0].indices.size());
    std::vector<T> values(static_cast<size_t>(out.outer * out.length * out.inner));
    std::vector<int64_t> indices(values.size());
    for (size_t line = 0; line < lines.size(); ++line) {
      for (int64_t i = 0; i < out.length; ++i) {
        size_t place = out.at(static_cast<int64_t>(line) / out.inner, i, static_cast<int64_t>(line) % out.inner);
        values[place] = lines[line].values[static_cast<size_t>(i)];
        indices[place] = lines[line].indices[static_cast<size_t>(i)];
      }
    }
    const Tensor both[] = {ref::make(*results[0], values), ref::make(*results[1], indices)};
    return box_list(both);
  };
  return is_floating(self.dtype()) ? run(double()) : run(int64_t());
}

Argument sort_stable(const Call& call) {
  bool descending = unbox_bool(call.args[3]);
  return along(call, unbox_int(call.args[2]).value(),
               [&](const auto& line) { return ranked(line, order_of(line, descending)); });
}
Argument sort(const Call& call) {
  bool descending = unbox_bool(call.args[2]);
  return along(call, unbox_int(call.args[1]).value(),
               [&](const auto& line) { return ranked(line, order_of(line, descending)); });
}

Argument topk(const Call& call) {
  size_t k = static_cast<size_t>(unbox_int(call.args[1]).value());
  bool largest = unbox_bool(call.args[3]);
  return along(call, unbox_int(call.args[2]).value(), [&](const auto& line) {
    std::vector<int64_t> order = order_of(line, largest);
    order.resize(k);
    return ranked(line, std::move(order));
  });
}

Argument kthvalue(const Call& call) {
  size_t k = static_cast<size_t>(unbox_int(call.args[1]).value());
  return along(call, unbox_int(call.args[2]).value(), [&](const auto& line) {
    if (k < 1 || k > line.size()) fail_input("kthvalue: k is ", k, ", the dimension has ", line.size(), " elements");
    return ranked(line, {order_of(line, false)[k - 1]});
  });
}

void require_elements(std::string_view op, size_t count) {
  if (count == 0) fail_input(op, "(): expected the reduced dimension to have non-zero size");
}

// The lower of the two in the middle; NaN if there is one, unless it is left out.
template <bool skips_nan>
Argument median_dim(const Call& call) {
  return along(call, unbox_int(call.args[1]).value(), [](const auto& line) {
    require_elements("median", line.size());
    std::vector<int64_t> order = order_of(line, false);
    size_t numbers = 0;
    for (auto value : line) numbers += !is_nan(value);
    bool gives_nan = numbers == 0 || (!skips_nan && numbers < line.size());
    return ranked(line, {order[gives_nan ? numbers : (numbers - 1) / 2]});
  });
}

// The smallest of the most frequent values, where it stands last.
Argument mode(const Call& call) {
  return along(call, unbox_int(call.args[1]).value(), [](const auto& line) {
    require_elements("mode", line.size());
    std::vector<int64_t> order = order_of(line, false);
    size_t best = 0, best_count = 0;
    for (size_t first = 0, i = 0; i < order.size(); ++i) {
      auto value = [&](size_t at) { return line[static_cast<size_t>(order[at])]; };
      if (value(i) != value(first)) first = i;
      if (i - first + 1 > best_count) best = i, best_count = i - first + 1;
    }
    return ranked(line, {order[best]});
  });
}

template <bool is_max>
Argument running_extreme(const Call& call) {
  return along(call, unbox_int(call.args[1]).value(), [](const auto& line) {
    std::vector<int64_t> indices;
    for (size_t i = 0; i < line.size(); ++i) {
      bool takes_over = i == 0;
      if (i > 0) {
        auto best = line[static_cast<size_t>(indices.back())];
        takes_over = is_nan(line[i]) || (!is_nan(best) && (is_max ? line[i] >= best : line[i] <= best));
      }
      indices.push_back(takes_over ? static_cast<int64_t>(i) : indices.back());
    }
    return ranked(line, std::move(indices));
  });
}

// log(exp a + exp b) from left to right
Argument logcumsumexp(const Call& call) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  std::vector<double> values = ref::values<double>(self);
  Around around(ref::shape_of(self), unbox_int(call.args[1]).value());
  for (int64_t o = 0; o < around.outer; ++o) {
    for (int64_t n = 0; n < around.inner; ++n) {
      for (int64_t i = 1; i < around.length; ++i) {
        double& now = values[around.at(o, i, n)];
        double before = values[around.at(o, i - 1, n)], high = maximum(now, before), low = minimum(now, before);
        now = std::isinf(high) && high == low ? high : high + std::log1p(std::exp(low - high));
      }
    }
  }
  return ref::make(result, values).argument();
}

// Bins of equal width; the last one holds its upper edge too.
Argument histc(const Call& call) {
  std::vector<double> values = ref::values<double>(Tensor(call.args[0]));
  double low = Scalar(call.args[2]).to_double(), high = Scalar(call.args[3]).to_double();
  if (low == high && !values.empty()) {
    low = high = values[0];
    for (double value : values) low = minimum(value, low), high = maximum(value, high);
  }
  if (!std::isfinite(low) || !std::isfinite(high))
    fail_input("torch.histc: range of [", low, ", ", high, "] is not finite");
  if (low == high) low -= 1, high += 1;
  const TensorMeta& result = result_meta(call);
  int64_t bins = result.sizes[0].value();
  std::vector<double> counts(static_cast<size_t>(bins));
  for (double value : values) {
    if (!(value >= low && value <= high)) continue;
    auto bin = static_cast<int64_t>((value - low) / (high - low) * static_cast<double>(bins));
    ++counts[static_cast<size_t>(std::min(bin, bins - 1))];
  }
  return ref::make(result, counts).argument();
}

// How many elements of a sorted line are smaller than a value, or no larger if the right side is meant. No NaN is as
// large as anything.
template <ref::Carrier T>
int64_t position(const std::vector<T>& line, T wanted, bool right) {
  auto is_before = [&](T edge) { return right ? !(edge > wanted) : !(edge >= wanted); };
  return std::ranges::partition_point(line, is_before) - line.begin();
}
template <ref::Carrier T>
Argument searched_as(const Call& call, const Tensor& sorted, const Tensor& values, bool right, const Tensor& sorter) {
  const TensorMeta& result = result_meta(call);
  std::vector<T> edges = ref::values<T>(sorted), wanted = ref::values<T>(values);
  std::vector<int64_t> order = sorter.defined() ? ref::values<int64_t>(sorter) : std::vector<int64_t>();
  if (sorted.dim() > 1) {  // a line for each line
    require_equal(call.op, "dimensions of values", sorted.dim(), values.is_number() ? 0 : values.dim());
    for (int64_t dim = 0; dim + 1 < sorted.dim(); ++dim)
      require_equal(call.op, "lines of values", sorted.size(dim).value(), values.size(dim).value());
  }
  size_t length = static_cast<size_t>(ref::shape_of(sorted).back());
  if (sorter.defined()) require_equal(call.op, "places of the sorter", sorted.numel().value(), sorter.numel().value());
  for (int64_t place : order)
    if (place < 0 || place >= static_cast<int64_t>(length))
      fail_input("searchsorted: sorter index ", place, " is out of range for a line of ", length);
  size_t per_line =
      sorted.dim() == 1 || values.is_number() ? wanted.size() : static_cast<size_t>(ref::shape_of(values).back());
  std::vector<int64_t> out;
  for (size_t i = 0; i < wanted.size(); ++i) {
    size_t start = per_line == 0 ? 0 : i / per_line * length;
    std::vector<T> line(edges.begin() + static_cast<ptrdiff_t>(start),
                        edges.begin() + static_cast<ptrdiff_t>(start + length));
    if (sorter.defined())
      for (size_t k = 0; k < length; ++k) line[k] = edges[start + static_cast<size_t>(order[start + k])];
    out.push_back(position(line, wanted[i], right));
  }
  return ref::make(result, out).argument();
}
// Integers as what they are: a double does not tell the largest ones apart.
Argument searched(const Call& call, const Tensor& sorted, const Tensor& values, bool right, const Tensor& sorter) {
  const DType dtype = meta::result_type({sorted, values});
  return is_integral_or_bool(dtype) ? searched_as<int64_t>(call, sorted, values, right, sorter)
                                    : searched_as<double>(call, sorted, values, right, sorter);
}
Argument searchsorted(const Call& call) {
  bool right = unbox_bool(call.args[3]) || (!call.args[4].is_none() && call.args[4].string_view() == "right");
  return searched(call, Tensor(call.args[0]), unbox_tensor(call.args[1]), right, unbox_tensor(call.args[5]));
}
Argument bucketize(const Call& call) {
  return searched(call, Tensor(call.args[1]), unbox_tensor(call.args[0]), unbox_bool(call.args[3]), Tensor());
}

constexpr KernelRow kRows[] = {
    {"aten::sort", sort},
    {"aten::sort.stable", sort_stable},
    {"aten::topk", topk},
    {"aten::kthvalue", kthvalue},
    {"aten::median.dim", median_dim<false>},
    {"aten::nanmedian.dim", median_dim<true>},
    {"aten::mode", mode},
    {"aten::cummax", running_extreme<true>},
    {"aten::cummin", running_extreme<false>},
    {"aten::logcumsumexp", logcumsumexp},
    {"aten::histc", histc},
    {"aten::searchsorted.Tensor", searchsorted},
    {"aten::searchsorted.Scalar", searchsorted},
    {"aten::bucketize.Tensor", bucketize},
    {"aten::bucketize.Scalar", bucketize},
};

}  // namespace

const std::span<const KernelRow> kSortKernels = kRows;

}  // namespace rung::ops
