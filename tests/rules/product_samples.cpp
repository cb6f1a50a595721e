// Calls of products of matrices, convolutions, pools and norms.
#include "ops/gen/aten.h"
#include "rules/samples.h"

namespace rung::rule_test {
namespace {

void product(Samples& s) {
  s.call({s.tensor({2, 3}), s.tensor({3, 4})});
  s.call({aten::t(s.tensor({3, 2})), aten::t(s.tensor({4, 3}))});
  s.call({s.tensor({2, 0}), s.tensor({0, 4})});
  s.call({s.tensor({0, 3}), s.tensor({3, 4})});
  s.call({s.tensor({1, 1}), s.tensor({1, 1})});
  s.call({s.tensor({4, 8}, Fill::kSpecial), s.tensor({8, 2})});
  s.call({s.tensor({64, 100}), s.tensor({100, 3})});
}
void batches(Samples& s) {
  s.call({s.tensor({2, 2, 3}), s.tensor({2, 3, 4})});
  s.call({aten::transpose_int(s.tensor({2, 3, 2}), 1, 2), s.tensor({2, 3, 4})});
  s.call({s.tensor({1, 1, 1}), s.tensor({1, 1, 1})});
  s.call({s.tensor({0, 2, 3}), s.tensor({0, 3, 4})});
  s.call({s.tensor({2, 2, 0}), s.tensor({2, 0, 4})});
  s.call({s.tensor({2, 4, 8}, Fill::kSpecial), s.tensor({2, 8, 2})});
}
void product_and_sum(Samples& s) {
  for (const Shape& shape : {Shape{4}, Shape{2, 4}, Shape{}, Shape{1}, Shape{2, 1}}) {
    s.call({s.tensor(shape), s.tensor({2, 3}), s.tensor({3, 4})});
    s.call({s.tensor(shape), s.tensor({2, 0}), s.tensor({0, 4})});
    s.call({s.tensor(shape), s.tensor({2, 3}), s.tensor({3, 4})}, {{"beta", 2}, {"alpha", 3}});
  }
  s.call({s.tensor({4}, Fill::kSpecial), aten::t(s.tensor({3, 2})), s.tensor({3, 4})});
}

// A convolution over as many dimensions as `window` has.
struct Convolution {
  Shape image, window, stride, padding, dilation;
  bool transposed = false;
  Shape output_padding = {0};
  int64_t groups = 1;
};
void convolve(Samples& s, const Convolution& c) {
  const int64_t channels = c.transposed ? c.window[1] * c.groups : c.window[0];
  for (const Tensor& bias : {Tensor(), s.tensor({channels})})
    s.call({s.tensor(c.image), s.tensor(c.window), bias.defined() ? Given(bias) : Given(nullptr), c.stride, c.padding,
            c.dilation, c.transposed, c.output_padding, c.groups});
}
void convolution(Samples& s) {
  convolve(s, {{2, 4, 9}, {6, 4, 3}, {1}, {0}, {1}});
  convolve(s, {{2, 4, 9}, {6, 2, 3}, {2}, {1}, {2}, false, {0}, 2});
  convolve(s, {{4, 9}, {6, 4, 3}, {1}, {1}, {1}});
  convolve(s, {{2, 4, 9}, {4, 3, 3}, {2}, {1}, {1}, true, {1}});
  convolve(s, {{2, 4, 6, 5}, {6, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}});
  convolve(s, {{2, 4, 6, 5}, {6, 4, 3, 2}, {2, 1}, {1, 0}, {1, 2}, false, {0, 0}});
  convolve(s, {{2, 4, 6, 5}, {4, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 4});
  convolve(s, {{2, 4, 3, 3}, {4, 2, 2, 2}, {2, 2}, {0, 0}, {1, 1}, true, {1, 0}, 2});
  convolve(s, {{1, 2, 4, 4, 3}, {3, 2, 2, 2, 2}, {1, 1, 1}, {0, 1, 0}, {1, 1, 1}, false, {0, 0, 0}});
  convolve(s, {{1, 2, 2, 2, 2}, {2, 3, 2, 2, 2}, {1, 2, 1}, {0, 0, 0}, {1, 1, 1}, true, {0, 0, 0}});
}

void pooled(Samples& s) {
  for (const Tensor& x : {s.tensor({2, 3, 7, 6}), s.tensor({3, 7, 6}), s.tensor({1, 2, 4, 8}, Fill::kSpecial)}) {
    s.call({x, Shape{2, 2}});
    s.call({x, Shape{3, 2}, Shape{2, 1}, Shape{1, 0}});
    s.call({x, Shape{2}, Shape{2}, Shape{0}, Shape{2}, true});
  }
}
void layer_norm(Samples& s) {
  for (const Tensor& x : {s.tensor({2, 3, 4}), aten::permute(s.tensor({4, 3, 2}), {2, 1, 0})}) {
    s.call({x, Shape{4}, s.tensor({4}), s.tensor({4}), 1e-5});
    s.call({x, Shape{3, 4}, nullptr, nullptr, 1e-3});
    s.call({x, Shape{4}, s.tensor({4}), nullptr, 1e-5});
  }
  s.call({s.tensor({4, 8}, Fill::kSpecial), Shape{8}, nullptr, nullptr, 1e-5});
  s.call({s.tensor({0, 4}), Shape{4}, nullptr, nullptr, 1e-5});
}
void group_norm(Samples& s) {
  s.call({s.tensor({2, 6, 3}), s.tensor({6}), s.tensor({6}), 2, 6, 3, 3, 1e-5});
  s.call({s.tensor({2, 6, 2, 2}), nullptr, nullptr, 2, 6, 4, 2, 1e-5});
  s.call({s.tensor({2, 6, 2, 2}, Fill::kSpecial), s.tensor({6}), nullptr, 2, 6, 4, 1, 1e-5});
}
void batch_norm(Samples& s) {
  Tensor spread = aten::abs(s.tensor({3}));
  s.call({s.tensor({2, 3, 4}), s.tensor({3}), s.tensor({3}), s.tensor({3}), spread, 0.1, 1e-5});
  s.call({s.tensor({2, 3, 2, 2}), nullptr, nullptr, s.tensor({3}), spread, 0.1, 1e-3});
  s.call({s.tensor({4, 3}), s.tensor({3}), nullptr, s.tensor({3}), spread, 0.1, 1e-5});
  s.call({aten::permute(s.tensor({2, 4, 3}), {0, 2, 1}), nullptr, nullptr, s.tensor({3}), spread, 0.1, 1e-5});
}
void dropout(Samples& s) {
  for (const Tensor& x : s.tensors()) {
    s.call({x, 0.5, false});
    s.call({x, 0.0, true});
    s.call({x, 0.5, true});
    s.call({x, 0.5, nullptr});
  }
}

constexpr Maker kMakers[] = {
    {"aten::mm", product},
    {"aten::bmm", batches},
    {"aten::addmm", product_and_sum},
    {"aten::convolution", convolution},
    {"aten::max_pool2d_with_indices", pooled},
    {"aten::native_layer_norm", layer_norm},
    {"aten::native_group_norm", group_norm},
    {"aten::_native_batch_norm_legit_no_training", batch_norm},
    {"aten::native_dropout", dropout},
};

}  // namespace

const std::span<const Maker> kProductMakers = kMakers;

}  // namespace rung::rule_test
