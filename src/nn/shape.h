// Layers that only change the shape.
#pragma once
#include "nn/module.h"
#include "ops/gen/aten.h"

namespace rung::nn {

class Flatten : public Layer {
 public:
  explicit Flatten(int64_t start_dim = 1, int64_t end_dim = -1) : start_dim_(start_dim), end_dim_(end_dim) {}
  Tensor forward(const Tensor& input) override { return aten::flatten_using_ints(input, start_dim_, end_dim_); }

 private:
  int64_t start_dim_, end_dim_;
};

/// One dimension becomes several.
class Unflatten : public Layer {
 public:
  Unflatten(int64_t dim, std::vector<SymInt> unflattened_size) : dim_(dim), sizes_(std::move(unflattened_size)) {}
  Tensor forward(const Tensor& input) override { return aten::unflatten_int(input, dim_, sizes_); }

 private:
  int64_t dim_;
  std::vector<SymInt> sizes_;
};

}  // namespace rung::nn
